"""Texts as rows of features for scikit-learn, by the classes or the vectors of their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import TransformerMixin

from firth import unicode
from firth.classes import BrownClasses, Hierarchy
from firth.compute import limit_blas
from firth.errors import wrong_parameter
from firth.estimator import Estimator
from firth.integrations._parameters import (
    ClassVectorizerParameters,
    EmbeddingVectorizerParameters,
)
from firth.integrations._texts import TextReader, checked_texts, opened
from firth.vectors import SpectralEmbedding, WordVectors

__all__ = ["ClassVectorizer", "EmbeddingVectorizer"]

Floats = npt.NDArray[np.float64]


class _TextVectorizer(TransformerMixin, Estimator):  # type: ignore[misc]  # scikit-learn has no types
    """What both share: texts are split into words, and each different word is looked up once."""

    _reader: TextReader

    def _counted(self, X: Iterable[str]) -> tuple[list[str], Any]:  # noqa: N803
        """The different words of some texts, and a sparse matrix: how often each text has each of them."""
        number: dict[str, int] = {}
        places, columns, counts = [0], [], []
        for text in checked_texts(X, type(self).__name__):
            for word, count in Counter(self._reader.words(text)).items():
                columns.append(number.setdefault(word, len(number)))
                counts.append(count)
            places.append(len(columns))
        shape = (len(places) - 1, len(number))
        return list(number), sp.csr_array(
            (np.array(counts, np.float64), np.array(columns, np.int64), places), shape
        )

    def _words(self, X: Iterable[str]) -> list[list[str]]:  # noqa: N803
        self._reader = TextReader()
        return [self._reader.words(text) for text in checked_texts(X, type(self).__name__)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.input_tags.one_d_array = True
        return tags


class ClassVectorizer(ClassVectorizerParameters, _TextVectorizer):
    """Texts as bags of word classes, at several depths of the class tree.

    A feature is a node of the tree; its value is how many words of the text are below it. Words that a
    classifier has never seen count, too, as long as other words of their class have been seen. Text is
    split into words as the text of the model was.

    Attributes
    ----------
    classes_ : Hierarchy
    nodes_ : list of str
        The path of each feature.

    Examples
    --------
    >>> import firth
    >>> classes = firth.Hierarchy.from_paths(["cat", "dog", "sees"], ["00", "00", "1"], [3, 2, 2])
    >>> vectorizer = firth.ClassVectorizer(classes, depths=(1, 2), guess=False)
    >>> vectorizer.fit_transform(["A cat sees a dog.", "Dog sees dog"]).toarray()
    array([[2., 2., 1.],
           [2., 2., 1.]])
    >>> vectorizer.get_feature_names_out()
    array(['class_0', 'class_00', 'class_1'], dtype=object)
    """

    def fit(self, X: Iterable[str], y: Any = None) -> ClassVectorizer:  # noqa: ARG002, N803
        """Open the classes, or learn them from the texts if there are none.

        Parameters
        ----------
        X : iterable of str
            Texts.
        y : None
            Not used.
        """
        self.check()
        if self.classes is None:
            learner = BrownClasses(min_count=1, threads=self.threads)
            self.classes_ = learner.fit(self._words(X)).hierarchy_
        else:
            found = opened(self.classes, "classes", Hierarchy, "ClassVectorizer", "classes")
            self.classes_, self._reader = found
            checked_texts(X, "ClassVectorizer")
        paths = self.classes_.paths
        self.nodes_ = sorted({path[:depth] for path in paths for depth in self.depths})
        number = {node: k for k, node in enumerate(self.nodes_)}
        self._features = [sorted({number[path[:d]] for d in self.depths}) for path in paths]
        return self

    def check(self) -> None:
        """Raise ParameterError unless every parameter has a value that it can have."""
        super().check()
        depths = self.depths
        valid = isinstance(depths, tuple | list) and depths and all(map(_is_depth, depths))
        if not valid:
            rule = "a tuple of ints of at least 1, such as (4, 6, 10, 20)"
            raise wrong_parameter("ClassVectorizer", "depths", rule, depths)

    def transform(self, X: Iterable[str]) -> Any:  # noqa: N803
        """Count the classes in texts.

        Parameters
        ----------
        X : iterable of str

        Returns
        -------
        sparse matrix or array of shape (n_texts, n_features)
        """
        self._check_fitted()
        words, counts = self._counted(X)
        rows = [self._features[c] if c is not None else [] for c in self._classes_of(words)]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        columns = np.array([k for row in rows for k in row], np.int64)
        shape = (len(rows), len(self.nodes_))
        found = sp.csr_matrix(
            counts @ sp.csr_array((np.ones(len(columns)), columns, starts), shape)
        )
        found.sort_indices()
        if self.binary:
            found.data[:] = 1
        return found if self.sparse_output else found.toarray()

    def _classes_of(self, words: list[str]) -> list[int | None]:
        known = _find(self.classes_.vocabulary, words)
        class_of = self.classes_.class_of
        guess = self.classes_.spelling.class_of if self.guess else lambda _: None
        return [
            guess(word) if i is None else int(class_of[i])
            for word, i in zip(words, known, strict=True)
        ]

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:  # noqa: ARG002
        """The names of the features: ``class_`` and the path of the node.

        Parameters
        ----------
        input_features : None
            Not used.
        """
        self._check_fitted()
        return np.array([f"class_{node}" for node in self.nodes_], dtype=object)


class EmbeddingVectorizer(EmbeddingVectorizerParameters, _TextVectorizer):
    """Texts as weighted means of the vectors of their words.

    By default frequent words count less, and what is common to all texts is removed: smooth inverse
    frequency (Arora, Liang and Ma 2017). Text is split into words as the text of the model was. A text
    without known words is a row of zeros.

    Attributes
    ----------
    vectors_ : WordVectors
    probabilities_ : array of shape (n_words,)
        How frequent each word is: in the text of the model or, if its counts are unknown, in the texts
        that were given to ``fit``.
    components_ : array of shape (components, dim)
        The directions that are removed.

    Examples
    --------
    >>> import firth
    >>> import numpy as np
    >>> vectors = firth.WordVectors.from_arrays(["cat", "dog", "sea"], np.eye(3), [2, 2, 1])
    >>> vectorizer = firth.EmbeddingVectorizer(vectors, weights="uniform", components=0)
    >>> vectorizer.fit_transform(["Cat and dog", "the sea, the sea"])
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """

    def fit(self, X: Iterable[str], y: Any = None) -> EmbeddingVectorizer:  # noqa: ARG002, N803
        """Open the vectors, or learn them from the texts if there are none, and find the components.

        Parameters
        ----------
        X : iterable of str
            Texts.
        y : None
            Not used.
        """
        self.check()
        texts = checked_texts(X, "EmbeddingVectorizer")
        if self.vectors is None:
            learner = SpectralEmbedding(threads=self.threads)
            self.vectors_ = learner.fit(self._words(texts)).vectors_
        else:
            found = opened(self.vectors, "vectors", WordVectors, "EmbeddingVectorizer", "vectors")
            self.vectors_, self._reader = found
        if self.components >= self.vectors_.dim:
            rule = f"smaller than {self.vectors_.dim}, the number of dimensions"
            raise wrong_parameter("EmbeddingVectorizer", "components", rule, self.components)
        words, counts = self._counted(texts)
        self.probabilities_ = self._probabilities(words, counts)
        means = self._means(words, counts)
        with limit_blas(1):  # so that the result does not depend on the number of threads
            _, directions = np.linalg.eigh(means.T @ means)
        self.components_ = np.ascontiguousarray(directions.T[::-1][: self.components])
        return self

    def _probabilities(self, words: list[str], counts: Any) -> Floats:
        known = np.asarray(self.vectors_.counts, np.float64)
        if not known.any():
            of_words = np.asarray(counts.sum(axis=0)).ravel()
            for i, n in zip(_find(self.vectors_.vocabulary, words), of_words, strict=True):
                known[i if i is not None else []] += n
        return np.asarray(known / max(1.0, float(known.sum())))

    def _means(self, words: list[str], counts: Any) -> Floats:
        """The weighted mean of the vectors of each text, before components are removed."""
        found = _find(self.vectors_.vocabulary, words)
        ids = np.array([-1 if i is None else i for i in found], np.int64)
        rows = np.zeros((len(words), self.vectors_.dim))
        rows[ids >= 0] = self.vectors_.matrix[ids[ids >= 0]]
        shares = np.where(ids >= 0, self.probabilities_[ids], 0.0)
        weights = np.ones(len(words))
        if self.weights == "sif":
            weights = self.smoothing / (self.smoothing + shares)
        new = np.flatnonzero(ids < 0)
        has_vector = ids >= 0
        if self.guess and len(new):
            asked = [unicode.nfc(words[k]) for k in new]
            rows[new], has_vector[new] = self.vectors_.require_guesser(self.threads).guess(asked)
        weights = weights * has_vector
        totals = counts @ has_vector.astype(np.float64)
        with limit_blas(1):
            means = counts @ (rows * weights[:, None])
        return np.asarray(means / np.maximum(totals, 1)[:, None])

    def transform(self, X: Iterable[str]) -> Any:  # noqa: N803
        """The vectors of texts.

        Parameters
        ----------
        X : iterable of str

        Returns
        -------
        array of shape (n_texts, dim)
        """
        self._check_fitted()
        means = self._means(*self._counted(X))
        with limit_blas(1):
            return means - (means @ self.components_.T) @ self.components_

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:  # noqa: ARG002
        """The names of the features: ``vector0``, ``vector1`` and so on.

        Parameters
        ----------
        input_features : None
            Not used.
        """
        self._check_fitted()
        return np.array([f"vector{k}" for k in range(self.vectors_.dim)], dtype=object)


def _is_depth(depth: object) -> bool:
    return isinstance(depth, int | np.integer) and not isinstance(depth, bool) and bool(depth >= 1)


def _find(vocabulary: Any, words: list[str]) -> list[int | None]:
    """The id of each word, or else of its lower-case form, or else None."""
    exact = vocabulary.find_all(words)
    lower = vocabulary.find_all([unicode.lower(word) for word in words])
    return [b if a is None else a for a, b in zip(exact, lower, strict=True)]
