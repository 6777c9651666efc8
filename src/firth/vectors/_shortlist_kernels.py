"""Kernels of the short list: rounding to bytes, and inner products with rounded vectors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel, loose_kernel

__all__ = ["approximate", "encode"]


@kernel
def encode(
    unit: npt.NDArray[np.float32],
    codes: npt.NDArray[np.int8],
    scales: npt.NDArray[np.float32],
    errors: npt.NDArray[np.float32],
) -> None:
    """Round each row to integers from -127 to 127 times a scale; ``errors`` is the length of the error."""
    for i in range(unit.shape[0]):
        most = np.float32(0)
        for j in range(unit.shape[1]):
            most = max(most, abs(unit[i, j]))
        # any scale will do for a row of zeros
        scale = most / np.float32(127) if most > 0 else np.float32(1)
        lost = 0.0
        for j in range(unit.shape[1]):
            code = np.rint(unit[i, j] / scale)
            codes[i, j] = np.int8(code)
            # in double precision, because the bound of the search relies on it
            rest = np.float64(unit[i, j]) - np.float64(code) * np.float64(scale)
            lost += rest * rest
        scales[i] = scale
        errors[i] = np.sqrt(lost)


@loose_kernel
def approximate(
    codes: npt.NDArray[np.int8],
    scales: npt.NDArray[np.float32],
    query: npt.NDArray[np.float32],
    scores: npt.NDArray[np.float32],
) -> None:
    """The inner product of a vector with each rounded row."""
    for i in range(codes.shape[0]):
        total = np.float32(0)
        # padded with zeros to a multiple of 16, so the loop has no remainder
        for j in range(query.shape[0]):
            total += np.float32(codes[i, j]) * query[j]
        scores[i] = total * scales[i]
