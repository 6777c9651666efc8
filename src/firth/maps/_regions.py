"""The regions of a map: words that are near each other, named by their typical words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.maps._map import WordMap
from firth.vectors import WordVectors

__all__ = ["Region", "Regions", "regions_of"]

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
_MOST_REGIONS, _MOST_GROUPS = 160, 12
_PER_ROOT = 0.8
"""Regions for each square root of the number of words."""
_PER_GROUP = 4
_LEARNED_FROM = 20_000
"""Regions are found and named with so many words; the others belong to the nearest."""
_STEPS = 50
_TYPICAL = 5
_LOOKED_AT = 40
"""Typical words are chosen among so many of the most frequent words, or a tenth of all, if these are more."""
_PLACE = 0.5
"""How much the place of a region counts in the distance of two regions, beside their vectors."""


@dataclass(frozen=True)
class Region:
    """A region, or a group of similar regions.

    Attributes
    ----------
    words : list of str
        Its most typical words.
    x, y : float
        The place for its name: a word in the middle of it.
    n_words : int
    group : int
        The group of a region; the number of a group itself.
    """

    words: list[str]
    x: float
    y: float
    n_words: int
    group: int


@dataclass(frozen=True)
class Regions:
    """The regions of a map and their groups; see ``regions_of``.

    Attributes
    ----------
    of_word : array of int64
        The region of each word of the map.
    regions : list of Region
        Those with the most words first.
    groups : list of Region
        Groups of similar regions, those with the most words first.
    """

    of_word: Ids
    regions: list[Region]
    groups: list[Region]

    def __repr__(self) -> str:
        return f"<Regions: {len(self.regions)} in {len(self.groups)} groups>"


def regions_of(drawn: WordMap, vectors: WordVectors) -> Regions:
    """The regions of a map, named by their typical words, in groups that have similar vectors.

    Regions are words that are near each other on the map, found by k-means. Groups are regions with similar
    vectors that are not far apart, found by Ward's method. Typical words are frequent, and more similar to
    their region than to others. Nothing is drawn at random.

    Parameters
    ----------
    drawn : WordMap
    vectors : WordVectors
        The vectors that the map was made from.

    Examples
    --------
    >>> from firth.maps import MapParameters
    >>> rows = np.repeat(np.eye(3), 4, axis=0) + 0.01 * np.arange(36).reshape(12, 3) / 36
    >>> vectors = WordVectors.from_arrays(list("abcdefghijkl"), rows)
    >>> found = regions_of(WordMap.learn(vectors, MapParameters(method="pca")), vectors)
    >>> found
    <Regions: 3 in 1 groups>
    >>> sorted("".join(sorted(region.words)) for region in found.regions)
    ['abcd', 'efgh', 'ijkl']
    """
    positions = np.asarray(drawn.positions, np.float64)
    n = len(positions)
    of_word = _near(positions, max(1, min(_MOST_REGIONS, round(_PER_ROOT * math.sqrt(n)))))
    of_word = _by_size(of_word)
    unit = _rows(drawn, vectors)
    means = _means(unit, of_word[: len(unit)])
    group_of = _groups(means, _centres(positions, of_word), np.bincount(of_word))
    group_of = _relabelled(group_of, np.bincount(group_of[of_word]))
    of_group = group_of[of_word]
    overall = unit.mean(axis=0)
    regions = _described(drawn, unit, of_word, means - overall, group_of)
    numbers = np.arange(group_of.max() + 1)
    own = _means(unit, of_group[: len(unit)]) - overall
    groups = _described(drawn, unit, of_group, own, numbers)
    return Regions(of_word, regions, groups)


def _rows(drawn: WordMap, vectors: WordVectors) -> npt.NDArray[np.float32]:
    """The unit vectors of the first words of a map; words that have none have zeros."""
    found = vectors.vocabulary.find_all(list(drawn.vocabulary)[:_LEARNED_FROM])
    ids = np.array([-1 if i is None else i for i in found])
    rows = np.zeros((len(ids), vectors.dim), np.float32)
    rows[ids >= 0] = vectors.by_contexts(ids[ids >= 0])
    return rows


def _near(positions: Floats, k: int) -> Ids:
    """K-means in the plane, from centres that are as far apart as possible."""
    some = positions[:_LEARNED_FROM]
    centres = _far_apart(some, k)
    before = None
    for _ in range(_STEPS):
        nearest = _nearest(some, centres)
        if before is not None and np.array_equal(nearest, before):
            break
        before = nearest
        sizes = np.bincount(nearest, minlength=len(centres))
        sums = np.stack(
            [np.bincount(nearest, some[:, axis], len(centres)) for axis in (0, 1)], axis=1
        )
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
    centres = centres[np.unique(_nearest(some, centres))]  # each has words that can name it
    return _nearest(positions, centres)


def _far_apart(positions: Floats, k: int) -> Floats:
    """Each centre is the position that is furthest from all earlier ones."""
    chosen = [int(np.argmin(((positions - positions.mean(axis=0)) ** 2).sum(axis=1)))]
    apart = np.full(len(positions), np.inf)
    while True:
        apart = np.minimum(apart, ((positions - positions[chosen[-1]]) ** 2).sum(axis=1))
        furthest = int(np.argmax(apart))
        if len(chosen) == k or apart[furthest] == 0:
            return positions[chosen]
        chosen.append(furthest)


def _nearest(positions: Floats, centres: Floats) -> Ids:
    from scipy.spatial import KDTree

    return np.asarray(KDTree(centres).query(positions)[1], np.int64)


def _relabelled(labels: Ids, sizes: npt.NDArray[np.integer]) -> Ids:
    """Labels numbered by decreasing size."""
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[labels]


def _by_size(labels: Ids) -> Ids:
    return _relabelled(labels, np.bincount(labels))


def _means(unit: npt.NDArray[np.float32], labels: Ids) -> npt.NDArray[np.float32]:
    """The mean vector of each region."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max() + 1))
    sums = np.add.reduceat(unit[order], starts, axis=0)
    return np.asarray(sums / np.bincount(labels)[:, None], np.float32)


def _centres(positions: Floats, labels: Ids) -> Floats:
    sizes = np.bincount(labels)
    return np.stack([np.bincount(labels, positions[:, axis]) / sizes for axis in (0, 1)], axis=1)


def _groups(means: npt.NDArray[np.float32], centres: Floats, sizes: npt.NDArray[np.integer]) -> Ids:
    """The group of each region, by Ward's method."""
    from scipy.cluster.hierarchy import fcluster, linkage

    n_groups = min(_MOST_GROUPS, max(1, len(means) // _PER_GROUP))
    if n_groups == 1:
        return np.zeros(len(means), np.int64)
    mean = np.average(means, axis=0, weights=sizes)
    directions = np.asarray(means - mean, np.float64)
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    directions /= np.where(lengths > 0, lengths, 1)
    tree = linkage(np.hstack([directions, _PLACE * centres]), "ward")
    return np.asarray(fcluster(tree, n_groups, "maxclust"), np.int64) - 1


def _described(
    drawn: WordMap, unit: npt.NDArray[np.float32], labels: Ids, own: Floats, group_of: Ids
) -> list[Region]:
    """Each region with its typical words; ``own`` is what its mean vector has beyond that of all words."""
    words, counts = drawn.vocabulary, np.asarray(drawn.vocabulary.counts)
    positions = np.asarray(drawn.positions, np.float64)
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    directions = own / np.where(lengths > 0, lengths, 1)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(len(own) + 1))
    found = []
    for k in range(len(own)):
        here = order[starts[k] : starts[k + 1]]
        known = here[here < len(unit)]
        frequent = known[np.argsort(-counts[known], kind="stable")]
        spelled = [i for i in frequent.tolist() if any(map(unicode.is_alnum, words[i]))]
        some = np.array((spelled or frequent.tolist())[: max(_LOOKED_AT, len(here) // 10)])
        score = (unit[some] @ directions[k]) * np.log1p(counts[some])
        typical = _apart([words[i] for i in some[np.argsort(-score, kind="stable")].tolist()])
        middle = np.median(positions[here], axis=0)
        x, y = positions[here[np.argmin(((positions[here] - middle) ** 2).sum(axis=1))]].tolist()
        found.append(Region(typical[:_TYPICAL], x, y, len(here), int(group_of[k])))
    return found


def _apart(words: list[str]) -> list[str]:
    """Words without those that begin like an earlier one, such as *films* after *film*, if others are left.

    >>> _apart(["film", "films", "Film", "movie"])
    ['film', 'movie', 'films', 'Film']
    """
    first: list[str] = []
    for word in words:
        folded = word.casefold()
        if not any(folded.startswith(w) or w.startswith(folded) for w in map(str.casefold, first)):
            first.append(word)
    return [*first, *(word for word in words if word not in first)]
