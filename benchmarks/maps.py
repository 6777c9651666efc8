"""``python -m benchmarks.maps``: maps of words compared with openTSNE.

Both programs lay out the same affinities from the same initial positions, with the same iterations and learning rate,
on two threads; openTSNE's own search for neighbours is not measured. Needs ``pip install openTSNE`` and FIRTH_DATA with
``text/wikinews.txt.xz``, or ``--model`` with a model that has vectors.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_file, processor, unpack

N_EARLY, N_LATE, THREADS = 250, 500, 2


def unit_vectors(model: Path | None, n_words: int) -> Any:
    """The vectors of the most frequent words, from the given model or from a new one."""
    import firth

    if model is not None:
        unit = np.array(firth.load(model).vectors.unit)
    else:
        with tempfile.TemporaryDirectory(prefix="firth-bench-") as name:
            text = Path(name) / "wikinews.txt"
            unpack(data_file("text/wikinews.txt.xz"), text, None)
            unit = np.array(firth.learn(text, Path(name) / "model").vectors.unit)
    return unit[unit.any(axis=1)][:n_words]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def open_tsne(pairs: Any, start: Any, exaggeration: float) -> Any:
    from scipy.sparse import csr_matrix

    peer, affinity = import_module("openTSNE"), import_module("openTSNE.affinity")
    given = affinity.PrecomputedAffinities(csr_matrix(pairs), normalize=False)
    settings = {"negative_gradient_method": "fft", "n_jobs": THREADS}
    points = peer.TSNEEmbedding(start.astype(np.float64), given, **settings)
    rate = max(200, len(start) / 12)
    for n, strength, momentum in ((N_EARLY, 12, 0.5), (N_LATE, exaggeration, 0.8)):
        points.optimize(
            n, inplace=True, learning_rate=rate, exaggeration=strength, momentum=momentum
        )
    return np.asarray(points, np.float32)


def compare(unit: Any, perplexity: float, exaggeration: float, peer: bool) -> None:
    """Print the time of every step and the divergence of the maps."""
    from firth.maps import affinities, divergence, layout, nearest_neighbours, principal_positions

    def ours() -> Any:
        return layout(pairs, start, N_EARLY, N_LATE, exaggeration, threads=THREADS)

    k = round(3 * perplexity)
    few, cosines = nearest_neighbours(unit[:4000], k)
    layout(affinities(few, cosines, perplexity), principal_positions(unit[:4000]), 2, 0)  # compiled
    (ids, cosines), seconds = timed(lambda: nearest_neighbours(unit, k, THREADS))
    print("| step | wall | divergence |\n|---|---|---|")
    print(f"| `nearest_neighbours`, {k} of {len(unit):,} | {seconds:.1f} s | |", flush=True)
    pairs, seconds = timed(lambda: affinities(ids, cosines, perplexity, THREADS))
    print(f"| `affinities`, perplexity {perplexity:g} | {seconds:.1f} s | |", flush=True)
    start, seconds = timed(lambda: principal_positions(unit))
    print(f"| `principal_positions` | {seconds:.1f} s | |", flush=True)
    jobs: dict[str, Callable[[], Any]] = {"`layout`": ours}
    if peer:
        jobs["openTSNE"] = lambda: open_tsne(pairs, start, exaggeration)
    for name, job in jobs.items():
        positions, seconds = timed(job)
        print(f"| {name} | {seconds:.1f} s | {divergence(pairs, positions):.4f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.maps", description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--perplexity", type=float, default=15)
    parser.add_argument("--exaggeration", type=float, default=1, help="of the late iterations")
    parser.add_argument("--alone", action="store_true", help="without openTSNE")
    options = parser.parse_args()
    unit = unit_vectors(options.model, options.words)
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    print(f"command: python -m benchmarks.maps {' '.join(sys.argv[1:])}\n")
    compare(unit, options.perplexity, options.exaggeration, not options.alone)


if __name__ == "__main__":
    main()
