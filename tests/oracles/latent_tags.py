"""Hidden Markov models whose tags have states: everything by adding up all sequences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.tags import LatentStates

Floats = npt.NDArray[np.float64]


class LatentHMM(NamedTuple):
    """A known model of n tags with m states each. After each word, the sentence can end."""

    initial: Floats
    """(n, m)"""
    following: Floats
    """(n, m, n, m): the probability of the next tag and state"""
    ending: Floats
    """(n, m)"""
    emission: Floats
    """(n_words, n, m)"""


def random_model(n: int, m: int, n_words: int, seed: int) -> LatentHMM:
    rng = np.random.default_rng(seed)
    steps = rng.dirichlet(np.full(n * m, 0.5), (n, m)).reshape(n, m, n, m)
    ending = rng.uniform(0.1, 0.4, (n, m))
    return LatentHMM(
        rng.dirichlet(np.ones(n * m)).reshape(n, m), steps * (1 - ending[:, :, None, None]), ending,
        rng.dirichlet(np.full(n_words, 0.5), (n, m)).transpose(2, 0, 1),
    )  # fmt: skip


def sample(model: LatentHMM, n_sentences: int, seed: int) -> list[list[tuple[int, int]]]:
    """Sentences of (word, tag)."""
    rng = np.random.default_rng(seed)
    m = model.initial.shape[1]
    first, words = np.cumsum(model.initial), np.cumsum(model.emission, axis=0)
    steps = np.cumsum(model.following.reshape(*model.initial.shape, -1), axis=2)  # without endings

    def draw(sums: Floats) -> int:
        """A number by cumulated probabilities; the length if they add up to less than one."""
        return int(np.searchsorted(sums, rng.random(), side="right"))

    found = []
    for _ in range(n_sentences):
        sentence: list[tuple[int, int]] = []
        state = min(draw(first), len(first) - 1)
        while state < len(first):
            a, h = divmod(state, m)
            sentence.append((min(draw(words[:, a, h]), len(words) - 1), a))
            state = draw(steps[a, h])
        found.append(sentence)
    return found


def probability(model: LatentHMM, sentence: Sequence[tuple[int, int]]) -> float:
    """Of words with tags: the sum over all states."""
    m, total = model.initial.shape[1], 0.0
    for states in product(range(m), repeat=len(sentence)):
        before: tuple[int, int] | None = None
        p = 1.0
        for (word, tag), h in zip(sentence, states, strict=True):
            p *= float(
                model.initial[tag, h] if before is None else model.following[(*before, tag, h)]
            )
            p *= float(model.emission[word, tag, h])
            before = tag, h
        assert before is not None
        total += p * float(model.ending[before])
    return total


def posteriors(model: LatentHMM, words: Sequence[int]) -> tuple[Floats, float]:
    """The probability of each tag at each position, and of the sentence: the sum over all tags."""
    n = len(model.initial)
    found = np.zeros((len(words), n))
    for tags in product(range(n), repeat=len(words)):
        p = probability(model, list(zip(words, tags, strict=True)))
        found[np.arange(len(words)), list(tags)] += p
    return found / found[0].sum(), float(found[0].sum())


def tensors(model: LatentHMM) -> tuple[LatentStates, Floats]:
    """The tensor form with explicit states: the word is in the state of its node. And plain emissions."""
    n, m = model.initial.shape
    n_words, same = len(model.emission), np.eye(m)
    plain = np.maximum(model.emission.mean(axis=2), 1e-300)
    vectors = (model.emission / plain[:, :, None]).reshape(-1, m)
    starts = np.arange(n_words + 1) * n
    steps = np.einsum("aibk,ij->abijk", model.following, same).astype(np.float32)
    finals = np.einsum("ai,ij->aij", model.ending, same)
    tags = np.tile(np.arange(n), n_words)
    return (
        LatentStates(starts, tags, vectors, np.ones((n, m)), steps, finals, model.initial),
        plain,
    )


def value(
    states: LatentStates, emission: Floats, symbols: Sequence[int], tags: Sequence[int]
) -> float:
    """What tensors say about a sentence with tags (figure 2 of the paper), from the last word to the first."""

    def word(symbol: int, tag: int) -> Floats:
        own = slice(states.starts[symbol], states.starts[symbol + 1])
        vector = states.usual[tag]
        for other, known in zip(states.tags[own], states.vectors[own], strict=True):
            if other == tag:
                vector = known
        return np.asarray(emission[symbol, tag] * vector)

    up = states.finals[tags[-1]] @ word(symbols[-1], tags[-1])
    for t in range(len(symbols) - 2, -1, -1):
        tensor = states.steps[tags[t], tags[t + 1]].astype(np.float64)
        up = np.einsum("ijk,j,k->i", tensor, word(symbols[t], tags[t]), up)
    return float(states.roots[tags[0]] @ up)


def marginals(
    states: LatentStates, emission: Floats, symbols: Sequence[int]
) -> tuple[Floats, float]:
    """The share of each tag at each position, and the sum over all sequences of tags."""
    n = len(states.usual)
    found = np.zeros((len(symbols), n))
    for tags in product(range(n), repeat=len(symbols)):
        found[np.arange(len(symbols)), list(tags)] += value(states, emission, symbols, tags)
    return found / found[0].sum(), float(found[0].sum())
