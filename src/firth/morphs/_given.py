"""Splits that a person has given: what they must be, and corrections that are kept with a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.errors import InputError
from firth.morphs._graphemes import graphemes, has_parts
from firth.morphs._lattice import Spelled
from firth.progress import count_of
from firth.store import Part, has_structure, write_text

__all__ = ["Corrections", "check_split", "fixed_letters", "known_text"]

_FILE = "corrections.json"
_HOW = "Give a word, a tab, and its parts between spaces, such as: walked<TAB>walk ed"


class Corrections(dict[str, list[str]]):
    """Words, and their parts as a person has corrected them: a small part of a model of its own."""

    @classmethod
    def load(cls, part: Part) -> Self:
        """Read the corrections of a part of a model."""
        found = part.json(_FILE, dict)
        part.require(
            all(
                has_structure(parts, [str]) and not _wrong(word, parts)
                for word, parts in found.items()
            ),
            f"{_FILE} has splits that are not possible",
        )
        return cls(found)

    def text(self) -> str:
        """The corrections as they are stored."""
        return json.dumps(self, ensure_ascii=False, indent=1, sort_keys=True)

    def save(self, folder: Path) -> None:
        """Write the file of a part."""
        write_text(folder / _FILE, self.text())

    def describe(self) -> dict[str, Any]:
        """The number of corrections."""
        return {"n_words": len(self)}

    def summary(self) -> tuple[str, list[str]]:
        """The same in words."""
        return count_of(len(self), "word"), ["split by hand"]


def known_text(splits: Mapping[str, Sequence[str]]) -> str:
    """Splits as ``--known`` reads them: on each line a word, a tab, and its parts between spaces.

    >>> known_text({"walked": ["walk", "ed"], "red": ["red"]})
    'red\\tred\\nwalked\\twalk ed\\n'
    """
    return "".join(f"{word}\t{' '.join(parts)}\n" for word, parts in sorted(splits.items()))


def check_split(word: str, parts: Sequence[str], where: str = "", hint: str = _HOW) -> None:
    """Raise InputError unless parts can be those of a word."""
    if wrong := _wrong(word, parts):
        raise InputError(
            f"{where}: {wrong}." if where else wrong[0].upper() + wrong[1:] + ".", hint
        )


def _wrong(word: str, parts: Sequence[str]) -> str:
    """Why parts cannot be those of a word; empty if they can."""
    if not has_parts(word):
        return f"{word!r} is not a word of letters"
    if not all(parts) or "".join(parts) != word:
        return f"the parts {' '.join(parts)!r}, joined, are not {word!r}"
    if len(graphemes(word)) != sum(len(graphemes(part)) for part in parts):
        return f"a part of {word!r} begins inside a character"
    return ""


def fixed_letters(
    words: Sequence[str], spelled: Spelled, known: Mapping[str, Sequence[str]]
) -> npt.NDArray[np.int8]:
    """For every letter, 1 if its word must be split before it, 2 if it must not be, or else 0."""
    fixed = np.zeros(len(spelled.codes), np.int8)
    rows = {word: row for row, word in enumerate(words)} if known else {}
    for word, parts in known.items():
        row = rows[unicode.nfc(word)]
        begin, end = spelled.starts[row], spelled.starts[row + 1]
        fixed[begin + 1 : end] = 2
        for part in parts[:-1]:
            begin += len(graphemes(part))
            fixed[begin] = 1
    return fixed
