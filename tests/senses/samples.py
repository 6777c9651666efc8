"""Made-up words with senses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import firth
from firth.senses import Contexts

RIVER = ["river", "water", "boat", "mud", "fish", "reeds", "flood", "stream"]
MONEY = ["money", "loan", "clerk", "interest", "cash", "account", "rates", "credit"]
SEATS = ["wooden", "park", "sat", "bench", "tired", "bag", "shade", "garden"]
COMMON = ["the", "a", "of", "and", "was", "is", "there", "then"]


def bank_sentences(n: int, senses: int = 2, seed: int = 1) -> tuple[list[list[str]], list[int]]:
    """Sentences around the word ``bank``, and the sense of each."""
    rng = np.random.default_rng(seed)
    topics = [RIVER, MONEY, SEATS][:senses]
    sentences, truth = [], []
    for _ in range(n):
        k = int(rng.integers(len(topics)))
        some = [str(w) for w in rng.choice(topics[k], 4)]
        words = [*some, *(str(w) for w in rng.choice(COMMON, 3))]
        rng.shuffle(words)
        sentences.append([*words[:3], "bank", *words[3:]])
        truth.append(k)
    return sentences, truth


def bank_corpus(n: int = 120, senses: int = 2, seed: int = 1) -> tuple[firth.Corpus, list[int]]:
    sentences, truth = bank_sentences(n, senses, seed)
    return firth.Corpus.from_sentences(sentences), truth


def drawn(
    n: int, n_words: int, n_senses: int, length: int, seed: int
) -> tuple[Contexts, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Contexts drawn from a random mixture; their senses, the shares, and the words of each sense."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(n_senses, 5.0))
    words = rng.dirichlet(np.full(n_words, 0.3), n_senses)
    senses = rng.choice(n_senses, n, p=shares)
    bags = [[f"w{v}" for v in rng.choice(n_words, length, p=words[k])] for k in senses.tolist()]
    return Contexts.of_bags(bags), senses, shares, words


def dense(contexts: Contexts) -> NDArray[np.float64]:
    """The counts as a matrix."""
    rows = np.zeros((len(contexts), len(contexts.words)))
    for i in range(len(contexts)):
        some = slice(contexts.starts[i], contexts.starts[i + 1])
        rows[i, contexts.columns[some]] = contexts.counts[some]
    return rows


def agreement(labels: NDArray[np.int64], truth: list[int] | NDArray[np.int64]) -> float:
    """The share that is right, with two senses, whichever is which."""
    right = float(np.mean(labels == np.asarray(truth)))
    return max(right, 1 - right)
