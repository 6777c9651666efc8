"""The features of words as a step of a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sklearn.base import TransformerMixin

from firth.estimator import Estimator
from firth.ner._features import Features, features_of
from firth.ner._lexicon import Lexicon
from firth.ner._parameters import LexiconParameters

__all__ = ["SentenceFeatures"]


class SentenceFeatures(LexiconParameters, TransformerMixin, Estimator):  # type: ignore[misc]
    """Features of the words of sentences, for scikit-learn and ``sklearn_crfsuite``.

    There is nothing to fit. See ``firth.features`` for the features.

    Examples
    --------
    >>> import firth
    >>> found = firth.SentenceFeatures().fit_transform([["Mr", "Blair"], ["Go"]])
    >>> [len(sentence) for sentence in found], found[1][0]["word"]
    ([2, 1], 'Go')
    """

    def fit(self, X: Any = None, y: Any = None) -> SentenceFeatures:  # noqa: N803, ARG002
        """Do nothing; returns the transformer itself."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Iterable[Sequence[str]]) -> list[list[Features]]:  # noqa: N803
        """The features of each word of each sentence."""
        lexicon = Lexicon(self.classes, self.vectors, "SentenceFeatures")
        known: dict[str, Features] = {}
        return [features_of(sentence, lexicon, known) for sentence in X]
