"""A grammar with hidden states: the tensor form, as arrays aligned with a coarse grammar."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._tensors import TensorGrammar

__all__ = ["FineGrammar"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FineGrammar:
    """Tensors of the rules of a coarse grammar, and vectors of the pairs of its lexicon.

    Attributes
    ----------
    tensors : array of float32 or float64, shape (n_rules, dim, dim, dim)
    vectors : array of shape (n_pairs, dim)
    roots : array of shape (n_symbols, dim)
    totals : array of shape (n_symbols, dim)
        The sum of the inside vectors of all trees of a symbol. It is used for unknown phrases and
        words. All ones if states are explicit.
    proper : bool
        Whether all values are probabilities; spectral estimates can be negative.
    """

    tensors: npt.NDArray[np.float32] | Floats
    vectors: Floats
    roots: Floats
    totals: Floats
    proper: bool = False

    def __post_init__(self) -> None:
        dim = self.roots.shape[1]
        if self.tensors.shape[1:] != (dim,) * 3 or self.vectors.shape[1:] != (dim,):
            raise InputError("The shapes of the tensors and vectors of a grammar do not match.")

    @property
    def dim(self) -> int:
        return int(self.roots.shape[1])

    @classmethod
    def plain(cls, coarse: CoarseGrammar) -> FineGrammar:
        """The coarse grammar, as a grammar with one state."""
        return cls(
            coarse.p[:, None, None, None], coarse.lexicon.p[:, None], coarse.roots[:, None],
            np.ones((coarse.n_symbols, 1)), proper=True,
        )  # fmt: skip

    @classmethod
    def of(cls, form: TensorGrammar, lexicon: Lexicon, totals: Floats) -> FineGrammar:
        """Make from a tensor form with the same rules; missing pairs are zero."""
        zero = np.zeros(form.dim)
        vectors = np.array([form.lexicon.get(pair, zero) for pair in lexicon.pairs()])
        return cls(form.tensors, vectors.reshape(-1, form.dim), form.roots, totals)

    def compact(self) -> FineGrammar:
        """The same grammar with tensors in single precision, as models store them."""
        return replace(self, tensors=np.ascontiguousarray(self.tensors, np.float32))

    def form(self, coarse: CoarseGrammar) -> TensorGrammar:
        """The tensor form of figures 2 and 3 of the paper."""
        words = dict(zip(coarse.lexicon.pairs(), self.vectors, strict=True))
        return TensorGrammar(coarse.rules, self.tensors.astype(np.float64), words, self.roots)
