"""``python -m benchmarks.classes``: word classes compared with other programs, and how their time grows.

Each job runs in a process of its own, one after the other, on one thread. Times are CPU times, so other work on the
machine matters little; only the job ``threads`` compares wall-clock times, and needs a quiet machine. In the job
``programs``, each program runs once, and its time is that of the whole process. In all other jobs, reading, counting,
imports and compilation come before the clock starts, and the fastest of three runs counts if they are short. Memory is
the peak of the process; in brackets, what it used when the clock started: the interpreter, packages and the input.

Needs FIRTH_DATA with ``text/wiki.txt.xz``, and ``pip install -e .[bench]``; an image needs ``.[images]``. The job
``programs`` compares with wcluster and ClusterCat if FIRTH_PEERS names a folder with the executables ``wcluster`` and
``clustercat``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import programs
from benchmarks.common import (
    Facts,
    data_file,
    first_tokens,
    peer_program,
    print_table,
    processor,
    run_program,
    unpack,
)

PACKAGES = "numpy numba scipy scikit-learn fastcluster brown-clustering".split()
ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
LONG = 10.0
"""A job is not repeated once its runs have taken this many seconds in total."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of all jobs."""

    n_bytes: int | None = None
    rounds: int = 3
    programs: tuple[tuple[int, int, int], ...] = (
        (1_000_000, 5, 100), (5_000_000, 10, 500), (0, 10, 1000),
    )  # fmt: skip
    """Tokens (0: all), minimum count, classes."""
    limit: int = 900
    """CPU seconds after which wcluster is stopped, and its time extrapolated."""
    min_counts: tuple[int, ...] = (50, 10, 2)
    m: int = 1000
    pypi: tuple[int, int, int] = (1_000_000, 5_000, 100)  # tokens, words, classes
    ward: tuple[int, int, int] = (50_000, 1000, 1000)  # words, dim, window
    full_ward: tuple[int, int] = (5_000, 200)  # words, dim
    over_n: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000)
    over_m: tuple[int, ...] = (125, 250, 500, 1000)
    over_tokens: tuple[int, ...] = (5_000_000, 10_000_000, 20_000_000, 0)  # 0: all
    fixed: tuple[int, int] = (50_000, 500)  # words and classes, where they do not vary
    threads: tuple[int, ...] = (1, 2, 4, 8, 16)


QUICK = Sizes(
    20_000_000, 1, ((200_000, 5, 50),), 60, (50, 10), 100, (100_000, 1_000, 30), (5_000, 200, 200),
    (1_000, 50), (2_000, 5_000, 15_000), (50, 100, 200), (500_000, 1_000_000, 0), (5_000, 100), (1, 2),
)  # fmt: skip


# Jobs -------------------------------------------------------------------------------------------


def _counts(folder: Path, tokens: int, min_count: int, words: int | None) -> Any:
    """The pairs of adjacent words, as Brown's algorithm learns from them."""
    from firth import count

    return count(first_tokens(folder / "text.txt", tokens), "R1", min_count, words)


def _bits(classes: Any) -> float:
    from firth.classes import mutual_information

    return mutual_information(classes.follow, classes.tokens) / math.log(2)


def _warm_up() -> None:
    """Compile Firth's kernels."""
    import firth
    from firth.classes._ward import ward

    toy = firth.Corpus.from_sentences([list("abcabdefgh")] * 3)
    brown = firth.BrownClasses(3, min_count=1, threads=1).fit(toy)
    firth.ExchangeRefiner(min_count=1, threads=1).fit(brown.hierarchy_, toy)
    ward(np.eye(8, dtype=np.float32), 3)


def warm_up(folder: Path) -> Facts:  # noqa: ARG001
    """Firth's compiled kernels are stored, for the processes that follow."""
    _warm_up()
    return {}


@contextmanager
def clock() -> Iterator[Facts]:
    """CPU seconds and memory of the work inside."""
    import psutil

    facts: Facts = {"before": psutil.Process().memory_info().rss}
    wall, cpu = time.perf_counter(), time.process_time()
    yield facts
    facts["seconds"], facts["wall"] = time.process_time() - cpu, time.perf_counter() - wall
    facts["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def brown_firth(folder: Path, tokens: int, min_count: int, words: int | None, m: int) -> Facts:
    """Firth: Brown's algorithm, from counts to the finished tree."""
    from firth import BrownClasses

    _warm_up()
    counts = _counts(folder, tokens, min_count, words)
    with clock() as facts:
        classes = BrownClasses(m, threads=1).fit(counts).hierarchy_
    n = len(counts.word_counts)
    return {**facts, "bits": _bits(classes), "n": n, "tokens": int(sum(counts.word_counts))}


def exchange_firth(folder: Path, min_count: int, m: int) -> Facts:
    """Firth: Brown clusters refined by exchange with the default tolerance, and their new tree."""
    from firth import BrownClasses, ExchangeRefiner

    _warm_up()
    counts = _counts(folder, 0, min_count, None)
    brown = BrownClasses(m, threads=1).fit(counts).hierarchy_
    with clock() as facts:
        refined = ExchangeRefiner(threads=1).fit(brown, counts)
    moved = [int(step["moved"]) for step in refined.history_]
    bits = {"bits before": _bits(brown), "bits": _bits(refined.hierarchy_)}
    return {**facts, **bits, "passes": len(moved), "moved": moved}


def classes_firth(folder: Path, threads: int) -> Facts:
    """Firth: the classes of ``firth learn`` by several threads, stage by stage."""
    from firth.classes import bigrams_of
    from firth.classes._build import numbered
    from firth.classes._merging import add_words, exchange, merge_classes
    from firth.classes._parameters import ExchangeParameters, default_n_classes
    from firth.compute import Engine
    from firth.counts import CountsParameters
    from firth.store import Checkpoint

    _warm_up()
    pairs = bigrams_of(_counts(folder, 0, CountsParameters.min_count, None))
    m, engine, how = default_n_classes(pairs.n_words), Engine(threads), ExchangeParameters()
    walls, result = [], hashlib.sha256()
    with clock() as facts:
        walls.append(time.perf_counter())
        merges, losses, names = add_words(pairs, m, engine, Checkpoint())
        walls.append(time.perf_counter())
        class_of, _ = exchange(
            pairs, numbered(names), m, how.passes, how.tolerance, engine, Checkpoint()
        )
        walls.append(time.perf_counter())
        tree, tree_losses = merge_classes(pairs, class_of, m, engine)
        walls.append(time.perf_counter())
    for array in (merges, losses, class_of, tree, tree_losses):
        result.update(array.tobytes())
    stages = np.diff(walls).tolist()
    return {**facts, "stages": stages, "n": pairs.n_words, "m": m, "result": result.hexdigest()}


def brown_pypi(folder: Path, tokens: int, words: int, m: int, alpha: float) -> Facts:
    """The package brown-clustering, with the same tokens: words by their ranks, rare words as one."""
    from brown_clustering import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        BigramCorpus,
        BrownClustering,
    )

    from firth.classes import bigrams_of, mutual_information

    BrownClustering(BigramCorpus([list("abcdef")], alpha), 3).train()  # compiles
    corpus = first_tokens(folder / "text.txt", tokens)
    pairs = bigrams_of(_counts(folder, tokens, 1, words))
    rank = np.argsort(pairs.order)
    names = np.array([f"{i:07}" for i in range(pairs.n_words)], dtype=object)
    of_tokens = names[rank[np.minimum(corpus.ids, len(rank) - 1)]]
    sentences = [list(sentence) for sentence in np.split(of_tokens, corpus.ends[:-1])]
    counted = BigramCorpus(sentences, alpha)
    with clock() as facts:
        found = BrownClustering(counted, m).train()
    class_of = np.empty(pairs.n_words, np.int64)
    for number, members in enumerate(found):
        class_of[[int(word) for word in members]] = number
    nats = mutual_information(pairs.between(class_of, len(found)), pairs.sums(class_of, len(found)))
    return {**facts, "bits": nats / math.log(2)}


def make_vectors(folder: Path, words: int, dim: int) -> Facts:
    """Vectors like those of spectral classes: canonical correlation with LR2 contexts."""
    from firth import SpectralEmbedding, count

    counts = count(first_tokens(folder / "text.txt", 0), "LR2", 1, words)
    learner = SpectralEmbedding(dim, transform="none", alpha=1.0, beta=0.0, kappa=200.0, spelling=0)
    np.save(folder / "vectors.npy", learner.fit(counts).vectors_.matrix)
    return {}


def ward_firth(folder: Path, m: int) -> Facts:
    """Firth: windowed Ward clustering."""
    from firth.classes._ward import ward

    _warm_up()
    vectors = np.load(folder / "vectors.npy")
    with clock() as facts:
        merges, _, gamma = ward(vectors, m)
    np.save(folder / "ward.npy", merges)
    return {**facts, "gamma": gamma}


def ward_literal(folder: Path, m: int) -> Facts:
    """Figure 5 of the paper as written, to the end: its first iterations take longer than later ones."""
    from benchmarks import literal_ward

    literal_ward.warm_up()
    vectors = np.load(folder / "vectors.npy").astype(np.float64)
    with clock() as facts:
        merges, gamma = literal_ward.ward(vectors, m)
    same = np.all(merges == np.load(folder / "ward.npy"), axis=1).sum()
    return {**facts, "gamma": gamma, "same": int(same), "steps": len(merges)}


def full_ward(folder: Path, by: str, words: int, dim: int) -> Facts:
    """Ward clustering without a window: the costs of all merges, as increases of the sum of squares."""
    vectors = np.load(folder / "vectors.npy")[:words, :dim].astype(np.float64)
    _full_ward(by, np.eye(8))  # imports and compiles
    with clock() as facts:
        costs = _full_ward(by, vectors)
    np.save(folder / f"ward-{by}.npy", np.sort(costs))
    reference = np.load(folder / "ward-firth.npy")
    return {**facts, "apart": float((np.abs(np.sort(costs) - reference) / reference.max()).max())}


def _full_ward(by: str, vectors: Any) -> Any:
    if by == "firth":
        from firth.classes._ward import ward

        return ward(vectors, len(vectors))[1]
    if by == "sklearn":
        from sklearn.cluster import AgglomerativeClustering

        model = AgglomerativeClustering(None, linkage="ward", distance_threshold=0.0)
        return model.fit(vectors).distances_ ** 2 / 2
    from fastcluster import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        linkage_vector,
    )

    return linkage_vector(vectors, "ward")[:, 2] ** 2 / 2


JOBS: dict[str, Callable[..., Facts]] = {
    job.__name__: job
    for job in (
        warm_up, brown_firth, exchange_firth, classes_firth, brown_pypi, make_vectors, ward_firth, ward_literal,
        full_ward, programs.make_tokens, programs.learn_classes, programs.evaluate, programs.same_as_wcluster,
    )
}  # fmt: skip
ALL_THREADS = ("make_tokens", "make_vectors", "evaluate", "same_as_wcluster")
"""Jobs that are not measured."""


def run_one(job: str, folder: Path, settings: Facts) -> None:
    """In a process of its own: run a job, print what it took and what it found."""
    from firth.compute import limit_blas

    with nullcontext() if job in ALL_THREADS else limit_blas(1):
        print(json.dumps(JOBS[job](folder, **settings)))


# Tables -----------------------------------------------------------------------------------------


class Run:
    """One run of the benchmark: its sizes, and what was made or measured in its folder."""

    def __init__(self, folder: Path, sizes: Sizes, figure: Path | None) -> None:
        self.folder, self.sizes, self.figure = folder, sizes, figure
        self._done: dict[str, Facts] = {}

    def command(self, job: str, /, **settings: Any) -> list[str]:
        """The command that runs a job in a process of its own."""
        run = [sys.executable, "-m", "benchmarks.classes", "--run", job, str(self.folder)]
        return [*run, json.dumps(settings)]

    def once(self, job: str, /, **settings: Any) -> Facts:
        """What a job found; run once."""
        threads = {} if job in ALL_THREADS else dict.fromkeys(ONE_THREAD, "1")
        done = subprocess.run(
            self.command(job, **settings),
            capture_output=True,
            text=True,
            env={**os.environ, **threads},
        )
        if done.returncode:
            sys.exit(f"error: {job} failed.\n{done.stderr}")
        found: Facts = json.loads(done.stdout.splitlines()[-1])
        print(f"  {job} {settings}: {found}", file=sys.stderr, flush=True)
        return found

    def measure(self, job: str, /, **settings: Any) -> Facts:
        """The fastest run of a job; measured only the first time."""
        key = f"{job} {settings}"
        if key not in self._done:
            rounds: list[Facts] = []
            while len(rounds) < self.sizes.rounds and sum(r["seconds"] for r in rounds) < LONG:
                rounds.append(self.once(job, **settings))
            by = "wall" if job == "classes_firth" else "seconds"
            self._done[key] = min(rounds, key=lambda facts: float(facts[by]))
        return self._done[key]

    def brown(self, m: int, tokens: int = 0, min_count: int = 1, words: int | None = None) -> Facts:
        return self.measure("brown_firth", tokens=tokens, min_count=min_count, words=words, m=m)

    def vectors(self) -> None:
        """The vectors for all jobs with Ward clustering."""
        if not (self.folder / "vectors.npy").exists():
            self.once("make_vectors", words=self.sizes.ward[0], dim=self.sizes.ward[1])


def _seconds(seconds: float) -> str:
    return f"{seconds:,.2f} s" if seconds < 10 else f"{seconds:,.0f} s"


def _cpu(facts: Facts) -> str:
    return _seconds(facts["seconds"])


def _memory(facts: Facts) -> str:
    return f"{facts['peak'] / 1e6:,.0f} ({facts['before'] / 1e6:,.0f}) MB"


def _ratio(peer: Facts, ours: Facts) -> str:
    return f"{peer['seconds'] / ours['seconds']:,.3g}"


def other_programs(run: Run) -> None:
    """Firth, wcluster and ClusterCat, from a file of tokens to a file of classes."""
    for tokens, min_count, m in run.sizes.programs:
        made, commands = program_commands(run, tokens, min_count, m)
        _compare_programs(run, commands, made["tokens"], min_count, m)


def program_commands(
    run: Run, tokens: int, min_count: int, m: int
) -> tuple[Facts, dict[str, list[str]]]:
    """Make the file of tokens; what is known about it, and the commands of the programs that are here."""
    run.once("warm_up")
    made = run.once("make_tokens", tokens=tokens, min_count=min_count)
    commands = {
        "Firth, Brown": run.command("learn_classes", m=m, refine=False),
        "Firth, Brown and exchange": run.command("learn_classes", m=m, refine=True),
    }
    if wcluster := peer_program("wcluster"):
        text, out = run.folder / programs.STREAM, run.folder / "wcluster"
        commands["wcluster"] = [
            str(wcluster), "--text", str(text), "--c", str(m), "--threads", "1", "--output_dir", str(out),
        ]  # fmt: skip
    if clustercat := peer_program("clustercat"):
        text, out = run.folder / programs.LEARNED, run.folder / programs.FILES["ClusterCat"]
        commands["ClusterCat"] = [
            str(clustercat), "--in", str(text), "--out", str(out), "--classes", str(m),
            "--min-count", "1", "--threads", "1",
        ]  # fmt: skip
    return made, commands


def run_once(run: Run, name: str, command: list[str]) -> Facts:
    """Run a program once, on one thread."""
    if name == "wcluster":  # it would read its own copy of an older text, and append to its log
        shutil.rmtree(run.folder / "wcluster", ignore_errors=True)
        for cached in run.folder.glob(f"{programs.STREAM}.*"):
            cached.unlink()
    classes = run.folder / programs.FILES[name]
    classes.unlink(missing_ok=True)
    env = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    if name == "wcluster":
        watch = programs.Watch(run.folder / "wcluster/log")
        facts = run_program(command, run.sizes.limit, env, watch)
        if not facts["finished"]:
            facts["extrapolated"] = watch.extrapolated()
    else:
        facts = run_program(command, None, env)
    print(f"  {name}: {facts}", file=sys.stderr, flush=True)
    if not facts["finished"]:
        classes.unlink(missing_ok=True)
    return facts


def _compare_programs(
    run: Run, commands: dict[str, list[str]], tokens: int, min_count: int, m: int
) -> None:
    found = {name: run_once(run, name, command) for name, command in commands.items()}
    judged = run.once("evaluate")
    ours, rows, notes = found["Firth, Brown"]["cpu"], [], []
    for name, facts in found.items():
        cpu, about = facts["cpu"], ""
        if not facts["finished"]:
            (cpu, done, n), about = facts["extrapolated"], "about "
            notes.append(
                f"wcluster was stopped after {_seconds(facts['cpu'])} of CPU time, when it had added {done:,} of "
                f"{n:,} words; its time is extrapolated."
            )
        quality = judged.get(name, {})
        rows.append([
            name, f"{about}{_seconds(cpu)}", _seconds(facts["wall"]), f"{about}{cpu / ours:,.3g}",
            f"{facts['peak'] / 1e6:,.0f} MB",
            *(f"{quality[key]:.{digits}f}" if quality else ""
              for key, digits in (("bits", 4), ("perplexity", 1))),
        ])  # fmt: skip
    if found.get("wcluster", {}).get("finished"):
        same = run.once("same_as_wcluster", m=m)
        (own, matched, classes), (own_nodes, matched_nodes, nodes) = same["classes"], same["nodes"]
        notes.append(
            f"Firth's Brown clusters and wcluster's, equally frequent words in the same order: {matched:,} of "
            f"{classes:,} classes and {matched_nodes:,} of {nodes:,} inner nodes of the tree are the same; each in its "
            f"own order: {own:,} and {own_nodes:,}."
        )
    print_table(
        f"{tokens:,} tokens, minimum count {min_count}, {judged['n']:,} words, {m:,} classes",
        "program; CPU; wall; CPU, times Firth's Brown; memory; mutual information, bits; held-out perplexity",
        rows,
        " ".join(notes),
    )


def brown(run: Run) -> None:
    m, rows = run.sizes.m, []
    for min_count in run.sizes.min_counts:
        first = run.brown(m, min_count=min_count)
        then = run.measure("exchange_firth", min_count=min_count, m=m)
        rows.append([
            f"{min_count}", f"{first['n']:,}", _cpu(first), _memory(first),
            _cpu(then), _ratio(then, first), f"{then['passes']}",
            ", ".join(f"{moved:,}" for moved in then["moved"]), f"{then['bits before']:.4f}",
            f"{then['bits']:.4f}", _memory(then),
        ])  # fmt: skip
    print_table(
        f"Firth: Brown clusters, then exchange; {m:,} classes, from counts to the tree",
        "min count; words; Brown; memory; exchange; times Brown's; passes; words moved; bits before; after; memory",
        rows,
    )


def threads(run: Run) -> None:
    found = {n: run.measure("classes_firth", threads=n) for n in run.sizes.threads}
    first = next(iter(found.values()))
    if len({facts["result"] for facts in found.values()}) > 1:
        sys.exit("error: the classes depend on the number of threads.")
    print_table(
        f"Classes by number of threads: {first['n']:,} words, {first['m']:,} classes, from counts to the refined tree",
        "threads; wall; speed-up; CPU; Brown; exchange; tree",
        [
            [f"{n}", _seconds(facts["wall"]), f"{first['wall'] / facts['wall']:.2f}", _cpu(facts),
             *(_seconds(seconds) for seconds in facts["stages"])]
            for n, facts in found.items()
        ],
        "Merges, losses and classes are the same bytes.",
    )  # fmt: skip


def pypi(run: Run) -> None:
    if find_spec("brown_clustering") is None:
        print(
            "brown-clustering is missing and was skipped: pip install -e .[bench]", file=sys.stderr
        )
        return
    tokens, words, m = run.sizes.pypi
    ours = run.brown(m, tokens, words=words)
    results = {"brown_firth": ours}
    for alpha in (1.0, 1e-6):
        results[f"brown_pypi, alpha {alpha:g}"] = run.measure(
            "brown_pypi", tokens=tokens, words=words, m=m, alpha=alpha
        )
    print_table(
        f"Brown clusters, small: {ours['tokens']:,} tokens, {ours['n']:,} words, {m} classes",
        "job; CPU; times Firth's; bits; memory",
        [
            [f"`{job}`", _cpu(facts), _ratio(facts, ours), f"{facts['bits']:.4f}", _memory(facts)]
            for job, facts in results.items()
        ],
        "`brown-clustering` adds alpha to the count of every pair (1 by default), and counts the beginning and the "
        "end of a line as words that have no class. Rare words are one word for both. Bits are those of the plain "
        "counts.",
    )  # fmt: skip


def ward(run: Run) -> None:
    run.vectors()
    words, dim, m = run.sizes.ward
    results = {job: run.measure(job, m=m) for job in ("ward_firth", "ward_literal")}
    ours, peer = results.values()
    print_table(
        f"Windowed Ward clustering, {words:,} words, {dim:,} dimensions, window of {m:,}",
        "job; CPU; times Firth's; gamma; memory",
        [
            [f"`{job}`", _cpu(facts), _ratio(facts, ours), f"{facts['gamma']:.2f}", _memory(facts)]
            for job, facts in results.items()
        ],
        f"{peer['same']:,} of {peer['steps']:,} merges are the same. Gamma is the mean number of searches for the "
        "nearest pair; Firth finds the nearest cluster of a merged one at once, from distances that it keeps, which "
        "saves a search.",
    )  # fmt: skip


def whole_ward(run: Run) -> None:
    run.vectors()
    words, dim = run.sizes.full_ward
    results = {
        by: run.measure("full_ward", by=by, words=words, dim=dim)
        for by in ("firth", "sklearn", "fastcluster")
    }
    print_table(
        f"Ward clustering without a window, {words:,} words, {dim:,} dimensions",
        "by; CPU; times Firth's; memory; largest difference of costs, relative to the largest cost",
        [
            [f"`{by}`", _cpu(facts), _ratio(facts, results["firth"]), _memory(facts), f"{facts['apart']:.0e}"]
            for by, facts in results.items()
        ],
    )  # fmt: skip


def scaling(run: Run) -> None:
    sizes = run.sizes
    n, m = sizes.fixed
    over_n = [run.brown(m, words=words) for words in sizes.over_n]
    over_tokens = [run.brown(m, tokens, words=n) for tokens in sizes.over_tokens]
    series = {
        "thousand words": [(facts["n"] / 1e3, facts) for facts in over_n],
        "classes": [(float(classes), run.brown(classes, words=n)) for classes in sizes.over_m],
        "million tokens": [(facts["tokens"] / 1e6, facts) for facts in over_tokens],
    }
    exponents = {}
    for name, points in series.items():
        x, y = np.log([(x, facts["seconds"]) for x, facts in points]).T
        exponents[name] = float(np.polyfit(x, y, 1)[0])
    print_table(
        f"How the time of Brown's algorithm grows; otherwise {n:,} words, {m:,} classes, all of the text",
        "what grows; CPU; exponent",
        [
            [name, ", ".join(f"{x:,.4g}: {_cpu(facts)}" for x, facts in points), f"{exponents[name]:.2f}"]
            for name, points in series.items()
        ],
    )  # fmt: skip
    if run.figure:
        draw(series, exponents, run.figure)


def draw(
    series: dict[str, list[tuple[float, Facts]]], exponents: dict[str, float], path: Path
) -> None:
    """Time against each quantity that grows, on logarithmic axes."""
    from plotly.subplots import make_subplots

    from firth.plots import save_figure
    from firth.plots._figures import ACCENT, base_layout, log_axis, plotly

    titles = [f"{name}: exponent {exponents[name]:.2f}" for name in series]
    figure = make_subplots(
        1, len(series), shared_yaxes=True, subplot_titles=titles, horizontal_spacing=0.05
    )
    layout = base_layout("Brown's algorithm: seconds on one thread")
    axis, _ = layout.pop("xaxis"), layout.pop("yaxis")
    figure.update_layout(layout, showlegend=False)
    for column, (name, points) in enumerate(series.items(), start=1):
        x, y = zip(*((x, facts["seconds"]) for x, facts in points), strict=True)
        line = plotly().Scatter(
            x=x, y=y, mode="lines+markers", line={"color": ACCENT, "width": 2.5}
        )
        figure.add_trace(line, 1, column)
        figure.update_xaxes(title=name, **axis, **log_axis(x), row=1, col=column)
    seconds = [facts["seconds"] for points in series.values() for _, facts in points]
    figure.update_yaxes(**axis, **log_axis(seconds))
    figure.update_yaxes(title="seconds", row=1, col=1)
    save_figure(figure, path)


SECTIONS: dict[str, Callable[[Run], None]] = {
    "programs": other_programs, "brown": brown, "threads": threads, "pypi": pypi, "ward": ward, "full_ward": whole_ward,
    "scaling": scaling,
}  # fmt: skip


def _versions() -> str:
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classes", description=__doc__)
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--jobs", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="small sizes, as a check")
    parser.add_argument(
        "--programs", nargs="+", metavar="TOKENS,MIN_COUNT,CLASSES",
        type=lambda text: tuple(map(int, text.split(","))), help="sizes for programs; 0 tokens: all",
    )  # fmt: skip
    parser.add_argument(
        "--limit",
        type=int,
        help="CPU seconds after which wcluster is stopped, and its time extrapolated",
    )
    parser.add_argument("--m", type=int, help="number of classes, for brown")
    parser.add_argument("--min-counts", type=int, nargs="+", help="for brown")
    parser.add_argument("--threads", type=int, nargs="+", help="for threads")
    parser.add_argument(
        "--figure", type=Path, help="draw the scaling to this .svg, .png or .html file"
    )
    return parser.parse_args()


def main() -> None:
    options = parse()
    if options.run:
        run_one(options.run[0], Path(options.run[1]), json.loads(options.run[2]))
        return
    sizes = QUICK if options.quick else Sizes()
    chosen = {
        name: getattr(options, name) for name in ("programs", "limit", "m", "min_counts", "threads")
    }
    sizes = Sizes(**{**vars(sizes), **{name: value for name, value in chosen.items() if value}})
    with tempfile.TemporaryDirectory(prefix="firth-bench-") as name:
        run = Run(Path(name), sizes, options.figure)
        unpack(data_file("text/wiki.txt.xz"), run.folder / "text.txt", sizes.n_bytes)
        n_bytes = (run.folder / "text.txt").stat().st_size
        print(
            f"wiki.txt, {n_bytes / 1e6:.0f} MB; {datetime.now(UTC):%Y-%m-%d}; {processor()}; one thread; "
            f"Python {platform.python_version()}, {_versions()}"
        )
        print(
            f"command: python -m benchmarks.classes {' '.join(sys.argv[1:])}".rstrip(), flush=True
        )
        for section in options.jobs:
            SECTIONS[section](run)


if __name__ == "__main__":
    main()
