"""Rows of a table as files for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from firth.errors import ParameterError, shown
from firth.formats._frames import Rows
from firth.store import replacing

__all__ = ["check_output", "write_rows", "write_separated"]

_FILES = (".csv", ".tsv", ".json")
_AT_ONCE = 1 << 16


def check_output(path: str | Path) -> None:
    """Raise ParameterError unless rows can be written in the format that a name stands for."""
    if Path(path).suffix.lower() not in _FILES:
        raise ParameterError(
            f"The format of {shown(Path(path).name)} is unknown.",
            f"Use a name that ends with {', '.join(_FILES[:-1])} or {_FILES[-1]}.",
        )


def write_rows(path: str | Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as ``.csv``, ``.tsv`` or ``.json``; the names of the first row are the headings.

    ``Rows`` know their headings even if there are no rows.
    """
    check_output(path)
    with replacing(path) as file:
        if Path(path).suffix.lower() == ".json":
            text = json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n"
            file.write(text.encode(errors="replace"))
        else:
            empty = rows.to_frame("arrow").column_names if isinstance(rows, Rows) else []
            headings = list(rows[0]) if rows else empty
            write_separated(file, headings, (row.values() for row in rows), Path(path).suffix)


def write_separated(
    file: BinaryIO, headings: Sequence[str], rows: Iterable[Iterable[Any]], suffix: str
) -> None:
    """Write headings and rows, separated by commas (``.csv``) or tabs; None becomes an empty value.

    In a TSV file quotation marks are ordinary characters, so tabs and line ends become blanks.
    """
    text = io.StringIO()
    quoted = csv.writer(text, lineterminator="\n")

    def write(row: Iterable[Any]) -> None:
        values = ["" if value is None else value for value in row]
        if suffix.lower() == ".csv":
            quoted.writerow(values)
        else:
            text.write("\t".join(map(_in_one_line, values)) + "\n")

    write(headings)
    for row in rows:
        write(row)
        if text.tell() > _AT_ONCE:
            file.write(text.getvalue().encode(errors="replace"))
            text.seek(0)
            text.truncate()
    file.write(text.getvalue().encode(errors="replace"))


def _in_one_line(value: Any) -> str:
    return str(value).translate({ord(c): " " for c in "\t\r\n"})
