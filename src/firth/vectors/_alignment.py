"""Two sets of word vectors in one space: of two times, two sources or two languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import InputError, check_count, wrong_parameter
from firth.formats import Rows
from firth.progress import count_of
from firth.vectors import _search as search

if TYPE_CHECKING:
    from firth.vectors._word_vectors import Neighbour, WordVectors

__all__ = ["Alignment", "align"]

_NEAR = 10
"""The neighbours whose mean cosine is the density around a word, for CSLS."""
_LEAST = 5
_AT_ONCE = 1 << 10
Floats32 = npt.NDArray[np.float32]


class Alignment:
    """Vectors rotated into the space of others.

    Attributes
    ----------
    source, target : WordVectors
        The vectors that are rotated, and those whose space they come to.
    rotation : array of float64, shape (dim, dim)
        An orthogonal matrix. If the dimensions differ, the smaller vectors are filled up with zeros.
    rotated : array of float32, shape (n_words, dim)
        The unit vectors of the source in the space of the target.
    n_pairs : int
        The number of pairs of words that the rotation was found with.
    """

    def __init__(
        self,
        source: WordVectors,
        target: WordVectors,
        rotation: npt.NDArray[np.float64],
        n_pairs: int,
    ) -> None:
        self.source, self.target, self.rotation, self.n_pairs = source, target, rotation, n_pairs
        dim = len(rotation)
        self.rotated: Floats32 = (_filled(source.unit, dim) @ rotation).astype(np.float32)
        self._unit = np.ascontiguousarray(_filled(target.unit, dim), np.float32)
        self._around_target = _density(self._unit, self.rotated)

    def __repr__(self) -> str:
        return f"<Alignment of {len(self.source):,} with {len(self.target):,} words by {self.n_pairs:,} pairs>"

    def similarity(self, a: str, b: str) -> float:
        """The cosine of a word of the source and a word of the target."""
        return float(self.rotated[self.source.id(a)] @ self._unit[self.target.id(b)])

    def most_similar(self, word: str, n: int = 10) -> Rows[Neighbour]:
        """The words of the target that are most similar to a word of the source, as translations.

        They are ranked by cross-domain similarity local scaling (Conneau et al. 2018): twice the cosine,
        less the mean cosine of either word with its ten nearest words on the other side. So words that are
        near to everything do not come first. The numbers returned are these.
        """
        from firth.vectors._word_vectors import Neighbour

        check_count("Alignment.most_similar", "n", n)
        query = self.rotated[self.source.id(word)]
        cosines = self._unit @ query
        own = np.sort(cosines)[-_NEAR:].mean()
        scores = 2 * cosines - own - self._around_target
        found = search.best(scores, min(n, len(self.target)))
        named = (Neighbour(self.target.vocabulary[i], float(scores[i])) for i in found)
        return Rows(named, Neighbour)


def align(
    source: WordVectors,
    target: WordVectors,
    pairs: Mapping[str, str] | Iterable[Sequence[str]] | None = None,
) -> Alignment:
    """Find the rotation that brings each word nearest to its partner (orthogonal Procrustes)."""
    if not isinstance(target, type(source)):
        raise wrong_parameter("align", "other", "WordVectors", target)
    if pairs is None:
        shared = [word for word in source.words if word in target.vocabulary]
        listed = [(word, word) for word in shared]
    else:
        listed = _with_vectors(source, target, pairs)
    if len(listed) < _LEAST:
        raise InputError(
            f"There are {len(listed)} pairs of words to align the vectors with; at least {_LEAST} are needed.",
            "Give pairs of words that mean the same." if pairs is None else "Give more of them.",
        )
    dim = max(source.dim, target.dim)
    rows = [source.id(a) for a, _ in listed], [target.id(b) for _, b in listed]
    products = np.zeros((dim, dim))
    for begin in range(0, len(listed), _AT_ONCE):  # in pieces of fixed size, in double precision
        a = _filled(source.unit[rows[0][begin : begin + _AT_ONCE]], dim).astype(np.float64)
        b = _filled(target.unit[rows[1][begin : begin + _AT_ONCE]], dim).astype(np.float64)
        products += a.T @ b
    left, _, right = np.linalg.svd(products)
    return Alignment(source, target, left @ right, len(listed))


def _with_vectors(
    source: WordVectors, target: WordVectors, pairs: Mapping[str, str] | Iterable[Sequence[str]]
) -> list[tuple[str, str]]:
    """The pairs of which both words have a vector; a notice tells about others."""
    given = list(pairs.items()) if isinstance(pairs, Mapping) else list(pairs)
    for pair in given:
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(w, str) for w in pair):
            raise wrong_parameter("align", "pairs", "pairs of words", pair)
    known: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for a, b in given:
        has_vectors = a in source.vocabulary and b in target.vocabulary
        (known if has_vectors else others).append((a, b))
    if others:
        progress.notice(
            f"{len(others):,} of {count_of(len(given), 'pair')} {'is' if len(others) == 1 else 'are'} left out, "
            f"because a word has no vector, such as in {' and '.join(map(repr, others[0]))}."
        )
    return known


def _filled(rows: Floats32, dim: int) -> Floats32:
    return np.pad(rows, ((0, 0), (0, dim - rows.shape[1])))


def _density(rows: Floats32, others: Floats32) -> Floats32:
    """The mean cosine of each row with its nearest rows among others."""
    n = min(_NEAR, len(others))
    found = np.empty(len(rows), np.float32)
    for begin in range(0, len(rows), _AT_ONCE):
        cosines = rows[begin : begin + _AT_ONCE] @ others.T
        found[begin : begin + _AT_ONCE] = np.partition(cosines, -n, axis=1)[:, -n:].mean(axis=1)
    return found
