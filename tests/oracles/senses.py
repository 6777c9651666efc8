"""Slow, obvious twins of the senses of a word: contexts by walking through sentences, EM by the formula."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bag = Counter[tuple[str, str]]


def contexts(
    sentences: Sequence[Sequence[str]], words: Sequence[str], window: int | None, beside: bool
) -> list[Bag]:
    """The bag of each occurrence: (word, side) and how often it is there."""
    found = []
    for sentence in sentences:
        for i, word in enumerate(sentence):
            if word not in words:
                continue
            bag: Bag = Counter()
            for j, other in enumerate(sentence):
                if j == i or other in words or (window is not None and abs(i - j) > window):
                    continue
                side = {-1: "before", 1: "after"}.get(j - i, "") if beside else ""
                bag[other, side] += 1
            found.append(bag)
    return found


def without_rare(bags: Sequence[Bag], least: int) -> list[Bag]:
    """The bags without what is in fewer of them than this."""
    n = Counter(word for bag in bags for word in bag)
    return [Counter({w: c for w, c in bag.items() if n[w] >= least}) for bag in bags]


def joint(rows: Floats, shares: Floats, words: Floats) -> Floats:
    """P(context, sense) for each row of counts: shares[k] * prod over v of words[v, k] ** rows[i, v]."""
    return np.array(
        [
            [shares[k] * math.prod(words[:, k] ** row) for k in range(len(shares))]
            for row in rows
        ]
    )  # fmt: skip


def e_step(
    rows: Floats, shares: Floats, words: Floats, beta: float = 1.0
) -> tuple[Floats, Floats, float]:
    """Memberships, expected counts of words, and the log-likelihood (at beta 1)."""
    powers = joint(rows, shares, words) ** beta
    memberships = powers / powers.sum(axis=1, keepdims=True)
    added = np.array([[sum(r * c) for r in memberships.T] for c in rows.T])
    return memberships, added, float(np.log(powers.sum(axis=1)).sum() / beta)


def m_step(memberships: Floats, added: Floats, pseudocounts: Floats) -> tuple[Floats, Floats]:
    """The most probable shares and words: counts with pseudocounts, divided by their sums."""
    n, k = memberships.shape
    shares = (memberships.sum(axis=0) + 1) / (n + k)
    columns = [(n + pseudocounts) / (n.sum() + pseudocounts.sum()) for n in added.T]
    return shares, np.array(columns).T


def sequential_bits(said: Sequence[int], n_things: int) -> float:
    """Bits to tell things one after the other, each with the probability that those before it give."""
    bits, times = 0.0, [1] * n_things
    for thing in said:
        bits -= math.log2(times[thing] / sum(times))
        times[thing] += 1
    return bits
