"""``python -m benchmarks.vectors``: the decomposition, and word vectors from a raw file, compared with peers.

Each job runs in a process of its own, in turn. Needs FIRTH_DATA with ``text/wiki.txt.xz`` and the
development halves in ``words/``, and ``pip install -e .[bench]``. ``--jobs`` selects jobs.
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
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_file, processor, unpack

RANK, DIM, N_WORDS, THREADS = 500, 500, 50_000, 2
CONTEXTS, WEIGHTS = "bag10", "distance"
TEMPLATE: dict[str, Any] = {
    "transform": "sqrt",
    "scale": "cca",
    "alpha": 0.75,
    "beta": 0.0,
    "kappa": 0.0,
}
"""Of the decomposition."""
ENOUGH = 0.9998
"""A decomposition with at least this share of the energy of a converged one is accurate."""


# The decomposition ------------------------------------------------------------------------------


def _counts(folder: Path) -> Any:
    import firth

    return firth.load(folder / "model").counts


def _omega(folder: Path) -> Any:
    from firth.vectors import Template

    counts, template = _counts(folder), Template(**TEMPLATE)
    return template.matrix(counts.matrix, counts.scale, template.margins(counts))


def svd_firth(folder: Path, tolerance: float = 0.003, threads: int = THREADS) -> Any:
    """Firth: from counts, so its time includes scaling and cutting the matrix into panels."""
    from firth.compute import Engine
    from firth.vectors import ScaledCounts, Template, krylov_svd

    counts, engine = _counts(folder), Engine(threads)

    def run() -> Any:
        found = krylov_svd(
            ScaledCounts(counts, Template(**TEMPLATE), engine), RANK, tolerance, 0, engine
        )
        assert found is not None
        return found.right

    return run


def svd_firth_1(folder: Path) -> Any:
    return svd_firth(folder, threads=1)


def svd_firth_converged(folder: Path) -> Any:
    """The reference: residuals at the limit of single precision."""
    return svd_firth(folder, tolerance=1e-4)


def _scipy(folder: Path, solver: str, tolerance: float) -> Any:
    from scipy.sparse.linalg import svds

    matrix = _omega(folder).astype(np.float32 if solver == "arpack" else np.float64)
    start = np.random.default_rng(0)
    return lambda: (
        svds(matrix, RANK, tol=tolerance, solver=solver, rng=start, return_singular_vectors="vh")[
            2
        ].T
    )


def svd_propack(folder: Path) -> Any:
    """SciPy, PROPACK, a loose tolerance; its time does not include making the matrix."""
    return _scipy(folder, "propack", 0.01)


def svd_arpack(folder: Path) -> Any:
    """SciPy, ARPACK, single precision, a loose tolerance."""
    return _scipy(folder, "arpack", 0.01)


def _sklearn(folder: Path, n_iter: int) -> Any:
    from sklearn.utils.extmath import randomized_svd

    matrix = _omega(folder).astype(np.float32)
    return lambda: (
        randomized_svd(matrix, RANK, n_oversamples=100, n_iter=n_iter, random_state=0)[2].T
    )


def svd_sklearn_4(folder: Path) -> Any:
    """scikit-learn, randomised, four power iterations."""
    return _sklearn(folder, 4)


def svd_sklearn_10(folder: Path) -> Any:
    return _sklearn(folder, 10)


def energy(folder: Path, right: Any) -> float:
    """The sum of squares of the matrix within the span of the right vectors."""
    from firth.compute import Engine
    from firth.compute.kernels import LANES
    from firth.vectors import ScaledCounts, Template

    operator = ScaledCounts(_counts(folder), Template(**TEMPLATE), Engine(THREADS))
    basis, _ = np.linalg.qr(np.asarray(right, np.float64))
    total = 0.0
    for a in range(0, basis.shape[1], LANES):
        block = np.zeros((len(basis), LANES), np.float32)
        block[:, : basis[:, a : a + LANES].shape[1]] = basis[:, a : a + LANES]
        total += float((operator.times(block).astype(np.float64) ** 2).sum())
    return total


# Whole vectors ----------------------------------------------------------------------------------


def _vectors_firth(folder: Path, preset: str) -> Any:
    """Firth: from the raw file to vectors, reading and counting included."""
    import firth
    from firth.vectors import PRESETS

    chosen = {"transform": "sqrt", "scale": "cca", **PRESETS[preset]}
    contexts, weights = chosen.pop("contexts"), chosen.pop("weights")

    def run() -> Any:
        corpus = firth.Corpus.from_files(folder / "text.txt", lowercase=True, threads=THREADS)
        counts = firth.count(corpus, contexts, 1, N_WORDS, weights, threads=THREADS)
        return firth.SpectralEmbedding(DIM, **chosen, threads=THREADS).fit(counts).vectors_.matrix

    return run


def vectors_firth(folder: Path) -> Any:
    return _vectors_firth(folder, "similarity")


def vectors_firth_general(folder: Path) -> Any:
    return _vectors_firth(folder, "general")


def vectors_firth_analogy(folder: Path) -> Any:
    return _vectors_firth(folder, "analogy")


def _vectors_gensim(folder: Path, kind: str = "Word2Vec", **settings: Any) -> Any:
    """gensim: skip-gram from a file of the same tokens; its time does not include tokenising."""
    import gensim.models

    import firth

    words = json.loads((folder / "words.json").read_text())
    model = getattr(gensim.models, kind)(
        vector_size=DIM, sg=1, negative=5, workers=THREADS, min_count=1, seed=1,
        **{"window": 5, "epochs": 5, **settings},
    )  # fmt: skip
    corpus = firth.load(folder / "model").corpus

    def run() -> Any:
        model.build_vocab_from_freq(words, corpus_count=corpus.n_sentences)
        model.train(
            corpus_file=str(folder / "tokens.txt"), total_words=corpus.n_tokens,
            total_examples=corpus.n_sentences, epochs=model.epochs,
        )  # fmt: skip
        return np.stack([model.wv[word] for word in words])

    return run


def vectors_gensim(folder: Path) -> Any:
    """Window 5, 5 negative samples, 5 epochs."""
    return _vectors_gensim(folder)


def vectors_gensim_window_10(folder: Path) -> Any:
    return _vectors_gensim(folder, window=10)


def vectors_gensim_window_10_subsampled(folder: Path) -> Any:
    return _vectors_gensim(folder, window=10, sample=1e-4)


def vectors_gensim_fasttext(folder: Path) -> Any:
    """Skip-gram with character n-grams; window 5, 5 negative samples, 5 epochs."""
    return _vectors_gensim(folder, "FastText")


# Measuring --------------------------------------------------------------------------------------

SVD: list[Callable[[Path], Any]] = [
    svd_firth_converged, svd_firth, svd_firth_1, svd_propack, svd_arpack,
    svd_sklearn_4, svd_sklearn_10,
]  # fmt: skip
VECTORS: list[Callable[[Path], Any]] = [
    vectors_firth, vectors_firth_analogy, vectors_firth_general, vectors_gensim, vectors_gensim_window_10,
    vectors_gensim_window_10_subsampled, vectors_gensim_fasttext,
]  # fmt: skip
JOBS = {job.__name__: job for job in [*SVD, *VECTORS]}


def prepare(folder: Path, n_words: int) -> None:
    """Make the text, a model with its corpus and counts, and a file of tokens for gensim."""
    from firth import pipeline

    unpack(data_file("text/wiki.txt.xz"), folder / "text.txt", None)
    text, n = [], 0
    with (folder / "text.txt").open(encoding="utf-8") as lines:
        for line in lines:
            text.append(line)
            n += len(line.split())
            if n >= n_words:
                break
    (folder / "text.txt").write_text("".join(text), encoding="utf-8")
    model = pipeline.learn(
        folder / "text.txt", folder / "model", lowercase=True, contexts=CONTEXTS, weights=WEIGHTS,
        min_count=1, vocabulary=N_WORDS, dim=0,
    )  # fmt: skip
    corpus = model.corpus
    print(f"{corpus!r}, {model.counts!r}", file=sys.stderr)
    names = np.array(list(corpus.vocabulary), dtype=object)
    with (folder / "tokens.txt").open("w", encoding="utf-8") as file:
        start = 0
        for end in corpus.ends:
            file.write(" ".join(names[corpus.ids[start:end]]) + "\n")
            start = end
    counts = corpus.vocabulary.counts[:N_WORDS].tolist()
    (folder / "words.json").write_text(json.dumps(dict(zip(names[:N_WORDS], counts, strict=True))))


def run_one(job: str, folder: Path) -> None:
    """In a process of its own: run a job, save its result, print its time."""
    import firth
    from firth.compute import ONE_THREAD
    from firth.vectors import ScaledCounts, Template

    small = firth.count(firth.Corpus.from_sentences([["a", "b", "c"]] * 3), "bag1", 1)
    ScaledCounts(small, Template(**TEMPLATE), ONE_THREAD).times(
        np.zeros((3, 32), np.float32)
    )  # compiled
    run = JOBS[job](folder)
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.perf_counter()
    out = run()
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF)
    np.save(folder / f"{job}.npy", out)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    facts = {"seconds": seconds, "cpu": cpu, "peak": after.ru_maxrss * 1024}
    if job.startswith("svd"):
        facts["energy"] = energy(folder, out)
    print(json.dumps(facts))


def measure(job: str, folder: Path) -> dict[str, float]:
    """Run a job, unless the folder has its result from an earlier command."""
    kept = folder / f"{job}.json"
    if not kept.exists():
        command = [sys.executable, "-m", "benchmarks.vectors", "--run", job, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        kept.write_text(done.stdout.splitlines()[-1])
    result: dict[str, float] = json.loads(kept.read_text())
    print(f"  {job}: {result}", file=sys.stderr, flush=True)
    return result


def print_svd(results: dict[str, dict[str, float]]) -> None:
    best = max(result["energy"] for result in results.values())
    ours = results["svd_firth"]["seconds"]
    print(
        f"\n### The {RANK} largest singular values of {N_WORDS:,} words, {CONTEXTS}, {WEIGHTS} weights\n"
    )
    print(
        "| job | energy, share of the best | accurate | wall | CPU | time, relative to `svd_firth` |"
        "\n|---|---|---|---|---|---|"
    )
    for job, result in results.items():
        share = result["energy"] / best
        print(
            f"| `{job}` | {share:.6f} | {'yes' if share >= ENOUGH else 'no'} | {result['seconds']:.1f} s "
            f"| {result['cpu']:.1f} s | {result['seconds'] / ours:.2f} |"
        )


def print_vectors(results: dict[str, dict[str, float]], folder: Path) -> None:
    import firth
    from firth.evaluate import Analogies, AnalogyResult, evaluate_vectors, read_questions

    names = ("men", "wordsim353", "rw", "mixed_analogies", "syntactic_analogies")
    questions = [read_questions(data_file(f"words/{name}.dev")) for name in names]
    mixed = questions[names.index("mixed_analogies")]
    assert isinstance(mixed, Analogies)
    parts = {"world": False, "grammar": True}
    for name, of_grammar in parts.items():
        kept = [
            pair
            for pair in zip(mixed.questions, mixed.categories, strict=True)
            if pair[1].startswith("gram") == of_grammar
        ]
        questions.append(Analogies(name, [q for q, _ in kept], [c for _, c in kept]))
    words = list(json.loads((folder / "words.json").read_text()))
    ours = results["vectors_firth"]["cpu"]
    print(f"\n### Raw file to {DIM} dimensions, {N_WORDS:,} words, {THREADS} threads\n")
    columns = ["job", "CPU", "wall", "CPU, relative to `vectors_firth`", *names, "mean"]
    columns += [f"mixed: {name}" for name in parts]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for job, result in results.items():
        vectors = firth.WordVectors.from_arrays(words, np.load(folder / f"{job}.npy"))
        figures, cells = [], []
        for found in evaluate_vectors(vectors, questions, threads=THREADS):
            figures.append(
                100 * (found.accuracy if isinstance(found, AnalogyResult) else found.spearman)
            )
            low, high = (100 * x for x in found.interval)
            cells.append(f"{figures[-1]:.1f} ({low:.1f} to {high:.1f})")
        cells.insert(len(names), f"{np.mean(figures[: len(names)]):.1f}")
        print(
            f"| `{job}` | {result['cpu']:.0f} s | {result['seconds']:.0f} s | {result['cpu'] / ours:.1f} "
            f"| {' | '.join(cells)} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vectors", description=__doc__)
    parser.add_argument("--run", nargs=2, metavar=("JOB", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--jobs", nargs="+", choices=sorted(JOBS), default=list(JOBS))
    parser.add_argument("--words", type=int, default=17_000_000, help="size of the text, in words")
    parser.add_argument(
        "--folder",
        type=Path,
        help="keep the text and all results here, and reuse those of earlier jobs",
    )
    options = parser.parse_args()
    if options.run:
        run_one(options.run[0], Path(options.run[1]))
        return
    with tempfile.TemporaryDirectory(prefix="firth-bench-") as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "words.json").exists():
            prepare(folder, options.words)
        print(
            f"wiki.txt, the first {options.words / 1e6:g} million words, lower-cased; {datetime.now(UTC):%Y-%m-%d}; "
            f"{processor()}; Python {platform.python_version()}"
        )
        print(f"command: python -m benchmarks.vectors {' '.join(sys.argv[1:])}".rstrip())
        results = {job: measure(job, folder) for job in JOBS if job in options.jobs}
        of = {
            kind: {job: r for job, r in results.items() if job.startswith(kind)}
            for kind in ("svd", "vectors")
        }
        if "svd_firth" in of["svd"]:
            print_svd(of["svd"])
        if "vectors_firth" in of["vectors"]:
            print_vectors(of["vectors"], folder)


if __name__ == "__main__":
    main()
