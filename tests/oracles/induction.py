"""Part-of-speech induction, slowly: counts of neighbours, regression, Ward's method, mutual information."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt

__all__ = [
    "beside", "cost_of_clusters", "information", "information_of_words", "ridge", "singular_rows", "ward",
]  # fmt: skip

Floats = npt.NDArray[np.float64]


def beside(
    sentences: Sequence[Sequence[str]], cluster: dict[str, int], words: Sequence[str], k: int
) -> Floats:
    """How often each word follows and precedes a word of each cluster; cluster ``k`` is the end of the sentence."""
    found = np.zeros((len(words), 2 * (k + 1)))
    number = {word: n for n, word in enumerate(words)}
    for sentence in sentences:
        beyond = [k, *(cluster[word] for word in sentence), k]
        for place, word in enumerate(sentence):
            found[number[word], beyond[place]] += 1
            found[number[word], k + 1 + beyond[place + 2]] += 1
    return found


def singular_rows(counts: Floats, dim: int) -> Floats:
    """Left singular vectors times singular values, as rows of unit length."""
    words, contexts = counts.sum(axis=1) + 10, counts.sum(axis=0) + 10
    scaled = np.sqrt(counts) / np.sqrt(np.sqrt(np.outer(words, contexts)))
    left, values, _ = np.linalg.svd(scaled, full_matrices=False)
    rows = left[:, :dim] * values[:dim]
    return np.array([row / np.linalg.norm(row) for row in rows])


def ridge(features: Floats, targets: Floats, weights: Floats, penalty: float) -> Floats:
    """The coefficients that minimise weighted squared errors plus the penalty, by the normal equations."""
    weighted = np.diag(weights)
    penalties = np.diag([penalty] * (features.shape[1] - 1) + [0.0])
    left = features.T @ weighted @ features + penalties
    return np.asarray(np.linalg.lstsq(left, features.T @ weighted @ targets, rcond=None)[0])


def cost_of_clusters(rows: Floats, sizes: Floats, clusters: Sequence[Sequence[int]]) -> float:
    """The sum of squared distances from the centres, each row as often as its size says."""
    total = 0.0
    for members in clusters:
        some, weight = rows[list(members)], sizes[list(members)]
        centre = weight @ some / weight.sum()
        total += float(weight @ ((some - centre) ** 2).sum(axis=1))
    return total


def ward(rows: Floats, sizes: Floats, n: int) -> list[list[int]]:
    """Merge the two clusters that increase the cost least, until ``n`` are left."""
    clusters = [[k] for k in range(len(rows))]
    while len(clusters) > n:
        tries = []
        for a in range(len(clusters)):
            for b in range(a + 1, len(clusters)):
                rest = [c for k, c in enumerate(clusters) if k not in (a, b)]
                joined = [*rest, clusters[a] + clusters[b]]
                tries.append((cost_of_clusters(rows, sizes, joined), a, b))
        _, a, b = min(tries)
        clusters[a] += clusters.pop(b)
    return clusters


def information(joint: Floats, p: Floats, q: Floats) -> float:
    """The mutual information of two tags, word by word and context by context."""
    both = np.zeros((p.shape[1], q.shape[1]))
    for (word, context), share in np.ndenumerate(joint):
        for a in range(p.shape[1]):
            for b in range(q.shape[1]):
                both[a, b] += share * p[word, a] * q[context, b]
    one, other = both.sum(axis=1), both.sum(axis=0)
    return sum(s * log(s / (one[a] * other[b])) for (a, b), s in np.ndenumerate(both) if s > 0)


def information_of_words(joint: Floats, p: Floats) -> float:
    """The same where contexts are themselves: as much as there is to know from them."""
    return information(joint, p, np.eye(joint.shape[1]))


def k_means(rows: Floats, weights: Floats, centres: Floats) -> tuple[Floats, list[int]]:
    """Lloyd's rounds until no row changes its centre: all distances, and the first of the smallest."""
    centres, nearest = centres.copy(), [-1] * len(rows)
    while True:
        now = [int(np.argmin([np.sum((row - centre) ** 2) for centre in centres])) for row in rows]
        if now == nearest:
            return centres, nearest
        nearest = now
        for k in range(len(centres)):
            members = [i for i, j in enumerate(nearest) if j == k and weights[i] > 0]
            if members:
                centres[k] = np.average(rows[members], axis=0, weights=weights[members])
