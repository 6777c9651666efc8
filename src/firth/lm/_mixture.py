"""Models of words and of classes, interpolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.lm._buckets import history_buckets
from firth.lm._cache import Recent
from firth.lm._designs import Design
from firth.lm._mixing import mixed
from firth.lm._texts import Sentences, padded
from firth.lm._trees import Text, Tree

__all__ = [
    "LookedUp",
    "Mixture",
    "cached_design",
    "cached_shares",
    "class_rows",
    "names_of",
    "outcomes_of",
    "recent_for",
]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]


def class_rows(n_words: int, clusterings: Sequence[Integers]) -> Short:
    """The element of each symbol: itself, and then its class in each clustering.

    The unknown word, the beginning and the end of a sentence are classes of their own, after the others.
    """
    rows = [np.arange(n_words + 3)]
    rows += [np.concatenate([one, int(one.max()) + 1 + np.arange(3)]) for one in clusterings]
    return np.array(rows, np.int32)


def outcomes_of(maps: Short, outcome: int, given: int | None) -> Integers:
    """The number of possible outcomes, for each value of what is given; a sentence cannot begin again."""
    if given is None:
        return np.array([int(maps[outcome].max())])
    return np.bincount(maps[given]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class LookedUp:
    """What the models of a mixture say of a text.

    Attributes
    ----------
    p : array of shape (n, number of models)
        The probability of each symbol, by each model; 1 at the beginning of a sentence.
    buckets : array of int64
        The buckets of their histories.
    p_class, p_in_class : array, optional
        The probability of a class by the model that the cache uses, and of the word in it.
    """

    p: Floats
    buckets: Integers
    p_class: Floats | None = None
    p_in_class: Floats | None = None


@dataclass(frozen=True, eq=False)
class Mixture:
    """Linearly interpolated models, with weights that depend on the bucket of the history.

    Attributes
    ----------
    maps : array of int32, shape (1 + number of clusterings, n_words + 3)
        The class of each symbol in each clustering, after a row for words.
    designs : tuple of Design
        The models; that of words first.
    trees : tuple of tuples of Tree
        The trees of each model.
    tokens : array of int64
        How often the histories of the first nodes of the word tree were seen, up to those of two words.
    in_class : array, optional
        The share of each symbol among the tokens of its class, in the clustering that the cache uses.
    weights : array of shape (BUCKETS, number of models)
    cache_weights : array of shape (BUCKETS, number of models + number of models of the cache), optional
    """

    maps: Short
    designs: tuple[Design, ...]
    trees: tuple[tuple[Tree, ...], ...]
    tokens: Integers
    weights: Floats
    cache_weights: Floats | None = None
    in_class: Floats | None = None

    @property
    def n_words(self) -> int:
        return int(self.maps.shape[1]) - 3

    @property
    def begin(self) -> int:
        return self.n_words + 1

    @property
    def end(self) -> int:
        return self.n_words + 2

    @property
    def order(self) -> int:
        """The order of the word model."""
        return 1 + len(self.designs[0].history)

    @property
    def sizes(self) -> list[int]:
        """The number of classes of each clustering."""
        return [int(row[-1]) - 2 for row in self.maps[1:]]

    @property
    def names(self) -> list[str]:
        """The names of the models."""
        return names_of(self.designs, self.maps)

    def padded(self, text: Sentences) -> Text:
        """Sentences with symbols for their beginnings and ends."""
        return padded(text, self.n_words)

    def look_up(self, text: Text) -> LookedUp:
        """What each model says of a text."""
        p = np.ones((len(self.designs), len(text)))
        classes: Floats | None = None
        cached = None if self.in_class is None else cached_design(self.designs)
        for k, (design, trees) in enumerate(zip(self.designs, self.trees, strict=True)):
            for event, tree in zip(design.events(), trees, strict=True):
                if classes is None and k == cached:
                    classes = np.ones(len(text))
                    tree.multiply(event, text, self.maps, classes)
                    p[k] *= classes
                else:
                    tree.multiply(event, text, self.maps, p[k])
        buckets = history_buckets(text, self.trees[0][0], self.tokens)
        inside = None if self.in_class is None else self.in_class[text.symbols]
        return LookedUp(np.ascontiguousarray(p.T), buckets, classes, inside)

    def recent(self) -> Recent | None:
        """An empty cache, if the mixture has one."""
        return None if self.cache_weights is None else recent_for(self.designs, self.maps)

    def with_recent(self, text: Text, found: LookedUp, recent: Recent) -> Floats:
        """Probabilities by all models, those of the cache last."""
        of_cache = recent.probabilities(text, found.p_class, found.p_in_class)
        return np.concatenate([found.p, of_cache], axis=1)

    def log_probs(self, text: Text, recent: Recent | None = None) -> Floats:
        """The log probability of each symbol, given its history; 0 at the beginning of a sentence."""
        found = self.look_up(text)
        if recent is None or self.cache_weights is None:
            log_p = mixed(found.p, found.buckets, self.weights)
        else:
            p = self.with_recent(text, found, recent)
            log_p = mixed(p, found.buckets, self.cache_weights)
        log_p[text.places == 0] = 0.0
        return log_p


def names_of(designs: Sequence[Design], maps: Short) -> list[str]:
    """The names of models."""
    return [design.name([int(row[-1]) - 2 for row in maps[1:]]) for design in designs]


def cached_design(designs: Sequence[Design]) -> int | None:
    """The number of the model whose classes the cache uses: the predictive one in the middle."""
    found = [k for k, design in enumerate(designs) if design.kind == "predictive"]
    alike = [k for k in found if designs[k].history == designs[found[0]].history]
    return alike[len(alike) // 2] if alike else None


def recent_for(designs: Sequence[Design], maps: Short) -> Recent:
    """An empty cache for a mixture of these models."""
    return Recent(maps.shape[1], _cached_classes(designs, maps))


def _cached_classes(designs: Sequence[Design], maps: Short) -> Short | None:
    cached = cached_design(designs)
    clustering = None if cached is None else designs[cached].clustering
    return None if clustering is None else maps[1 + clustering]


def cached_shares(designs: Sequence[Design], maps: Short, text: Short) -> Floats | None:
    """The share of each symbol among the tokens of its class, in the clustering that the cache uses."""
    class_of = _cached_classes(designs, maps)
    if class_of is None:
        return None
    counts = np.maximum(np.bincount(text, minlength=len(class_of)), 1).astype(np.float64)
    return np.asarray(counts / np.bincount(class_of, counts)[class_of])
