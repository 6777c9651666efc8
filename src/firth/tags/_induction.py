"""Part-of-speech induction: words are clustered by what stands beside them, and the clusters are refined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import InputError, ParameterError
from firth.tags._contexts import ContextCounts
from firth.tags._information import information_of_tags, most_informative
from firth.tags._neighbours import beside_clusters, clusters_only, merged
from firth.tags._parameters import MutualInformationParameters
from firth.tags._word_clusters import two_levels
from firth.tags._word_forms import feature_matrix, lower_case_twins, reserved_kinds
from firth.tags._word_rows import predicted, singular_rows

__all__ = ["induced_memberships"]

_FREQUENT = 1000
"""In the first round, so many of the most frequent words are contexts of their own."""
_TRIES = 5
"""Clusterings in each round; the one whose tags tell most about contexts is kept."""
_SPELLING, _ROW = 0.5, 3.0
"""The scale of spelling features and of rows in the softmax of tags."""
_MOST_ELSEWHERE = 20.0
"""So many contexts of a word in other text count, those of 10 occurrences."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def induced_memberships(
    contexts: ContextCounts,
    how: MutualInformationParameters,
    elsewhere: ContextCounts | None = None,
) -> Floats:
    """The probability of each tag for each word, zero or one; see ``MutualInformationTagger``.

    Parameters
    ----------
    contexts : ContextCounts
        Counted from the text. Words are clustered by these contexts only.
    how : MutualInformationParameters
    elsewhere : ContextCounts, optional
        Counted from other text. When clusters are refined, these contexts count too.
    """
    twins = lower_case_twins(contexts.words, contexts.counts, contexts.starts)
    words, number = merged(contexts, twins)
    start = _Labels.of(words.words, how)
    features = feature_matrix(words.words, affixes=how.affixes)
    rows, labels = _clustered(words, features, start, how)
    if elsewhere is not None:
        words, _ = merged(contexts.plus(elsewhere, _MOST_ELSEWHERE), twins)
    counts = beside_clusters(words, labels.cluster, labels.n_clusters)
    if elsewhere is not None:
        rows = _rows(words, counts, features, how)
    with progress.stage("mutual information", unit="", brief=1.0):
        found = most_informative(
            _side_by_side(_SPELLING * features, _ROW * rows),
            clusters_only(counts, labels.n_clusters, words.n_blocks),
            labels.tag,
            labels.possible(how.n_tags),
            how.steps,
        )
    memberships: Floats = np.eye(how.n_tags)[found.argmax(axis=1)[number]]
    return memberships


@dataclass(frozen=True, eq=False)
class _Labels:
    """The cluster and the tag of each word; reserved ones come last, and -1 stands for none yet.

    Attributes
    ----------
    free : array of bool
        The words that have no reserved tag.
    n_small, n_free : int
        The number of clusters and of tags for them.
    n_clusters : int
        The number of clusters, reserved ones too.
    """

    cluster: Integers
    tag: Integers
    free: npt.NDArray[np.bool_]
    n_small: int
    n_free: int
    n_clusters: int

    @classmethod
    def of(cls, words: Sequence[str], how: MutualInformationParameters) -> _Labels:
        kinds = reserved_kinds(words) if how.reserve else np.full(len(words), -1)
        present = np.unique(kinds[kinds >= 0])
        free, n_free = kinds < 0, how.n_tags - len(present)
        n_words = int(free.sum())
        _check(how.n_tags, n_free, n_words)
        n_small = max(min(how.clusters, n_words), n_free)
        rank = np.where(free, -1, np.searchsorted(present, kinds))
        cluster, tag = (np.where(free, -1, n + rank) for n in (n_small, n_free))
        return cls(cluster, tag, free, n_small, n_free, n_small + len(present))

    def clustered(self, rows: Floats, counts: Floats, rng: np.random.Generator) -> _Labels:
        """With new clusters and tags of the words that are free."""
        free, (cluster, tag) = self.free, (self.cluster.copy(), self.tag.copy())
        found = two_levels(rows[free], counts[free], self.n_small, self.n_free, rng)
        cluster[free], tag[free] = found
        return replace(self, cluster=cluster, tag=tag)

    def possible(self, n_tags: int) -> npt.NDArray[np.bool_]:
        """Which tags each word can have: a reserved one, or any of the others."""
        tags = np.arange(n_tags)
        return np.where(self.free[:, None], tags < self.n_free, tags == self.tag[:, None])


def _check(n_tags: int, n_free: int, n_words: int) -> None:
    if n_free < 1:
        raise ParameterError(
            f"{n_tags - n_free} tags are reserved for punctuation and numbers, so {n_tags} tags are "
            "not enough.",
            "Ask for more tags, or leave out --reserve.",
        )
    if n_words < n_free:
        raise InputError(
            f"{n_free} tags need {n_free} words, but there are only {n_words:,}.",
            "Ask for fewer tags, or use more text.",
        )


def _clustered(
    words: ContextCounts, features: Any, labels: _Labels, how: MutualInformationParameters
) -> tuple[Floats, _Labels]:
    """The rows of the words, and their clusters and tags, after the last round.

    In each round the contexts are the clusters of the round before; in the first one, frequent words.
    """
    rng = np.random.default_rng(how.seed)
    rank = np.empty(words.n_words, np.int64)
    rank[np.argsort(-words.counts, kind="stable")] = np.arange(words.n_words)
    n = min(words.n_words, _FREQUENT + 1)
    beside = np.minimum(rank, n - 1)
    rows = np.empty((words.n_words, 0))
    with progress.stage("clustering words", how.cluster_rounds, "rounds", brief=1.0) as stage:
        for _ in range(how.cluster_rounds):
            counts = beside_clusters(words, beside, n)
            rows = _rows(words, counts, features, how)
            inside = clusters_only(counts, n, words.n_blocks)
            labels = max(
                (labels.clustered(rows, words.counts, rng) for _ in range(_TRIES)),
                key=lambda some: information_of_tags(inside, some.tag, how.n_tags),
            )
            beside, n = labels.cluster, labels.n_clusters
            stage.advance(1)
    return rows, labels


def _rows(
    words: ContextCounts, counts: Any, features: Any, how: MutualInformationParameters
) -> Floats:
    """The rows of words by how often clusters stand beside them, and by their spelling."""
    seen = words.matrix.sum(axis=1) / words.n_blocks
    return predicted(singular_rows(counts, how.dim), features, seen, how.sharing)


def _side_by_side(sparse: Any, dense: Floats) -> Any:
    """The columns of two matrices, as a CSR array."""
    from scipy.sparse import csr_array, hstack

    return hstack([csr_array(dense), sparse], format="csr")
