"""Parquet, Arrow and Feather files: batches of rows, each validated before a value of it is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, BinaryIO

from firth.errors import InputError
from firth.formats._arrow_sizes import claimed_bytes
from firth.formats._limits import current_limits
from firth.store import map_open_file

__all__ = ["ARROW_MAGIC", "TableFile"]

_PARQUET, _FILE, _FEATHER, _STREAM = b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"
ARROW_MAGIC = (_PARQUET, _FILE, _FEATHER, _STREAM)
"""How the files begin."""
_ROWS = 1024
_BATCH = 64 << 20
"""Bytes that a batch of Parquet may take because of repeated values."""


class TableFile:
    """An open Parquet, Arrow or Feather file.

    Parameters
    ----------
    file : binary file
        Opened at its start; it must stay open while batches are read.
    name : str
        The name of the file, for messages.
    kept : bool
        Whether the batches are kept in memory, or only passed through.

    Attributes
    ----------
    schema : pyarrow.Schema
    share : float
        How much of the file has been read, from 0 to 1.
    """

    def __init__(self, file: BinaryIO, name: str, kept: bool = True) -> None:
        import pyarrow as pa
        import pyarrow.feather
        import pyarrow.parquet

        self.name, self.share, self._kept = name, 0.0, kept
        head = file.read(max(map(len, ARROW_MAGIC)))
        self._size = file.seek(0, 2)
        file.seek(0)
        self._file, self._table, self._parquet, self._buffer = file, None, None, None
        self._is_stream = head.startswith(_STREAM)
        if head.startswith(_PARQUET):
            self._parquet = pa.parquet.ParquetFile(file)
            self.schema = self._parquet.schema_arrow
        elif head.startswith(_FEATHER):
            self._table = pa.feather.read_table(file)
            self.schema = self._table.schema
        elif self._is_stream or head.startswith(_FILE):
            self._buffer = _buffer_of(file)
            for n_bytes in accumulate(claimed_bytes(self._buffer, self._is_stream)):
                self._grows_to(n_bytes)
            self.schema = self._open(None).schema
        else:
            raise InputError(f"{name} is neither a Parquet nor an Arrow file.")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The rows in batches, with some columns or all; raises an error of Arrow if they are not sound."""
        n_bytes = 0
        for batch in self._batches(list(columns or self.schema.names)):
            batch.validate(full=True)
            n_bytes += max(batch.num_rows, sum(map(_own_bytes, batch.columns)))
            self._grows_to(n_bytes)
            yield batch

    def table(self, columns: Sequence[str]) -> Any:
        """All rows of some columns."""
        import pyarrow as pa

        batches = list(self.batches(columns))
        schema = pa.schema([self.schema.field(name) for name in columns])
        return pa.Table.from_batches(batches, batches[0].schema if batches else schema)

    def _grows_to(self, n_bytes: int) -> None:
        current_limits().check_growth(n_bytes, self._size, self.name, self._kept)

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        if self._parquet is not None:
            yield from self._parquet_batches(columns)
        elif self._table is not None:
            yield from self._table.select(columns).to_batches(_ROWS)
        elif self._is_stream:
            yield from self._open(columns)
        else:
            reader = self._open(columns)
            for i in range(reader.num_record_batches):
                yield reader.get_batch(i)
                self.share = (i + 1) / reader.num_record_batches

    def _open(self, columns: list[str] | None) -> Any:
        """A reader of Arrow data that decompresses some columns only."""
        import pyarrow as pa

        fields = None if columns is None else [self.schema.get_field_index(c) for c in columns]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        how = pa.ipc.open_stream if self._is_stream else pa.ipc.open_file
        return how(pa.BufferReader(self._buffer), options=options)

    def _parquet_batches(self, columns: list[str]) -> Iterator[Any]:
        parquet: Any = self._parquet
        done, n_rows = 0, parquet.metadata.num_rows
        for group in range(parquet.metadata.num_row_groups):
            at_once = self._rows_at_once(group, columns)
            for batch in parquet.iter_batches(at_once, row_groups=[group], columns=columns):
                yield batch
                done += batch.num_rows
                self.share = min(1.0, done / max(1, n_rows))

    def _rows_at_once(self, group: int, columns: list[str]) -> int:
        """How many rows to read at a time, so that the longest text of a dictionary cannot fill the memory.

        Parquet has every text once, and then its number for every row. So a batch can be a thousand
        times larger than what the file has of it.
        """
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        texts = [c for c in columns if _is_text(self.schema.field(c).type)]
        if not texts:
            return _ROWS
        parquet: Any = self._parquet
        self._file.seek(0)
        probe = pq.ParquetFile(self._file, metadata=parquet.metadata, read_dictionary=texts)
        first = next(probe.iter_batches(1, row_groups=[group], columns=texts), None)
        longest = 1
        for column in first.columns if first is not None else ():
            if pa.types.is_dictionary(column.type):
                column.validate(full=True)
                longest = max(longest, pc.max(pc.binary_length(column.dictionary)).as_py() or 1)
        return max(1, min(_ROWS, _BATCH // longest))


def _buffer_of(file: BinaryIO) -> Any:
    """The bytes of a file, mapped into memory if it is on disk."""
    import pyarrow as pa

    try:
        return pa.py_buffer(map_open_file(file))
    except OSError:  # it is in memory
        return pa.py_buffer(file.read())


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _own_bytes(column: Any) -> int:
    """The size of a column; batches share their dictionaries."""
    import pyarrow.types as types

    return int(column.indices.nbytes if types.is_dictionary(column.type) else column.nbytes)
