"""Models, sentences and texts for the tests of tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import firth
from firth.tags import HMM, ContextCounts
from tests.oracles import hmm as oracle
from tests.oracles.hmm import Floats, Model

__all__ = [
    "NOUNS", "VERBS", "Case", "anchor_model", "best_order", "cases", "exact_contexts", "hmm_of", "mixed_text",
    "sampled_corpus", "tagged_text",
]  # fmt: skip


class Case(NamedTuple):
    """A small model and a sentence."""

    model: Model
    symbols: list[int]


def hmm_of(model: Model, threads: int | None = 1) -> HMM:
    return HMM(*model, threads=threads)


def cases(n: int, zeros: float, seed: int = 0) -> Iterator[Case]:
    """Random models of one to four states, now and then of nine or twelve, each with a short sentence."""
    rng = np.random.default_rng(seed)
    for k in range(n):
        m, longest = int(rng.integers(1, 5)), 6
        if k % 8 == 7:
            m, longest = int(rng.choice([8, 9, 12])), 3
        n_symbols = int(rng.integers(1, 6))
        model = oracle.random_model(m, n_symbols, seed=1000 * seed + k, zeros=zeros)
        length = int(rng.integers(1, longest + 1))
        yield Case(model, rng.integers(0, n_symbols, length).tolist())


# models with anchor words


def anchor_model(m: int, n_words: int, seed: int) -> Model:
    """A model that begins as it goes on, in which each state has a word of its own: the first words."""
    rng = np.random.default_rng(seed)
    transition = rng.dirichlet(np.full(m, 0.7), m) * 0.9 + 0.1 / m
    emission = rng.dirichlet(np.ones(n_words - m), m).T * 0.8
    emission = np.concatenate([0.2 * np.eye(m), emission])
    return Model(oracle.stationary(transition), transition, emission)


def exact_contexts(model: Model) -> ContextCounts:
    """What would be counted in endless text: the words before and after each word, as probabilities."""
    from scipy.sparse import csr_array

    joint = model.initial[:, None] * model.transition
    pairs = model.emission @ joint @ model.emission.T
    p = model.emission @ model.initial
    order = np.argsort(-p, kind="stable")
    pairs = pairs[np.ix_(order, order)]
    return ContextCounts(
        [f"w{k}" for k in order],
        p[order],
        csr_array(np.concatenate([pairs.T, pairs], axis=1)),
        csr_array(pairs),
        p[order],
        2,
    )


def best_order(found: Floats, true: Floats) -> tuple[NDArray[np.int64], float]:
    """How columns must be put in order to be most like others, and how far off they are then."""
    orders = [np.array(order) for order in permutations(range(true.shape[1]))]
    errors = [float(np.abs(found[:, order] - true).sum()) for order in orders]
    return orders[int(np.argmin(errors))], min(errors)


def sampled_corpus(model: Model, n_tokens: int, seed: int, length: int = 20) -> firth.Corpus:
    lines, _ = hmm_of(model).sample(n_tokens // length, length, seed)
    return firth.Corpus.from_sentences([f"w{x}" for x in line.tolist()] for line in lines)


# text

NOUNS = "cat dog bird fox wolf horse cow goat hen mouse".split()
VERBS = "sees hears finds likes fears hunts meets feeds".split()


def mixed_text(n: int, seed: int = 0) -> list[list[str]]:
    """Sentences of three kinds of words, each in its place."""
    rng = np.random.default_rng(seed)

    def one(words: Sequence[str]) -> str:
        return str(rng.choice(words))

    found = []
    for _ in range(n):
        sentence = [one(["the", "a"]), one(NOUNS), one(VERBS), one(["the", "a"]), one(NOUNS)]
        found.append(sentence if rng.random() < 0.7 else sentence[:3])
    return found


def tagged_text(sentences: Iterable[Sequence[str]]) -> list[list[tuple[str, str]]]:
    """The same with the tags D, N and V."""
    kind: dict[str, Any] = {
        **dict.fromkeys(NOUNS, "N"), **dict.fromkeys(VERBS, "V"), "the": "D", "a": "D",
    }  # fmt: skip
    return [[(word, kind[word]) for word in sentence] for sentence in sentences]
