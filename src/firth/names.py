"""Names that a person gave to word classes or tags: a small part of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from firth.errors import InputError
from firth.store import Part, write_text

__all__ = ["MOST_WORDS", "Name", "Names"]

_FILE, _MORE = "names.json", "more.json"
_LONGEST = 10_000
"""Characters of a name or a note."""
_SHOWN = 40
MOST_WORDS = 500
"""With each name, so many of the words that it stands for are kept."""
_ROW = {"name": str, "words": [str], "note": str}


@dataclass(frozen=True)
class Name:
    """A name, and what is known about it.

    Attributes
    ----------
    name : str
    words : list of str
        The most frequent words of the class or tag when it got its name; by these it is found again
        after learning.
    note : str
        What else the person wrote about it.
    """

    name: str
    words: list[str] = field(default_factory=list)
    note: str = ""


class Names(dict[str, str]):
    """Names by what they stand for: the path of a class, or the number of a tag.

    Attributes
    ----------
    more : dict of str to Name
        The same names with their words and notes.
    left : list of Name
        Names whose class or tag was not found again after learning.
    """

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        more: Mapping[str, Name] | None = None,
        left: Iterable[Name] = (),
    ) -> None:
        super().__init__(names or {})
        known = more or {}
        self.more = {
            key: known[key] if key in known and known[key].name == name else Name(name)
            for key, name in self.items()
        }
        self.left = list(left)

    @classmethod
    def of(cls, more: Mapping[str, Name], left: Iterable[Name] = ()) -> Self:
        """Names with their words and notes."""
        return cls({key: one.name for key, one in more.items()}, more, left)

    @classmethod
    def load(cls, part: Part) -> Self:
        """Read the names of a part of a model."""
        names = part.json(_FILE, dict)
        part.require(_are_texts(names.values()), f"{_FILE} does not contain valid names")
        if _MORE not in part.files:
            return cls(names)
        found = part.json(_MORE, {"more": dict, "left": [_ROW]})
        rows = [*found["more"].values(), *found["left"]]
        part.require(all(map(_is_row, rows)), f"{_MORE} does not contain valid names")
        more = {key: Name(**row) for key, row in found["more"].items()}
        return cls(names, more, [Name(**row) for row in found["left"]])

    def check(self) -> None:
        """Raise InputError unless these names can be stored."""
        for one in [*self.more.values(), *self.left]:
            for what, text in (
                ("name", one.name),
                ("note", one.note),
                *(("word", w) for w in one.words),
            ):
                if len(text) > _LONGEST:
                    raise InputError(
                        f"The {what} {text[:_SHOWN]!r}... has {len(text):,} characters.",
                        f"Use at most {_LONGEST:,}.",
                    )
                if any("\ud800" <= c <= "\udfff" for c in text):
                    raise InputError(
                        f"The {what} {text[:_SHOWN]!r} is not valid Unicode.",
                        "Write it in UTF-8, or check the language settings of the terminal.",
                    )

    def text(self) -> str:
        """Everything that is stored, as a text that is the same for the same names."""
        return json.dumps(self, indent=1, sort_keys=True) + self._more_text()

    def _more_text(self) -> str:
        known = {key: asdict(one) for key, one in self.more.items() if one.words or one.note}
        if not known and not self.left:
            return ""
        left = [asdict(one) for one in self.left]
        return json.dumps(
            {"more": known, "left": left}, indent=1, sort_keys=True, ensure_ascii=False
        )

    def save(self, folder: Path) -> None:
        """Write the files of a part."""
        write_text(folder / _FILE, json.dumps(self, indent=1, sort_keys=True))
        if more := self._more_text():
            write_text(folder / _MORE, more)

    def describe(self) -> dict[str, Any]:
        """The number of names."""
        return {"n_names": len(self), **({"n_left": len(self.left)} if self.left else {})}

    def summary(self) -> tuple[str, list[str]]:
        """The names in words."""
        return f"{len(self):,} names", []


def _are_texts(texts: Iterable[Any]) -> bool:
    return all(isinstance(text, str) and len(text) <= _LONGEST for text in texts)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and row.keys() == _ROW.keys()
        and isinstance(row["words"], list)
        and len(row["words"]) <= MOST_WORDS
        and _are_texts([row["name"], row["note"], *row["words"]])
    )
