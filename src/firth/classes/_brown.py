"""Brown's classes, and classes made better word by word."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams, bigrams_of, counted
from firth.classes._growing import check_n_classes, grow, grow_from, numbered
from firth.classes._hierarchy import Hierarchy
from firth.classes._learning import Checkpoint, add_words, exchange, merge_classes
from firth.compute import Engine, engine_for
from firth.corpus import Corpus
from firth.counts import Counts
from firth.errors import ParameterError, check_count, wrong_parameter

__all__ = [
    "BrownClasses",
    "ExchangeRefiner",
    "Merge",
    "classes_in_order",
    "default_n_classes",
    "seeds",
]

_MOST_CLASSES = 1000


def default_n_classes(n_words: int) -> int:
    """How many classes suit a vocabulary: twice the square root of its size, 1,000 at the most.

    >>> [default_n_classes(n) for n in (2, 100, 10_000, 10**6)]
    [2, 20, 200, 1000]
    """
    return max(2, min(_MOST_CLASSES, round(2 * math.sqrt(n_words)), n_words))


class Merge(NamedTuple):
    """One step of Brown's algorithm."""

    added: str | None
    """The word that became active in this step; None when all words are."""
    left: tuple[str, ...]
    right: tuple[str, ...]
    loss: float
    """The mutual information lost, in bits."""


class BrownClasses:
    """Brown's classes (Brown et al. 1992), exactly as the plain algorithm finds them.

    Words become active one by one, the most frequent first; whenever there are more than ``n_classes``
    classes, the two whose merge loses least mutual information are merged. Where losses are equal,
    as rounded whole numbers, the most frequent word of the first class decides, then that of the second.

    Parameters
    ----------
    n_classes : int, optional
        By default twice the square root of the number of words, 1,000 at the most.
    min_count : int
        Words with fewer occurrences become the one rare symbol, which takes part in learning.
    vocabulary : int or None
        The most words to keep; None for no limit.
    across_lines : bool
        Whether words at the end of a line and at the beginning of the next are a pair.
    threads : int, optional
        All cores by default. The result does not depend on it.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    merges_ : array of int64, shape (n_rows - 1, 2)
        All merges in their order. Classes are named by their most frequent word, words by their rank;
        the first of a pair names the result.
    losses_ : array of float64
        What each merge lost, in bits.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> classes = firth.BrownClasses(n_classes=3, min_count=1).fit(corpus).hierarchy_
    >>> [member.word for member in classes.members(classes.path("cat"))]
    ['cat', 'dog']
    """

    def __init__(
        self,
        n_classes: int | None = None,
        min_count: int = 5,
        vocabulary: int | None = 200_000,
        across_lines: bool = False,
        threads: int | Engine | None = None,
    ) -> None:
        self.n_classes = n_classes
        self.min_count = min_count
        self.vocabulary = vocabulary
        self.across_lines = across_lines
        self.threads = threads

    def fit(self, text: Corpus | Counts) -> BrownClasses:
        """Learn classes from a corpus, or from counts of R1, LR1 or LR2 contexts."""
        engine = engine_for("BrownClasses", self.threads)
        counts = counted(
            "BrownClasses", text, "R1", self.min_count, self.vocabulary, self.across_lines, engine
        )
        return self.fit_bigrams(bigrams_of(counts))

    def fit_bigrams(self, bigrams: Bigrams, checkpoint: Checkpoint | None = None) -> BrownClasses:
        """Learn classes from pairs of words, going on from a checkpoint where there is one."""
        engine = engine_for("BrownClasses", self.threads)
        n = bigrams.n_words
        m = default_n_classes(n) if self.n_classes is None else self.n_classes
        check_n_classes("BrownClasses", m, n)
        merges, losses, names = add_words(bigrams, m, engine, checkpoint or Checkpoint())
        class_of = numbered(names)
        first = np.unique(names)
        last, last_losses = merge_classes(bigrams, class_of, m, engine)
        self.merges_ = np.concatenate([merges, first[last]])
        per_bit = bigrams.n_pairs * math.log(2)
        self.losses_ = np.maximum(np.concatenate([losses, last_losses]), 0) / per_bit
        made = {"method": "brown", "refine": False}
        self.hierarchy_ = grow_from(bigrams, class_of, last, last_losses / per_bit, made)
        self._bigrams = bigrams
        return self

    def trace(self) -> Iterator[Merge]:
        """Every merge with its words and its loss, for teaching; meant for small texts."""
        words = [*self._bigrams.vocabulary, "(rare)"]
        name = [words[i] for i in self._bigrams.order]
        n, n_active = len(name), self.hierarchy_.n_classes
        members = {i: [name[i]] for i in range(n)}
        for step, ((a, b), loss) in enumerate(
            zip(self.merges_.tolist(), self.losses_.tolist(), strict=True)
        ):
            added = name[n_active + step] if n_active + step < n else None
            yield Merge(added, tuple(members[a]), tuple(members[b]), loss)
            members[a] += members.pop(b)


def seeds(n_words: int, n_classes: int) -> npt.NDArray[np.int64]:
    """A start for exchange: words are dealt out to the classes in turn, the most frequent first."""
    return np.arange(n_words) % n_classes


class ExchangeRefiner:
    """Makes classes better: moves each word to the class where mutual information is highest.

    Words are taken in order of decreasing frequency, pass after pass, until a pass gains little. Mutual
    information never falls. The tree is then built anew.

    Parameters
    ----------
    passes : int
        The most passes.
    tolerance : float
        The refiner stops after a pass that gained less than this share of the mutual information that the
        classes had at the beginning.
    min_count, vocabulary, across_lines, threads
        As for ``BrownClasses``; the words must be those of the classes that are refined.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    history_ : list of dict
        For each pass the number of words moved and the mutual information gained, in bits.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> start = firth.classes.Hierarchy.from_classes("a the cat dog ran sat".split(), "010101")
    >>> refined = firth.ExchangeRefiner(min_count=1).fit(start, corpus).hierarchy_
    >>> refined.path("cat") == refined.path("dog")
    True
    """

    def __init__(
        self,
        passes: int = 10,
        tolerance: float = 0.003,
        min_count: int = 5,
        vocabulary: int | None = 200_000,
        across_lines: bool = False,
        threads: int | Engine | None = None,
    ) -> None:
        self.passes = passes
        self.tolerance = tolerance
        self.min_count = min_count
        self.vocabulary = vocabulary
        self.across_lines = across_lines
        self.threads = threads

    def fit(self, start: Hierarchy, text: Corpus | Counts) -> ExchangeRefiner:
        """Refine the classes of a hierarchy with a corpus, or with counts of R1, LR1 or LR2 contexts."""
        engine = engine_for("ExchangeRefiner", self.threads)
        counts = counted(
            "ExchangeRefiner",
            text,
            "R1",
            self.min_count,
            self.vocabulary,
            self.across_lines,
            engine,
        )
        bigrams = bigrams_of(counts)
        return self.fit_bigrams(classes_in_order(start, bigrams), bigrams, made=start.made)

    def fit_bigrams(
        self,
        class_of: npt.NDArray[Any],
        bigrams: Bigrams,
        checkpoint: Checkpoint | None = None,
        made: Any = None,
    ) -> ExchangeRefiner:
        """Refine classes that are given by number for each word in the order of the pairs."""
        check_count("ExchangeRefiner", "passes", self.passes)
        if not isinstance(self.tolerance, int | float) or not 0 <= self.tolerance < 1:
            raise wrong_parameter(
                "ExchangeRefiner", "tolerance", "a number from 0 to 1", self.tolerance
            )
        engine = engine_for("ExchangeRefiner", self.threads)
        numbers = numbered(class_of)
        m = int(numbers.max()) + 1
        check_n_classes("ExchangeRefiner", m, bigrams.n_words)
        better, history = exchange(
            bigrams, numbers, m, self.passes, self.tolerance, checkpoint or Checkpoint()
        )
        self.history_ = [{**step, "gain": step["gain"] / math.log(2)} for step in history]
        self.hierarchy_ = grow(bigrams, better, engine, {**(made or {}), "refine": True})
        return self


def classes_in_order(start: Hierarchy, bigrams: Bigrams) -> npt.NDArray[np.int64]:
    """The classes of a hierarchy for words in the order of the pairs; the rare symbol has its own or the largest."""
    ids = start.vocabulary.ids(list(bigrams.vocabulary))
    lost = [i for i, found in enumerate(ids) if found is None]
    if lost:
        raise ParameterError(
            f"The word {bigrams.vocabulary[lost[0]]!r} and {len(lost) - 1:,} others have no class to begin with.",
            "Refine classes with the text, min_count and vocabulary they were learned with.",
        )
    classes = np.array([*(start.class_of[i] for i in ids if i is not None), 0], np.int64)
    classes[-1] = start.rare if start.rare is not None else int(np.argmax(start.tokens))
    return classes[bigrams.order]
