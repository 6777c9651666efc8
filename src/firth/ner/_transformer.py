"""The features of sentences as a step of a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from firth.classes import Hierarchy
from firth.errors import InputError
from firth.ner._features import Features, features_of
from firth.ner._lexicon import Lexicon
from firth.vectors import WordVectors

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    raise InputError(
        "SentenceFeatures needs scikit-learn.", "Install it: pip install scikit-learn"
    ) from None

__all__ = ["SentenceFeatures"]


class SentenceFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Sentences to lists of dictionaries of features, for scikit-learn and ``sklearn_crfsuite``.

    There is nothing to fit. See ``firth.features`` for what is in the dictionaries.

    Parameters
    ----------
    classes : Hierarchy, optional
    vectors : WordVectors, optional

    Examples
    --------
    >>> import firth
    >>> found = firth.SentenceFeatures().fit_transform([["Mr", "Blair"], ["Go"]])
    >>> [len(sentence) for sentence in found], found[1][0]["word"]
    ([2, 1], 'Go')
    """

    def __init__(
        self, classes: Hierarchy | None = None, vectors: WordVectors | None = None
    ) -> None:
        self.classes = classes
        self.vectors = vectors

    def fit(self, X: Any = None, y: Any = None) -> SentenceFeatures:  # noqa: N803, ARG002
        """Nothing to learn: gives the transformer itself."""
        return self

    def __sklearn_clone__(self) -> SentenceFeatures:  # what is never changed need not be copied
        return SentenceFeatures(self.classes, self.vectors)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Iterable[Sequence[str]]) -> list[list[Features]]:  # noqa: N803
        """The features of each word of each sentence."""
        lexicon = Lexicon(self.classes, self.vectors, "SentenceFeatures")
        told: dict[str, Features] = {}
        return [features_of(sentence, lexicon, told) for sentence in X]
