"""Names that a person gives to classes and tags."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firth import unicode
from firth.errors import InputError
from firth.model import Model
from firth.names import Names
from firth.pipeline._making import make_part, saved
from firth.pipeline._places_of_names import with_words
from firth.store import Writer, writing

if TYPE_CHECKING:
    from firth.morphs import Corrections

__all__ = ["check_tag_names", "name_classes", "name_tags", "write_by_hand"]


def name_classes(model: str | Path, names: Mapping[str, str]) -> Model:
    """Name nodes of the tree of classes; an empty name removes a name.

    Parameters
    ----------
    model : str or Path
    names : mapping of str to str
        Names by path.
    """
    with writing(model) as writer:
        opened = Model(model)
        tree = opened.classes.tree
        for path in names:
            if path not in tree.node_of:
                raise InputError(
                    f"The tree has no node {path!r}.", "Show its nodes: firth classes show MODEL"
                )
        before = opened.names
        kept = Names(_kept({**before, **names}), before.more, before.left)
        kept = with_words(kept, opened.classes)
        write_by_hand(writer, "names", kept, {"classes": writer.parts["classes"].content})
    return Model(model)


def name_tags(model: str | Path, names: Mapping[str, str]) -> Model:
    """Name tags; an empty name removes a name.

    Parameters
    ----------
    model : str or Path
    names : mapping of str to str
        Names by number.
    """
    with writing(model) as writer:
        opened = Model(model)
        n = opened.tags.n_tags_
        for number in names:
            if number not in map(str, range(n)):
                raise InputError(
                    f"There is no tag {number!r}; they are numbered from 0 to {n - 1}.",
                    "Show them: firth tags show MODEL",
                )
        before = opened.tag_names
        kept = _kept({**before, **names})
        check_tag_names(kept, writer.parts["tags"].facts["tags"])
        named = with_words(Names(kept, before.more, before.left), opened.tags)
        write_by_hand(writer, "tag_names", named, {"tags": writer.parts["tags"].content})
    return Model(model)


def check_tag_names(names: Mapping[str, str], first: Sequence[str]) -> None:
    """Raise InputError unless tags can have these names; ``first`` are the names that they were learned with."""
    shown = [names.get(str(k), name) for k, name in enumerate(first)]
    for name in shown:
        if shown.count(name) > 1:
            raise InputError(f"Two tags would be called {name!r}.", "Number them: NOUN-1, NOUN-2.")
    for number, name in names.items():
        if name.split() != [name] or not unicode.is_printable(name):
            raise InputError(f"A tag needs a name without blanks. Got {name!r}.")
        if name.isdecimal() and name != first[int(number)]:
            raise InputError(
                f"A number cannot be the name of another tag. Got {number}={name}.",
                "Give a name with a letter in it.",
            )


def _kept(names: Mapping[str, str]) -> dict[str, str]:
    """Names that are not empty, without surrounding blanks."""
    return {what: name.strip() for what, name in names.items() if name.strip()}


def write_by_hand(
    writer: Writer, part: str, kept: Names | Corrections, made_from: Mapping[str, Any]
) -> None:
    """Write what a person has made as a part of its own, unless it is the same."""
    parameters = {"names": hashlib.sha256(kept.text().encode()).hexdigest()}
    make_part(writer, part, parameters, made_from, lambda folder: saved(kept, folder))
