"""The spectral template: the matrix to decompose (Stratos, Collins and Hsu 2015, figure 2).

Counts are transformed by t, then scaled by s. Every scaling but ``ppmi`` only multiplies rows and
columns, so the matrix is ``diag(left) · t(counts) · diag(right)``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, Engine
from firth.counts import Contexts, Counts, PanelCounts
from firth.vectors._parameters import VectorsParameters

__all__ = ["Margins", "Template"]

_ENTRIES_AT_ONCE = 1 << 17

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Margins:
    """Frequencies of words and contexts, smoothed and transformed: t(#(w) + κ) and t(#(c) + κ)."""

    words: Floats
    contexts: Floats


@dataclass(frozen=True)
class Template:
    """How counts are transformed and scaled before they are decomposed; see ``VectorsParameters``.

    ``transform`` is applied to counts of pairs, words and contexts alike. ``kappa`` is added to the
    counts of words, and of contexts at each position, before the transform (Stratos et al. 2014,
    figure 4).
    """

    transform: str
    scale: str
    alpha: float
    beta: float
    kappa: float

    @classmethod
    def of(cls, parameters: VectorsParameters) -> Template:
        """The template of some checked parameters."""
        return cls(**{field.name: getattr(parameters, field.name) for field in fields(cls)})

    def apply(self, counts: Any) -> Floats:
        """The transform t, elementwise."""
        x = np.asarray(counts, np.float64)
        if self.transform == "log":
            return np.log1p(x)
        if self.transform == "two-thirds":
            return np.cbrt(x) ** 2
        return np.sqrt(x) if self.transform == "sqrt" else x

    def word_margins(self, rows: Any, contexts: Contexts) -> Floats:
        """t(#(w) + κ), where κ is added once for every block of contexts."""
        totals = np.asarray(rows, np.float64).sum(axis=1) / contexts.scale
        return self.apply(totals + self.kappa * contexts.n_blocks)

    def margins(self, counts: Counts | PanelCounts) -> Margins:
        contexts = np.asarray(counts.columns, np.float64) / counts.scale + self.kappa
        return Margins(self.word_margins(counts.rows, counts.contexts), self.apply(contexts))

    def smoothed(self, contexts: Floats) -> tuple[Floats, float, float]:
        """#(c)^α, and their sums N(α) and N(1) with and without smoothing."""
        powers = np.where(contexts > 0, contexts, 1) ** self.alpha * (contexts > 0)
        return powers, float(powers.sum()), float(contexts.sum())

    def factors(self, margins: Margins) -> tuple[Floats, Floats]:
        """The factors of rows and columns; 0 for words and contexts that never occur."""
        left, right = np.ones(len(margins.words)), np.ones(len(margins.contexts))
        if self.scale == "reg":
            left = _inverse(margins.words)
        elif self.scale == "cca":
            powers, n_alpha, n_one = self.smoothed(margins.contexts)
            left = np.sqrt(_inverse(margins.words))
            right = np.sqrt(_inverse(powers) * (n_alpha / n_one)) if n_one else powers
        return left, right

    def values(
        self,
        matrix: Any,
        counts_scale: int,
        margins: Margins,
        out: npt.NDArray[Any],
        transposed: bool = False,
        engine: Engine = ONE_THREAD,
    ) -> None:
        """Write the entries of a CSR array, before rows and columns are multiplied by their factors.

        If it is ``transposed``, rows are contexts and columns are words.
        """
        data, indices = matrix.data, matrix.indices
        if self.scale == "ppmi":
            powers, n_alpha, _ = self.smoothed(margins.contexts)
            with np.errstate(
                divide="ignore"
            ):  # words and contexts that never occur have no entries
                words, contexts = np.log(margins.words), np.log(powers / n_alpha)
            of_rows, of_columns = (contexts, words) if transposed else (words, contexts)

        def write(a: int) -> None:
            here = slice(a, a + _ENTRIES_AT_ONCE)
            x = self.apply(data[here] / counts_scale)
            if self.scale == "ppmi":
                rows = _rows(matrix.indptr, a, a + len(x))
                x = np.maximum(np.log(x) - of_rows[rows] - of_columns[indices[here]], 0)
            out[here] = x

        engine.each(write, range(0, len(data), _ENTRIES_AT_ONCE))

    def matrix(self, counts: Any, counts_scale: int, margins: Margins) -> Any:
        """The matrix Ω of figure 2, from a CSR array of counts, as a CSR array of float64."""
        from scipy.sparse import csr_array, diags_array

        values = np.empty(counts.nnz)
        self.values(counts, counts_scale, margins, values)
        left, right = self.factors(margins)
        plain = csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
        return csr_array(diags_array(left) @ plain @ diags_array(right))


def _rows(indptr: npt.NDArray[Any], begin: int, end: int) -> npt.NDArray[np.int64]:
    """The row of each entry from ``begin`` to ``end - 1`` of a matrix in CSR format."""
    first, last = np.searchsorted(indptr, [begin, end - 1], side="right") - 1
    ends = np.clip(indptr[first : last + 2], begin, end)
    return np.repeat(np.arange(first, last + 1), np.diff(ends))


def _inverse(x: Floats) -> Floats:
    """1/x; 0 for words and contexts that never occur."""
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 1e-30)
