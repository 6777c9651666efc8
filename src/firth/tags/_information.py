"""Tags of words and of contexts that tell most about each other (Stratos 2019).

A word has each tag with a probability that depends on its features, by a softmax, and so has a context. From
how often words and contexts occur together follows how often their tags do, and the mutual information of the
two tags. Its gradient is exact: all counts are used in every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress

__all__ = ["information", "information_of_tags", "most_informative", "softmax"]

_FREQUENT = 50.0
_FIRST_STEPS, _FIRST_RATE, _RATE = 100, 0.1, 0.02
_PENALTY = 0.004
"""Of half the squared coefficients of words, divided by the number of tags."""
_SMALL = 1e-12
_UNKNOWN = 1e-4
"""The weight of the tags of the whole text in those of a context, at the start."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def most_informative(
    features: Any, counts: Any, tags: Integers, possible: npt.NDArray[np.bool_], steps: int
) -> Floats:
    """The probability of each tag for each word, from gradient steps that begin at a clustering.

    Parameters
    ----------
    features : CSR array of shape (n_words, n_features)
    counts : CSR array of shape (n_words, n_contexts)
    tags : array of int64
        Of each word, at the beginning.
    possible : array of shape (n_words, n_tags)
        Which tags a word can have.
    steps : int
    """
    n, m = possible.shape
    barred = np.where(possible, 0.0, -np.inf)
    joint = counts / counts.sum()
    words = joint.sum(axis=1)
    penalty = _PENALTY / m
    turned, turned_joint = features.T.tocsr(), joint.T.tocsr()
    weights = np.minimum(counts.sum(axis=1), _FREQUENT)
    weights = (weights / weights.sum())[:, None]
    wanted = np.zeros((n, m))
    wanted[np.arange(n), tags] = 1.0

    def towards_tags(b: Floats) -> tuple[Floats]:
        return (turned @ (weights * (wanted - softmax(features @ b + barred))) - penalty * b,)

    def towards_information(b: Floats, c: Floats) -> tuple[Floats, Floats]:
        p, q = softmax(features @ b + barred), softmax(c)
        _, of_p, of_q = information(joint, turned_joint, p, q)
        return turned @ _through(p, of_p) - penalty * b, _through(q, of_q)

    b = np.zeros((features.shape[1], m))
    _climb([b], towards_tags, _FIRST_STEPS, _FIRST_RATE)
    p = softmax(features @ b + barred)
    c = np.log(np.maximum(turned_joint @ p + _UNKNOWN * (words @ p), _SMALL))
    _climb([b, c], towards_information, steps, _RATE)
    return softmax(features @ b + barred)


def information(joint: Any, turned: Any, p: Floats, q: Floats) -> tuple[float, Floats, Floats]:
    """The mutual information in nats of the tags of words and contexts, and its derivatives by ``p`` and ``q``.

    ``joint`` has the probability of each word with each context, ``turned`` is its transpose. A constant for
    each row is missing in the derivatives: probabilities add up to one.
    """
    of_words = joint @ q
    both = p.T @ of_words
    ratio = np.log(
        np.maximum(both, _SMALL)
        / np.maximum(np.outer(both.sum(axis=1), both.sum(axis=0)), _SMALL**2)
    )
    return float((both * ratio).sum()), of_words @ ratio.T, (turned @ p) @ ratio


def information_of_tags(counts: Any, tags: Integers, m: int) -> float:
    """The mutual information in nats of the tag of a word and its context, where each word has one of ``m`` tags."""
    both = np.zeros((m, counts.shape[1]))
    rows = np.repeat(tags, np.diff(counts.indptr))
    np.add.at(both, (rows, counts.indices), counts.data)
    both /= max(both.sum(), _SMALL)
    alone = np.outer(both.sum(axis=1), both.sum(axis=0))
    there = both > 0
    return float((both[there] * np.log(both[there] / alone[there])).sum())


def softmax(scores: Floats) -> Floats:
    """Rows of probabilities, proportional to exponentials."""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: Floats = e / e.sum(axis=1, keepdims=True)
    return probabilities


def _through(p: Floats, derivatives: Floats) -> Floats:
    """Derivatives by the scores of a softmax, from those by its probabilities."""
    back: Floats = p * (derivatives - (p * derivatives).sum(axis=1, keepdims=True))
    return back


def _climb(
    values: list[Floats], gradient: Callable[..., tuple[Floats, ...]], steps: int, rate: float
) -> None:
    """Change values in place, by steps upwards that are adapted to each of them (Adam)."""
    means = [np.zeros_like(value) for value in values]
    squares = [np.zeros_like(value) for value in values]
    for t in range(1, steps + 1):
        progress.check_interrupted()
        for value, mean, square, g in zip(values, means, squares, gradient(*values), strict=True):
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            value += rate * (mean / (1 - 0.9**t)) / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
