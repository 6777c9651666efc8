"""``python -m benchmarks.cluster_distributional``: distributional clustering as the number of objects grows.

Two kinds of counts with 5,000 features. *Synthetic*: objects drawn from 64 distributions, each half its own and half
common to all, both by Zipf's law. *Words*: the most frequent words in the first 60 MB of ``wiki.txt``, by the next
word. 64 hard clusters (soft clusters take the same time except for the last few steps). No other library has this
method; scikit-learn's K-means on the same distributions gives the scale. Everything runs on one thread, kernels are
compiled before, and times are CPU times. The last table compares the parts of one step with the least work that they
require. Needs FIRTH_DATA with ``text/wiki.txt.xz``, except with ``--made-up``.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import firth
from benchmarks.common import data_file, processor, unpack
from firth.cluster import DistributionalClusters
from firth.cluster import _distributions as distributions
from firth.compute import Engine, limit_blas

SIZES = (2_500, 5_000, 10_000, 20_000)
N_FEATURES, N_CLUSTERS, PER_OBJECT, N_BYTES = 5_000, 64, 120, 60_000_000


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds that the work takes, and its result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def made_up(n: int) -> tuple[Any, Any]:
    chance = np.random.default_rng(0)
    zipf = 1 / np.arange(1, N_FEATURES + 1)
    orders = np.array([chance.permutation(N_FEATURES) for _ in range(N_CLUSTERS)])
    labels = chance.integers(N_CLUSTERS, size=n)
    rows = np.repeat(np.arange(n), PER_OBJECT)
    common = chance.choice(N_FEATURES, size=len(rows), p=zipf / zipf.sum())
    own = chance.random(len(rows)) < 0.5
    columns = np.where(own, orders[labels[rows], common], common)
    counts = sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, N_FEATURES))
    counts.sum_duplicates()
    return counts, labels


def words() -> Any:
    """The counts of words by the next word, frequent words first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wiki.txt"
        unpack(data_file("text/wiki.txt.xz"), path, N_BYTES)
        corpus = firth.Corpus.from_files(path, lowercase=True)
        matrix = firth.count(corpus, contexts="R1", vocabulary=2 * max(SIZES)).matrix
        counts = sp.csr_matrix(matrix[:, 1 : N_FEATURES + 1], dtype=np.float64)[1:]
    return counts[np.asarray(counts.sum(axis=1)).ravel() > 0]


def growing(name: str, counts_of: Callable[[int], Any]) -> None:
    """Time and mean divergence of both methods, as the number of objects grows."""
    print(f"### {name}\n")
    print("| objects | entries | Firth | steps | last beta | divergence | K-means | divergence |")
    print("|---|---|---|---|---|---|---|---|")
    times: dict[str, list[float]] = {"Firth": [], "K-means": []}
    for n in SIZES:
        counts = counts_of(n)
        estimator = DistributionalClusters(N_CLUSTERS, hard=True, threads=1)
        ours, found = seconds(partial(estimator.fit, counts))
        theirs, divergence = k_means(counts)
        times["Firth"].append(ours)
        times["K-means"].append(theirs)
        beta = found.betas_[np.isfinite(found.betas_)][-1]
        print(
            f"| {n:,} | {counts.nnz:,} | {ours:.1f} s | {found.n_iter_} | {beta:.1f} "
            f"| {found.free_energies_[-1]:.4f} | {theirs:.1f} s | {divergence:.4f} |", flush=True,
        )  # fmt: skip
    print()
    for key, values in times.items():
        slope = np.polyfit(np.log(SIZES), np.log(values), 1)[0]
        print(f"{key}: time grows with the power {slope:.2f} of the number of objects")
    print()


def k_means(counts: Any) -> tuple[float, float]:
    """The CPU seconds of K-means on distributions, weighted by counts, and the mean divergence from its centroids."""
    from sklearn.cluster import KMeans

    objects = distributions.Distributions(counts, "counts", Engine(1))
    weights = objects.weights * objects.n
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        took, found = seconds(
            lambda: KMeans(N_CLUSTERS, n_init=1, random_state=0).fit(objects.matrix, None, weights)
        )
    scores = objects.scores(np.ascontiguousarray(found.cluster_centers_.T.clip(0)))
    own = scores[np.arange(objects.n), found.labels_]
    return took, float(objects.weights @ (objects.entropies - own))


def parts(counts: Any) -> None:
    """One step with all clusters, and its two products by SciPy."""
    objects = distributions.Distributions(counts, "counts", Engine(1))
    chance = np.random.default_rng(0)
    centroids = np.ascontiguousarray(chance.dirichlet(np.ones(N_FEATURES), N_CLUSTERS).T)
    shares = objects.step(centroids, 5.0)[0]
    turned = objects.matrix.T
    jobs: dict[str, Callable[[], Any]] = {
        "a step: memberships and sums": lambda: objects.step(centroids, 5.0),
        "the first product, SciPy": lambda: objects.matrix @ centroids,
        "the second product, SciPy": lambda: turned @ shares,
        "exponentials, NumPy": lambda: np.exp(shares),
    }
    print(f"| {counts.nnz:,} entries, {N_CLUSTERS} clusters | best of 5 |\n|---|---|")
    for name, job in jobs.items():
        print(f"| {name} | {1000 * min(seconds(job)[0] for _ in range(5)):.0f} ms |", flush=True)
    print()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster_distributional", description=__doc__
    )
    parser.add_argument("--made-up", action="store_true", help="skip the words")
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    print(f"command: python -m benchmarks.cluster_distributional; {firth.__name__} {firth.__version__}\n")  # fmt: skip
    DistributionalClusters(3, hard=True, threads=1).fit(made_up(1000)[0])  # compiled
    with limit_blas(1):
        growing("Synthetic", lambda n: made_up(n)[0])
        if not options.made_up:
            counts = words()
            growing("Words", lambda n: counts[:n])
        parts(made_up(max(SIZES))[0])


if __name__ == "__main__":
    main()
