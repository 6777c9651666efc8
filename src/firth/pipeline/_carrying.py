"""Names that stay: after classes or tags were learned again, each name goes where its words went."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from firth import progress
from firth.names import Names
from firth.parts import PARTS, load_part
from firth.pipeline._making import write_by_hand
from firth.pipeline._places_of_names import place_names, with_words
from firth.progress import count_of
from firth.store import Writer

__all__ = ["carry_names", "names_kept", "write_names"]


@contextmanager
def names_kept(writer: Writer, of: str) -> Iterator[None]:
    """While classes or tags are learned: names that were given to them are carried over to the new ones.

    The words that a name stands for are stored beside it, so nothing is lost if this is interrupted: who
    changes the names next carries on.
    """
    part = PARTS[of].names
    if part in writer.parts and of in writer.parts and _is_fresh(writer, of):
        names: Names = load_part(writer.parts[part])
        write_names(writer, of, with_words(names, load_part(writer.parts[of])))
    yield
    carry_names(writer, of)


def carry_names(writer: Writer, of: str) -> None:
    """Carry the names over to the classes or tags of the model, unless they belong to these already."""
    part = PARTS[of].names
    if part not in writer.parts or of not in writer.parts or _is_fresh(writer, of):
        return
    old: Names = load_part(writer.parts[part])
    if old or old.left:
        found = place_names(old, load_part(writer.parts[of]))
        write_names(writer, of, found)
        _tell(old, found, of, str(writer.path))


def _is_fresh(writer: Writer, of: str) -> bool:
    """Whether the names belong to the classes or tags that the model has."""
    return bool(writer.parts[PARTS[of].names].made_from == {of: writer.parts[of].content})


def write_names(writer: Writer, of: str, names: Names) -> None:
    """Write the names of the classes or the tags that the model has."""
    names.check()
    write_by_hand(writer, PARTS[of].names, names, {of: writer.parts[of].content})


def _tell(old: Names, new: Names, of: str, model: str) -> None:
    """Say which names were carried over, which moved and which are left."""
    before = {name: key for key, name in old.items()}
    moved = [
        f"{name} from {before[name]} to {key}"
        for key, name in new.items()
        if name in before and before[name] != key
    ]
    parts = [f"{count_of(len(new), 'name')} carried over to the new {PARTS[of].title}"]
    parts += [f"moved: {', '.join(moved)}"] * bool(moved)
    if new.left:
        parts.append(f"not found again, but kept: {', '.join(one.name for one in new.left)}")
    progress.notice(
        "; ".join(parts) + ".", f"Show them: firth names show {model}" if new.left else None
    )
