"""Files of word pairs with human scores, and of analogies, told apart by their columns.

Word pairs: two words and a score, as ``tiger cat 7.35``; the score is the first column after the
words that is a number everywhere. Analogies: four words, or a category and four words; or a line
``: category`` before lines of four words. Columns are separated by tabs, commas, semicolons or white
space. Lines that begin with ``#`` and one line of headings are passed over.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path

from firth import progress
from firth.errors import InputError
from firth.formats import reading, text_lines

__all__ = ["Analogies", "Questions", "WordPairs", "read_questions"]

_SEPARATORS: tuple[str | None, ...] = ("\t", ",", ";", None)  # None: any white space


@dataclass(frozen=True)
class WordPairs:
    """Pairs of words, each with a score that people gave."""

    name: str
    pairs: list[tuple[str, str]]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True)
class Analogies:
    """Questions "a is to b as c is to d", in categories."""

    name: str
    questions: list[tuple[str, str, str, str]]
    categories: list[str]

    def __len__(self) -> int:
        return len(self.questions)


Questions = WordPairs | Analogies
Row = tuple[int, list[str]]


def read_questions(path: str | Path) -> Questions:
    """Read a file of word pairs or of analogies.

    Raises
    ------
    InputError
        The file is neither, or a line of it is not like the others.
    """
    path = Path(path)
    with reading(path):
        return _questions(path)


def _questions(path: Path) -> Questions:
    rows, category_lines = _rows(path)
    if not rows:
        raise InputError(f"{path} has no questions in it.")
    width = Counter(len(row) for _, row in rows).most_common(1)[0][0]
    scored = sum(any(map(_is_number, row[2:])) for _, row in rows)
    pairs = width >= 3 and not category_lines and scored >= len(rows) / 2
    if pairs:
        return _pairs(path, rows)
    if width in (4, 5):
        return _analogies(path, rows, category_lines, width)
    if width == 3:
        number, row = next((number, row) for number, row in rows if len(row) == width)
        raise InputError(
            f"Line {number} of {path}: {row[2]!r} is not a number, and a score is expected."
        )
    raise InputError(
        f"{path} contains neither word pairs nor analogies: line {rows[0][0]} has {len(rows[0][1])} columns.",
        "Word pairs are two words and a score; analogies are four words, or a category and four words.",
    )


def _rows(path: Path) -> tuple[list[Row], dict[int, str]]:
    """The columns of all lines with their numbers, and the lines that name a category."""
    lines, category_lines = [], {}
    for number, line in text_lines(path):
        text = line.strip()
        if text.startswith(":"):
            category_lines[number] = text[1:].strip()
        elif text and not text.startswith("#"):
            lines.append((number, text))
    separator = _separator([text for _, text in lines])
    return [(number, _split(text, separator)) for number, text in lines], category_lines


def _separator(lines: list[str]) -> str | None:
    """What stands between columns: the first separator that gives most lines at least three."""
    for separator in _SEPARATORS[:-1]:
        if sum(len(_split(line, separator)) >= 3 for line in lines) > len(lines) / 2:
            return separator
    return None


def _split(line: str, separator: str | None) -> list[str]:
    return [column.strip() for column in line.split(separator)]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _without_headings(path: Path, rows: list[Row]) -> list[Row]:
    """Lines of pairs without a first line of headings: as many columns as the next, and no number."""
    number, first = rows[0]
    if len(rows) < 2 or len(first) != len(rows[1][1]) or any(map(_is_number, first)):
        return rows
    progress.notice(f"Line {number} of {path} was taken for headings.")
    return rows[1:]


def _pairs(path: Path, rows: list[Row]) -> WordPairs:
    rows = _without_headings(path, rows)
    numbers = Counter(
        k for _, row in rows for k, text in enumerate(row) if k >= 2 and _is_number(text)
    )
    column = min(numbers, key=lambda k: (-numbers[k], k))
    pairs, scores = [], []
    for number, row in rows:
        if len(row) <= column or not row[0] or not row[1]:
            raise InputError(
                f"Line {number} of {path} has {len(row)} columns; two words and a score are expected.",
                "A word with a separator in it cannot be read; write the columns with tabs between them.",
            )
        if not _is_number(row[column]):
            raise InputError(
                f"Line {number} of {path}: {row[column]!r} is not a number, and a score is expected."
            )
        pairs.append((row[0], row[1]))
        scores.append(float(row[column]))
    return WordPairs(path.stem, pairs, scores)


def _analogies(
    path: Path, rows: list[Row], category_lines: dict[int, str], width: int
) -> Analogies:
    questions, categories = [], []
    category = path.stem
    waiting = deque(sorted(category_lines.items()))
    for number, row in rows:
        while waiting and waiting[0][0] < number:
            category = waiting.popleft()[1]
        if len(row) != width or not all(row):
            raise InputError(
                f"Line {number} of {path} has {len(row)} columns where others have {width}."
            )
        if width == 5:
            category = row[0]
        a, b, c, d = row[-4:]
        questions.append((a, b, c, d))
        categories.append(category)
    return Analogies(path.stem, questions, categories)
