"""Measures of association between a word and its contexts.

They compare how often two words occur together, ``o``, with how often they would by chance, ``e`` = ``r`` ``c``
/ ``n``, where ``r`` and ``c`` are the frequencies of either and ``n`` the number of all pairs. Evert (2005)
explains most of them, and Rychlý (2008) logDice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

__all__ = ["MEASURES", "Measure", "association", "g2"]

Floats = npt.NDArray[np.float64]
_TERMS = 64
"""Terms of a sum that are computed at once."""
Measure = Literal["pmi", "npmi", "mi3", "t", "z", "dice", "logdice", "g2", "chi2", "fisher"]


def association(measure: str, o: Floats, r: float, c: Floats, n: float) -> Floats:
    """A measure of association of each context with a word.

    Parameters
    ----------
    measure : str
        One of ``MEASURES``.
    o : array
        How often each context occurs with the word; above 0.
    r : float
        How often the word occurs with any context.
    c : array
        How often each context occurs with any word.
    n : float
        The number of all pairs.

    Examples
    --------
    >>> pair = np.array([8.0]), 15828, np.array([4675.0]), 14307668
    >>> [association(name, *pair).round(2).item() for name in ("pmi", "t", "logdice")]
    [0.63, 1.0, 3.68]
    """
    return _OF[measure](o, r, c, n)


def g2(a: Any, b: Any, n_a: Any, n_b: Any) -> Floats:
    """The log-likelihood ratio (Dunning 1993) of ``a`` cases among ``n_a`` and ``b`` cases among ``n_b``.

    >>> g2(np.array([10]), np.array([5]), 1000, 1000).round(3)
    array([1.712])
    """
    total = n_a + n_b
    cells = (
        (a, n_a * (a + b) / total),
        (b, n_b * (a + b) / total),
        (n_a - a, n_a * (total - a - b) / total),
        (n_b - b, n_b * (total - a - b) / total),
    )
    found: Floats = 2.0 * sum(_term(observed, expected) for observed, expected in cells)
    return np.maximum(found, 0.0)


def _term(observed: Any, expected: Any) -> Any:
    """x log (x / e), which is 0 for x = 0."""
    safe = np.where(observed > 0, observed, 1.0)
    return np.where(observed > 0, observed * np.log(safe / np.maximum(expected, 1e-300)), 0.0)


def _pmi(o: Floats, r: float, c: Floats, n: float) -> Floats:
    return np.log2(o * n / (r * c))


def _npmi(o: Floats, r: float, c: Floats, n: float) -> Floats:
    share = -np.log2(o / n)
    return np.divide(_pmi(o, r, c, n), share, out=np.ones_like(o), where=share > 0)


def _mi3(o: Floats, r: float, c: Floats, n: float) -> Floats:
    return np.log2(o**3 * n / (r * c))


def _t(o: Floats, r: float, c: Floats, n: float) -> Floats:
    return (o - r * c / n) / np.sqrt(o)


def _z(o: Floats, r: float, c: Floats, n: float) -> Floats:
    return (o - r * c / n) / np.sqrt(r * c / n)


def _dice(o: Floats, r: float, c: Floats, n: float) -> Floats:  # noqa: ARG001
    return 2 * o / (r + c)


def _logdice(o: Floats, r: float, c: Floats, n: float) -> Floats:
    return 14 + np.log2(_dice(o, r, c, n))


def _signed_g2(o: Floats, r: float, c: Floats, n: float) -> Floats:
    return np.sign(o - r * c / n) * g2(o, c - o, r, n - r)


def _chi2(o: Floats, r: float, c: Floats, n: float) -> Floats:
    """Pearson's statistic of the table of two by two, with the sign of the difference."""
    difference = o * (n - r - c + o) - (r - o) * (c - o)
    sizes = r * c * (n - r) * (n - c)
    squared = np.divide(n * difference**2, sizes, out=np.zeros_like(o), where=sizes > 0)
    return np.sign(difference) * squared


def _fisher(o: Floats, r: float, c: Floats, n: float) -> Floats:
    """Minus the decimal logarithm of the probability of at least so many, by Fisher's exact test."""
    k, c = np.round(o), np.round(c)
    r, n = round(r), round(n)
    log_p = np.empty(len(k))
    above = k * n > r * c
    log_p[above] = _log_tail(k[above], r, c[above], n)
    if not above.all():
        from scipy.stats import hypergeom

        log_p[~above] = hypergeom.logsf(k[~above] - 1, n, r, c[~above])
    found: Floats = np.maximum(-log_p / math.log(10), 0.0)
    return found


def _log_tail(k: Floats, r: int, c: Floats, n: int) -> Floats:
    """The logarithm of the probability of at least ``k`` of ``c`` among ``r`` of ``n``, for ``k`` above the mean.

    From there on, each term is smaller than the one before it, so they are added until they no longer count. SciPy adds
    them for one context after the other, which takes seconds for a frequent word.
    """
    total, term, at = np.ones(len(k)), np.ones(len(k)), k.copy()
    left = np.arange(len(k))
    while len(left):
        step, size = at[left, None] + np.arange(_TERMS), c[left, None]
        ratio = (r - step) * (size - step) / ((step + 1) * (n - r - size + step + 1))
        terms = term[left, None] * np.cumprod(ratio, axis=1)
        total[left] += terms.sum(axis=1)
        term[left] = terms[:, -1]
        at[left] += _TERMS
        left = left[term[left] > 1e-17 * total[left]]
    ways = _log_choose(c, k) + _log_choose(n - c, r - k) - _log_choose(n, r)
    found: Floats = ways + np.log(total)
    return found


def _log_choose(n: Any, k: Any) -> Any:
    from scipy.special import betaln

    return -np.log(n + 1.0) - betaln(n - k + 1.0, k + 1.0)


_OF: Mapping[str, Callable[[Floats, float, Floats, float], Floats]] = {
    "pmi": _pmi, "npmi": _npmi, "mi3": _mi3, "t": _t, "z": _z, "dice": _dice, "logdice": _logdice,
    "g2": _signed_g2, "chi2": _chi2, "fisher": _fisher,
}  # fmt: skip
MEASURES: tuple[str, ...] = get_args(Measure)
