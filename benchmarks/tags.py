"""``python -m benchmarks.tags``: part-of-speech induction from a million tokens; hidden Markov models and hmmlearn.

The text is the first million tokens of ``wiki.txt``, a line as a sentence, all words kept. One iteration of Baum-Welch
starts from the same model in Firth and in hmmlearn (``CategoricalHMM.fit`` with ``n_iter=1``). hmmlearn works with
logarithms by default, and with scaling on request; both are measured. The benchmark checks that all likelihoods are the
same. The anchor method is compared with a hundred iterations. Each job runs in a process of its own; kernels are
compiled before. Memory is the peak of the process minus what it used when the job began. Needs ``pip install hmmlearn``
and FIRTH_DATA with ``text/wiki.txt.xz``.
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
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks.common import data_file, processor, unpack
from firth.tags import Observations, random_hmm

ROUNDS = 100
"""The number of iterations of Baum-Welch with which the anchor method is compared."""
SIZES = (12, 45)
_BYTES = 6_200_000


def read(path: Path, n_tokens: int) -> tuple[firth.Corpus, Observations]:
    """The first tokens of a text, in whole sentences."""
    corpus = firth.Corpus.from_files(path)
    n_sentences = int(np.searchsorted(corpus.ends, n_tokens, side="right"))
    lines = (corpus.sentence(k) for k in range(n_sentences))
    corpus = firth.Corpus.from_sentences(lines)
    return corpus, Observations.of_corpus(corpus)


def start_of(observed: Observations, m: int, threads: int) -> firth.HMM:
    return random_hmm(m, np.bincount(observed.symbols), 0, threads)


def em_firth(corpus: firth.Corpus, observed: Observations, m: int, threads: int) -> Any:  # noqa: ARG001
    start = start_of(observed, m, threads)
    small = Observations(observed.symbols[: observed.ends[9]], observed.ends[:10])
    start.expectations(small)  # compiled
    return lambda: start.expectations(observed)[3]


def em_hmmlearn(how: str) -> Callable[..., Any]:
    def prepare(corpus: firth.Corpus, observed: Observations, m: int, threads: int) -> Any:  # noqa: ARG001
        peer = import_module("hmmlearn.hmm")
        start = start_of(observed, m, 1)
        model = peer.CategoricalHMM(
            m, n_iter=1, implementation=how, init_params="", n_features=corpus.n_types
        )
        model.startprob_, model.transmat_, model.emissionprob_ = (
            start.initial, start.transition, np.ascontiguousarray(start.emission.T),
        )  # fmt: skip
        lengths = np.diff(observed.ends, prepend=0)

        def work() -> float:
            model.fit(observed.symbols[:, None], lengths)
            return float(model.monitor_.history[0])

        return work

    return prepare


def anchors(corpus: firth.Corpus, observed: Observations, m: int, threads: int) -> Any:  # noqa: ARG001
    small = firth.Corpus.from_sentences([corpus.sentence(k) for k in range(2000)])
    firth.AnchorTagger(m, threads=threads).fit(small)  # compiled
    return lambda: len(firth.AnchorTagger(m, threads=threads).fit(corpus).vocabulary_)


def decoding(how: str) -> Callable[..., Any]:
    def prepare(corpus: firth.Corpus, observed: Observations, m: int, threads: int) -> Any:
        tagger = firth.AnchorTagger(m, refine=False, threads=threads).fit(corpus)
        tagger.tag([["compiled"]], how)
        return lambda: int(tagger.tag_observed(observed, how).sum())

    return prepare


def viterbi_hmmlearn(corpus: firth.Corpus, observed: Observations, m: int, threads: int) -> Any:
    tagger = firth.AnchorTagger(m, refine=False, threads=threads).fit(corpus)
    peer = import_module("hmmlearn.hmm")
    model = peer.CategoricalHMM(m, init_params="", n_features=tagger.hmm_.n_symbols)
    hmm = tagger.hmm_
    model.startprob_, model.transmat_, model.emissionprob_ = (
        hmm.initial, hmm.transition, np.ascontiguousarray(hmm.emission.T),
    )  # fmt: skip
    lengths = np.diff(observed.ends, prepend=0)
    return lambda: int(model.predict(observed.symbols[:, None], lengths).sum())


JOBS: dict[str, Callable[..., Any]] = {
    "Baum-Welch, one iteration": em_firth,
    "the same, hmmlearn, scaling": em_hmmlearn("scaling"),
    "the same, hmmlearn, logarithms (its default)": em_hmmlearn("log"),
    "anchor method, all of training": anchors,
    "decoding, most probable tag of the word": decoding("type"),
    "decoding, posterior": decoding("posterior"),
    "decoding, Viterbi": decoding("viterbi"),
    "the same, hmmlearn": viterbi_hmmlearn,
}


def run_job(name: str, path: Path, n_tokens: int, m: int, threads: int) -> dict[str, Any]:
    """The time and memory of a job in this process."""
    work = JOBS[name](*read(path, n_tokens), m, threads)
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    result = work()
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    memory = (after.ru_maxrss - before.ru_maxrss) * 1024
    peak = after.ru_maxrss * 1024
    return {"wall": wall, "cpu": cpu, "memory": memory, "peak": peak, "result": result}


def measured(name: str, path: Path, n_tokens: int, m: int, threads: int) -> dict[str, Any]:
    """The time and memory of a job in a process of its own."""
    said = ["--job", name, "--file", str(path), "--tokens", str(n_tokens), "--tags", str(m)]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.tags", *said, "--threads", str(threads)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def report(path: Path, n_tokens: int, m: int, threads: int) -> None:
    found = {}
    for name in JOBS:
        row = found[name] = measured(name, path, n_tokens, m, threads)
        speed = n_tokens / row["wall"]
        times = f"{row['wall']:.2f} s | {row['cpu']:.2f} s"
        print(
            f"| {m} | {name} | {times} | {speed:,.0f} | {row['memory'] / 2**20:,.0f} MiB |",
            flush=True,
        )
    names = list(JOBS)
    ours, scaling, logs, anchor = (found[names[k]] for k in range(4))
    for other in (scaling, logs):
        if abs(ours["result"] - other["result"]) > 1e-6 * abs(ours["result"]):
            sys.exit(f"error: the likelihoods differ: {ours['result']} and {other['result']}")
    if found[names[6]]["result"] != found[names[7]]["result"]:
        print(
            f"(the Viterbi paths differ: sums of tags {found[names[6]]['result']}, {found[names[7]]['result']})"
        )
    ratios = ", ".join(
        f"{other['wall'] / ours['wall']:.1f} times as fast as hmmlearn with {how} "
        f"({other['cpu'] / ours['cpu']:.1f} in CPU time)"
        for how, other in (("scaling", scaling), ("logarithms", logs))
    )
    rounds = ROUNDS * ours["wall"] / anchor["wall"], ROUNDS * scaling["wall"] / anchor["wall"]
    print(
        f"\n{m} tags: an iteration of Baum-Welch is {ratios}; the anchor method is {rounds[0]:.0f} times as fast "
        f"as {ROUNDS} iterations of Firth's, {rounds[1]:.0f} times as fast as {ROUNDS} of hmmlearn's with scaling, "
        f"{ROUNDS * logs['wall'] / anchor['wall']:,.0f} with logarithms\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tags", description=__doc__)
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--tags", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        found = run_job(options.job, options.file, options.tokens, options.tags, options.threads)
        print(json.dumps(found))
        return
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    print(f"command: python -m benchmarks.tags {' '.join(sys.argv[1:])}\n")
    print("| tags | job | wall | CPU | tokens a second | memory |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        unpack(data_file("text/wiki.txt.xz"), path, _BYTES * options.tokens // 1_000_000)
        for m in SIZES:
            report(path, options.tokens, m, options.threads)


if __name__ == "__main__":
    main()
