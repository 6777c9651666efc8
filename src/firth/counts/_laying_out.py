"""The tokens of a chunk of text, laid out for counting: see ``_kernels``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.counts import _kernels as kernels
from firth.counts._layout import Layout, Stretch

__all__ = ["lay_out", "prepare"]

_TOKENS_PER_WORD = 4
"""A thread lays out at least this many tokens for each word, because it has a counter for each."""

# untyped for mypy: kernels take any arrays
lay_out_kernel: Any = kernels.lay_out
sort_places_kernel: Any = kernels.sort_places


def lay_out(
    layout: Layout, stretch: Stretch, words: tuple[int, int] | None = None
) -> tuple[Any, Any, Any]:
    """The tokens of a stretch and their contexts with blanks between sentences.

    Also returns where the positions of each word begin among all positions, and the positions; if a
    range of ``words`` is given, those of other words are left out. Each
    thread lays out a piece of the text, and counts its words. So it is known where the positions of
    a word in each piece belong, and the pieces can be sorted independently.
    """
    reach, blank, n_kept = layout.contexts.reach, layout.n_rows, layout.n_kept
    begin, end, first, ends = stretch.begin, stretch.end, stretch.first, stretch.ends
    last = first + len(stretch.ids)
    edges = np.linspace(first, last, _n_pieces(layout, last - first) + 1).astype(np.int64)
    sentences = np.searchsorted(ends, edges - 1, side="right")
    # where each piece begins, before the blanks that its first sentence may need
    laid_out = reach + (edges - first) + reach * sentences
    tokens = np.empty(laid_out[-1] + reach, np.int32)
    tokens[:reach] = tokens[laid_out[-1] :] = blank
    following = np.zeros((len(edges) - 1, layout.n_rows), np.int64)

    def lay_out_piece(p: int) -> None:
        lay_out_kernel(
            stretch.ids[edges[p] - first : edges[p + 1] - first], edges[p], ends, sentences[p], blank, n_kept,
            reach, begin, end, laid_out[p], tokens, following[p],
        )  # fmt: skip

    layout.engine.each(lay_out_piece, range(len(following)))
    wanted = words or (0, layout.n_rows)
    following[:, : wanted[0]] = following[:, wanted[1] :] = 0
    starts = _starts(following)
    places = np.empty(starts[-1] + kernels.AHEAD, np.uint32)
    places[starts[-1] :] = reach
    inside = _places(np.array([begin, end]), first, ends, reach)

    def sort_piece(piece: tuple[int, tuple[int, int]]) -> None:
        p, (start, stop) = piece
        sort_places_kernel(tokens, start, stop, *wanted, following[p], places)

    layout.engine.each(sort_piece, enumerate(pairwise(np.clip(laid_out, *inside))))
    return tokens, starts, places


def _n_pieces(layout: Layout, n_tokens: int) -> int:
    return max(1, min(layout.engine.threads, n_tokens // (_TOKENS_PER_WORD * layout.n_rows)))


def _places(
    tokens: npt.NDArray[np.int64], first: int, ends: npt.NDArray[np.int64], reach: int
) -> npt.NDArray[np.int64]:
    """Where tokens are laid out, if the layout begins with token ``first``."""
    return reach + (tokens - first) + reach * np.searchsorted(ends, tokens, side="right")


def _starts(following: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where the positions of each word begin, from counts by piece, which become where those of a piece do."""
    starts = np.concatenate([[0], np.cumsum(following.sum(axis=0))])
    free = starts[:-1]
    for piece in following:
        counts = piece.copy()
        piece[:] = free
        free = free + counts
    return starts


def prepare() -> None:
    """Compile the kernels on empty input."""
    ids, ends = np.zeros(1, np.uint32), np.zeros(0, np.int64)
    ids.flags.writeable = ends.flags.writeable = False  # as those of a corpus
    tokens, counts = np.zeros(8, np.int32), np.zeros(2, np.int64)
    lay_out_kernel(ids, 0, ends, 0, 1, 1, 1, 0, 1, 1, tokens, counts)
    sort_places_kernel(tokens, 0, 0, 0, 1, counts, np.zeros(64, np.uint32))
