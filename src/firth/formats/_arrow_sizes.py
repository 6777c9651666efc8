"""How much memory the compressed buffers of an Arrow file ask for, before any is decompressed.

Arrow allocates what a buffer says that it will grow to. Its readers cannot be told of a limit, so
the sizes are looked up here: the footer of a file lists its messages, a message lists its buffers,
and a compressed buffer begins with its size. Footers and messages are tables of Flatbuffers: a table
has the distance to a list of places, and there is the place of each field.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

__all__ = ["claimed_bytes"]

_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_FOOTER_DICTIONARIES, _FOOTER_BATCHES = 2, 3
_HEADER_TYPE, _HEADER = 1, 2
_BATCH_OF_DICTIONARY = 1
_BUFFERS, _COMPRESSION = 2, 3
_MAGIC = 6
_OBJECT = 64
"""What an empty buffer takes, at least."""


def claimed_bytes(file: Any, is_stream: bool) -> Iterator[int]:
    """The number of bytes that the compressed buffers of Arrow data are said to grow to, by message.

    Parameters
    ----------
    file : pyarrow.Buffer
        A whole file, or a stream.
    is_stream : bool
    """
    import pyarrow as pa

    if is_stream:
        messages = iter(pa.ipc.MessageReader.open_stream(pa.BufferReader(file)))
    else:
        messages = (pa.ipc.read_message(file.slice(at)) for at in _blocks(file))
    return map(_claimed, messages)


def _blocks(file: Any) -> Iterator[int]:
    """Where the messages of dictionaries and batches begin, by the footer of a file."""
    end = file.size - _MAGIC - 4
    (length,) = struct.unpack_from("<i", file, end)
    footer = memoryview(file)[end - length : end]
    table = _root(footer)
    for field in (_FOOTER_DICTIONARIES, _FOOTER_BATCHES):
        for block in _structs(footer, table, field, 24):
            yield struct.unpack_from("<q", footer, block)[0]


def _claimed(message: Any) -> int:
    """What the compressed buffers of a message are said to grow to."""
    metadata, body = memoryview(message.metadata), message.body
    table = _root(metadata)
    kind = _field(metadata, table, _HEADER_TYPE)
    header = _field(metadata, table, _HEADER)
    if not kind or not header or body is None:
        return 0
    batch = _follow(metadata, header)
    if metadata[kind] == _DICTIONARY_BATCH:
        batch = _follow(metadata, _field(metadata, batch, _BATCH_OF_DICTIONARY))
    elif metadata[kind] != _RECORD_BATCH:
        return 0
    if not _field(metadata, batch, _COMPRESSION):
        return 0
    total = 0
    for place in _structs(metadata, batch, _BUFFERS, 16):
        offset, length = struct.unpack_from("<qq", metadata, place)
        size = struct.unpack_from("<q", body, offset)[0] if length >= 8 else 0  # -1: not compressed
        total += _OBJECT + max(length, size)
    return total


def _root(data: memoryview) -> int:
    return _follow(data, 0)


def _follow(data: memoryview, place: int) -> int:
    """The table or vector that a place refers to."""
    return place + int(struct.unpack_from("<I", data, place)[0])


def _field(data: memoryview, table: int, number: int) -> int:
    """The place of a field of a table, or 0."""
    places = table - int(struct.unpack_from("<i", data, table)[0])
    (n_bytes,) = struct.unpack_from("<H", data, places)
    at = 4 + 2 * number
    offset = int(struct.unpack_from("<H", data, places + at)[0]) if at < n_bytes else 0
    return table + offset if offset else 0


def _structs(data: memoryview, table: int, number: int, n_bytes: int) -> Iterator[int]:
    """The places of the structs of a vector, each of ``n_bytes``."""
    field = _field(data, table, number)
    if field:
        vector = _follow(data, field)
        (n,) = struct.unpack_from("<I", data, vector)
        for k in range(n):
            yield vector + 4 + k * n_bytes
