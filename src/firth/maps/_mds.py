"""Layout by multidimensional scaling (Kruskal 1964), which keeps distances instead of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import limit_blas
from firth.errors import InputError

__all__ = ["MOST_WORDS", "scaled_positions", "stress"]

Floats = npt.NDArray[np.float64]
MOST_WORDS = 5_000
"""The largest number of words: all pairs are compared, again and again."""
_MOST_STEPS = 300
_ENOUGH = 1e-5
"""Stop when a step lowers the stress by less than this share of it."""


def scaled_positions(unit: npt.NDArray[np.float32], start: Any) -> npt.NDArray[np.float32]:
    """Positions whose distances are as close as possible to those of the vectors, in least squares.

    Each step moves all positions to the minimum of a parabola above the stress (SMACOF, de Leeuw 1977),
    so the stress never rises.

    Parameters
    ----------
    unit : array of float32, shape (n, dim)
        Rows of unit length.
    start : array of shape (n, 2)
        Initial positions, on any scale.
    """
    if len(unit) > MOST_WORDS:
        raise InputError(
            f"Multidimensional scaling compares all pairs: {len(unit):,} words are too many.",
            f"Use at most {MOST_WORDS:,}: --top 1000",
        )
    with (
        limit_blas(1),
        progress.stage("scaling", _MOST_STEPS, "steps", brief=1.0) as stage,
    ):
        wanted = _distances(np.asarray(unit, np.float64))
        positions = np.asarray(start, np.float64)
        near = _distances(positions)
        squares = float((near**2).sum())
        if squares:  # the best scale
            scale = float((wanted * near).sum()) / squares
            positions, near = positions * scale, near * scale
        before = np.inf
        for _ in range(_MOST_STEPS):
            progress.check_interrupted()
            now = stress(wanted, near)
            if before - now <= _ENOUGH * now:
                break
            positions, before = _step(wanted, near, positions), now
            near = _distances(positions)
            stage.advance(1)
    return positions.astype(np.float32)


def stress(wanted: Floats, near: Floats) -> float:
    """The sum of the squared differences of distances, over all pairs."""
    return float(((wanted - near) ** 2).sum() / 2)


def _step(wanted: Floats, near: Floats, positions: Floats) -> Floats:
    """Guttman's transform."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(near > 0, wanted / near, 0.0)
    moved: Floats = (ratios.sum(axis=1)[:, None] * positions - ratios @ positions) / len(positions)
    return moved


def _distances(points: Floats) -> Floats:
    """The Euclidean distances of all pairs."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(points, points))
