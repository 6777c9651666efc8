"""``python -m benchmarks.decomposition``: time and energy of a large decomposition, and the floor of its arithmetic.

``--against SRC`` also measures another version of Firth, whose source is in that folder: each in a process
of its own, one after the other. Needs FIRTH_DATA with ``text/wiki.txt.xz``, or ``--text FILE``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_file, processor, unpack

TEMPLATE: dict[str, Any] = {
    "transform": "sqrt",
    "scale": "cca",
    "alpha": 0.75,
    "beta": 0.0,
    "kappa": 0.0,
}


def prepare(folder: Path, text: Path | None, contexts: str, words: int) -> None:
    """Count the contexts of a text, unless the folder has them from an earlier command."""
    from firth import pipeline

    if (folder / "model").exists():
        return
    if text is None:
        text = folder / "text.txt"
        unpack(data_file("text/wiki.txt.xz"), text, None)
    pipeline.learn(
        text, folder / "model", contexts=contexts, min_count=2, vocabulary=words, dim=0, classes=0
    )


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def system() -> float:
    """CPU seconds that the system spent for this process, most of them on memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_stime


def sgemm_rate() -> float:
    """Operations per second of NumPy's BLAS with one thread, for large square matrices."""
    from threadpoolctl import threadpool_limits

    square = np.random.default_rng(0).standard_normal((2000, 2000), np.float32)
    best = 0.0
    with threadpool_limits(1):
        for _ in range(4):
            began = cpu()
            square @ square
            best = max(best, 2 * 2000**3 / (cpu() - began))
    return best


def run_one(folder: Path, rank: int, tolerance: float, threads: int) -> None:
    """In a process of its own: decompose, print facts."""
    import firth
    from firth.compute import Engine
    from firth.compute.kernels import LANES
    from firth.vectors import ScaledCounts, Template, krylov_svd

    counts, engine = firth.load(folder / "model").counts, Engine(threads)
    operator = ScaledCounts(counts, Template(**TEMPLATE), engine)
    krylov_svd(operator, 4, 0.5, 0, engine)  # compiled
    began, of_system, started = cpu(), system(), time.perf_counter()
    found = krylov_svd(operator, rank, tolerance, 0, engine)
    seconds, used = time.perf_counter() - started, cpu() - began
    of_system = system() - of_system
    assert found is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    n, size = min(operator.shape), found.basis
    sparse = 2 * LANES * operator.n_entries * (2 * size + rank) / LANES
    dense = 2 * n * size**2 + 2 * n * size * rank
    rate = sgemm_rate()
    inner = found.left.T @ found.left
    print(
        json.dumps(
            {
                "seconds": seconds,
                "cpu": used,
                "system": of_system,
                "peak": peak,
                "entries": operator.n_entries,
                "shape": operator.shape,
                "basis": size,
                "residual": found.residual,
                "energy": float((found.values**2).sum()),
                "orthogonal": float(np.abs(inner - np.eye(len(inner))).max()),
                "floor": (sparse + dense) / rate,
                "rate": rate,
            }
        )
    )


def measure(source: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run with the source of some version of Firth."""
    command = [sys.executable, "-m", "benchmarks.decomposition", "--run", str(folder)]
    for name in ("rank", "tolerance", "threads"):
        command += [f"--{name}", str(getattr(options, name))]
    environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {source}: {result}", file=sys.stderr, flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decomposition", description=__doc__)
    parser.add_argument("--words", type=int, default=300_000)
    parser.add_argument("--rank", type=int, default=1000)
    parser.add_argument("--contexts", default="LR2")
    parser.add_argument("--tolerance", type=float, default=0.005)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--text", type=Path, metavar="FILE")
    parser.add_argument("--folder", type=Path, help="keep counts in this folder")
    parser.add_argument("--against", type=Path, metavar="SRC")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_one(options.run, options.rank, options.tolerance, options.threads)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        prepare(folder, options.text, options.contexts, options.words)
        here = Path(__file__).parents[1] / "src"
        sources = {"before": options.against} if options.against else {}
        results = {
            name: measure(source, folder, options)
            for name, source in {**sources, "now": here}.items()
        }
    best = max(result["energy"] for result in results.values())
    some = results["now"]
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {processor()}, Python {platform.python_version()}; "
        f"{options.threads} threads, {some['shape'][0]:,} by {some['shape'][1]:,}, {some['entries']:,} entries, "
        f"rank {options.rank}\n"
    )
    print(
        "| version | CPU | of which system | wall | floor | energy, share of the best | residual | basis "
        "| largest inner product | peak RSS |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    for name, result in results.items():
        print(
            f"| {name} | {result['cpu']:.1f} s | {result['system']:.1f} s | {result['seconds']:.1f} s "
            f"| {result['floor']:.1f} s "
            f"| {result['energy'] / best:.7f} | {result['residual']:.4f} | {result['basis']} "
            f"| {result['orthogonal']:.1e} | {result['peak'] / 1e9:.1f} GB |"
        )
    print(
        f"\nThe floor is the time that one thread of BLAS would take for as many operations, at the rate of "
        f"large square matrices: {some['rate'] / 1e9:.0f} billion a second."
    )


if __name__ == "__main__":
    main()
