"""Features of words from text without labels: paths of classes, and vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes import Hierarchy
from firth.corpus import Vocabulary
from firth.errors import wrong_parameter
from firth.ner._feature_kernels import add_vectors
from firth.ner._spelling import forms
from firth.store import Part, write_array
from firth.unicode import fold_words
from firth.vectors import WordVectors

__all__ = ["PREFIXES", "Lexicon"]

PREFIXES = (4, 6, 10, 20)
"""The lengths of path prefixes, in steps from the root of the class tree (Turian et al. 2010)."""
SIZE = 0.1
"""The root mean square of the components of a scaled vector (Turian et al. 2010)."""
COMMONEST = 20_000
"""The topic of a document is what its vectors have beyond the mean of those of so many words."""
CLASS_WORDS, CLASS_OF, PATHS = "class_words.arrow", "class_of.i32", "paths.arrow"
VECTOR_WORDS, VECTORS = "vector_words.arrow", "vectors.f32"

Floats32 = npt.NDArray[np.float32]


class Lexicon:
    """Word classes, word vectors, both or neither.

    A word is looked up as it is; then in lower case (for words in capitals first with an initial
    capital), and finally with 0 for every digit.

    Parameters
    ----------
    classes : Hierarchy, optional
    vectors : WordVectors, optional
    owner : str
        What error messages call the function or estimator.
    """

    def __init__(
        self,
        classes: Hierarchy | None = None,
        vectors: WordVectors | None = None,
        owner: str = "Lexicon",
    ) -> None:
        if classes is not None and not isinstance(classes, Hierarchy):
            raise wrong_parameter(owner, "classes", "a Hierarchy or None", classes)
        if vectors is not None and not isinstance(vectors, WordVectors):
            raise wrong_parameter(owner, "vectors", "WordVectors or None", vectors)
        self._class_words: Any = None if classes is None else classes.vocabulary
        self._class_of: Any = None if classes is None else classes.class_of
        self._paths = [] if classes is None else list(classes.paths)
        self._vector_words: Any = None if vectors is None else vectors.vocabulary
        self._matrix: Any = np.zeros((0, 0), np.float32) if vectors is None else vectors.matrix

    def in_lower_case(self) -> Lexicon:
        """The same for words in lower case: each has the class and the vector of its commonest spelling.

        For ``london`` they are those of ``London``, and for ``the`` those of ``the``. The first words of a
        vocabulary are the commonest.
        """
        lexicon = copy(self)
        if self._class_words is not None:
            lexicon._class_words = _Lowered(self._class_words)
        if self._vector_words is not None:
            lexicon._vector_words = _Lowered(self._vector_words)
        return lexicon

    def __repr__(self) -> str:
        known = [
            f"{what} of {len(words):,} words"
            for what, words in (("classes", self._class_words), ("vectors", self._vector_words))
            if words is not None
        ]
        return f"<Lexicon: {', '.join(known) or 'empty'}>"

    @property
    def dim(self) -> int:
        return int(self._matrix.shape[1])

    @property
    def n_class_words(self) -> int:
        return 0 if self._class_words is None else len(self._class_words)

    @property
    def n_vector_words(self) -> int:
        return 0 if self._vector_words is None else len(self._vector_words)

    def path(self, word: str) -> str | None:
        """The path of the class of a word, or None."""
        at = _find(self._class_words, word)
        return None if at is None else self._paths[int(self._class_of[at])]

    def prefixes(self, word: str) -> list[tuple[str, str]]:
        """Prefixes of the path of a word's class, each with the name of its feature."""
        path = self.path(word)
        return [] if path is None else [(f"class{n}", path[:n]) for n in PREFIXES]

    def vector(self, word: str) -> Floats32 | None:
        """The vector of a word, scaled to a root mean square of 0.1; or None."""
        found = self.scaled(word)
        return None if found is None else np.asarray(self._matrix[found[0]], np.float32) * found[1]

    def scaled(self, word: str) -> tuple[int, np.float32] | None:
        """The row of the vector of a word, and the factor that scales it; or None."""
        at = _find(self._vector_words, word)
        factor = None if at is None else self._factor(at)
        return None if at is None or factor is None else (at, factor)

    def _factor(self, row: int) -> np.float32 | None:
        length = float(np.linalg.norm(np.asarray(self._matrix[row], np.float32)))
        if not 0 < length < math.inf:
            return None
        return np.float32(SIZE * math.sqrt(self.dim) / length)

    @property
    def matrix(self) -> Floats32:
        """The vectors as they are."""
        matrix: Floats32 = self._matrix
        return matrix

    @cached_property
    def centre(self) -> npt.NDArray[np.float64]:
        """The mean of the scaled vectors of the commonest words."""
        rows = np.arange(min(len(self._matrix), COMMONEST))
        factors = [self._factor(row) for row in rows.tolist()]
        known = np.array(
            [-1 if one is None else row for row, one in zip(rows, factors, strict=True)]
        )
        scales = np.array([0 if one is None else one for one in factors], np.float32)
        total = np.zeros(self.dim)
        n = add_vectors(rows, known, scales, self._matrix, total)
        return total / max(1, n)

    def rescaled(self, vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """A vector with a root mean square of 0.1; zeros stay zeros."""
        size = math.sqrt(math.fsum((vector * vector).tolist()) / len(vector))
        return vector * (SIZE / size) if 0 < size < math.inf else np.zeros(len(vector))

    def save(self, folder: Path) -> None:
        """Write the files."""
        import pyarrow as pa

        if self._class_words is not None:
            self._class_words.save(folder / CLASS_WORDS)
            write_array(folder / CLASS_OF, self._class_of)
            texts = pa.array(self._paths, pa.large_string())
            Vocabulary(texts, np.zeros(len(texts), np.int64)).save(folder / PATHS)
        if self._vector_words is not None:
            self._vector_words.save(folder / VECTOR_WORDS)
            write_array(folder / VECTORS, self._matrix)

    @classmethod
    def load(cls, part: Part) -> Lexicon:
        """Read the files that ``save`` wrote, and check them."""
        lexicon = cls()
        if CLASS_WORDS in part.files:
            lexicon._class_words = Vocabulary.load(part, CLASS_WORDS, ordered=False)
            lexicon._paths = list(Vocabulary.load(part, PATHS, ordered=False))
            n, n_paths = len(lexicon._class_words), len(lexicon._paths)
            lexicon._class_of = part.array(CLASS_OF, n, 0, n_paths - 1)
        if VECTOR_WORDS in part.files:
            lexicon._vector_words = words = Vocabulary.load(part, VECTOR_WORDS, ordered=False)
            part.require(len(words), "its vectors have no words")
            lexicon._matrix = part.array(VECTORS, (len(words), -1), -math.inf, math.inf)
            part.require(lexicon.dim, "its vectors are empty")
        return lexicon


class _Lowered:
    """The words of a vocabulary in lower case, each with the number of its first spelling."""

    def __init__(self, words: Vocabulary) -> None:
        self._ids: dict[str, int] = {}
        for at, word in enumerate(fold_words(list(words), lowercase=True, zero=False)):
            self._ids.setdefault(word, at)

    def __len__(self) -> int:
        return len(self._ids)

    def ids(self, words: Sequence[str]) -> list[int | None]:
        """The numbers of words; None for unknown words."""
        return [self._ids.get(word) for word in words]


def _find(words: Vocabulary | _Lowered | None, word: str) -> int | None:
    if words is None:
        return None
    return next((at for at in words.ids(forms(word)) if at is not None), None)
