"""Where a name belongs: the class or tag that has most of its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes import Hierarchy
from firth.names import MOST_WORDS, Name, Names

__all__ = ["place_names", "with_words"]

_LEAST = 0.5
"""The smallest overlap of words with which a name is carried over."""
_FREQUENT = 0.9
"""The share of the known words of a large group that are taken: few may have become rare in other text."""


def with_words(names: Names, thing: Any) -> Names:
    """Names with the words that they stand for, where these are not known yet.

    Names of what does not exist, which only a damaged model has, are left.
    """
    groups = _Groups.of(thing)
    more = {
        key: one if one.words else Name(one.name, groups.words(key), one.note)
        for key, one in names.more.items()
        if groups.has(key)
    }
    lost = [one for key, one in names.more.items() if key not in more]
    return Names.of(more, [*names.left, *lost])


def place_names(old: Names, thing: Any) -> Names:
    """Each name where most of its words are; those whose words are scattered are left.

    If two names come to the same place, the one with more words there gets it, and the other is left with its
    own words. No two tags get the same name, nor one that another tag was learned with.
    """
    groups = _Groups.of(thing)
    found: dict[str, tuple[float, Name]] = {}
    left: list[Name] = []
    for before, one in [*old.more.items(), *((None, one) for one in old.left)]:
        key, overlap = groups.best(one.words, before)
        if overlap < _LEAST or (key in found and found[key][0] >= overlap):
            left.append(one)
            continue
        if key in found:
            left.append(found[key][1])
        found[key] = overlap, one
    more = {key: one for key, (_, one) in sorted(found.items())}
    if not isinstance(thing, Hierarchy):
        left += _taken_out(more, thing.renamed({}).tags_)
    placed = {key: Name(one.name, groups.words(key), one.note) for key, one in more.items()}
    return Names.of(placed, left)


def _taken_out(more: dict[str, Name], first: Sequence[str]) -> list[Name]:
    """Names of tags that others have, too, taken out of ``more``; ``first`` are those they were learned with."""
    out: list[Name] = []
    while True:
        shown = [more[str(k)].name if str(k) in more else name for k, name in enumerate(first)]
        twice = (k for k, name in enumerate(shown) if str(k) in more and shown.count(name) > 1)
        k = next((k for k in twice if shown[k] != first[k]), None)
        if k is None:
            return out
        out.append(more.pop(str(k)))


class _Groups:
    """Groups of words that can have a name, and what they have in common with some words."""

    def __init__(
        self, thing: Any, vocabulary: Any, group: npt.NDArray[Any], spans: npt.NDArray[Any], keys: list[str]
    ) -> None:  # fmt: skip
        self._thing, self._vocabulary, self._group, self._keys = thing, vocabulary, group, keys
        self._weights = np.maximum(np.asarray(vocabulary.counts[: len(group)], np.float64), 1)
        self._spans = spans
        self._ranks = np.argsort(np.argsort(-self._weights, kind="stable"))
        self._sizes = self._summed(np.arange(len(group)))

    @classmethod
    def of(cls, thing: Any) -> _Groups:
        """The nodes of a tree of classes, or tags."""
        if isinstance(thing, Hierarchy):
            tree = thing.tree
            return cls(thing, thing.vocabulary, thing.class_of, tree.spans, tree.node_paths)
        n = thing.n_tags_
        spans = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
        return cls(thing, thing.vocabulary_, thing.tag_of_word(), spans, [str(k) for k in range(n)])

    def _summed(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The weight of some words in each group."""
        n = int(self._spans[:, 1].max())
        leaves = np.bincount(self._group[ids], self._weights[ids], minlength=n)
        sums = np.concatenate([[0.0], np.cumsum(leaves)])
        found: npt.NDArray[np.float64] = sums[self._spans[:, 1]] - sums[self._spans[:, 0]]
        return found

    def best(self, words: Sequence[str], before: str | None = None) -> tuple[str, float]:
        """The group with the largest overlap, and this: twice what is common, divided by both sizes.

        Of a large group only the most frequent words are known, so words that are rarer than these do not
        count. Of equal groups, the one ``before`` is taken.
        """
        found = [i for i in self._vocabulary.find_all(list(words)) if i is not None]
        ids = np.array([i for i in found if i < len(self._group)], np.int64)
        if not len(ids):
            return "", 0.0
        sizes = self._sizes
        if len(words) >= MOST_WORDS:
            least = np.quantile(self._ranks[ids], _FREQUENT)
            ids = ids[self._ranks[ids] <= least]
            sizes = self._summed(np.flatnonzero(self._ranks <= least))
        overlaps = 2 * self._summed(ids) / (self._weights[ids].sum() + sizes)
        best = int(np.argmax(overlaps))
        if before in self._keys and overlaps[self._keys.index(before)] == overlaps[best]:
            return before, float(overlaps[best])
        return self._keys[best], float(overlaps[best])

    def has(self, key: str) -> bool:
        return key in self._keys

    def words(self, key: str) -> list[str]:
        """The most frequent words of a group."""
        begin, end = self._spans[self._keys.index(key)]
        ids = np.flatnonzero((self._group >= begin) & (self._group < end))
        order = ids[np.lexsort([ids, -self._weights[ids]])][:MOST_WORDS]
        return [self._vocabulary[i] for i in order]
