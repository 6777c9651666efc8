"""Names that a person gives to classes and tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from firth import unicode
from firth.errors import InputError
from firth.model import Model
from firth.names import Name, Names
from firth.pipeline._carrying import carry_names, write_names
from firth.pipeline._places_of_names import with_words
from firth.store import writing

__all__ = ["check_tag_names", "name_classes", "name_tags"]


def name_classes(model: str | Path, names: Mapping[str, str]) -> Model:
    """Name nodes of the tree of classes; an empty name removes a name.

    Parameters
    ----------
    model : str or Path
    names : mapping of str to str
        Names by path.
    """
    with writing(model) as writer:
        carry_names(writer, "classes")
        opened = Model(model)
        tree = opened.classes.tree
        for path in names:
            if path not in tree.node_of:
                raise InputError(
                    f"The tree has no node {path!r}.", "Show its nodes: firth classes show MODEL"
                )
        kept = _renamed(opened.names, names)
        write_names(writer, "classes", with_words(kept, opened.classes))
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
        carry_names(writer, "tags")
        opened = Model(model)
        n = opened.tags.n_tags_
        for number in names:
            if number not in map(str, range(n)):
                raise InputError(
                    f"There is no tag {number!r}; they are numbered from 0 to {n - 1}.",
                    "Show them: firth tags show MODEL",
                )
        kept = _renamed(opened.tag_names, names)
        check_tag_names(kept, writer.parts["tags"].facts["tags"])
        write_names(writer, "tags", with_words(kept, opened.tags))
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


def _renamed(old: Names, names: Mapping[str, str]) -> Names:
    """Names after some were given or, by an empty name, removed.

    A new name leaves the note of the old one in place. A name that was left, and is given again, takes its
    note along.
    """
    more, left = dict(old.more), list(old.left)
    for key, name in ((key, name.strip()) for key, name in names.items()):
        before = more.pop(key, Name(name))
        if not name:
            continue
        again = next((one for one in left if one.name == name and not before.note), None)
        if again is not None:
            left.remove(again)
        more[key] = Name(name, before.words, (again or before).note)
    return Names.of(more, left)
