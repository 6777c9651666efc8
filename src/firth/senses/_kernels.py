"""The kernel of the E step: probabilities of senses in contexts, and expected counts of words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.compute.portable_kernels import exp, log

__all__ = ["expect"]

Floats = npt.NDArray[np.float64]


@kernel
def expect(
    starts: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int32],
    counts: Floats,
    log_shares: Floats,
    log_words: Floats,
    beta: float,
    memberships: Floats,
    added: Floats,
) -> float:
    """Compute ``memberships`` (contexts by senses) and expected counts ``added`` (words by senses).

    Probabilities are raised to the power of ``beta``. Returns the sum over contexts of the logarithm of
    the sum over senses of these powers, divided by beta: with beta 1, the log likelihood.
    """
    n_senses = len(log_shares)
    added[:] = 0.0
    total = 0.0
    for i in range(len(starts) - 1):
        # the joint log probability of each sense and the context
        row = memberships[i]
        for k in range(n_senses):
            row[k] = log_shares[k]
        for e in range(starts[i], starts[i + 1]):
            words = log_words[columns[e]]
            for k in range(n_senses):
                row[k] += counts[e] * words[k]
        # the largest is subtracted before exp, so that nothing underflows
        largest = row[0]
        for k in range(1, n_senses):
            largest = max(largest, row[k])
        whole = 0.0
        for k in range(n_senses):
            row[k] = exp(beta * (row[k] - largest))
            whole += row[k]
        # whole is at least one: the largest term is exp(0)
        total += largest + log(whole) / beta
        for k in range(n_senses):
            row[k] /= whole
        for e in range(starts[i], starts[i + 1]):
            words = added[columns[e]]
            for k in range(n_senses):
                words[k] += counts[e] * row[k]
    return total
