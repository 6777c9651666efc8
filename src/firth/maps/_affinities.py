"""Affinities of words: a Gaussian around each, whose width follows from the perplexity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Device, Engine, engine_for
from firth.errors import ParameterError, wrong_parameter
from firth.maps._device_layout import both_ways
from firth.maps._kernels import calibrate

__all__ = ["affinities", "conditionals"]

_AT_ONCE = 1 << 12


def affinities(
    ids: npt.NDArray[np.int32],
    cosines: npt.NDArray[np.float32],
    perplexity: float,
    threads: int | Engine | None = None,
) -> Any:
    """Probabilities of pairs from nearest neighbours (van der Maaten and Hinton 2008).

    Parameters
    ----------
    ids, cosines : arrays, shape (n, k)
        The result of ``nearest_neighbours``; squared distances are 2 - 2 cosine.
    perplexity : float
        Effective number of neighbours. From ``k`` on, all neighbours have the same weight.
    threads : int, optional

    Returns
    -------
    scipy.sparse.csr_array of float64, shape (n, n)
        Symmetric, with sum 1 (empty if there are no neighbours), indices sorted.
    """
    from scipy.sparse import csr_array

    if ids.shape != cosines.shape or ids.ndim != 2:
        raise ParameterError(
            f"Ids of shape {ids.shape} do not match cosines of shape {cosines.shape}."
        )
    n, k = ids.shape
    engine = engine_for("affinities", threads)
    weights = conditionals(cosines, perplexity, engine)
    if device := engine.device:
        there = device.unless_full(lambda: both_ways(device, ids, weights))
        if there:  # or else here, where it takes a few seconds
            indptr, indices, values = (_fetched(tensor, device, engine) for tensor in there[0])
            return csr_array((values / (2 * max(n, 1)), indices, indptr), shape=(n, n))
    indptr = np.arange(0, n * k + 1, k) if k else np.zeros(n + 1, np.int64)
    one_way = csr_array((weights.ravel(), ids.ravel(), indptr), shape=(n, n))
    both = one_way + one_way.T.tocsr()
    both.sort_indices()
    both.data /= 2 * max(n, 1)
    return both


def _fetched(tensor: Any, device: Device, engine: Engine) -> npt.NDArray[Any]:
    out = np.empty(tuple(tensor.shape), str(tensor.dtype).split(".")[1])
    device.fetch(tensor, out, engine)
    return out


def conditionals(
    cosines: npt.NDArray[np.float32], perplexity: float, threads: int | Engine | None = None
) -> npt.NDArray[np.float64]:
    """The probability of each neighbour of each point, for a given perplexity."""
    if not isinstance(perplexity, int | float) or not 1 <= perplexity < math.inf:
        raise wrong_parameter("affinities", "perplexity", "a number of at least 1", perplexity)
    n, k = cosines.shape
    weights = np.full((n, k), 1 / max(k, 1))
    if k <= perplexity:
        return weights

    def work(first: int) -> None:
        last = min(first + _AT_ONCE, n)
        calibrate(cosines, math.log(perplexity), first, last, np.empty(k), weights)

    for _ in engine_for("affinities", threads).map(work, range(0, n, _AT_ONCE)):
        pass
    return weights
