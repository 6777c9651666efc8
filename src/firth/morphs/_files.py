"""Files of words, and of words with their parts."""

from __future__ import annotations

from pathlib import Path

from firth.corpus import GOES_ON
from firth.errors import InputError
from firth.formats import reading, text_lines
from firth.morphs._given import check_split
from firth.morphs._graphemes import has_parts

__all__ = ["looks_like_words", "read_gold", "read_known", "read_words"]

_HOW = "A line has a word, a tab, and its parts between spaces, such as: walked<TAB>walk ed"


def looks_like_words(path: str | Path) -> bool:
    """Whether every line of a file is one word, and no two lines are the same.

    Empty lines at the end do not count; a file of a single line is text.
    """
    seen: set[str] = set()
    with reading(path) as at:
        for at.line, line in text_lines(Path(path)):
            word = line.strip()
            if not word:
                continue
            if word in seen or len(word.split()) > 1:
                return False
            seen.add(word)
    return len(seen) > 1


def read_words(path: str | Path) -> list[str]:
    """The words of a file with one on each line; ``.gz .bz2 .xz .zst`` included."""
    with reading(path) as at:
        words = [word for at.line, line in text_lines(Path(path)) if (word := line.strip())]
    if not words:
        raise InputError(f"{path} has no words in it.", "Give a file with a word on each line.")
    return words


def read_known(path: str | Path) -> dict[str, list[str]]:
    """Splits to respect: on each line a word, a tab, and its parts between spaces.

    Raises
    ------
    InputError
        With the line where something is wrong: no tab, parts that are not the word, a word that was
        split in another way before.
    """
    found: dict[str, list[str]] = {}
    for number, word, parts in _pairs(Path(path)):
        check_split(word, parts, f"Line {number} of {path}")
        if found.setdefault(word, parts) != parts:
            raise InputError(
                f"Line {number} of {path}: {word!r} was split in another way before.",
                "Remove one of the two lines.",
            )
    if not found:
        raise InputError(f"{path} has no splits in it.", _HOW)
    return found


def read_gold(path: str | Path) -> tuple[dict[str, list[str]], int]:
    """Gold splits, and the number of words that were left out.

    Lines are as ``read_known`` reads them. Parts may have ``@@`` before them, and other columns may
    follow. Words whose parts, joined, are not the word as it is written are left out: their parts are
    underlying forms.
    """
    found: dict[str, list[str]] = {}
    others = 0
    for number, word, parts in _pairs(Path(path)):
        if "".join(parts) != word:
            others += 1
            continue
        check_split(word, parts, f"Line {number} of {path}") if has_parts(word) else None
        found[word] = parts
    if not found:
        raise InputError(f"{path} has no words whose parts, joined, are the word.", _HOW)
    return found, others


def _pairs(path: Path) -> list[tuple[int, str, list[str]]]:
    """The number, the word and the parts of each line."""
    found = []
    with reading(path) as at:
        for at.line, line in text_lines(path):
            if not line.strip():
                continue
            word, tab, rest = line.partition("\t")
            parts = [part.removeprefix(GOES_ON) for part in rest.partition("\t")[0].split()]
            if not tab or not word or not parts:
                raise InputError(
                    f"Line {at.line} of {path}: a word or its parts are missing.", _HOW
                )
            found.append((at.line, word, parts))
    return found
