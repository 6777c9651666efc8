"""A table of metadata: a row for each file, found by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from firth import progress
from firth.errors import InputError
from firth.formats import read_rows
from firth.progress import count_of

__all__ = ["Metadata", "read_metadata"]

_KEYS = ("document", "file", "filename", "name", "id")


@dataclass(frozen=True)
class Metadata:
    """What a table says about files.

    Attributes
    ----------
    columns : dict of str to list
        The values of each column.
    rows : dict of str to int
        The row of each file.
    name : str
        The name of the table.
    """

    columns: dict[str, list[Any]]
    rows: dict[str, int]
    name: str

    def rows_of(self, files: Sequence[str]) -> list[int | None]:
        """The row of each file: by its path, its name, or its name without suffixes."""
        found = [
            next((self.rows[key] for key in _keys(f) if key in self.rows), None) for f in files
        ]
        missing = [file for file, row in zip(files, found, strict=True) if row is None]
        if len(missing) == len(files):
            raise InputError(
                f"{self.name} has no row for any of the files.",
                f"Its first column has {', '.join(map(repr, list(self.rows)[:3]))}; the first file is "
                f"{files[0]}.",
            )
        if missing:
            progress.notice(
                f"{self.name} has no row for {count_of(len(missing), 'file')}, such as {missing[0]!r}."
            )
        used = set(found)
        if both := _sharing(files, found):
            progress.notice(
                f"{self.name} has one row for files of several folders, such as {both[0]!r} and {both[1]!r}.",
                "If they should not share it, give the names of the files with their folders.",
            )
        unused = [name for name, row in self.rows.items() if row not in used]
        if unused:
            progress.notice(
                f"{count_of(len(unused), 'row')} of {self.name} {'is' if len(unused) == 1 else 'are'} for no file "
                f"here, such as {unused[0]!r}."
            )
        return found


def read_metadata(path: str | Path) -> Metadata:
    """Read a table of metadata: CSV, TSV, Parquet or Arrow.

    The names of the files are in the column ``document``, ``file``, ``filename``, ``name`` or ``id``, or
    else in the first one.
    """
    columns = read_rows(path)
    key = next((name for name in _KEYS if name in columns), next(iter(columns)))
    rows: dict[str, int] = {}
    for row, name in enumerate(map(str, columns.pop(key))):
        if name in rows:
            raise InputError(
                f"Rows {rows[name] + 1:,} and {row + 1:,} of {path} are both for {name!r}.",
                "A file has one row.",
            )
        rows[name] = row
    if not columns:
        raise InputError(
            f"{path} has no column beside {key!r}.", "Add what is known about the files."
        )
    return Metadata(columns, rows, str(path))


def _sharing(files: Sequence[str], found: Sequence[int | None]) -> tuple[str, str] | None:
    """The first two files that have the same row."""
    first: dict[int, str] = {}
    for file, row in zip(files, found, strict=True):
        if row is not None and (other := first.setdefault(row, file)) != file:
            return other, file
    return None


def _keys(file: str) -> Iterator[Any]:
    """What a table may call a file: its path, ever shorter, and the same without suffixes."""
    yield file
    *folders, name = PurePosixPath(file.replace("\\", "/")).parts
    while True:
        for i in range(len(folders) + 1):
            yield "/".join([*folders[i:], name])
        if "." not in name[1:]:
            return
        name = name.rpartition(".")[0]
