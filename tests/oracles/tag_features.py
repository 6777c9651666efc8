"""Slow, obvious twins of taggers with spelling features, and of the paper's estimate of transitions.

Everything is written down from its definition, a word and a state at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.oracles.hmm import Floats, Model, all_states, joints, probability

# Spelling in counts -------------------------------------------------------------------------------


def values_of(word: str) -> set[tuple[str, object]]:
    """Capital or not, hyphen or not, digit or not, and the suffixes that the word is long enough for."""
    found: set[tuple[str, object]] = {
        ("capital", word[0].isupper()),
        ("hyphen", word.count("-") > 0),
        ("digit", any(letter.isdigit() for letter in word)),
    }
    for n in (1, 2, 3):
        if len(word) >= n:
            found.add((f"suffix {n}", word[len(word) - n :]))
    return found


def spelled(words: Sequence[str], counts: Floats, weight: float) -> dict[object, Floats]:
    """A column of counts for each value of a feature: ‖values‖ = weight · ‖row‖, all of a word alike."""
    columns: dict[object, Floats] = {}
    for row, word in enumerate(words):
        values = values_of(word)
        length = math.sqrt(sum(count**2 for count in counts[row]))
        for value in values:
            column = columns.setdefault(value, np.zeros(len(words)))
            column[row] = math.sqrt(weight**2 * length**2 / len(values))
    return columns


# Transitions --------------------------------------------------------------------------------------


def transitions(pairs: Floats, shares: Floats, emission: Floats, rounds: int) -> Floats:
    """Rounds of EM for pairs of words, from equal transitions; the shares of the states follow the counts."""
    m, n = len(shares), len(pairs)
    joint = np.array([[shares[g] / m for _ in range(m)] for g in range(m)])
    for _ in range(rounds):
        expected = np.zeros((m, m))
        for x in range(n):
            for y in range(n):
                p = joint * np.outer(emission[x], emission[y])
                if pairs[x, y]:
                    expected += pairs[x, y] * p / p.sum()
        joint = expected / expected.sum()
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


# Log-linear models --------------------------------------------------------------------------------


def log_linear(initial: Floats, transition: Floats, weights: Floats, features: Floats) -> Model:
    """A model from scores: p(x | h) = exp Σ_k f_k(x) w_k(h) / Σ_y exp Σ_k f_k(y) w_k(h), and so on."""
    m, n = len(initial), len(features)

    def of(scores: Sequence[float]) -> list[float]:
        raised = [math.exp(score) for score in scores]
        return [p / sum(raised) for p in raised]

    emission = [of([float(features[x] @ weights[:, h]) for x in range(n)]) for h in range(m)]
    rows = [of(transition[g].tolist()) for g in range(m)]
    return Model(np.array(of(initial.tolist())), np.array(rows), np.array(emission).T)


def penalised(
    model: Model, sentences: Sequence[Sequence[int]], weights: Floats, kappa: float
) -> float:
    """The logarithm of the likelihood, less κ times the sum of the squares of all weights."""
    likelihood = sum(math.log(probability(model, symbols)) for symbols in sentences if symbols)
    return float(likelihood - kappa * (weights**2).sum())


def gradient(
    model: Model, sentences: Sequence[Sequence[int]], features: Floats
) -> tuple[Floats, Floats, Floats]:
    """Of the log-likelihood: E[Σ_t (what there is - what is expected)], over all sequences of states."""
    m = len(model.initial)
    starts, pairs, weights = np.zeros(m), np.zeros((m, m)), np.zeros((features.shape[1], m))
    mean = features.T @ model.emission  # E[f_k(x) | h]
    for symbols in sentences:
        p = joints(model, symbols)
        for states, share in zip(all_states(m, len(symbols)), p / p.sum(), strict=True):
            for t, (x, h) in enumerate(zip(symbols, states, strict=True)):
                weights[:, h] += share * (features[x] - mean[:, h])
                if t == 0:
                    starts += share * (np.eye(m)[h] - model.initial)
                else:
                    g = states[t - 1]
                    pairs[g] += share * (np.eye(m)[h] - model.transition[g])
    return starts, pairs, weights
