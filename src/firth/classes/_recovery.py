"""When the classes of a Brown model can be recovered (Stratos et al. 2014, theorem 5.2 and appendix C)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import ParameterError, wrong_parameter

__all__ = ["RecoveryCondition", "tells_classes"]

Floats = npt.NDArray[np.float64]
_SHARE = 0.07
"""The constant of theorem 5.2."""


@dataclass(frozen=True, eq=False)
class RecoveryCondition:
    """What an estimate of Ω must satisfy so that its singular vectors tell the classes apart.

    Attributes
    ----------
    omega : array of shape (n, n)
        The exact Ω of the model.
    sigma_1, sigma_m : float
        Its largest singular value, and the last one that is not zero, of m classes.
    epsilon : float
        The largest ε of theorem 5.2: 0.07 times the square root of the smallest probability of a word
        in its class. The theorem asks for an estimate within ε σ_m of Ω (in the spectral norm).
    n1, n2, u_min, v_min : float
        The quantities of appendix C: the largest row and column sums of P(x, x') / P(x) P(x'), and the
        probabilities of the rarest first and second words.
    """

    omega: Floats
    sigma_1: float
    sigma_m: float
    epsilon: float
    n1: float
    n2: float
    u_min: float
    v_min: float

    @classmethod
    def of(cls, b: Floats, u: Floats, v: Floats, emissions: Floats) -> RecoveryCondition:
        """The condition for B, u, v and O of a model."""
        m = emissions.shape[1]
        if np.any(u <= 0) or np.any(v <= 0):
            raise ParameterError(
                "A word of the model never occurs, so there is no condition.",
                "Give every class a probability above 0.",
            )
        omega = b / np.sqrt(np.outer(u, v))
        values = np.linalg.svd(omega, compute_uv=False)
        ratios = b / np.outer(u, v)
        return cls(
            omega,
            float(values[0]),
            float(values[m - 1]),
            _SHARE * math.sqrt(float(emissions.max(axis=1).min())),
            float(ratios.sum(axis=1).max()),
            float(ratios.sum(axis=0).max()),
            float(u.min()),
            float(v.min()),
        )

    def error(self, estimate: Any) -> float:
        """ε of theorem 5.2: the distance of an estimate from Ω in the spectral norm, over σ_m.

        Parameters
        ----------
        estimate : array of shape (n, n)
            Such as ``BrownModel.estimated_omega`` makes from a sample.
        """
        found = np.asarray(estimate, np.float64)
        if found.shape != self.omega.shape:
            shape = f"an array of shape {self.omega.shape}"
            raise wrong_parameter("RecoveryCondition.error", "estimate", shape, found.shape)
        distance = float(np.linalg.norm(found - self.omega, 2))
        return distance / self.sigma_m if self.sigma_m > 0 else math.inf

    def holds(self, estimate: Any) -> bool:
        """Whether theorem 5.2 guarantees that an estimate tells the classes apart."""
        return self.error(estimate) <= self.epsilon

    def n_pairs(self, delta: float = 0.05) -> float:
        """The bound of appendix C: the number of independent pairs of words that suffices.

        With a probability of at least 1 - ``delta``, the condition holds for an estimate from so many
        pairs, times an absolute constant that the paper does not state.
        """
        if not 0 < delta < 1:
            raise wrong_parameter("RecoveryCondition.n_pairs", "delta", "between 0 and 1", delta)
        if self.sigma_m == 0:
            return math.inf
        condition = self.sigma_1 / self.sigma_m
        largest = max(self.n1, self.n2, 1 / self.u_min, 1 / self.v_min)
        return condition**2 * math.log(len(self.omega) / delta) * largest / self.epsilon**2


def tells_classes(estimate: Any, class_of: Any) -> bool:
    """What theorem 5.2 promises: every word is nearer to all words of its class than to any other.

    Parameters
    ----------
    estimate : array of shape (n, n)
        An estimate of Ω.
    class_of : array of int, shape (n,)
        The class of every word.
    """
    which = np.asarray(class_of)
    left = np.linalg.svd(np.asarray(estimate, np.float64))[0][:, : int(which.max()) + 1]
    lengths = np.linalg.norm(left, axis=1, keepdims=True)
    unit = left / np.where(lengths == 0, 1, lengths)
    distances = np.linalg.norm(unit[:, None] - unit[None], axis=2)
    same = which[:, None] == which
    farthest = np.where(same, distances, -np.inf).max(axis=1)
    return bool(np.all(farthest < np.where(same, np.inf, distances).min(axis=1)))
