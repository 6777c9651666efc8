"""Distributional clustering as its formulas say it, a number at a time."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def divergence(p: Floats, q: Floats) -> float:
    """D(p || q) in nats; a zero of q is as if it were the smallest number."""
    return float(sum(a * math.log(a / max(b, 1e-300)) for a, b in zip(p, q, strict=True) if a > 0))


def distributions(counts: Floats) -> Floats:
    return np.array([[x / sum(row) for x in row] for row in counts])


def memberships(p: Floats, q: Floats, beta: float) -> tuple[Floats, Floats]:
    """The shares of clusters in objects, and the logarithms of what was divided by."""
    shares, logs = [], []
    for row in p:
        exponents = [-beta * divergence(row, centroid) for centroid in q]
        most = max(exponents)
        parts = [math.exp(x - most) for x in exponents]
        shares.append([x / sum(parts) for x in parts])
        logs.append(most + math.log(sum(parts)))
    return np.array(shares), np.array(logs)


def free_energy(p: Floats, q: Floats, weights: Floats, beta: float) -> float:
    return -float(weights @ memberships(p, q, beta)[1]) / beta


def centroids(p: Floats, shares: Floats, weights: Floats) -> Floats:
    found = []
    for c in range(shares.shape[1]):
        total = sum(w * s[c] * row for w, s, row in zip(weights, shares, p, strict=True))
        found.append(total / total.sum())
    return np.array(found)


def critical_beta(p: Floats, weights: Floats) -> float:
    """One by the largest squared singular value of the centred table of correspondence analysis."""
    q = weights @ p
    seen = q > 0
    table = np.sqrt(weights)[:, None] * (p[:, seen] - q[seen]) / np.sqrt(q[seen])
    return float(1 / np.linalg.svd(table, compute_uv=False)[0] ** 2)
