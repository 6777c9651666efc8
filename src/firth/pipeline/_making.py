"""Helpers of all stages: make a part unless it is current, open parts, read their parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firth.errors import ModelError
from firth.formats import is_url, path_of, reading, stored_name
from firth.model import Model
from firth.parameters import Replacing
from firth.parts import PARTS, is_current, load_part, missing_part, new_part
from firth.store import MANIFEST, Part, Writer, sha256

if TYPE_CHECKING:
    from firth.morphs import Corrections
    from firth.names import Names

__all__ = [
    "check_same_text",
    "file_identity",
    "kept_parts",
    "made",
    "make_part",
    "opened",
    "part_of",
    "previous",
    "saved",
    "write_by_hand",
]

_TEXTS = ("sources", "text", "trees")
"""What the manifest calls the files that a corpus, a supervised model or a grammar was made from."""


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


def write_by_hand(
    writer: Writer, part: str, kept: Names | Corrections, made_from: Mapping[str, Any]
) -> None:
    """Write what a person has made as a part of its own, unless it is the same."""
    parameters = {"names": hashlib.sha256(kept.text().encode()).hexdigest()}
    make_part(writer, part, parameters, made_from, lambda folder: saved(kept, folder))


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
    with reading(path):
        return {"path": stored_name(path), "sha256": sha256(path)}


def kept_parts(options: dict[str, Any], *names: str) -> tuple[str, ...]:
    """Those of some parts that are kept if they were made from other text: none with ``replace``."""
    how = Replacing(**Replacing.take(options))
    how.check()
    return () if how.replace else names


def check_same_text(
    writer: Writer,
    names: Iterable[str],
    files: Iterable[str | Path],
    checksums: Iterable[str | None],
) -> None:
    """Stop before a part that was made from other text is replaced.

    It is the same text if one of its files is given again: with the same path, whatever is in it now,
    or with the same checksum, wherever it is now.

    Parameters
    ----------
    writer : Writer
    names : iterable of str
        The parts that would be replaced; those that the model does not have are passed over.
    files : iterable of str or Path
        The files that are given; str as ``stored_name`` makes them, and addresses.
    checksums : iterable of str or None
        Of what is given; used only if no path is the same.
    """
    places = set(map(_place, files))
    found: set[str | None] | None = None
    for name in names:
        texts = _texts_of(writer.parts[name]) if name in writer.parts else []
        if not texts or any(path and _place(path) in places for path, _ in texts):
            continue
        found = set(checksums) if found is None else found
        if not any(checksum and checksum in found for _, checksum in texts):
            kind, first = PARTS[name], texts[0][0] or "standard input, or text in memory"
            more = f" and {len(texts) - 1:,} more" if len(texts) > 1 else ""
            raise ModelError(
                f"The {kind.title} of {writer.path} {'were' if kind.plural else 'was'} made from "
                f"other text: {first}{more}.",
                "Give another name with -o, or replace what is there: --replace",
            )


def _place(file: str | Path) -> str:
    """Where a file is: an address, or an absolute path."""
    if isinstance(file, str):
        if is_url(file):
            return file
        file = path_of(file)
    return str(file.absolute())


def _texts_of(part: Part) -> list[tuple[str, str]]:
    """Path and checksum of each file that a part was made from; none if it was made from other parts."""
    entries: Any = next((part.made_from[key] for key in _TEXTS if key in part.made_from), [])
    entries = entries if isinstance(entries, list) else [entries]
    return [
        (str(entry.get("path") or ""), str(entry.get("sha256") or ""))
        for entry in entries
        if isinstance(entry, dict)
    ]
