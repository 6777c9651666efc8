"""The text of several sources as blocks: in order, in pieces, or a sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from firth import formats
from firth.corpus._blocks import BLOCK, Block
from firth.corpus._reading import Reading
from firth.corpus._sources import Source
from firth.errors import InputError

__all__ = ["blocks_of", "pieces_of_sources", "plain_text", "sampled", "takes_long", "where_in"]

_LARGE = 1 << 30
"""Files of fewer bytes are read in less than a minute."""


def takes_long(sources: Sequence[Source]) -> bool:
    """Whether reading takes so long that there should be checkpoints."""
    return sum(source.disk_size() for source in sources) >= _LARGE


def pieces_of_sources(
    sources: Sequence[Source], size: int, split: str = "lines"
) -> list[tuple[int, int, int | None]]:
    """How to cut large sources, so that pieces of about ``size`` bytes can be read in parallel.

    Plain text and JSON Lines are cut at multiples of ``size``; everything else is taken whole, and so is
    text that is ``split`` into paragraphs. A line belongs to the piece in which it begins, so a piece can
    be larger, or empty.

    Returns
    -------
    list of tuple
        For each piece, the number of its source, and its ``begin`` and ``end``.
    """
    pieces: list[tuple[int, int, int | None]] = []
    for number, source in enumerate(sources):
        begins = range(0, source.disk_size(), size)
        if len(begins) < 2 or split == "paragraphs" or not source.can_be_cut():
            pieces.append((number, source.begin, source.end))
        else:
            pieces += [(number, begin, begin + size) for begin in begins[:-1]]
            pieces.append((number, begins[-1], None))
    return pieces


def blocks_of(sources: Sequence[Source], reading: Reading) -> Iterator[tuple[Source, Block | None]]:
    """Yield the blocks of all sources in order, and None after the last block of each."""
    for source in sources:
        n_bytes = 0
        for block in source.blocks(reading):
            yield source, block
            n_bytes += len(block.data)
            if source.limit is not None and n_bytes >= source.limit:
                source.extent = max(source.extent, block.end)  # the next source begins after it
                break
        yield source, None


def sampled(sources: Sequence[Source], n_bytes: int) -> Sequence[Source]:
    """Limit sources to a sample of about this size, taken from the beginning of each.

    At least a block of a source is read. If that is too much, only every so many sources are kept.
    """
    least = sum(min(source.disk_size(), BLOCK) for source in sources)
    kept = sources[:: max(1, math.ceil(least / n_bytes))]
    total = sum(source.disk_size() for source in kept)
    for source in kept:
        source.limit = max(1, n_bytes * source.disk_size() // max(1, total))
    return kept


def _is_utf8(data: bytes) -> bool:
    """Whether data are valid UTF-8; Arrow is faster than Python and makes no string."""
    import pyarrow as pa

    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def plain_text(block: Block, source: Source, errors: str) -> bytes:
    """The bytes of a block as valid UTF-8 without zero bytes; an error says where they are not."""
    if block.given:
        return block.data
    valid, zero = _is_utf8(block.data), block.data.find(b"\0")
    if valid and zero < 0:
        return block.data
    if errors == "replace":
        return block.data.decode(errors="replace").replace("\0", "\ufffd").encode()
    hint = "To replace invalid bytes: --errors replace"
    if valid:
        raise InputError(
            f"{where_in(block, source, zero)}: a zero byte, so this is not text.", hint
        )
    try:
        block.data.decode()
    except UnicodeDecodeError as error:
        guess = formats.guess_encoding(block.data[max(0, error.start - (1 << 15)) :])
        if guess:
            here = source.path if isinstance(source.path, Path) else None
            hint = f"It may be in another encoding. {formats.for_file(guess, here)}. Or: --errors replace"
        where = where_in(block, source, error.start)
        raise InputError(f"{where}: not valid UTF-8.", hint) from None
    return block.data


def where_in(block: Block, source: Source, offset: int) -> str:
    """The source, line and byte of a position in a block."""
    if block.places is not None:
        return source.title
    line = block.n_lines_before + block.data.count(b"\n", 0, offset) + 1
    return f"{source.title}, line {line}, byte {block.place + offset}"
