"""Texts in a column: JSON Lines, Parquet and Arrow files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from firth.errors import InputError
from firth.formats._arrow import TableFile
from firth.formats._limits import current_limits
from firth.formats._reading import reading
from firth.formats._remote import RemoteFile, open_table

__all__ = ["json_records", "table_records"]

_ROWS, _TEXT = 1024, 64 << 20
"""Rows, and bytes of text, that become Python strings at once."""


def json_records(
    lines: Iterable[tuple[int, str]], column: str, name: str
) -> Iterator[tuple[int, str]]:
    """The text of each record, with its place; null texts are passed over."""
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
            yield place, text


def table_records(
    path: Path | RemoteFile, column: str, done: Callable[[float], None] = lambda _: None
) -> Iterator[tuple[int, str | None]]:
    """The text of each row, with its row number; ``done`` is told the share that has been read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    row = 0
    with reading(path, "is not a readable Parquet or Arrow file"), open_table(path) as file:
        table, limits = TableFile(file, str(path), kept=False), current_limits()
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
