"""Helpers of all stages: make a part unless it is current, open parts, read their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from firth.model import Model
from firth.parts import is_current, load_part, missing_part, new_part
from firth.store import MANIFEST, Part, Writer, sha256

__all__ = ["file_identity", "made", "make_part", "opened", "part_of", "previous", "saved"]


def make_part(
    writer: Writer,
    name: str,
    parameters: Mapping[str, Any],
    made_from: Mapping[str, Any],
    make: Callable[[Path], Mapping[str, Any]],
    **log: Any,
) -> bool:
    """Make a part of a model unless it was made from just this before; returns whether it was made.

    Parameters
    ----------
    writer : Writer
    name : str
        A part of ``PARTS``.
    parameters, made_from : mapping
        What identifies the part.
    make : callable
        Writes the files of the part into a folder and returns the facts about it.
    **log
        What the log notes beside date and duration.
    """
    if is_current(writer, name, parameters, made_from):
        return False
    with new_part(writer, name, **log) as draft:
        draft.facts = dict(make(draft.folder))
        draft.parameters, draft.made_from = dict(parameters), dict(made_from)
    return True


def saved(thing: Any, folder: Path, **facts: Any) -> dict[str, Any]:
    """Save an object into the folder of a part; returns the facts about it, and more."""
    thing.save(folder)
    return {**thing.describe(), **facts}


def part_of(writer: Writer, name: str) -> Part:
    """A part of the model; an error says how to make it if the model does not have it."""
    part = writer.parts.get(name)
    if part is None:
        raise missing_part(name, writer.path, has_corpus="corpus" in writer.parts)
    return part


def previous(model: str | Path, name: str) -> dict[str, Any]:
    """The parameters that a part of a model was learned with; empty if there is no such part."""
    if not (Path(model) / MANIFEST).exists():
        return {}
    part = Model(model).parts.get(name)
    return {} if part is None or part.parameters.get("imported") else dict(part.parameters)


def opened(writer: Writer, name: str) -> Any:
    """A part of the model, verified and opened."""
    part = part_of(writer, name)
    part.verify()
    return load_part(part)


def made(model: str | Path, changed: Mapping[str, bool]) -> Model:
    """The model after a command, with the names of the parts that were made."""
    learned = Model(model)
    learned.changed = [name for name, anew in changed.items() if anew]
    return learned


def file_identity(path: Path) -> dict[str, str]:
    """A file that a part is made from, as the manifest has it."""
    return {"path": str(path), "sha256": sha256(path)}
