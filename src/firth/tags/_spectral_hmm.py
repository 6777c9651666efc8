"""Probabilities of sequences without hidden states: the observable representation of a hidden Markov model.

Hsu, Kakade and Zhang (2009): from the singular vectors of the matrix of pairs of neighbours, and counts of
triples, come operators B(x) that are those of the hidden Markov model in another basis, so that the
probability of a sequence is a product of them. Nothing is maximised; there are no local optima.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import limit_blas
from firth.corpus import Corpus, fold_word
from firth.errors import InputError, ParameterError, check_count, wrong_parameter
from firth.estimator import Estimator
from firth.tags import _spectral_kernels as kernels
from firth.tags._observations import Observations
from firth.tags._parameters import SpectralHMMParameters
from firth.vectors import dense_svd, exact_svd

__all__ = ["SpectralHMM"]

_LEAST = 1e-12
"""Probabilities are at least this: estimates of small ones may come out below zero."""
_LARGEST = 1 << 28
"""Numbers in all operators together: 2 GB."""

Floats = npt.NDArray[np.float64]

add_triples: Any = kernels.add_triples


class SpectralHMM(SpectralHMMParameters, Estimator):
    """Spectral learning of hidden Markov models (Hsu, Kakade and Zhang 2009).

    It learns operators that give the probabilities of sequences, without estimating the model itself.

    Attributes
    ----------
    start_ : array of shape (n_states,)
    end_ : array of shape (n_states,)
    operators_ : array of shape (n_symbols, n_states, n_states)

    Examples
    --------
    >>> import firth
    >>> weather = firth.HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.1], [0.2, 0.9]])
    >>> sequences, _ = weather.sample(20_000, length=3)
    >>> learned = SpectralHMM(n_states=2, everywhere=False).fit(sequences)
    >>> abs(learned.score([[0, 1, 1]]) - weather.score([[0, 1, 1]])) < 0.05
    True
    """

    def fit(self, data: Corpus | Iterable[Sequence[int] | npt.NDArray[Any]]) -> SpectralHMM:
        """Learn from a corpus, or from sequences of symbol numbers."""
        self.check()
        self._numbers: dict[str, int] | None = None
        if isinstance(data, Corpus):
            observed, self._reading = Observations.of_corpus(data), data.reading
            n = data.vocabulary.n_kept(1, self.vocabulary)
            n_symbols = n + (n < data.n_types)
            np.minimum(observed.symbols, n_symbols - 1, out=observed.symbols)
            self._numbers = {word: k for k, word in enumerate(list(data.vocabulary)[:n])}
            self._words = [*self._numbers, *([] if n_symbols == n else [None])]
        else:
            observed = Observations.of(data, 1 << 31)
            n_symbols = int(observed.symbols.max(initial=0)) + 1
        firsts, pairs, triples = _count(observed, self.everywhere)
        with limit_blas(1):  # so that the result does not depend on the number of threads
            return self._learn(n_symbols, firsts, pairs, triples)

    @classmethod
    def from_moments(
        cls, first: Floats, pairs: Floats, triples: Floats, n_states: int
    ) -> SpectralHMM:
        """From exact probabilities.

        Parameters
        ----------
        first : array of shape (n_symbols,)
            Of each symbol at the first place.
        pairs : array of shape (n_symbols, n_symbols)
            Of each symbol at the second place (rows) after each at the first (columns).
        triples : array of shape (n_symbols, n_symbols, n_symbols)
            ``triples[x, z, y]``: of y, x, z at the first, second and third place.
        n_states : int
        """
        from scipy.sparse import csr_array

        n = np.size(first)
        for name, array, shape in (
            ("first", first, (n,)), ("pairs", pairs, (n, n)), ("triples", triples, (n, n, n)),
        ):  # fmt: skip
            if np.shape(array) != shape or not np.isfinite(array).all():
                raise wrong_parameter(
                    "SpectralHMM.from_moments", name, f"numbers of shape {shape}", np.shape(array)
                )
        learned = cls(n_states)
        learned._numbers = None
        left, inverse = learned._basis(csr_array(pairs), first)
        learned.operators_ = np.einsum("zi,xzy,yj->xij", left, triples, inverse)
        return learned

    def _learn(self, n_symbols: int, firsts: Any, pairs: Any, triples: Any) -> SpectralHMM:
        if n_symbols * self.n_states**2 > _LARGEST:
            raise ParameterError(
                f"{n_symbols:,} operators of {self.n_states} by {self.n_states} numbers are too many.",
                "Keep fewer words: vocabulary=2000.",
            )
        if not len(triples):
            raise InputError("No sequence has three symbols.", "Use longer sequences.")
        from scipy.sparse import csr_array

        first = np.bincount(firsts, minlength=n_symbols) / len(firsts)
        counted = csr_array(
            (np.full(len(pairs), 1 / len(pairs)), (pairs[:, 1], pairs[:, 0])),
            shape=(n_symbols, n_symbols),
        )
        left, inverse = self._basis(counted, first)
        self.operators_ = np.zeros((n_symbols, self.n_states, self.n_states))
        add_triples(np.ascontiguousarray(triples), left, inverse, self.operators_)
        self.operators_ /= len(triples)
        return self

    def _basis(self, pairs: Any, first: Floats) -> tuple[Floats, Floats]:
        """The singular vectors U, and (Uᵀ P)⁺ for the probabilities P of pairs; sets beginning and end."""
        m = self.n_states
        if m > min(pairs.shape):
            raise InputError(
                f"{m} states need at least as many symbols; there are {min(pairs.shape)}.",
                "Ask for fewer states.",
            )
        found = (dense_svd if min(pairs.shape) <= 1500 else exact_svd)(pairs, m)
        if len(found.values) < m or found.values[-1] < 1e-12 * found.values[0]:
            raise InputError(
                f"Neighbours differ in {len(found.values)} dimensions only; {m} states cannot be distinguished.",
                "Ask for fewer states, or use more text.",
            )
        left = np.ascontiguousarray(found.left, np.float64)
        projected = np.asarray((pairs.T @ left).T)
        inverse = np.ascontiguousarray(np.linalg.pinv(projected))
        self.start_ = left.T @ first
        self.end_ = np.linalg.pinv(projected.T) @ first
        self._all: Floats | None = None
        return left, inverse

    @property
    def n_symbols(self) -> int:
        self._check_fitted()
        return len(self.operators_)

    def score(self, sequences: Iterable[Sequence[Any] | npt.NDArray[Any]]) -> float:
        """The log probability of sequences, given their lengths.

        Sequences are symbol numbers, or words if a corpus was learned; an unknown word counts as a rare
        one. Negative estimates are replaced by the smallest probability.
        """
        total = 0.0
        for sequence in sequences:
            symbols, state = self._encode(sequence), self.start_
            for symbol in symbols:
                state, p = self._step(state, symbol)
                total += math.log(p)
        return total

    def next_symbol(self, sequence: Sequence[Any] | npt.NDArray[Any]) -> Floats:
        """The probability of every symbol after a sequence."""
        symbols, state = self._encode(sequence), self.start_
        for symbol in symbols:
            state, _ = self._step(state, symbol)
        return self._distribution(state)

    def next_words(self, words: Sequence[str], n: int = 10) -> list[tuple[str, float]]:
        """The most probable words after some words, where a corpus was learned."""
        self._check_fitted()
        if self._numbers is None:
            raise ParameterError(
                "This SpectralHMM was fitted on symbol numbers, not words.", "Use next_symbol."
            )
        check_count("SpectralHMM.next_words", "n", n)
        p = self.next_symbol(words)
        best = np.argsort(-p, kind="stable")[: n + 1]
        named = [(self._words[int(k)], float(p[k])) for k in best]
        return [(word, share) for word, share in named if word is not None][:n]

    def _encode(self, sequence: Sequence[Any] | npt.NDArray[Any]) -> list[int]:
        self._check_fitted()
        if self._numbers is not None:
            if isinstance(sequence, str):
                raise InputError(
                    "A sentence must be a list of words, not text.", "Cut it: text.split()"
                )
            if not all(isinstance(word, str) for word in sequence):
                raise InputError("A sentence must be a list of words, and every word text.")
            missing = self.n_symbols - 1
            folded = [fold_word(word, self._reading) for word in sequence]
            return [self._numbers.get(word, missing) for word in folded]
        return list(Observations.of([sequence], self.n_symbols).symbols)

    def _distribution(self, state: Floats) -> Floats:
        """The probabilities of the next symbol, made at least ``_LEAST`` and to add up to one."""
        if self._all is None:
            self._all = np.einsum("i,xij->xj", self.end_, self.operators_)
        p: Floats = np.maximum(self._all @ state, _LEAST)
        return np.asarray(p / p.sum())

    def _step(self, state: Floats, symbol: int) -> tuple[Floats, float]:
        """The state after one more symbol, and the probability of the symbol."""
        p = float(self._distribution(state)[symbol])
        after = self.operators_[symbol] @ state
        scale = float(self.end_ @ after)
        if not abs(scale) > 1e-300 or not np.isfinite(after).all():
            return self.start_, p  # the estimates know nothing of this: so start again
        return after / scale, p


def _count(observed: Observations, everywhere: bool) -> tuple[Any, Any, Any]:
    """First symbols, pairs and triples of neighbours, as rows of symbols in the order of the text."""
    symbols, ends = observed.symbols, observed.ends
    starts = np.append(0, ends)[:-1]
    lengths = ends - starts
    if not everywhere:
        rows = [starts[lengths >= k] for k in (1, 2, 3)]
    else:
        place = np.arange(len(symbols)) - np.repeat(starts, lengths)
        left = np.repeat(lengths, lengths) - place
        rows = [np.flatnonzero(left >= k) for k in (1, 2, 3)]
    return (
        symbols[rows[0]],
        np.stack([symbols[rows[1] + k] for k in range(2)], axis=1),
        np.stack([symbols[rows[2] + k] for k in range(3)], axis=1),
    )
