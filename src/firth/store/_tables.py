"""Arrow files of a part: memory-mapped, never compressed, and validated in full."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from firth.store._contents import UnsoundError, map_file

__all__ = ["column", "read_table"]

_MAGIC = b"ARROW1\0\0"
_COMPRESSION = 3
"""The position of this field in the header of a record batch."""


def read_table(path: Path) -> Any:
    """A table whose columns lie in the mapped file.

    Compressed data are refused, because they may take any amount of memory. An Arrow file is a stream
    of messages between its magic bytes and an index of them; what is read are the messages.
    """
    import pyarrow as pa

    data = map_file(path)
    if data[:8].tobytes() != _MAGIC or data[-6:].tobytes() != _MAGIC[:6]:
        raise UnsoundError(path, "it is not an Arrow file")
    stream = pa.py_buffer(data)[8:]
    try:
        for message in pa.ipc.MessageReader.open_stream(stream):
            if message.type not in ("schema", "record batch") or (
                message.type == "record batch" and _is_compressed(message.metadata.to_pybytes())
            ):
                raise UnsoundError(path, "it is compressed or has other contents than a table")
        table = pa.ipc.open_stream(stream).read_all()
        table.validate(full=True)
    except (pa.ArrowException, MemoryError, OSError, ValueError, struct.error, IndexError) as error:
        raise UnsoundError(path, f"it is not an Arrow file ({error})") from error
    return table


def column(table: Any, number: int) -> Any:
    """A column as one array, which is not copied if it is in one piece, as in the files that Firth writes."""
    found = table.column(number)
    return found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()


def _is_compressed(metadata: bytes) -> bool:
    """Whether the header of a message with a record batch names a compression.

    A message is a FlatBuffers table with the fields version, type, header and length; the header of a
    record batch has length, nodes, buffers and compression.
    """
    root = struct.unpack_from("<I", metadata)[0]
    header = root + _fields(metadata, root)[2]
    header += struct.unpack_from("<I", metadata, header)[0]
    fields = _fields(metadata, header)
    return len(fields) > _COMPRESSION and fields[_COMPRESSION] != 0


def _fields(metadata: bytes, table: int) -> tuple[int, ...]:
    """The offsets of the fields of a FlatBuffers table; 0 for a field that it does not have."""
    offsets = table - struct.unpack_from("<i", metadata, table)[0]
    n_bytes = struct.unpack_from("<H", metadata, offsets)[0]
    return struct.unpack_from(f"<{(n_bytes - 4) // 2}H", metadata, offsets + 4)
