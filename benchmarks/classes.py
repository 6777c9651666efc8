"""``python -m benchmarks.classes``: word classes against their peers, and how their time grows.

Each job runs in a process of its own, in turn, on one thread; a quick job is the best of three rounds.
Reading, counting, imports and compilation come before the clock starts. Memory is the peak of the
process, and what it held before the clock started: the interpreter, packages and the job's input.

Needs FIRTH_DATA with ``text/wiki.txt.xz``, and ``pip install -e .[bench]``; a figure needs ``.[plots]``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_file, processor, unpack

Facts = dict[str, Any]
PACKAGES = "numpy numba scipy scikit-learn fastcluster brown-clustering".split()
ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
LONG = 10.0
"""A job is not run again once its rounds have taken so many seconds together."""


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    n_bytes: int | None = None
    rounds: int = 3
    min_counts: tuple[int, ...] = (50, 10, 2)
    m: int = 1000
    steps: int = 150
    """Steps of the literal version of Brown's algorithm that are timed."""
    pypi: tuple[int, int, int] = (1_000_000, 5_000, 100)  # tokens, words, classes
    ward: tuple[int, int, int] = (50_000, 1000, 1000)  # words, dim, window
    full_ward: tuple[int, int] = (5_000, 200)  # words, dim
    over_n: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000)
    over_m: tuple[int, ...] = (125, 250, 500, 1000)
    over_tokens: tuple[int, ...] = (5_000_000, 10_000_000, 20_000_000, 0)  # 0: all
    fixed: tuple[int, int] = (50_000, 500)  # words and classes, where they do not vary


QUICK = Sizes(
    20_000_000, 1, (50, 10), 100, 100, (100_000, 1_000, 30), (5_000, 200, 200), (1_000, 50),
    (2_000, 5_000, 15_000), (50, 100, 200), (500_000, 1_000_000, 0), (5_000, 100),
)  # fmt: skip


# Before the clock -------------------------------------------------------------------------------


def _corpus(folder: Path, tokens: int) -> Any:
    """The text up to the end of the line in which it has so many tokens; all of it for 0."""
    from firth import Corpus

    whole = Corpus.from_files(folder / "text.txt")
    if not tokens:
        return whole
    with (folder / "text.txt").open("rb") as text:
        end = int(whole.places[np.searchsorted(whole.ends, tokens) + 1])
        (folder / "part.txt").write_bytes(text.read(end))
    return Corpus.from_files(folder / "part.txt")


def make_pairs(folder: Path, name: str, tokens: int, min_count: int, words: int | None) -> Facts:
    """Counts the pairs of adjacent words and leaves them for other jobs."""
    from firth import count
    from firth.classes import bigrams_of

    pairs = bigrams_of(count(_corpus(folder, tokens), "R1", min_count, words))
    sides = {
        f"{side}_{part}": getattr(getattr(pairs, side), part)
        for side in ("after", "before")
        for part in ("data", "indices", "indptr")
    }
    np.savez(folder / f"{name}.npz", counts=pairs.counts, order=pairs.order, **sides)
    return {"n": pairs.n_words, "tokens": pairs.n_tokens, "different pairs": len(pairs.after.data)}


def make_vectors(folder: Path, words: int, dim: int) -> Facts:
    """Vectors as spectral classes have them: canonical correlation with LR2 contexts."""
    from firth import SpectralEmbedding, count

    counts = count(_corpus(folder, 0), "LR2", 1, words)
    learner = SpectralEmbedding(dim, transform="none", alpha=1.0, beta=0.0, kappa=200.0)
    np.save(folder / "vectors.npy", learner.fit(counts).vectors_.matrix)
    return {}


def _pairs(folder: Path, name: str) -> Any:
    from scipy.sparse import csr_array

    from firth import Corpus
    from firth.classes import Bigrams

    with np.load(folder / f"{name}.npz") as saved:
        counts, order = saved["counts"], saved["order"]
        after, before = (
            csr_array(
                tuple(saved[f"{side}_{part}"] for part in ("data", "indices", "indptr")),
                shape=(len(counts), len(counts)),
            )
            for side in ("after", "before")
        )
    no_names = Corpus.from_sentences([["a"]]).vocabulary  # words go by their ranks here
    return Bigrams(no_names, counts, order, after, before, across_lines=False)


def _bits(pairs: Any, class_of: Any) -> float:
    from firth.classes import mutual_information

    m = int(class_of.max()) + 1
    nats = mutual_information(pairs.between(class_of, m), pairs.sums(class_of, m))
    return nats / math.log(2)


def _warm_up() -> None:
    """Compile Firth's kernels."""
    import firth
    from firth.classes._ward import ward

    toy = firth.Corpus.from_sentences([list("abcabdefgh")] * 3)
    brown = firth.BrownClasses(3, min_count=1, threads=1).fit(toy)
    firth.ExchangeRefiner(min_count=1, threads=1).fit(brown.hierarchy_, toy)
    ward(np.eye(8, dtype=np.float32), 3)


@contextmanager
def clock() -> Iterator[Facts]:
    """Seconds and memory of what is done inside."""
    import psutil

    facts: Facts = {"before": psutil.Process().memory_info().rss}
    started = time.perf_counter()
    yield facts
    facts["seconds"] = time.perf_counter() - started
    facts["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# Jobs -------------------------------------------------------------------------------------------


def brown_firth(folder: Path, pairs: str, m: int) -> Facts:
    """Firth: all words added, then the tree."""
    from firth.classes._build import numbered
    from firth.classes._checkpoint import Checkpoint
    from firth.classes._merging import add_words, merge_classes
    from firth.compute import ONE_THREAD

    _warm_up()
    bigrams = _pairs(folder, pairs)
    with clock() as facts:
        merges, _, names = add_words(bigrams, m, ONE_THREAD, Checkpoint())
        class_of = numbered(names)
        merge_classes(bigrams, class_of, m, ONE_THREAD)
    np.savez(folder / f"brown-{pairs}-{m}.npz", merges=merges, class_of=class_of)
    return {**facts, "bits": _bits(bigrams, class_of)}


def brown_literal(folder: Path, pairs: str, m: int, steps: int) -> Facts:
    """The plain O(n m^2) algorithm: its start, and its first steps scaled to n - m of them."""
    from benchmarks import literal

    literal.warm_up()
    bigrams = _pairs(folder, pairs)
    after = bigrams.after
    with clock() as facts:
        state = literal.start(after.indptr, after.indices, after.data, bigrams.counts, m)
    with clock() as some:
        merges, _ = literal.run(state, 0, steps)
    with np.load(folder / f"brown-{pairs}-{m}.npz") as firth:
        same = np.all(merges == firth["merges"][: len(merges)], axis=1).sum()
    a_step = some["seconds"] / len(merges)
    return {
        **facts, "start": facts["seconds"], "a step": a_step, "peak": some["peak"], "same": int(same),
        "steps": len(merges), "seconds": facts["seconds"] + a_step * (bigrams.n_words - m),
    }  # fmt: skip


def exchange_firth(folder: Path, pairs: str, m: int) -> Facts:
    """Firth: Brown's classes refined with the default tolerance; the tree is not built anew."""
    from firth import ExchangeRefiner
    from firth.classes._checkpoint import Checkpoint
    from firth.classes._merging import exchange

    _warm_up()
    bigrams, defaults = _pairs(folder, pairs), ExchangeRefiner()
    with np.load(folder / f"brown-{pairs}-{m}.npz") as brown:
        class_of = brown["class_of"]
    with clock() as facts:
        better, history = exchange(
            bigrams, class_of, m, defaults.passes, defaults.tolerance, Checkpoint()
        )
    moved = [int(step["moved"]) for step in history]
    bits = {"bits before": _bits(bigrams, class_of), "bits": _bits(bigrams, better)}
    return {**facts, **bits, "passes": len(history), "moved": moved}


def brown_pypi(folder: Path, pairs: str, tokens: int, m: int, alpha: float) -> Facts:
    """The package brown-clustering, on the very same tokens: words by their ranks, rare ones as one."""
    from brown_clustering import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        BigramCorpus,
        BrownClustering,
    )

    BrownClustering(BigramCorpus([list("abcdef")], alpha), 3).train()  # compiles
    bigrams, corpus = _pairs(folder, pairs), _corpus(folder, tokens)
    rank = np.argsort(bigrams.order)
    names = np.array([f"{i:07}" for i in range(bigrams.n_words)], dtype=object)
    words = names[rank[np.minimum(corpus.ids, len(rank) - 1)]]
    sentences = [list(sentence) for sentence in np.split(words, corpus.ends[:-1])]
    counted = BigramCorpus(sentences, alpha)
    with clock() as facts:
        found = BrownClustering(counted, m).train()
    class_of = np.empty(bigrams.n_words, np.int64)
    for number, members in enumerate(found):
        class_of[[int(word) for word in members]] = number
    return {**facts, "bits": _bits(bigrams, class_of)}


def ward_firth(folder: Path, m: int) -> Facts:
    """Firth: Ward's algorithm with a window."""
    from firth.classes._ward import ward

    _warm_up()
    vectors = np.load(folder / "vectors.npy")
    with clock() as facts:
        merges, _, gamma = ward(vectors, m)
    np.save(folder / "ward.npy", merges)
    return {**facts, "gamma": gamma}


def ward_literal(folder: Path, m: int) -> Facts:
    """Figure 5 to the letter, all of it: its first iterations cost more than the later ones."""
    from benchmarks import literal

    literal.warm_up()
    vectors = np.load(folder / "vectors.npy").astype(np.float64)
    with clock() as facts:
        merges, gamma = literal.ward(vectors, m, len(vectors) - 1)
    same = np.all(merges == np.load(folder / "ward.npy"), axis=1).sum()
    return {**facts, "gamma": gamma, "same": int(same), "steps": len(merges)}


def full_ward(folder: Path, by: str, words: int, dim: int) -> Facts:
    """Ward's algorithm without a window: costs of all merges, as increases of the sum of squares."""
    vectors = np.load(folder / "vectors.npy")[:words, :dim].astype(np.float64)
    _full_ward(by, np.eye(8))  # imported and compiled
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
        make_pairs, make_vectors, brown_firth, brown_literal, exchange_firth, brown_pypi,
        ward_firth, ward_literal, full_ward,
    )
}  # fmt: skip


def run_one(job: str, folder: Path, settings: Facts) -> None:
    """In a process of its own: run a job, print what it took and what came out."""
    from firth.compute import limit_blas

    with limit_blas(1) if not job.startswith("make") else nullcontext():
        print(json.dumps(JOBS[job](folder, **settings)))


# Tables -----------------------------------------------------------------------------------------


class Run:
    """One run of the benchmark: its sizes, and what was made or measured in its folder."""

    def __init__(self, folder: Path, sizes: Sizes, figure: Path | None) -> None:
        self.folder, self.sizes, self.figure = folder, sizes, figure
        self._made: dict[str, Facts] = {}

    def measure(self, job: str, /, **settings: Any) -> Facts:
        """The fastest round of a job."""
        command = [sys.executable, "-m", "benchmarks.classes", "--run", job, str(self.folder)]
        threads = {} if job.startswith("make") else dict.fromkeys(ONE_THREAD, "1")
        rounds: list[Facts] = []
        while len(rounds) < self.sizes.rounds and sum(facts["seconds"] for facts in rounds) < LONG:
            done = subprocess.run(
                [*command, json.dumps(settings)], capture_output=True, text=True,
                env={**os.environ, **threads},
            )  # fmt: skip
            if done.returncode:
                sys.exit(f"error: {job} failed.\n{done.stderr}")
            rounds.append({"seconds": LONG, **json.loads(done.stdout.splitlines()[-1])})
        best = min(rounds, key=lambda facts: float(facts["seconds"]))
        print(f"  {job} {settings}: {best}", file=sys.stderr, flush=True)
        return best

    def _once(self, key: str, job: str, /, **settings: Any) -> Facts:
        if key not in self._made:
            self._made[key] = self.measure(job, **settings)
        return self._made[key]

    def pairs(self, tokens: int = 0, min_count: int = 1, words: int | None = None) -> Facts:
        """A table of pairs of words, counted where that was not done yet."""
        name = f"pairs-{tokens}-{min_count}-{words}"
        facts = self._once(
            name, "make_pairs", name=name, tokens=tokens, min_count=min_count, words=words
        )
        return {**facts, "name": name}

    def brown(self, pairs: Facts, m: int) -> Facts:
        """Brown's classes, learned where that was not done yet."""
        name = pairs["name"]
        return self._once(f"brown-{name}-{m}", "brown_firth", pairs=name, m=m)

    def vectors(self) -> None:
        """The vectors for all jobs with Ward's algorithm."""
        self._once("vectors", "make_vectors", words=self.sizes.ward[0], dim=self.sizes.ward[1])


def _table(title: str, columns: str, rows: list[list[str]], note: str = "") -> None:
    """A table; columns are separated by semicolons."""
    names = columns.split("; ")
    print(f"\n### {title}\n\n| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    if note:
        print(f"\n{note}", flush=True)


def _seconds(facts: Facts) -> str:
    return f"{facts['seconds']:,.2f} s" if facts["seconds"] < 10 else f"{facts['seconds']:,.0f} s"


def _memory(facts: Facts) -> str:
    return f"{facts['peak'] / 1e6:,.0f} ({facts['before'] / 1e6:,.0f}) MB"


def _ratio(peer: Facts, ours: Facts) -> str:
    return f"{peer['seconds'] / ours['seconds']:,.3g}"


def brown(run: Run) -> None:
    m, rows = run.sizes.m, []
    for min_count in run.sizes.min_counts:
        pairs = run.pairs(min_count=min_count)
        ours = run.brown(pairs, m)
        peer = run.measure("brown_literal", pairs=pairs["name"], m=m, steps=run.sizes.steps)
        rows.append([
            f"{min_count}", f"{pairs['n']:,}", _seconds(ours), _seconds(peer), _ratio(peer, ours),
            _memory(ours), _memory(peer), f"{peer['same']} of {peer['steps']}", f"{ours['bits']:.4f}",
        ])  # fmt: skip
    _table(
        f"Brown's algorithm, {m:,} classes, from counts to the tree",
        "min count; words; `brown_firth`; `brown_literal`; times our time; our memory; its memory; same merges; bits",
        rows,
        f"`brown_literal` is its start, and the mean of its first {run.sizes.steps} steps times n - m. Its last m - 1 "
        "merges, without new words, are not in its time, which flatters it. Memory in brackets: before the clock.",
    )


def exchange(run: Run) -> None:
    m, rows = run.sizes.m, []
    for min_count in run.sizes.min_counts:
        pairs = run.pairs(min_count=min_count)
        before = run.brown(pairs, m)
        after = run.measure("exchange_firth", pairs=pairs["name"], m=m)
        rows.append([
            f"{min_count}", f"{pairs['n']:,}", _seconds(after), _ratio(after, before), f"{after['passes']}",
            ", ".join(f"{moved:,}" for moved in after["moved"]), f"{after['bits before']:.4f}",
            f"{after['bits']:.4f}", _memory(after),
        ])  # fmt: skip
    columns = "min count; words; `exchange_firth`; times `brown_firth`; passes; words moved; bits before; after; memory"
    _table(f"Exchange after Brown's algorithm, {m:,} classes", columns, rows)


def pypi(run: Run) -> None:
    tokens, words, m = run.sizes.pypi
    pairs = run.pairs(tokens, words=words)
    ours = run.brown(pairs, m)
    results = {"brown_firth": ours}
    for alpha in (1.0, 1e-6):
        results[f"brown_pypi, alpha {alpha:g}"] = run.measure(
            "brown_pypi", pairs=pairs["name"], tokens=tokens, m=m, alpha=alpha
        )
    _table(
        f"Brown's algorithm, small: {pairs['tokens']:,} tokens, {pairs['n']:,} words, {m} classes",
        "job; time; times our time; bits; memory",
        [
            [f"`{job}`", _seconds(facts), _ratio(facts, ours), f"{facts['bits']:.4f}", _memory(facts)]
            for job, facts in results.items()
        ],
        "`brown-clustering` adds alpha to the count of every pair (1 unless told otherwise), and counts the "
        "beginning and the end of a line as words that have no class. Rare words are one word for both. Bits are "
        "those of the plain counts.",
    )  # fmt: skip


def ward(run: Run) -> None:
    run.vectors()
    words, dim, m = run.sizes.ward
    results = {job: run.measure(job, m=m) for job in ("ward_firth", "ward_literal")}
    ours, peer = results.values()
    _table(
        f"Ward's algorithm, {words:,} words, {dim:,} dimensions, window of {m:,}",
        "job; time; times our time; gamma; memory",
        [
            [f"`{job}`", _seconds(facts), _ratio(facts, ours), f"{facts['gamma']:.2f}", _memory(facts)]
            for job, facts in results.items()
        ],
        f"{peer['same']:,} of {peer['steps']:,} merges are the same. Gamma is the mean number of searches for the "
        "nearest pair; Firth looks at once for the nearest cluster of a merged one, in distances that it keeps, "
        "and spares a search.",
    )  # fmt: skip


def whole_ward(run: Run) -> None:
    run.vectors()
    words, dim = run.sizes.full_ward
    results = {
        by: run.measure("full_ward", by=by, words=words, dim=dim)
        for by in ("firth", "sklearn", "fastcluster")
    }
    _table(
        f"Ward's algorithm without a window, {words:,} words, {dim:,} dimensions",
        "by; time; times our time; memory; costs differ by, of the largest",
        [
            [f"`{by}`", _seconds(facts), _ratio(facts, results["firth"]), _memory(facts), f"{facts['apart']:.0e}"]
            for by, facts in results.items()
        ],
    )  # fmt: skip


def scaling(run: Run) -> None:
    sizes = run.sizes
    n, m = sizes.fixed
    whole = run.pairs(words=n)
    some = [run.pairs(words=words) for words in sizes.over_n]
    parts = [run.pairs(tokens, words=n) for tokens in sizes.over_tokens]
    series = {
        "thousand words": [(pairs["n"] / 1e3, run.brown(pairs, m)) for pairs in some],
        "classes": [(float(classes), run.brown(whole, classes)) for classes in sizes.over_m],
        "million tokens": [(pairs["tokens"] / 1e6, run.brown(pairs, m)) for pairs in parts],
    }
    exponents = {}
    for name, points in series.items():
        x, y = np.log([(x, facts["seconds"]) for x, facts in points]).T
        exponents[name] = float(np.polyfit(x, y, 1)[0])
    _table(
        f"Brown's algorithm as things grow; else {n:,} words, {m:,} classes, all of the text",
        "what grows; time; exponent",
        [
            [name, ", ".join(f"{x:,.4g}: {_seconds(facts)}" for x, facts in points), f"{exponents[name]:.2f}"]
            for name, points in series.items()
        ],
    )  # fmt: skip
    if run.figure:
        draw(series, exponents, run.figure)


def draw(
    series: dict[str, list[tuple[float, Facts]]], exponents: dict[str, float], path: Path
) -> None:
    """Time against each thing that grows, on logarithmic axes."""
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
    "brown": brown, "exchange": exchange, "pypi": pypi, "ward": ward, "full_ward": whole_ward, "scaling": scaling,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classes", description=__doc__)
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--jobs", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that all works")
    parser.add_argument("--m", type=int, help="classes, for brown and exchange")
    parser.add_argument("--min-counts", type=int, nargs="+", help="for brown and exchange")
    parser.add_argument("--figure", type=Path, help="where to draw the scaling: .svg, .png, .html")
    options = parser.parse_args()
    if options.run:
        run_one(options.run[0], Path(options.run[1]), json.loads(options.run[2]))
        return
    sizes = QUICK if options.quick else Sizes()
    chosen = {"m": options.m, "min_counts": options.min_counts}
    sizes = Sizes(**{**vars(sizes), **{name: value for name, value in chosen.items() if value}})
    with tempfile.TemporaryDirectory(prefix="firth-bench-") as name:
        run = Run(Path(name), sizes, options.figure)
        unpack(data_file("text/wiki.txt.xz"), run.folder / "text.txt", sizes.n_bytes)
        n_bytes = (run.folder / "text.txt").stat().st_size
        print(
            f"wiki.txt, {n_bytes / 1e6:.0f} MB; {datetime.now(UTC):%Y-%m-%d}; {processor()}; one thread; "
            f"Python {platform.python_version()}, {', '.join(f'{p} {version(p)}' for p in PACKAGES)}"
        )
        print(
            f"command: python -m benchmarks.classes {' '.join(sys.argv[1:])}".rstrip(), flush=True
        )
        for section in options.jobs:
            SECTIONS[section](run)


if __name__ == "__main__":
    main()
