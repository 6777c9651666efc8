"""``python -m benchmarks.cluster``: group-average compared with fastcluster's average linkage; K-means and Buckshot;
single, complete and average link, Ward's method and k-medoids compared with fastcluster and the package kmedoids.

Trees: unit vectors of 300 dimensions. ``words`` are Firth's vectors of the most frequent words in the first part of
``wiki.txt``; ``random`` vectors have no structure. fastcluster gets its distances from SciPy's ``pdist``, as its own
``linkage`` does when it is given vectors; its time includes them, and they are also shown apart. Flat clusters: vectors
of 100 dimensions from a hundred Gaussians; K-means and Buckshot start once and run until they converge. ``peers``: the
other trees by Euclidean distances of word vectors; medoids by their L1 distances, from the same random medoids, where
only the search is timed; all times of this part are CPU times. Each job runs in a process of its own; jobs take turns,
and the fastest of several rounds counts. Imports and compilation are not counted. Memory is the peak minus what the
process used when the job began. Exponents are slopes of log time over log n. Needs FIRTH_DATA with
``text/wiki.txt.xz``.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.common import data_file, processor, unpack

DIM, FLAT_DIM, N_CENTRES = 300, 100, 100
TREE_SIZES = (2_500, 5_000, 10_000, 20_000)
FLAT_SIZES = (125_000, 250_000, 500_000, 1_000_000)
N_BYTES = 60_000_000
VECTOR_LINKS = ("single", "ward")
LINKS = (*VECTOR_LINKS, "complete", "average")


def words(folder: Path, n: int) -> Any:
    """The vectors of the most frequent words; learned on the first call."""
    path = folder / "words.npy"
    if not path.exists():
        import firth

        text = folder / "wiki.txt"
        unpack(data_file("text/wiki.txt.xz"), text, N_BYTES)
        corpus = firth.Corpus.from_files(text, lowercase=True)
        counts = firth.count(corpus, contexts="bag5", vocabulary=max(TREE_SIZES) + 100)
        found = (
            firth.SpectralEmbedding(DIM, alpha=0.75, beta=0.0, spelling=0)
            .fit(counts)
            .vectors_.matrix
        )
        np.save(
            path, found[found.any(axis=1)]
        )  # a word that is always alone in its line has no contexts
    rows = np.load(path)[:n].astype(np.float64)
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def no_structure(_: Path, n: int) -> Any:
    rows = np.random.default_rng(0).normal(size=(n, DIM))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def blobs(_: Path, n: int) -> Any:
    random = np.random.default_rng(0)
    centres = random.normal(size=(N_CENTRES, FLAT_DIM), scale=1.5)
    rows = random.normal(size=(n, FLAT_DIM)).astype(np.float32)
    rows += centres.astype(np.float32)[random.integers(N_CENTRES, size=n)]
    return rows


def group_average(rows: Any) -> dict[str, Any]:
    from firth.cluster import inversions, linkage

    tree = linkage(rows, "group-average", "cosine")
    return {"inversions": len(inversions(tree))}


def fastcluster_cosine(rows: Any) -> dict[str, Any]:
    import fastcluster
    from scipy.spatial.distance import pdist

    began = time.perf_counter()
    distances = pdist(rows, "cosine")
    seconds = time.perf_counter() - began
    fastcluster.linkage(distances, "average", preserve_input=False)
    return {"distances": seconds}


def flat(start: str) -> Callable[[Any], dict[str, Any]]:
    def run(rows: Any) -> dict[str, Any]:
        from firth.cluster import FlatClusters

        found = FlatClusters(N_CENTRES, init=start, n_init=1).fit(rows)
        return {"rounds": int(found.n_iter_), "error": found.inertia_ / len(rows)}

    return run


def linked(method: str) -> Callable[[Any], dict[str, Any]]:
    def run(rows: Any) -> dict[str, Any]:
        from firth.cluster import linkage

        return {"heights": float(linkage(rows, method, "euclidean")[:, 2].sum())}

    return run


def linked_by_fastcluster(method: str) -> Callable[[Any], dict[str, Any]]:
    def run(rows: Any) -> dict[str, Any]:
        import fastcluster
        from scipy.spatial.distance import pdist

        if method in VECTOR_LINKS:
            tree = fastcluster.linkage_vector(rows, method)
        else:
            tree = fastcluster.linkage(pdist(rows), method, preserve_input=False)
        return {"heights": float(tree[:, 2].sum())}

    return run


def medoids(by: str) -> Callable[[Any], dict[str, Any]]:
    def run(rows: Any) -> dict[str, Any]:
        import kmedoids
        from sklearn.metrics import pairwise_distances

        from firth.cluster._medoids import find_medoids

        distances = pairwise_distances(rows, metric="manhattan")
        first = np.random.default_rng(0).permutation(len(rows))[:N_CENTRES]
        began = time.process_time()
        if by == "firth":
            found: Any = find_medoids(distances, first, 300)
        else:
            found = kmedoids.fasterpam(distances, first.astype(np.uint64), max_iter=300, n_cpu=1)
        cpu = time.process_time() - began
        return {"cpu": cpu, "loss": float(found.loss), "rounds": int(found.n_iter)}

    return run


JOBS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "group_average": group_average,
    "fastcluster_cosine": fastcluster_cosine,
    "k_means": flat("k-means++"),
    "buckshot": flat("buckshot"),
    "medoids": medoids("firth"),
    "kmedoids": medoids("kmedoids"),
    **{method: linked(method) for method in LINKS},
    **{f"fastcluster_{method}": linked_by_fastcluster(method) for method in LINKS},
}
DATA: dict[str, Callable[[Path, int], Any]] = {
    "words": words,
    "random": no_structure,
    "blobs": blobs,
}


def one(job: str, data: str, n: int, folder: Path) -> None:
    """Run a job, and print its time and memory."""
    JOBS[job](DATA[data](folder, 300))  # compiled and imported
    rows = DATA[data](folder, n)
    before = psutil.Process().memory_info().rss
    began, cpu = time.perf_counter(), time.process_time()
    facts = JOBS[job](rows)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "cpu": cpu, "memory": peak - before, **facts}))


def measure(job: str, data: str, n: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.cluster", "--work", str(folder), "--one"]
    command += [job, data, str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {job} {data} {n:,}: {found['seconds']:.2f} s", file=sys.stderr, flush=True)
    return found


def best_of(
    jobs: list[str], data: str, sizes: list[int], folder: Path, rounds: int
) -> dict[Any, Any]:
    best: dict[Any, Any] = {}
    for n in sizes:
        for _ in range(rounds):
            for job in jobs:
                found = measure(job, data, n, folder)
                if (job, n) not in best or found["seconds"] < best[job, n]["seconds"]:
                    best[job, n] = found
    return best


def exponent(best: dict[Any, Any], job: str, sizes: list[int]) -> float:
    seconds = [best[job, n]["seconds"] for n in sizes]
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def trees(data: str, sizes: list[int], folder: Path, rounds: int) -> None:
    jobs = ["group_average", "fastcluster_cosine"]
    best = best_of(jobs, data, sizes, folder, rounds)
    print(
        f"\n| n, {data} | group-average | fastcluster, average | its distances "
        "| its time, relative | its memory, relative | inversions |"
    )
    print("|---|---|---|---|---|---|---|")
    for n in sizes:
        ours, theirs = (best[job, n] for job in jobs)
        print(
            f"| {n:,} | {ours['seconds']:.2f} s, {ours['memory'] / 1e6:,.0f} MB | {theirs['seconds']:.2f} s, "
            f"{theirs['memory'] / 1e6:,.0f} MB | {theirs['distances']:.2f} s "
            f"| {theirs['seconds'] / ours['seconds']:.1f} "
            f"| {theirs['memory'] / ours['memory']:.1f} | {ours['inversions']:,} |"
        )  # fmt: skip
    print(
        f"| exponent | {exponent(best, jobs[0], sizes):.2f} | {exponent(best, jobs[1], sizes):.2f} | | | | |"
    )


def flats(sizes: list[int], folder: Path, rounds: int) -> None:
    jobs = ["k_means", "buckshot"]
    best = best_of(jobs, "blobs", sizes, folder, rounds)
    print(
        "\n| n, 100 Gaussians | K-means (k-means++) | iterations | error | Buckshot | iterations | error |"
    )
    print("|---|---|---|---|---|---|---|")
    for n in sizes:
        cells = [
            f"{found['seconds']:.2f} s, {found['memory'] / 1e6:,.0f} MB | {found['rounds']} | {found['error']:.2f}"
            for found in (best[job, n] for job in jobs)
        ]
        print(f"| {n:,} | {' | '.join(cells)} |")
    print(
        f"| exponent | {exponent(best, jobs[0], sizes):.2f} | | | {exponent(best, jobs[1], sizes):.2f} | | |"
    )


def peers(sizes: list[int], folder: Path, rounds: int) -> None:
    print(
        "\n| method | n | Firth | other package | its CPU time, relative | its memory, relative | difference |"
    )
    print("|---|---|---|---|---|---|---|")
    pairs = [(method, f"fastcluster_{method}") for method in LINKS]
    if find_spec("kmedoids") is None:  # it is under the GPL, so no extra of Firth asks for it
        print("kmedoids is missing: pip install kmedoids", file=sys.stderr)
    else:
        pairs.append(("medoids", "kmedoids"))
    for pair in pairs:
        best = best_of(list(pair), "words", sizes, folder, rounds)
        fact = "loss" if pair[0] == "medoids" else "heights"
        for n in sizes:
            ours, theirs = (best[job, n] for job in pair)
            print(
                f"| {pair[0]} | {n:,} | {ours['cpu']:.2f} s, {ours['memory'] / 1e6:,.0f} MB "
                f"| {theirs['cpu']:.2f} s, {theirs['memory'] / 1e6:,.0f} MB "
                f"| {theirs['cpu'] / ours['cpu']:.1f} | {theirs['memory'] / ours['memory']:.1f} "
                f"| {ours[fact] / theirs[fact] - 1:.1e} |"
            )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="folder where the word vectors are kept")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(TREE_SIZES))
    parser.add_argument("--peer-sizes", type=int, nargs="+", default=list(TREE_SIZES[:3]))
    parser.add_argument("--flat-sizes", type=int, nargs="+", default=list(FLAT_SIZES))
    parser.add_argument(
        "--only",
        nargs="+",
        choices=["words", "random", "flat", "peers"],
        default=["words", "random", "flat", "peers"],
    )
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if options.one:
            job, data, n = options.one
            one(job, data, int(n), folder)
            return
        if {"words", "peers"} & set(options.only):
            words(folder, 1)
        print(f"{datetime.now(UTC):%Y-%m-%d}, {processor()}, Python {platform.python_version()}")
        for data in ("words", "random"):
            if data in options.only:
                trees(data, options.sizes, folder, options.rounds)
        if "flat" in options.only:
            flats(options.flat_sizes, folder, options.rounds)
        if "peers" in options.only:
            peers(options.peer_sizes, folder, options.rounds)


if __name__ == "__main__":
    main()
