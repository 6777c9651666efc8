"""Blocks that segmenters divide into tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.corpus import _cutting_kernels as kernels
from firth.corpus._characters import CLASS, SEPARATOR, character_table
from firth.corpus._segmenters import Segmenter, icu_lengths

__all__ = ["Cut", "cut_by", "cut_by_icu"]

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Cut:
    """A tokenised block: start and end of each token, and the number of tokens up to each line end."""

    text: npt.NDArray[np.uint8]
    starts: IntArray
    ends: IntArray
    lines: IntArray

    def token(self, k: int) -> str:
        return self.text[self.starts[k] : self.ends[k]].tobytes().decode()


def cut_by_icu(words: Cut) -> Cut:
    """Tokens of ``words``, those of scripts without spaces divided by the dictionaries of ICU."""
    room = int((words.ends - words.starts).sum()) + 1
    starts, ends = np.empty(room, np.int32), np.empty(room, np.int32)
    unspaced, firsts = np.empty(room, np.bool_), np.empty(len(words.starts) + 1, np.int64)
    n = kernels.cut_runs(
        words.text, words.starts, words.ends, character_table(), starts, ends, unspaced, firsts
    )
    starts, ends, unspaced = starts[:n], ends[:n], unspaced[:n]
    if not unspaced.any():
        return Cut(words.text, starts, ends, firsts[words.lines].astype(np.int32))
    begins = starts[unspaced]
    run, at, length = _divided(words.text, begins, ends[unspaced])
    counts = np.ones(n, np.int64)
    counts[unspaced] = np.bincount(run, minlength=len(begins))
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    of_icu = np.repeat(unspaced, counts)
    new_starts, new_ends = np.empty(len(of_icu), np.int32), np.empty(len(of_icu), np.int32)
    new_starts[~of_icu], new_ends[~of_icu] = starts[~unspaced], ends[~unspaced]
    new_starts[of_icu] = begins[run] + at
    new_ends[of_icu] = begins[run] + at + length
    return Cut(words.text, new_starts, new_ends, before[firsts[words.lines]].astype(np.int32))


def _divided(
    text: npt.NDArray[np.uint8], starts: IntArray, ends: IntArray
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Words of runs of text: the number of the run, the first byte in it, and the number of bytes.

    All runs are divided at once, each on a line of its own: line ends separate words whatever is on
    either side, so a run is divided as it would be alone.
    """
    data = text.tobytes()
    lines = b"\n".join([data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
    joined = np.frombuffer(lines, np.uint8)
    edges = np.append(np.flatnonzero(joined & 0xC0 != 0x80), len(joined))  # of characters
    cuts = edges[np.concatenate([np.zeros(1, np.int64), np.cumsum(icu_lengths(lines.decode()))])]
    first, last = cuts[:-1], cuts[1:]
    is_break = joined[first] == 0x0A
    run = np.cumsum(is_break)[~is_break]
    of_run = np.concatenate([np.zeros(1, np.int64), np.cumsum(ends - starts + np.int64(1))])
    return run, first[~is_break] - of_run[run], (last - first)[~is_break]


def cut_by(data: bytes, text: npt.NDArray[np.uint8], segmenter: Segmenter) -> Cut:
    """The tokens that a segmenter finds in each line; those of separators alone are left out."""
    starts: list[int] = []
    ends: list[int] = []
    lines: list[int] = []
    begin = 0
    for raw in data.split(b"\n"):
        line = raw.decode().removesuffix("\r")
        at, byte = 0, begin
        for a, b in segmenter.spans(line) if line and not _is_blank(line) else ():
            token = line[a:b]
            byte += len(line[at:a].encode())
            at, length = b, len(token.encode())
            if not _is_blank(token):
                starts.append(byte)
                ends.append(byte + length)
            byte += length
        lines.append(len(starts))
        begin += len(raw) + 1
    found = (np.array(some, np.int32) for some in (starts, ends, lines[:-1]))
    return Cut(text, *found)


def _is_blank(text: str) -> bool:
    table = character_table()
    return text.isspace() or all(
        ord(c) < len(table) and table[ord(c)] & CLASS == SEPARATOR for c in text
    )
