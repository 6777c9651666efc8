"""Objects in Parquet and Arrow files: columns of numbers, or one of lists, and perhaps one of names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.formats._arrow import TableFile
from firth.formats._reading import reading

if TYPE_CHECKING:
    from firth.formats._objects import ObjectTable

__all__ = ["read_object_table"]

_NAMES = ("name", "word", "id", "object", "label", "item", "key")
_COUNT, _INDEX = "count", "__index_level_"


def read_object_table(path: Path, file: BinaryIO) -> ObjectTable:
    """Read the numbers of a Parquet, Arrow or Feather file."""
    import pyarrow as pa

    from firth.formats._objects import ObjectTable

    with reading(path, "is not a readable Parquet or Arrow file"):
        source = TableFile(file, str(path))
        texts, lists, numbers = _columns(path, source.schema)
        column = texts[0] if len(texts) == 1 else next((t for t in _NAMES if t in texts), "")
        if texts and not column:
            raise InputError(
                f"{path} has several columns of text: {', '.join(texts[:10])}.",
                "Keep only the one with the names, or call it 'name'.",
            )
        if not lists and not numbers:
            raise InputError(
                f"{path} has no column of numbers.",
                f"It has: {', '.join(source.schema.names[:20])}.",
            )
        if lists:
            numbers = [name for name in numbers if name == _COUNT]
        table = source.table([*([column] if texts else []), *lists, *numbers])
        names = None
        if texts:
            names = [name or "" for name in table.column(column).cast(pa.string()).to_pylist()]
        if not lists:
            return ObjectTable(_of_columns(path, table, numbers), names, None, numbers)
        counts = table.column(_COUNT).to_pylist() if numbers else None
        if counts and not all(isinstance(n, int) and 0 <= n < 1 << 60 for n in counts):
            raise InputError(f"The column 'count' of {path} has more than whole numbers from 0 on.")
        rows = _of_lists(path, table.column(lists[0]), lists[0])
        return ObjectTable(rows, names, counts, words=names is not None)


def _columns(path: Path, schema: Any) -> tuple[list[str], list[str], list[str]]:
    """Columns of text, of lists and of numbers; all others are not for us."""
    import pyarrow.types as types

    if len(set(schema.names)) < len(schema.names):
        raise InputError(f"{path} has two columns with the same name.", "Give each column its own.")
    texts, lists, numbers = [], [], []
    for column in schema:
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            texts.append(column.name)
        elif types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
            lists.append(column.name)
        elif types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
            if not column.name.startswith(_INDEX):  # pandas writes its row numbers so
                numbers.append(column.name)
        else:
            raise InputError(
                f"The column {column.name!r} of {path} contains {column.type}, not numbers.",
                "Leave it out.",
            )
    if len(lists) > 1:
        raise InputError(
            f"{path} has several columns of lists: {', '.join(lists[:10])}.", "Keep one of them."
        )
    return texts, lists, numbers


def _of_lists(path: Path, column: Any, name: str) -> npt.NDArray[np.float64]:
    import pyarrow as pa

    lists = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    lengths = lists.value_lengths().to_pylist()
    for row, length in enumerate(lengths, 1):
        if length is None or length != lengths[0]:
            raise InputError(
                f"Row {row:,} of {path}: {length or 0:,} numbers in the column {name!r} where row 1 has "
                f"{lengths[0] or 0:,}."
            )
    try:
        values = lists.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        raise InputError(
            f"The column {name!r} of {path} contains {column.type}, not lists of numbers."
        ) from None
    return np.array(values, np.float64).reshape(len(lengths), -1)


def _of_columns(path: Path, table: Any, names: list[str]) -> npt.NDArray[np.float64]:
    import pyarrow as pa

    rows = np.empty((table.num_rows, len(names)))
    for k, name in enumerate(names):
        column = table.column(name)
        if column.null_count:
            row = column.is_null().to_pylist().index(True) + 1
            raise InputError(
                f"Row {row:,} of {path}: column {name!r} is empty.", "Put a number in."
            )
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        rows[:, k] = column.cast(pa.float64(), safe=False).to_numpy()
    return rows
