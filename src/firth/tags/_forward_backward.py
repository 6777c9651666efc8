"""A hidden Markov model, made ready for kernels, and its passes over stretches of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.tags import _hmm_kernels as kernels
from firth.tags._observations import Observations

if TYPE_CHECKING:
    from firth.tags._hmm import HMM

__all__ = ["Passes", "scatter"]

_WIDTH = 8
"""States are padded to whole vectors of this many numbers."""

Floats = npt.NDArray[np.float64]

# kernels as mypy should see them: any arguments
posterior: Any = kernels.posterior
expect: Any = kernels.expect
viterbi: Any = kernels.viterbi
scatter: Any = kernels.scatter
most_probable: Any = kernels.most_probable


class Passes:
    """The parameters of a model as kernels want them: padded to whole vectors."""

    def __init__(self, hmm: HMM) -> None:
        m = hmm.n_states
        width = -(-m // _WIDTH) * _WIDTH
        self.m, self.width = m, width
        self.initial = np.zeros(width)
        self.initial[:m] = hmm.initial
        self.transition = np.zeros((width, width))
        self.transition[:m, :m] = hmm.transition
        self.turned = np.ascontiguousarray(self.transition.T)
        self.emission = hmm.emission
        if width > m or not hmm.emission.flags.c_contiguous:
            self.emission = np.zeros((hmm.n_symbols, width))
            self.emission[:, :m] = hmm.emission
        self._logarithms: list[Floats] | None = None

    def _scratch(self, observed: Observations, first: int, last: int) -> tuple[Any, ...]:
        begin, end = observed.bounds(first, last)
        longest = observed.longest(first, last)
        return np.empty((end - begin, self.width)), np.empty((longest, self.width)), longest

    def posteriors(self, observed: Observations, first: int, last: int) -> tuple[Floats, float]:
        gammas, messages, longest = self._scratch(observed, first, last)
        total = posterior(
            observed.symbols, observed.ends, first, last,
            self.initial, self.transition, self.turned, self.emission,
            gammas, np.empty(longest), messages, np.empty(self.width),
        )  # fmt: skip
        return gammas, total

    def posterior(self, observed: Observations, first: int, last: int) -> npt.NDArray[np.int32]:
        gammas, _ = self.posteriors(observed, first, last)
        states = np.empty(len(gammas), np.int32)
        most_probable(gammas, states)
        return states

    def expect(self, observed: Observations, first: int, last: int) -> tuple[Any, ...]:
        gammas, messages, longest = self._scratch(observed, first, last)
        pairs, starts = np.zeros((self.width, self.width)), np.zeros(self.width)
        total = expect(
            observed.symbols, observed.ends, first, last,
            self.initial, self.transition, self.turned, self.emission,
            gammas, np.empty_like(messages), np.empty(longest), messages, np.empty(self.width), pairs, starts,
        )  # fmt: skip
        return gammas, pairs, starts, total

    def viterbi(self, observed: Observations, first: int, last: int) -> npt.NDArray[np.int32]:
        if self._logarithms is None:
            with np.errstate(divide="ignore"):
                logarithms = [np.log(x) for x in (self.initial, self.transition, self.emission)]
            self._logarithms = logarithms
        begin, end = observed.bounds(first, last)
        states = np.empty(end - begin, np.int32)
        ends = observed.ends[first:last] - begin
        viterbi(
            observed.symbols[begin:end], ends, 0, last - first, *self._logarithms,
            np.empty(self.width), np.empty(self.width),
            np.empty((observed.longest(first, last), self.width), np.int64), states,
        )  # fmt: skip
        return states
