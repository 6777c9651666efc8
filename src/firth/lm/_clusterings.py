"""Clusterings that a language model learns for itself: words exchanged between classes, and spectral ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes import ExchangeRefiner, Hierarchy, SpectralClasses, default_n_classes
from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts import count
from firth.lm._designs import FEW_TOKENS, MANY_TOKENS
from firth.parameters import MEMORY

__all__ = ["SPECTRAL", "default_sizes", "learn_clusterings"]

SPECTRAL = 0
"""Instead of a number of classes: spectral classes, as many as ``default_n_classes``."""
_SHARES, _MOST = (0.25, 0.5, 1.0, 2.5, 5.0), 1000
"""Numbers of classes, in units of ``default_n_classes``; and the largest of them."""
_LEAST_WORDS = 50
"""Smaller vocabularies have no clusterings."""

Integers = npt.NDArray[np.int64]


def default_sizes(n_words: int, n_tokens: int) -> list[int]:
    """The numbers of classes of the clusterings, by the numbers of words and of tokens.

    >>> default_sizes(10_000, 1_000_000)
    [50, 100, 200, 500, 1000, 0]
    >>> default_sizes(10_000, 10_000_000), default_sizes(10_000, 10**9), default_sizes(40, 1000)
    ([200, 500], [200], [])
    """
    if n_words < _LEAST_WORDS:
        return []
    usual = default_n_classes(n_words)
    shares = (
        _SHARES if n_tokens <= FEW_TOKENS else _SHARES[2:4] if n_tokens <= MANY_TOKENS else [1.0]
    )
    sizes = dict.fromkeys(min(_MOST, round(share * usual)) for share in shares)
    found = [n for n in sizes if 2 <= n <= n_words // 2]
    return [*found, SPECTRAL] if n_tokens <= FEW_TOKENS else found


def learn_clusterings(
    corpus: Corpus, sizes: Sequence[int], vocabulary: int, engine: Engine, seed: int = 0, memory: int | str = MEMORY
) -> list[Hierarchy]:  # fmt: skip
    """Cluster the most frequent words of a text in several ways.

    Exchange begins with a random clustering, so clusterings of different sizes differ in more than
    their sizes.

    Parameters
    ----------
    corpus : Corpus
    sizes : sequence of int
        Numbers of classes.
    vocabulary : int
        How many words are clustered.
    engine : Engine
    seed : int
    memory : int or str
        For counting.
    """
    found: list[Hierarchy] = []
    with progress.stage("clustering words", len(sizes), "clusterings", brief=1.0) as stage:
        next_words = count(corpus, "R1", 1, vocabulary, memory=memory, threads=engine)
        names = list(next_words.vocabulary)
        for number, n in enumerate(sizes):
            if n == SPECTRAL:
                both = count(corpus, "LR1", 1, vocabulary, memory=memory, threads=engine)
                spectral = SpectralClasses(
                    default_n_classes(len(names)), contexts="LR1", kappa=10.0, transform="sqrt", dim=100,
                    min_count=1, vocabulary=vocabulary, threads=engine,
                )  # fmt: skip
                found.append(spectral.fit(both).hierarchy_)
            else:
                start = _random_classes(len(names), n, seed + number)
                tree = Hierarchy.from_classes(names, [f"{k:07d}" for k in start.tolist()])
                refiner = ExchangeRefiner(min_count=1, vocabulary=vocabulary, threads=engine)
                found.append(refiner.fit(tree, next_words).hierarchy_)
            stage.advance(1)
    return found


def _random_classes(n_words: int, n_classes: int, seed: int) -> Integers:
    """A class for each word; no class is empty."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n_words)
    classes[rng.permutation(n_words)[:n_classes]] = np.arange(n_classes)
    return classes
