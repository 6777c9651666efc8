"""Rows of ``python -m benchmarks.gpu`` on models: parsing, hidden Markov models, K-means.

- *Parsing* needs ``--trees FILE,FILE``: a grammar with 32 states is learned from the first file, and parses the
  sentences of up to 40 words of the last, again and again until there are 4,000. On the CPU, threads parse 400 of
  them, a sentence each, and the time of 4,000 follows.
- *Baum-Welch* and *states*: ten million random words with Zipf's frequencies, 45 states. On the GPU, a round includes
  the new model.
- *K-means*: a million random vectors around random centres, ten iterations from the same random start.
- *Windowed Ward* and *group-average*: 20,000 random vectors. They have no floor: they wait for the last merge.

``--scale`` makes all of them smaller.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from firth.compute import limit_blas

if TYPE_CHECKING:
    from benchmarks.gpu import Facts, Lab

__all__ = ["MODEL_ROWS"]

LONGEST, STATES, N_SENTENCES, N_ON_CPU = 40, 32, 4000, 400
TAGS, N_TOKENS, N_WORDS = 45, 10_000_000, 100_000
OBJECTS, DIM, CLUSTERS, ITERATIONS = 1_000_000, 100, 1000, 10
N_MERGED = 20_000


def parsing(lab: Lab) -> Facts:
    """Sentences to trees; quality is the share of the trees that are the CPU's."""
    from firth.grammar import LPCFG
    from firth.grammar._device_parser import DeviceParser
    from firth.trees import clean, read_trees

    files = (lab.options.trees or "").split(",")
    if not files[0]:
        sys.exit("error: Parsing needs trees.\nhint: --trees TRAIN,DEV")
    banks = [[t for t in map(clean, read_trees(name)) if t is not None] for name in files]
    texts = [tree.words for tree in banks[-1] if len(tree) <= LONGEST]
    n = int(N_SENTENCES * lab.options.scale)
    many = (texts * (n // len(texts) + 1))[:n]
    grammar = LPCFG(STATES).fit(banks[0])
    edges = counting_edges()
    on_device: Any = copy(grammar)
    parser = DeviceParser(grammar._parser, lab.device)
    on_device._device_parser = lambda: parser
    list(on_device.parses(many[: n // 4]))
    edges.clear()
    taken, moved = lab.seconds(lambda: list(on_device.parses(many)), 1)
    floor = sum(edges) * 3 * 2 * STATES**3 / lab.rate("float64")
    some = many[: max(1, N_ON_CPU * n // N_SENTENCES)]
    if not lab.options.no_cpu:
        grammar.parse(some[0])
    with limit_blas(1):
        cpu, theirs = lab.on_cpu(
            lambda: list(lab.cpu.map(lambda words: grammar.n_best(words, 1)[0], some))
        )
    quality: Facts = {"sentences a second": n / taken}
    if cpu is not None:
        cpu *= n / len(some)
        pairs = list(zip(moved, theirs, strict=False))
        quality |= {
            "CPU": n / cpu, "same trees": float(np.mean([a.tree == b.tree for a, b in pairs])), "of": len(pairs),
            "largest difference of log-probabilities": max(abs(a.log_prob - b.log_prob) for a, b in pairs if b.found),
        }  # fmt: skip
    what = (
        f"parsing {n:,} sentences of {np.mean([len(w) for w in many]):.1f} words, {STATES} states"
    )
    if lab.options.profile:
        profiled(lab, lambda: list(on_device.parses(many[:1024])))
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


def counting_edges() -> list[int]:
    """A list that gets the number of edges of each batch from now on."""
    from firth.grammar import _device_parser as module

    found: list[int] = []
    parser: Any = module.DeviceParser
    forest = parser._forest

    def counting(self: Any, *arguments: Any) -> Any:
        made = forest(self, *arguments)
        found.append(len(made[0].edges))
        return made

    parser._forest = counting
    return found


def text(lab: Lab) -> tuple[Any, Any]:
    """Random words in sentences, and their frequencies."""
    from firth.tags import Observations

    n, n_words = int(N_TOKENS * lab.options.scale), int(N_WORDS * min(1, 10 * lab.options.scale))
    rng = np.random.default_rng(0)
    p = 1 / np.arange(1, n_words + 1)
    symbols = rng.choice(n_words, n, p=p / p.sum()).astype(np.int32)
    ends = np.cumsum(np.clip(rng.lognormal(3, 0.6, n // 10), 1, 200).astype(np.int64))
    ends = np.append(ends[ends < n], n)
    return Observations(symbols, ends), np.bincount(symbols, minlength=n_words) + 0.1


def baum_welch(lab: Lab) -> Facts:
    """A round with its new model, which stays on the device; quality is how far results are from the CPU's."""
    from firth.tags import random_hmm
    from firth.tags._device_hmm import DeviceModel

    observed, frequencies = text(lab)
    plain, moved = (random_hmm(TAGS, frequencies, 0, engine) for engine in (lab.cpu, lab.gpu))
    model = DeviceModel.of(moved, lab.device)

    def step() -> None:
        *numbers, _ = model.expect(observed)
        model.next(*numbers)

    step()
    taken, _ = lab.seconds(step)
    n = len(observed)
    # forward probabilities are written and read, posteriors written, read in another order, and summed
    floor = max(5 * 8 * n * TAGS / lab.bandwidth, 3 * 2 * n * TAGS**2 / lab.rate("float64"))
    if not lab.options.no_cpu:
        plain.posteriors(observed.symbols[:20])
        plain.expectations(type(observed)(observed.symbols[:20], np.array([20])))
    cpu, theirs = lab.on_cpu(lambda: plain.expectations(observed))
    quality: Facts = {}
    if theirs is not None:
        found = moved.expectations(observed)
        apart = [float(np.abs(a - b).max()) for a, b in zip(found[:3], theirs[:3], strict=True)]
        quality = {
            "log-likelihood, relative difference": abs(found[3] / theirs[3] - 1),
            "expected counts, largest difference": max(apart),
        }  # fmt: skip
    if lab.options.profile:
        profiled(lab, step)
    what = f"Baum-Welch, a round, {TAGS} states, {n:,} tokens"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


def states(lab: Lab, how: str = "posterior") -> Facts:
    """The states of all words, to host memory; quality is the share that is the CPU's."""
    from firth.tags import random_hmm

    observed, frequencies = text(lab)
    plain, moved = (random_hmm(TAGS, frequencies, 0, engine) for engine in (lab.cpu, lab.gpu))
    moved.decode_all(observed, how)
    taken, ours = lab.seconds(lambda: moved.decode_all(observed, how))
    if not lab.options.no_cpu:
        plain.decode_all(type(observed)(observed.symbols[:20], np.array([20])), how)
    cpu, theirs = lab.on_cpu(lambda: plain.decode_all(observed, how))
    n = len(observed)
    floor = 2 * 8 * n * TAGS / lab.bandwidth + 8 * n / lab.bus
    quality = {} if theirs is None else {"same": float((ours == theirs).mean())}
    what = f"states of {n:,} tokens by {how}"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


def viterbi(lab: Lab) -> Facts:
    return states(lab, "viterbi")


def k_means(lab: Lab, dtype: Any = np.float32) -> Facts:
    """Vectors to labels, from and to host memory, against scikit-learn; quality is how far the results are the same."""
    from sklearn.cluster import KMeans

    from firth.cluster._device_means import DeviceMeans

    n, k = int(OBJECTS * lab.options.scale), int(CLUSTERS * min(1, 10 * lab.options.scale))
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(k, DIM))
    rows = (centres[rng.integers(0, k, n)] + 1.5 * rng.normal(size=(n, DIM))).astype(dtype)
    start = rows[rng.choice(n, k, replace=False)]

    def fit() -> Any:
        made = DeviceMeans(rows, lab.gpu)
        found = made.fit(start, k, 1, ITERATIONS, 0.0, np.random.RandomState(0))
        return found, made.nearest(found.centres)

    fit()
    taken, (found, labels) = lab.seconds(fit)
    peer = KMeans(k, init=start, n_init=1, max_iter=ITERATIONS, tol=0.0)
    cpu, _ = lab.on_cpu(lambda: peer.fit(rows))
    quality: Facts = {}
    if cpu is not None:
        quality = {
            "same labels": float((labels == peer.labels_).mean()),
            "centres, largest difference": float(np.abs(found.centres - peer.cluster_centers_).max()),
            "inertia, relative difference": abs(found.inertia / peer.inertia_ - 1),
        }  # fmt: skip
    if lab.options.profile:
        profiled(lab, fit)
    floor = 2 * n * DIM * k * (ITERATIONS + 2) / lab.rate("float64") + rows.nbytes / lab.bus
    what = f"K-means, {n:,} × {DIM} {rows.dtype}, k = {k:,}, {ITERATIONS} iterations"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


def k_means_double(lab: Lab) -> Facts:
    return k_means(lab, np.float64)


def windowed_ward(lab: Lab) -> Facts:
    """A tree from a window of 1,000 classes; quality is the share of merges that are the CPU's."""
    from firth.classes._ward import ward

    rows = (
        np.random.default_rng(0)
        .normal(size=(int(N_MERGED * lab.options.scale), 200))
        .astype(np.float32)
    )
    window = min(1000, len(rows) // 2)
    ward(rows[: window + 10], window, lab.gpu)
    taken, ours = lab.seconds(lambda: ward(rows, window, lab.gpu), 1)
    if not lab.options.no_cpu:
        ward(rows[: window + 10], window, lab.cpu)
    cpu, theirs = lab.on_cpu(lambda: ward(rows, window, lab.cpu))
    quality = {} if theirs is None else {"same merges": float((ours[0] == theirs[0]).mean())}
    what = f"windowed Ward, {len(rows):,} × 200, window {window:,}"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": None, "quality": quality}


def group_average(lab: Lab) -> Facts:
    """A tree of cosines; quality is the share of merges that are the CPU's."""
    from firth.cluster import linkage

    rows = np.random.default_rng(0).normal(size=(int(N_MERGED * lab.options.scale), 300))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    linkage(rows[:100], threads=lab.gpu)
    taken, ours = lab.seconds(lambda: linkage(rows, threads=lab.gpu), 1)
    if not lab.options.no_cpu:
        linkage(rows[:100], threads=lab.cpu)
    cpu, theirs = lab.on_cpu(lambda: linkage(rows, threads=lab.cpu))
    quality = {} if theirs is None else {"same merges": float((ours == theirs).mean())}
    what = f"group-average, {len(rows):,} × 300, cosines"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": None, "quality": quality}


def profiled(lab: Lab, work: Callable[[], Any]) -> None:
    """Print where the time goes."""
    profiler = lab.torch.profiler
    kinds = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA][: 1 + lab.device.is_gpu]
    began = time.perf_counter()
    with profiler.profile(activities=kinds) as found:
        work()
        lab.device.wait()
    print(f"profiled: {time.perf_counter() - began:.2f} s")
    by = "self_cuda_time_total" if lab.device.is_gpu else "self_cpu_time_total"
    print(found.key_averages().table(sort_by=by, row_limit=25, max_name_column_width=50))


MODEL_ROWS = (
    parsing,
    baum_welch,
    states,
    viterbi,
    k_means,
    k_means_double,
    windowed_ward,
    group_average,
)
