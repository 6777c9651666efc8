"""A grammar with hidden states, beside one without: the tensor form, as arrays."""

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
    """The tensors of the rules of a coarse grammar, and vectors of the pairs of its lexicon.

    Attributes
    ----------
    tensors : array of float32 or float64, shape (n_rules, dim, dim, dim)
    vectors : array of shape (n_pairs, dim)
    roots : array of shape (n_symbols, dim)
    totals : array of shape (n_symbols, dim)
        The sum of the inside vectors of all trees that a symbol can have. It stands for what is not known of a phrase,
        or of a word. Where states are explicit, all ones.
    proper : bool
        Whether all numbers are probabilities: none is below zero.
    """

    tensors: npt.NDArray[np.float32] | Floats
    vectors: Floats
    roots: Floats
    totals: Floats
    proper: bool = False

    def __post_init__(self) -> None:
        dim = self.roots.shape[1]
        if self.tensors.shape[1:] != (dim,) * 3 or self.vectors.shape[1:] != (dim,):
            raise InputError("Tensors and vectors of a grammar do not fit together.")

    @property
    def dim(self) -> int:
        return int(self.roots.shape[1])

    @classmethod
    def plain(cls, coarse: CoarseGrammar) -> FineGrammar:
        """A grammar of one state: no other than the coarse one."""
        return cls(
            coarse.p[:, None, None, None], coarse.lexicon.p[:, None], coarse.roots[:, None],
            np.ones((coarse.n_symbols, 1)), proper=True,
        )  # fmt: skip

    @classmethod
    def of(cls, form: TensorGrammar, lexicon: Lexicon, totals: Floats) -> FineGrammar:
        """From a tensor form with the same rules; pairs that it does not have are zero."""
        zero = np.zeros(form.dim)
        vectors = np.array([form.lexicon.get(pair, zero) for pair in lexicon.pairs()])
        return cls(form.tensors, vectors.reshape(-1, form.dim), form.roots, totals)

    def compact(self) -> FineGrammar:
        """The same with tensors of single precision, as they are kept in a model."""
        return replace(self, tensors=np.ascontiguousarray(self.tensors, np.float32))

    def form(self, coarse: CoarseGrammar) -> TensorGrammar:
        """The tensor form as figures 2 and 3 use it."""
        words = dict(zip(coarse.lexicon.pairs(), self.vectors, strict=True))
        return TensorGrammar(coarse.rules, self.tensors.astype(np.float64), words, self.roots)
