"""Objects in lines of text: numbers between commas, tabs or blanks, perhaps headings and names."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import InputError
from firth.formats._lines import text_lines

__all__ = ["Lines", "read_object_lines"]

_NAMES = {"", "name", "names", "word", "words", "id", "object", "objects", "label", "item", "key"}
"""Headings of a first column that holds names."""
_NAMES_HINT = "If the first column contains names, begin the file with a line of headings: name,..."
_SHOWN = 40


@dataclass
class Lines:
    """What was read so far."""

    named: bool = False
    names: list[str] | None = None
    columns: list[str] | None = None
    width: int = 0
    first_line: int = 0
    values: array[float] = field(default_factory=lambda: array("d"))
    numbers: array[int] = field(default_factory=lambda: array("q"))

    def rows(self) -> npt.NDArray[np.float64]:
        """The numbers as a matrix."""
        dim = self.width - self.named
        return np.frombuffer(self.values, np.float64).reshape(-1, max(dim, 1)).copy()

    def line_of(self, row: int) -> int:
        return self.numbers[row]


def read_object_lines(path: Path, delimiter: str, header: bool | None) -> Lines:
    """Numbers in lines, with a name before them or not; errors name the line."""
    found = Lines()
    with progress.stage("reading objects", None, "objects", brief=1.0) as stage:
        for line, record in _records(path, delimiter):
            if not found.width:
                found.width, found.first_line = len(record), line
                if header or (header is None and _looks_like_header(record)):
                    found.columns = record
                    continue
            if len(record) != found.width:
                raise InputError(
                    f"Line {line:,} of {path}: {len(record):,} columns where line {found.first_line:,} has "
                    f"{found.width:,}.",
                    "Every line needs the same number of columns.",
                )
            if not found.numbers:
                _begin(found, path, line, record)
            _add(found, path, line, record)
            stage.advance(1)
    if not found.numbers:
        what = "only a line of headings" if found.columns else "no objects"
        raise InputError(f"{path} has {what}.", "Write an object a line.")
    if found.columns and found.named:
        found.columns = found.columns[1:]
    return found


def _records(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The columns of every line that is not blank, with its number; of several, that of the last line."""
    lines = text_lines(path)
    if delimiter == " ":
        yield from ((number, line.split()) for number, line in lines if line.strip())
        return
    reader = csv.reader((line + "\n" for _, line in lines), delimiter=delimiter, strict=True)
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(
                f"Line {reader.line_num:,} of {path} is not a line of a CSV file: {error}.",
                "A quotation mark that is not closed? Inside quotation marks they are doubled.",
            ) from None
        if len(record) > 1 or (record and record[0].strip()):
            yield reader.line_num, record


def _looks_like_header(record: list[str]) -> bool:
    """Whether a first line has headings: the name of a column of names, or no numbers where numbers would be.

    >>> _looks_like_header(["name", "2019"]), _looks_like_header(["x", "y"]), _looks_like_header(["Oslo", "1"])
    (True, True, False)
    """
    if len(record) > 1 and record[0].strip().lower() in _NAMES:
        return True
    return not any(is_number(text) for text in record)


def _begin(found: Lines, path: Path, line: int, record: list[str]) -> None:
    """Tell from the headings, or else from the first object, whether there are names."""
    heading = found.columns is not None and found.columns[0].strip().lower() in _NAMES
    found.named = (heading and len(record) > 1) or not is_number(record[0])
    if found.named and found.width == 1:
        raise InputError(
            f"Line {line:,} of {path}: {record[0][:_SHOWN]!r} is not a number.",
            "A line needs a number, or a name and numbers, with commas or tabs between.",
        )
    found.names = [] if found.named else None


def _add(found: Lines, path: Path, line: int, record: list[str]) -> None:
    """One more object."""
    texts = record[1:] if found.named else record
    try:
        found.values.extend(map(_number, texts))
    except ValueError:
        at = next(k for k, text in enumerate(texts) if not is_number(text))
        column = at + 1 + found.named
        if not texts[at].strip():
            raise InputError(
                f"Line {line:,} of {path}: column {column:,} is empty.", "Put a number in."
            ) from None
        hint = _NAMES_HINT if column == 1 else _hint(texts[at])
        raise InputError(
            f"Line {line:,} of {path}: {texts[at][:_SHOWN]!r} in column {column:,} is not a number.",
            hint,
        ) from None
    if found.names is not None:
        found.names.append(record[0])
    found.numbers.append(line)


def _hint(text: str) -> str | None:
    comma = is_number(text.replace(",", ".", 1)) and "," in text
    return "Write decimals with a point: 0.5" if comma else None


def _number(text: str) -> float:
    if "_" in text:  # Python reads 1_000 as a number; nobody else does
        raise ValueError
    return float(text)


def is_number(text: str) -> bool:
    """Whether text is a number, NaN and infinity included."""
    try:
        _number(text)
    except ValueError:
        return False
    return True
