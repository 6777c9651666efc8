"""Classes refined by exchange: single words move to better classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams, bigrams_of, counted
from firth.classes._build import build_hierarchy, check_n_classes, numbered
from firth.classes._hierarchy import Hierarchy
from firth.classes._merging import exchange
from firth.classes._parameters import ExchangeParameters
from firth.compute import engine_for
from firth.corpus import TextData
from firth.counts import Counts
from firth.errors import ParameterError, wrong_parameter
from firth.estimator import Estimator
from firth.store import Checkpoint

__all__ = ["ExchangeRefiner", "classes_in_order", "seeds"]


class ExchangeRefiner(ExchangeParameters, Estimator):
    """Refine classes: move each word to the class where mutual information is highest.

    Words are moved in order of decreasing frequency, pass after pass, until a pass gains little. Mutual
    information never decreases. The tree over the classes is then built again.

    The words must be those of the classes that are refined: use the ``min_count`` and ``vocabulary``
    with which the classes were learned.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    history_ : list of dict
        For each pass, the number of words moved and the gain of mutual information in bits.

    Examples
    --------
    >>> import firth
    >>> sentences = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> start = firth.Hierarchy.from_classes("a the cat dog ran sat".split(), "010101")
    >>> refined = firth.ExchangeRefiner(min_count=1).fit(start, sentences).hierarchy_
    >>> refined.path("cat") == refined.path("dog")
    True
    """

    def fit(self, start: Hierarchy, text: TextData | Counts) -> ExchangeRefiner:
        """Refine the classes of a hierarchy.

        Parameters
        ----------
        start : Hierarchy
            The classes to begin with.
        text : Corpus, list of token lists, list of str, str, Path or Counts
            The text (see ``Corpus.of``), or counts of R1, LR1 or LR2 contexts.
        """
        self.check()
        if not isinstance(start, Hierarchy):
            raise wrong_parameter(
                "ExchangeRefiner.fit", "start", "a Hierarchy", type(start).__name__
            )
        bigrams = bigrams_of(counted(self, text, "R1"))
        return self.fit_bigrams(classes_in_order(start, bigrams), bigrams, made=start.made)

    def fit_bigrams(
        self,
        class_of: npt.NDArray[Any],
        bigrams: Bigrams,
        checkpoint: Checkpoint | None = None,
        made: Any = None,
    ) -> ExchangeRefiner:
        """Refine classes given by number for each word in the order of the bigrams."""
        engine = engine_for("ExchangeRefiner", self.threads)
        numbers = numbered(class_of)
        m = int(numbers.max()) + 1
        check_n_classes("ExchangeRefiner", m, bigrams.n_words)
        better, history = exchange(
            bigrams, numbers, m, self.passes, self.tolerance, engine, checkpoint or Checkpoint()
        )
        self.history_ = [{**step, "gain": step["gain"] / math.log(2)} for step in history]
        self.hierarchy_ = build_hierarchy(bigrams, better, engine, {**(made or {}), "refine": True})
        return self


def seeds(n_words: int, n_classes: int) -> npt.NDArray[np.int64]:
    """A start for exchange: words are dealt out to the classes in turn, the most frequent first."""
    return np.arange(n_words) % n_classes


def classes_in_order(start: Hierarchy, bigrams: Bigrams) -> npt.NDArray[np.int64]:
    """The classes of words in the order of the bigrams.

    The rare symbol has its own class, or the largest one if the hierarchy has no rare symbol.
    """
    ids = start.vocabulary.ids(list(bigrams.vocabulary))
    lost = [i for i, found in enumerate(ids) if found is None]
    if lost:
        others = f" and {len(lost) - 1:,} other words" if len(lost) > 1 else ""
        raise ParameterError(
            f"The word {bigrams.vocabulary[lost[0]]!r}{others} cannot be refined: no class is known.",
            "Refine classes with the text, min_count and vocabulary they were learned with.",
        )
    classes = np.array([*(start.class_of[i] for i in ids if i is not None), 0], np.int64)
    classes[-1] = start.rare if start.rare is not None else int(np.argmax(start.tokens))
    return classes[bigrams.order]
