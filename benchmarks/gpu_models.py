"""``python -m benchmarks.gpu_models``: parsing, hidden Markov models and K-means on a GPU, and on all cores.

Each row compares the GPU with the CPU in the same run, with all its cores, and says how far the results agree. The GPU
is warmed up, and its time ends when all its work is done. The floor is the least time that the operations or the bytes
take at the rates measured first: a product of matrices in double precision, and a copy.

- *Parsing*: a grammar with ``--states`` states, learned from the first file of ``--trees``, parses the sentences of up
  to 40 words of the others, again and again until there are enough. On the CPU, each thread parses sentences.
- *Baum-Welch*: text of random words with Zipf's frequencies. A round includes the new model.
- *K-means*: random vectors around random centres, ten iterations from the same random start.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np

import firth
from benchmarks.common import processor
from firth.compute import Device, Engine, engine_for, limit_blas

LONGEST = 40


class Bench:
    """The device, the sizes and the rates."""

    def __init__(self, options: argparse.Namespace) -> None:
        name, self.options = options.device, options
        cpu = Device("cpu") if name == "torch-cpu" else None
        self.engine = Engine(1, device=cpu) if cpu else engine_for("benchmark", None, name)
        assert self.engine.device is not None
        self.device, self.cores = self.engine.device, engine_for("benchmark", None)
        self.scale = options.scale
        torch = self.device.torch
        n = 8192 if self.device.is_gpu else 512
        square = torch.rand((n, n), dtype=torch.float64, device=self.device.where)
        self.rate = 2 * n**3 / self.timed(lambda: square @ square, 3)
        flat = torch.rand(n * n * 8, dtype=torch.float64, device=self.device.where)
        other = torch.empty_like(flat)
        self.bandwidth = 16 * len(flat) / self.timed(lambda: other.copy_(flat), 5)

    def timed(self, work: Callable[[], Any], times: int = 1) -> float:
        """Seconds of one of several calls, after a first one."""
        work()
        self.device.wait()
        began = time.perf_counter()
        for _ in range(times):
            work()
        self.device.wait()
        return (time.perf_counter() - began) / times

    def row(self, what: str, gpu: float, cpu: float, floor: float, same: str) -> None:
        print(
            f"| {what} | {gpu:.3f} s | {cpu:.2f} s | {cpu / gpu:,.1f} | {floor:.4f} s | {same} |",
            flush=True,
        )


def parsing(bench: Bench) -> None:
    from firth.grammar import LPCFG
    from firth.grammar._device_parser import DeviceParser
    from firth.trees import clean, read_trees

    first, *others = bench.options.trees
    train = [tree for tree in map(clean, read_trees(first)) if tree is not None]
    dev = [t for name in others or [first] for t in map(clean, read_trees(name)) if t is not None]
    texts = [tree.words for tree in dev if len(tree) <= LONGEST]
    n = int(4000 * bench.scale)
    many = (texts * (n // len(texts) + 1))[:n]
    began = time.perf_counter()
    grammar = LPCFG(bench.options.states).fit(train[: max(100, int(len(train) * bench.scale))])
    print(
        f"\nlearned from {len(train):,} trees in {time.perf_counter() - began:.0f} s\n", flush=True
    )
    parser = grammar._parser
    on_device = DeviceParser(parser, bench.device)
    edges, forest = [0], DeviceParser._forest

    def counting(self: Any, *arguments: Any) -> Any:
        found = forest(self, *arguments)
        edges[0] += len(found[0].edges)
        return found

    DeviceParser._forest = counting  # type: ignore
    grammar._device_parser = lambda: on_device  # type: ignore[method-assign]
    found = list(grammar.parses(texts))  # warm
    edges[0] = 0
    bench.device.wait()
    began = time.perf_counter()
    moved = list(grammar.parses(many))
    gpu = time.perf_counter() - began
    del grammar._device_parser
    some = many[: max(1, int(400 * bench.scale))]
    grammar.parse(some[0])
    with limit_blas(1):
        began = time.perf_counter()
        plain = list(bench.cores.map(lambda words: grammar.n_best(words, 1)[0], some))
        cpu = (time.perf_counter() - began) * len(many) / len(some)
    same = np.mean([a.tree == b.tree for a, b in zip(moved, plain, strict=False)])
    logs = [abs(a.log_prob - b.log_prob) for a, b in zip(moved, plain, strict=False) if b.found]
    floor = edges[0] * 6 * bench.options.states**3 / bench.rate
    bench.row(
        f"parsing {n:,} sentences of {np.mean([len(w) for w in many]):.1f} words, {bench.options.states} states: "
        f"{n / gpu:,.0f} a second, CPU {n / cpu:,.0f}", gpu, cpu, floor,
        f"{100 * same:.2f}% of {len(some)} trees equal, log-probabilities differ by at most {max(logs):.1e}; "
        f"{len(found):,} warmed up",
    )  # fmt: skip
    if bench.options.profile:
        profiled(
            bench, lambda: list(on_device.best([grammar._leaves(w, None) for w in many[:1024]]))
        )


def profiled(bench: Bench, work: Callable[[], Any]) -> None:
    """Where the time of the GPU goes."""
    profiler = bench.device.torch.profiler
    kinds = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA][
        : 1 + bench.device.is_gpu
    ]
    with profiler.profile(activities=kinds) as found:
        work()
        bench.device.wait()
    by = "cuda_time_total" if bench.device.is_gpu else "cpu_time_total"
    print(found.key_averages().table(sort_by=by, row_limit=25, max_name_column_width=50))


def hmm(bench: Bench) -> None:
    from firth.tags import Observations, baum_welch, random_hmm
    from firth.tags._device_hmm import DeviceModel

    n, n_states, n_words = (
        int(10_000_000 * bench.scale),
        45,
        int(100_000 * min(1, bench.scale * 10)),
    )
    rng = np.random.default_rng(0)
    p = 1 / np.arange(1, n_words + 1)
    symbols = rng.choice(n_words, n, p=p / p.sum()).astype(np.int32)
    lengths = np.clip(rng.lognormal(3, 0.6, n // 10), 1, 200).astype(np.int64)
    ends = np.cumsum(lengths)
    ends = np.append(ends[ends < n], n)
    observed = Observations(symbols, ends)
    start = random_hmm(n_states, np.bincount(symbols, minlength=n_words) + 0.1, 0, bench.cores)
    on_device = random_hmm(n_states, np.bincount(symbols, minlength=n_words) + 0.1, 0, bench.engine)
    model = [DeviceModel.of(on_device, bench.device)]

    def step() -> None:
        *numbers, _ = model[0].expect(observed)
        model[0] = model[0].next(*numbers)

    gpu = bench.timed(step, 4)
    start.expectations(Observations(symbols[: ends[9]], ends[:10]))  # compiled
    began = time.perf_counter()
    expected = start.expectations(observed)
    baum_welch_of = time.perf_counter() - began
    found = on_device.expectations(observed)
    apart = max(float(np.abs(a - b).max()) for a, b in zip(found[:3], expected[:3], strict=True))
    passes = 8 * n * n_states * 8
    bench.row(
        f"Baum-Welch, a round, {n_states} states, {n:,} tokens", gpu, baum_welch_of,
        max(passes / bench.bandwidth, 6 * n * n_states**2 / bench.rate),
        f"log-likelihoods differ by {abs(found[3] / expected[3] - 1):.1e} of themselves, expected counts by at most "
        f"{apart:.1e}",
    )  # fmt: skip
    for how in ("posterior", "viterbi"):
        gpu = bench.timed(lambda how=how: on_device.decode_all(observed, how))  # type: ignore[misc]
        began = time.perf_counter()
        plain = start.decode_all(observed, how)
        cpu = time.perf_counter() - began
        same = float((on_device.decode_all(observed, how) == plain).mean())
        bench.row(
            f"states by {how}, from and to host memory", gpu, cpu, passes / bench.bandwidth,
            f"{100 * same:.4f}% of states equal",
        )  # fmt: skip
    whole = time.perf_counter()
    _, logs = baum_welch(on_device, observed, rounds=5, tolerance=0.0)
    print(
        f"\nfive rounds with the model from and to host memory: {time.perf_counter() - whole:.2f} s, {logs}\n"
    )
    if bench.options.profile:
        profiled(bench, step)


def kmeans(bench: Bench) -> None:
    from sklearn.cluster import KMeans

    from firth.cluster._device_means import DeviceMeans

    n, dim, k, rounds = int(1_000_000 * bench.scale), 100, int(1000 * min(1, 10 * bench.scale)), 10
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(k, dim))
    for dtype in (np.float64, np.float32):
        rows = (centres[rng.integers(0, k, n)] + 1.5 * rng.normal(size=(n, dim))).astype(dtype)
        start = rows[rng.choice(n, k, replace=False)]

        def fit(rows: Any = rows, start: Any = start) -> Any:
            made = DeviceMeans(rows, bench.device)
            found = made.fit(start, k, 1, rounds, 0.0, np.random.RandomState(0))
            return found, made.nearest(found.centres)

        gpu = bench.timed(fit)
        found, labels = fit()
        peer = KMeans(k, init=start, n_init=1, max_iter=rounds, tol=0.0)
        KMeans(10, init=start[:10], n_init=1, max_iter=2).fit(rows[:10000])
        began = time.perf_counter()
        peer.fit(rows)
        cpu = time.perf_counter() - began
        apart = float(np.abs(found.centres - peer.cluster_centers_).max())
        bench.row(
            f"K-means, {n:,} × {dim} {rows.dtype}, k = {k:,}, {rounds} iterations, from and to host memory", gpu, cpu,
            2 * n * dim * k * (rounds + 2) / bench.rate,
            f"{100 * (labels == peer.labels_).mean():.4f}% of labels equal, centres differ by at most {apart:.1e}, "
            f"inertia by {abs(found.inertia / peer.inertia_ - 1):.1e}",
        )  # fmt: skip
        del rows
    if bench.options.profile:
        profiled(bench, fit)


ROWS: dict[str, Callable[[Bench], None]] = {"parsing": parsing, "hmm": hmm, "kmeans": kmeans}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_models", description=__doc__)
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], help="only these")
    parser.add_argument("--device", default="cuda", help="torch-cpu to try it without a GPU")
    parser.add_argument("--scale", type=float, default=1.0, help="the sizes, relative")
    parser.add_argument("--states", type=int, default=32)
    parser.add_argument("--trees", nargs="+", default=[], metavar="FILE", help="in brackets")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    bench = Bench(options)
    torch = bench.device.torch
    print(
        f"{bench.device.title}; PyTorch {torch.__version__}; {bench.cores.threads} threads on the CPU"
    )
    print(f"firth {firth.__version__}; {bench.rate / 1e12:.1f} TFLOP/s in double precision; "
          f"copies {bench.bandwidth / 1e12:.2f} TB/s\n")  # fmt: skip
    print(
        "| work | GPU | CPU, all cores | ratio | floor | equality |\n|---|---|---|---|---|---|",
        flush=True,
    )
    for name in options.rows or [name for name in ROWS if name != "parsing" or options.trees]:
        ROWS[name](bench)


if __name__ == "__main__":
    main()
