"""Classes refined by exchange, as a scikit-learn estimator."""

from __future__ import annotations

from firth.classes._bigrams import bigrams_of, counted
from firth.classes._hierarchy import Hierarchy
from firth.classes._parameters import ExchangeParameters
from firth.classes._refining import classes_in_order, refine
from firth.compute import engine_for
from firth.corpus import TextData
from firth.counts import Counts
from firth.errors import wrong_parameter
from firth.estimator import Estimator

__all__ = ["ExchangeRefiner"]


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
        engine = engine_for("ExchangeRefiner", self.threads)
        bigrams = bigrams_of(counted(self, text, "R1"))
        self.hierarchy_, self.history_ = refine(
            classes_in_order(start, bigrams), bigrams, self, engine, made=start.made
        )
        return self
