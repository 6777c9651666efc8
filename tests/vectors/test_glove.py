"""GloVe of the experiments, against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from experiments import glove

from tests.oracles import embedding as oracle

pytestmark = pytest.mark.slow


def test_steps_are_those_of_the_twin() -> None:
    random = np.random.default_rng(3)
    n, dim, m = 7, 4, 60
    rows, columns = (random.integers(0, n, m).astype(np.int32) for _ in range(2))
    x = random.random(m) * 150 + 1
    logs = np.log(x).astype(np.float32)
    weights = np.minimum(1, (x / 100) ** 0.75).astype(np.float32)
    found = [(random.random((n, dim + 1)) - 0.5).astype(np.float32) for _ in range(2)]
    found += [np.ones((n, dim + 1), np.float32) for _ in range(2)]
    expected = [matrix.astype(np.float64) for matrix in found]
    pairs = list(zip(rows.tolist(), columns.tolist(), x.tolist(), strict=True))
    for _ in range(3):
        loss = glove._epoch(rows, columns, logs, weights, *found, 0.05) / m
        assert loss == pytest.approx(oracle.glove_epoch(pairs, *expected), rel=1e-5)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_counts_of_low_rank_are_factorised() -> None:
    random = np.random.default_rng(0)
    logs = random.normal(size=(30, 3)) @ random.normal(size=(3, 30)) + 4
    rows, columns = np.nonzero(np.ones((30, 30)))
    vectors, losses = glove.factorise(rows, columns, np.exp(logs)[rows, columns], 30, 5, 300)
    assert vectors.shape == (30, 5)
    assert losses[-1] < 0.02 * losses[0]
