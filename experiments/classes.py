"""Comparison of word classes: methods, refinement, kappa and the square root, on held-out text.

    FIRTH_DATA=... python -m experiments.classes [--text wikinews] [--classes 400]

Classes are learned from 95 of every 100 lines. They are evaluated by the perplexity of the
class-bigram model on the held-out lines, by mutual information on the training text, and by the
agreement with the part-of-speech tags of UD English-EWT (many-to-one and V-measure, with the tree
cut to 50 classes).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from experiments.common import Run, data, machine, start

import firth
from firth.classes import ClassesParameters, learn_hierarchy
from firth.compute import Engine
from firth.evaluate import matching, perplexity
from firth.formats import read_tagged

METHODS: dict[str, dict[str, Any]] = {
    "brown": {"refine": False},
    "brown, refined": {},
    "seeds, refined": {"method": "seeds"},
    "spectral, kappa 200": {"method": "spectral", "refine": False},
    "spectral, kappa 2000": {"method": "spectral", "refine": False, "kappa": 2000.0},
    "spectral, square root": {"method": "spectral", "refine": False, "transform": "sqrt", "kappa": 10.0},
    "spectral, two-means": {"method": "spectral", "refine": False, "clustering": "two-means"},
    "spectral, refined": {"method": "spectral"},
}  # fmt: skip


def halves(run: Run, text: str) -> tuple[Path, Path]:
    """The training lines and the held-out lines."""
    learned, held_out = (run.work / f"{text}-{part}.txt" for part in ("learned", "held-out"))
    if not held_out.exists():
        with (
            run.text(text).open(encoding="utf-8", newline="\n") as lines,
            learned.open("w", encoding="utf-8") as most,
            held_out.with_suffix(".new").open("w", encoding="utf-8") as few,
        ):
            for i, line in enumerate(lines):
                (few if i % 20 == 19 else most).write(line)
        held_out.with_suffix(".new").replace(held_out)
    return learned, held_out


def agreement(
    classes: firth.Hierarchy, tokens: list[tuple[str, str]], k: int
) -> tuple[float, float]:
    """Many-to-one and V-measure of the tree cut to k classes."""
    cut = classes.cut(min(k, classes.n_classes))
    words = list(dict.fromkeys(word for word, _ in tokens))
    path = {answer.word: answer.path or "?" for answer in cut.assign(words)}
    found = matching([tag for _, tag in tokens], [path[word] for word, _ in tokens])
    return found.many_to_one, found.v_measure


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", default="wikinews", choices=["wikinews", "wiki"])
    parser.add_argument("--classes", type=int, default=400)


def main() -> None:
    run = start("classes", __doc__, add_options)
    text, n_classes = run.options.text, 50 if run.quick else run.options.classes
    tokens = [pair for sentence in read_tagged(data("tags/en_ewt-dev.conllu")) for pair in sentence]
    corpus, other = (firth.Corpus.from_files(path) for path in halves(run, text))
    counts = {kind: firth.count(corpus, contexts=kind) for kind in ("R1", "LR2")}
    print(f"command: {run.command()}; {run.started}; {machine()}\n")
    print(f"{text}: {corpus}, {n_classes} classes\n")
    print(
        "| classes | mutual information | held-out perplexity | many-to-one | V-measure | seconds |"
    )
    print("|---|---|---|---|---|---|")
    for name, how in METHODS.items():
        parameters = ClassesParameters(n_classes, **how)
        started = time.perf_counter()
        classes, facts = learn_hierarchy(counts[parameters.counted_contexts], parameters, Engine(2))
        seconds = time.perf_counter() - started
        bits = facts["mutual_information"]["bits"]
        held = perplexity(classes, other).perplexity
        many, v = agreement(classes, tokens, 50)
        row = f"{name} | {bits:.4f} bits | {held:.1f} | {many:.1%} | {v:.1%} | {seconds:.1f}"
        print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
