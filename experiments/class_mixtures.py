"""Training and test texts of language models, and mixtures, for ``experiments/class_lm.py``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from experiments.common import file_name

import firth
from firth.lm import (
    CountedTree,
    Event,
    Text,
    buckets_of,
    class_rows,
    learn_weights,
    mixed,
    outcomes_of,
    padded,
)

__all__ = ["BUCKETS", "Part", "Sentences", "Setting", "Stage", "interval"]

BLOCK, N_SAMPLES = 20, 1000
"""The number of sentences per block, and of bootstrap samples."""
BUCKETS = ("bigram, else word", "constant", "previous word", "previous bigram", "both")
"""What the weights of a mixture can depend on: the count of this part of the history."""
SPECTRAL: dict[str, dict[str, Any]] = {
    "spectral": {}, "spectral-root": {"contexts": "LR1", "kappa": 10.0, "transform": "sqrt", "dim": 100},
}  # fmt: skip

Sentences = list[list[str]]
Part = tuple[Any, ...]
"""("words", order), ("classes", classes, order), or ("predictive", classes, classes of the history,
words of the history)."""


@dataclass(eq=False)
class Stage:
    """Models trained on one text, and the text that they are evaluated on."""

    name: str
    source: str
    folder: Path
    train: Sentences
    asked: Sentences
    most_words: int | None = None

    @cached_property
    def _frequent(self) -> list[tuple[str, int]]:
        counts = Counter(word for sentence in self.train for word in sentence)
        counts.pop("<unk>", None)
        return counts.most_common(self.most_words)

    @cached_property
    def words(self) -> list[str]:
        return [word for word, _ in self._frequent]

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: k for k, word in enumerate(self.words)}

    def flat(self, some: Sentences) -> tuple[Any, Any]:
        unknown = len(self.words)
        found = [self.numbers.get(word, unknown) for sentence in some for word in sentence]
        return np.array(found, np.int64), np.cumsum([len(sentence) for sentence in some])

    @cached_property
    def learned(self) -> tuple[Any, Any]:
        return self.flat(self.train)

    def padded(self, flat: tuple[Any, Any]) -> Text:
        return padded(firth.lm.Sentences(*flat), len(self.words))

    @cached_property
    def text(self) -> Text:
        return self.padded(self.flat(self.asked))

    @property
    def begin(self) -> int:
        return len(self.words) + 1

    @cached_property
    def blocks(self) -> Any:
        """The block of each predicted word, including sentence ends."""
        starts = self.text.places == 0
        return (np.cumsum(starts)[~starts] - 1) // BLOCK

    @cache  # noqa: B019
    def class_of(self, name: str) -> Any:
        """The classes of all words, by a name such as "exchange 200"; learned once."""
        path = self.folder / f"classes-{self.source}-{file_name(name)}.npy"
        if not path.exists():
            method, n = name.split()
            found = dict(self._classes(method, int(n)))
            numbers = [found[word] for word in self.words]
            np.save(path, np.unique(numbers, return_inverse=True)[1])
        return np.load(path)

    def _classes(self, method: str, n: int) -> Iterable[tuple[str, int]]:
        if method in SPECTRAL:
            learner = firth.SpectralClasses(n, threads=2, **SPECTRAL[method])
            hierarchy = learner.fit(self._counts(learner.contexts)).hierarchy_
        else:
            counts = self._counts("R1")
            hierarchy = firth.BrownClasses(n, threads=2).fit(counts).hierarchy_
            if method == "exchange":
                hierarchy = firth.ExchangeRefiner(threads=2).fit(hierarchy, counts).hierarchy_
        return zip(hierarchy.vocabulary, hierarchy.class_of.tolist(), strict=True)

    @cached_property
    def _corpus(self) -> firth.Corpus:
        return firth.Corpus.from_sentences(sentence for sentence in self.train if sentence)

    def _counts(self, contexts: str) -> firth.Counts:
        least = self._frequent[-1][1]  # all words with this count have classes
        return firth.count(self._corpus, contexts, least, None, threads=2)

    def symbols(self, name: str) -> Any:
        """The class of every symbol; unknown words and sentence boundaries have their own."""
        found = self.class_of(name)
        return np.concatenate([found, found.max() + 1 + np.arange(3)])

    @cache  # noqa: B019
    def log_probs(self, part: Part) -> Any:
        """The log-probability of every predicted word; cached in a file."""
        path = self.folder / f"{self.name}-{file_name('-'.join(map(str, part)))}.npy"
        if not path.exists():
            np.save(path, getattr(self, f"of_{part[0]}")(*part[1:]))
        return np.load(path)

    def of_words(self, order: int) -> Any:
        return self._log_probs([], [Event(0, None, tuple((0, k) for k in range(1, order)))])

    def of_classes(self, name: str, order: int) -> Any:
        history = tuple((1, k) for k in range(1, order))
        return self._log_probs([name], [Event(1, None, history), Event(0, 1)])

    def of_predictive(self, name: str, before: str | None, depth: int) -> Any:
        """The previous words, each preceded by its class, so that back-off drops the word before the class."""
        if before is None:
            history = tuple((0, k) for k in range(1, depth + 1))
        else:
            history = tuple((row, k) for k in range(1, depth + 1) for row in (2, 0))
        events = [Event(1, None, history), Event(0, 1, history)]
        return self._log_probs([name, before or name], events)

    def _log_probs(self, names: Sequence[str], events: Sequence[Event]) -> Any:
        """The product of the probabilities of some trees, with the discounts of Chen and Goodman."""
        maps = class_rows(len(self.words), [self.class_of(name) for name in names])
        found = np.ones(len(self.text))
        for event in events:
            n_outcomes = outcomes_of(maps, event.outcome, event.given)
            counted = CountedTree.count(event, self.padded(self.learned), maps, n_outcomes)
            counted.smooth(counted.discounts()).multiply(event, self.text, maps, found)
        return np.log(found[self.text.places > 0])

    def _before(self, text: Text) -> tuple[Any, Any]:
        """The last word before each symbol, and the one before that; -1 for none."""
        places = np.flatnonzero(text.places > 0)
        one, two = (
            np.where(text.places[places] >= k, text.symbols[np.maximum(places - k, 0)], -1)
            for k in (1, 2)
        )
        return one.astype(np.int64), two.astype(np.int64)

    def buckets(self, kind: str) -> tuple[Any, int]:
        """The bin of the history of each word, by its count."""
        (one, two), (first, second) = map(self._before, (self.text, self.padded(self.learned)))
        n = len(self.words) + 3
        of_word = buckets_of(np.bincount(first, minlength=n)[one], 18)
        keys, counts = np.unique(second * n + first, return_counts=True)
        place = np.minimum(np.searchsorted(keys, two * n + one), len(keys) - 1)
        of_pair = buckets_of(np.where(keys[place] == two * n + one, counts[place], 0), 12)
        ways = {
            "constant": np.zeros_like(of_word),
            "previous word": of_word,
            "previous bigram": of_pair,
            "bigram, else word": np.where(of_pair > 0, 18 + of_pair, of_word),
            "both": np.minimum(of_pair, 7) * 7 + np.minimum(of_word // 2, 6),
        }
        return ways[kind], int(ways[kind].max()) + 1


@dataclass(eq=False)
class Setting:
    """A corpus: models for the weights, and models that are evaluated (the same, or retrained on more text)."""

    name: str
    held_out: Stage
    measured: Stage

    def mixture(self, parts: Sequence[Part], kind: str) -> tuple[Any, Any]:
        """Log-probabilities of the held-out words, with weights from the other half, and of the test words."""
        text, final = self.held_out, self.measured
        p = np.exp(np.stack([text.log_probs(part) for part in parts], axis=1))
        asked = np.exp(np.stack([final.log_probs(part) for part in parts], axis=1))
        (buckets, n), (last, m) = text.buckets(kind), final.buckets(kind)
        second = text.blocks > text.blocks[-1] // 2
        found = np.empty(len(p))
        for half in (second, ~second):
            weights = learn_weights(p[~half], buckets[~half], n)
            found[half] = mixed(p[half], buckets[half], weights)
        return found, mixed(asked, last, learn_weights(p, buckets, max(n, m)))

    def row(self, parts: Sequence[Part], kind: str, order: int) -> dict[str, Any]:
        """Perplexities, and the bits per word saved compared with word n-grams of the given order."""
        held_out, found = self.mixture(parts, kind)
        base = self.measured.log_probs(("words", order))
        saved = (found - base) / math.log(2)
        low, high = interval(saved, self.measured.blocks)
        return {
            "held_out": math.exp(-held_out.mean()), "perplexity": math.exp(-found.mean()),
            "saved": float(saved.mean()), "low": low, "high": high,
        }  # fmt: skip

    def difference(self, parts: Sequence[Part], others: Sequence[Part]) -> list[float]:
        """The bits per word that one mixture saves compared with another, with an interval."""
        one, other = (self.mixture(some, BUCKETS[0])[1] for some in (parts, others))
        saved = (one - other) / math.log(2)
        return [float(saved.mean()), *interval(saved, self.measured.blocks)]


def interval(values: Any, blocks: Any) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean, by blocks."""
    sums, sizes = np.bincount(blocks, values), np.bincount(blocks)
    chosen = np.random.default_rng(0).integers(0, len(sums), (N_SAMPLES, len(sums)))
    means = sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
