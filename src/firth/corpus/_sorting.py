"""The order of a vocabulary: decreasing counts, then spellings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.corpus import _sorting_kernels as kernels
from firth.corpus._lexicon import spelled

__all__ = ["divided", "order_of", "sort_words"]

_FEW = 1 << 14
"""Up to this number, words are sorted by one thread."""
_GROUPS_PER_THREAD = 4
_SAMPLE = 64
"""Words of the sample for each group."""

Places = npt.NDArray[np.uint64]


def order_of(words: Any, counts: npt.NDArray[np.int64]) -> Places:
    """The places of words in the order of a vocabulary."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = pa.table({"word": words, "count": counts})
    order: Places = pc.sort_indices(
        table, [("count", "descending"), ("word", "ascending")]
    ).to_numpy()
    return order


def sort_words(words: Any, counts: npt.NDArray[np.int64], engine: Engine) -> tuple[Any, Places]:
    """Sort words on all threads; also returns the place that each of them had."""
    import pyarrow as pa

    if engine.threads == 1 or len(words) <= _FEW:
        order = order_of(words, counts)
        return words.take(pa.array(order)), order

    def sort(places: Places) -> tuple[Any, Places]:
        some = words.take(pa.array(places))
        order = order_of(some, counts[places])
        return some.take(pa.array(order)), places[order]

    groups = divided(words, counts, engine.threads * _GROUPS_PER_THREAD)
    found, places = zip(*engine.map(sort, groups), strict=True)
    return pa.concat_arrays(found), np.concatenate(places)


def divided(words: Any, counts: npt.NDArray[np.int64], n: int) -> Sequence[Places]:
    """The places of words in ``n`` groups of about the same size, of which each belongs after the one before.

    They are divided between words of a sample, by counts and by the first letters.
    """
    starts, group = np.empty(len(words), np.uint64), np.empty(len(words), np.uint16)
    kernels.beginnings(*spelled(words), starts)
    sample = np.arange(0, len(words), max(1, len(words) // (n * _SAMPLE)))
    sample = sample[np.lexsort((starts[sample], -counts[sample]))]
    cuts = sample[len(sample) * np.arange(1, n) // n]
    kernels.groups_of(counts, starts, counts[cuts], starts[cuts], group)
    places = np.argsort(group, kind="stable").view(np.uint64)
    return np.split(places, np.cumsum(np.bincount(group, minlength=n))[:-1])
