"""``python -m benchmarks.lm``: training a language model and scoring text, compared with NLTK and KenLM.

Trigrams with modified Kneser-Ney smoothing, trained on ``lm/ptb.train.txt``; the sentences of ``lm/ptb.valid.txt`` are
scored. Training starts from the file for both Firth and NLTK. Scoring starts from lists of words or, for KenLM, from
text, and gives a number for each sentence. NLTK's own Kneser-Ney (interpolated, one discount) goes through all its
counts for every word, so it is stopped after some seconds; Witten-Bell is its fastest model that handles unseen
sequences, and MLE, which gives them probability zero, is its fastest model. KenLM reads the ARPA file that Firth writes
(``pip install kenlm`` compiles it, which needs cmake and a C++ compiler). Needs NLTK and FIRTH_DATA; KenLM is skipped
if it is not installed. The job ``files`` compares compact files with those of KenLM's ``build_binary``, and ``memory``
what learning takes with that of its ``lmplz``, on ``text/wiki.txt.xz``: both are looked for in the folder FIRTH_PEERS.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks.common import data_file, processor
from benchmarks.lm_files import compact_files
from benchmarks.lm_memory import memory
from firth.lm import LanguageModel

ORDER = 3
Sentences = list[list[str]]


def best(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """The fewest CPU seconds, and the result."""
    seconds, found = math.inf, None
    for _ in range(rounds):
        began = time.process_time()
        found = work()
        seconds = min(seconds, time.process_time() - began)
    return seconds, found


def sentences_of(path: Path, n: int | None = None) -> Sentences:
    with path.open(encoding="utf-8") as lines:
        return [line.split() for line in lines][:n]


def trained(path: Path) -> LanguageModel:
    corpus = firth.Corpus.from_files(path, tokens="whitespace", threads=1)
    return LanguageModel(ORDER, min_count=1).fit(corpus, held_out=0)


def nltk_trained(kind: str, path: Path) -> Any:
    lm = import_module("nltk.lm")
    preprocessing = import_module("nltk.lm.preprocessing")
    model = getattr(lm, kind)(ORDER)
    model.fit(*preprocessing.padded_everygram_pipeline(ORDER, sentences_of(path)))
    return model


def nltk_scored(model: Any, sentences: Sentences, limit: float) -> tuple[int, float]:
    """The number of words scored within the time limit, ends of sentences included, and the CPU seconds."""
    pad = import_module("nltk.lm.preprocessing").pad_both_ends
    n, began = 0, time.process_time()
    for sentence in sentences:
        words = model.vocab.lookup(list(pad(sentence, ORDER)))[: len(sentence) + ORDER]
        total = 0.0
        for i in range(ORDER - 1, len(words)):
            p = model.unmasked_score(words[i], words[i - ORDER + 1 : i])
            total += math.log(p) if p > 0 else -math.inf
        n += len(sentence) + 1
        if time.process_time() - began > limit:
            break
    return n, time.process_time() - began


def against_nltk(train: Path, sentences: Sentences, rounds: int, limit: float) -> LanguageModel:
    n = sum(map(len, sentences)) + len(sentences)
    seconds, model = best(lambda: trained(train), rounds)
    scoring, _ = best(lambda: model.scores(sentences), 3 * rounds)
    print(
        "| model | training | relative to Firth | words scored | words a second | Firth's speed, relative |"
    )
    print("|---|---|---|---|---|---|")
    print(
        f"| Firth, modified Kneser-Ney | {seconds:.2f} s | | {n:,} | {n / scoring:,.0f} | |",
        flush=True,
    )
    for kind in ("MLE", "WittenBellInterpolated", "KneserNeyInterpolated"):
        theirs, other = best(lambda kind=kind: nltk_trained(kind, train), 1)  # type: ignore[misc]
        done, spent = nltk_scored(other, sentences, limit)
        print(
            f"| NLTK, {kind} | {theirs:.2f} s | {theirs / seconds:.0f} | {done:,} | {done / spent:,.0f} "
            f"| {n / scoring / (done / spent):,.0f} |", flush=True,
        )  # fmt: skip
    print()
    return trained(train)


def against_kenlm(model: LanguageModel, sentences: Sentences, folder: Path, rounds: int) -> None:
    kenlm = import_module("kenlm")
    path = folder / "model.arpa"
    began = time.process_time()
    with path.open("w", encoding="utf-8") as file:
        model.write_arpa(file)
    writing = time.process_time() - began
    quiet = kenlm.Config()
    quiet.show_progress = False
    reading, other = best(lambda: kenlm.Model(str(path), quiet), 1)
    lines = [" ".join(sentence) for sentence in sentences]
    at_once_took, ours = best(lambda: model.scores(sentences), 3 * rounds)
    took, theirs = math.inf, [0.0]
    ours_took = lists_took = math.inf
    for _ in range(3 * rounds):  # in turn, because the machine may be busy for a while
        ours_took = min(ours_took, best(lambda: [model.log_prob(one) for one in lines], 1)[0])
        now, theirs = best(lambda: [other.score(one) for one in lines], 1)
        took = min(took, now)
        now, _ = best(lambda: [model.log_prob(one) for one in sentences], 1)
        lists_took = min(lists_took, now)
    log10 = np.asarray(ours.log_prob) / math.log(10)
    n = sum(map(len, sentences)) + len(sentences)
    size = path.stat().st_size / 1e6
    print(
        f"ARPA file: {size:.1f} MB, written in {writing:.1f} s, read by KenLM in {reading:.1f} s\n"
    )
    print("| | perplexity | words a second |\n|---|---|---|")
    print(
        f"| Firth, text, sentence by sentence | {perplexity(log10, n):.4f} | {n / ours_took:,.0f} |"
    )
    print(
        f"| Firth, lists of words, one by one | {perplexity(log10, n):.4f} | {n / lists_took:,.0f} |"
    )
    print(
        f"| Firth, lists of words, all at once | {perplexity(log10, n):.4f} | {n / at_once_took:,.0f} |"
    )
    print(
        f"| KenLM, text, sentence by sentence | {perplexity(theirs, n):.4f} | {n / took:,.0f} |\n"
    )
    print(
        f"largest difference of the score of a sentence: {np.abs(log10 - theirs).max():.1e} (log10)"
    )


def perplexity(log10: Sequence[float] | Any, n: int) -> float:
    return float(10 ** (-np.sum(log10) / n))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lm", description=__doc__)
    parser.add_argument("jobs", nargs="*", default=["speed", "files"], help="speed, files, memory")
    parser.add_argument(
        "--memory", default="200M,512M,4G", help="limits of the job memory, separated by commas"
    )
    parser.add_argument(
        "--megabytes",
        type=int,
        default=0,
        help="size of the text of the job memory; 0 for all of it",
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="number of repetitions; the fastest counts"
    )
    parser.add_argument(
        "--limit", type=float, default=20.0, help="time limit for scoring with NLTK, in seconds"
    )
    options = parser.parse_args()
    if unknown := set(options.jobs) - {"speed", "files", "memory"}:
        parser.error(f"unknown job: {', '.join(sorted(unknown))}")
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    print(f"command: python -m benchmarks.lm {' '.join(sys.argv[1:])}\n")
    if {"speed", "files"} & set(options.jobs):
        penn_treebank(options)
    if "memory" in options.jobs:
        memory(options.memory.split(","), options.megabytes * 10**6 or None)


def penn_treebank(options: argparse.Namespace) -> None:
    train = data_file("lm/ptb.train.txt")
    sentences = sentences_of(data_file("lm/ptb.valid.txt"))
    model = trained(train)
    model.scores(sentences[:10])  # compiled
    if "speed" in options.jobs:
        print(f"NLTK {import_module('nltk').__version__}\n")
        model = against_nltk(train, sentences, options.rounds, options.limit)
    if find_spec("kenlm") is None:
        print("KenLM is not installed and was skipped: pip install kenlm")
        return
    with tempfile.TemporaryDirectory() as folder:
        if "speed" in options.jobs:
            against_kenlm(model, sentences, Path(folder), options.rounds)
        if "files" in options.jobs:
            lines, n = [" ".join(one) for one in sentences], sum(len(one) + 1 for one in sentences)
            compact_files(model, lines, n, Path(folder), 3 * options.rounds)


if __name__ == "__main__":
    main()
