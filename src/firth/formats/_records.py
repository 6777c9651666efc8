"""Texts in a column: JSON Lines, Parquet and Arrow files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from firth.errors import InputError

__all__ = ["json_records", "table_records", "table_rows"]


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
                ", ".join(map(repr, list(record)[:10]))
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


def _open_table(path: Path) -> tuple[Any, Any, int]:
    """A Parquet or Arrow file: its schema, its batches of a given column, its number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            is_parquet = file.read(4) == b"PAR1"
        if is_parquet:
            table = pq.ParquetFile(path)
            rows = table.metadata.num_rows
            return table.schema_arrow, lambda c: table.iter_batches(1024, columns=[c]), rows
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        batches = range(reader.num_record_batches)
        rows = sum(reader.get_batch(i).num_rows for i in batches)
        return reader.schema, lambda c: (reader.get_batch(i).select([c]) for i in batches), rows
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except PermissionError:
        raise InputError(f"No permission to read {path}.") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{path} is not a readable Parquet or Arrow file: {str(error).splitlines()[0]}"
        ) from error


def table_records(path: Path, column: str) -> Iterator[tuple[int, str]]:
    """The text of each row, with its row number; null texts are passed over."""
    import pyarrow as pa

    schema, batches, _ = _open_table(path)
    if column not in schema.names:
        raise InputError(
            f"{path} has no column {column!r}.",
            f"Choose with --column. It has: {', '.join(schema.names[:20])}.",
        )
    kind = schema.field(column).type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InputError(
            f"The column {column!r} of {path} contains {kind}, not text.",
            "Choose another with --column.",
        )
    row = 0
    try:
        for batch in batches(column):
            for start in range(0, batch.num_rows, 1024):  # never many Python strings at once
                for text in batch.slice(start, 1024).column(0).to_pylist():
                    if text is not None:
                        yield row, text
                    row += 1
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path} is damaged: {str(error).splitlines()[0]}") from error


def table_rows(path: Path) -> int:
    """The number of rows, without reading them."""
    return int(_open_table(path)[2])
