"""Texts in a column, and what the other columns say about them: JSON Lines and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firth.errors import InputError
from firth.formats._arrow import TableFile
from firth.formats._limits import current_limits
from firth.formats._reading import reading
from firth.formats._remote import RemoteFile, open_table
from firth.formats._separated import SEPARATORS, SeparatedFile
from firth.formats._sniff import kind_of, without_compression

__all__ = ["json_objects", "json_records", "read_rows", "table_records", "table_rows"]

_ROWS, _TEXT = 1024, 64 << 20
"""Rows, and bytes of text, that become Python strings at once."""


def json_records(
    lines: Iterable[tuple[int, str]], column: str, name: str
) -> Iterator[tuple[int, str]]:
    """The text of each record, with its place; null texts are passed over."""
    for place, record in json_objects(lines, column, name):
        yield place, record[column]


def json_objects(
    lines: Iterable[tuple[int, str]], column: str, name: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each record that has a text, with its place."""
    for count, (place, line) in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{name}, line {count}: not valid JSON ({error}).",
                "Every line must hold one JSON object.",
            ) from None
        if not isinstance(record, dict) or column not in record:
            found = (
                ", ".join(repr(key[:40]) for key in list(record)[:10])
                if isinstance(record, dict)
                else "no JSON object"
            )
            raise InputError(
                f"{name}, line {count}: there is no {column!r}.",
                f"Choose with --column. It has: {found}.",
            )
        text = record[column]
        if text is not None:
            if not isinstance(text, str):
                raise InputError(
                    f"{name}, line {count}: {column!r} is not a string.",
                    "Choose another with --column.",
                )
            yield place, record


def table_records(
    path: Path | RemoteFile, column: str, done: Callable[[float], None] = lambda _: None
) -> Iterator[tuple[int, str | None]]:
    """The text of each row, with its row number; ``done`` is told the share that has been read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    row = 0
    with _open_rows(path) as table:
        limits = current_limits()
        if column not in table.schema.names:
            raise InputError(
                f"{path} has no column {column!r}.",
                f"Choose with --column. It has: {', '.join(table.schema.names[:20])}.",
            )
        kind = table.schema.field(column).type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise InputError(
                f"The column {column!r} of {path} contains {kind}, not text.",
                "Choose another with --column.",
            )
        for batch in table.batches([column]):
            texts = batch.column(0)
            longest = pc.max(pc.binary_length(texts)).as_py() or 1
            limits.check_line(
                longest, f"A text in rows {row + 1:,} to {row + len(texts):,} of {path}"
            )
            at_once = max(1, min(_ROWS, _TEXT // longest))  # never many Python strings at once
            for start in range(0, len(texts), at_once):
                for text in texts.slice(start, at_once).to_pylist():
                    yield row, text
                    row += 1
            done(table.share)


def table_rows(path: Path | RemoteFile, column: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """What the other columns say about each row, with its row number; the texts are not read again.

    Columns of lists, of structures and of bytes are left out.
    """
    row = 0
    with _open_rows(path) as table:
        others = [
            field.name for field in table.schema if field.name != column and _is_simple(field)
        ]
        for batch in table.batches(others or [column]):
            for start in range(0, len(batch), _ROWS):  # never many Python objects at once
                rows = batch.slice(start, _ROWS)
                for values in rows.to_pylist() if others else [{}] * len(rows):
                    yield row, values
                    row += 1


def read_rows(path: str | Path) -> dict[str, list[Any]]:
    """The columns of a small table as lists: CSV, TSV, Parquet or Arrow.

    Columns of lists, of structures and of bytes are left out.
    """
    path = Path(path)
    if kind_of(path.name) != "table":
        raise InputError(f"{path} is not a table.", "Give a CSV, TSV, Parquet or Arrow file.")
    with _open_rows(path) as table:
        chosen = [field.name for field in table.schema if _is_simple(field)]
        columns: dict[str, list[Any]] = {name: [] for name in chosen}
        for batch in table.batches(chosen):
            for name in chosen:
                columns[name] += batch.column(name).to_pylist()
    if not columns or not next(iter(columns.values())):
        raise InputError(f"{path} has no rows.", "It needs rows below its headings.")
    return columns


@contextmanager
def _open_rows(path: Path | RemoteFile) -> Iterator[Any]:
    """A table of any kind: it has a ``schema``, ``batches`` of rows, and the ``share`` that was read."""
    name = without_compression(path.name if isinstance(path, Path) else path.filename)
    if name.endswith(tuple(SEPARATORS)):
        with reading(path, "is not a readable CSV or TSV file"):
            yield SeparatedFile(path)
        return
    with reading(path, "is not a readable Parquet or Arrow file"), open_table(path) as file:
        yield TableFile(file, str(path), kept=False)


def _is_simple(field: Any) -> bool:
    import pyarrow.types as types

    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_temporal(kind)
        or types.is_decimal(kind)
    )
