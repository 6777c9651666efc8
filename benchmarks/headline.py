"""``python -m benchmarks.headline``: the first table of the benchmarks, and its picture.

From raw text to vectors, classes and tags, and from labelled text to named entities: Firth and what else there is,
each in a process of its own, on the same text. The rows are saved with date, machine and command in
docs/results/headline.json; ``--tasks names`` replaces only the rows of that task. docs/make_benchmarks_picture.py makes
the tables of docs/benchmarks.md and README.md and the picture from the file. All tasks take hours; ``--quick`` takes
minutes, with less text, and saves nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import firth
from benchmarks import classes, ner, tags, vectors
from benchmarks.common import Facts, data_file, processor, unpack
from firth.evaluate import AnalogyResult, evaluate_entities, evaluate_vectors, read_questions
from firth.formats import read_labelled

ROWS = Path(__file__).parents[1] / "docs" / "results" / "headline.json"
PEERS = {
    "vectors_gensim": "gensim, skip-gram",
    "vectors_gensim_fasttext": "gensim, FastText",
}
SECTION = "from-a-raw-file-to-500-dimensions-17-million-words"
SETS = {"MEN": "men", "RW": "rw", "syntactic analogies": "syntactic_analogies"}


def row(task: str, section: str, other: str, ours: Facts, theirs: Facts) -> Facts:
    """A comparison: CPU seconds and peak memory of both, and what they have learned."""
    return {
        "task": task, "other": other, "section": section,
        "cpu": [round(ours["cpu"], 2), round(theirs["cpu"], 2)],
        "memory": [round(ours["peak"] / 1e6), round(theirs["peak"] / 1e6)],
        "quality": [ours["quality"], theirs["quality"]],
    }  # fmt: skip


# Tasks --------------------------------------------------------------------------------------------


def learn_vectors(folder: Path, quick: bool) -> Iterator[Facts]:
    n_words = 3_000_000 if quick else 17_000_000
    vectors.prepare(folder, n_words)
    words = list(json.loads((folder / "words.json").read_text()))
    questions = [read_questions(data_file(f"words/{name}.dev")) for name in SETS.values()]

    def measured(job: str) -> Facts:
        import numpy as np

        facts: Facts = vectors.measure(job, folder)
        found = firth.WordVectors.from_arrays(words, np.load(folder / f"{job}.npy"))
        results = evaluate_vectors(found, questions)
        values = (r.accuracy if isinstance(r, AnalogyResult) else r.spearman for r in results)
        pairs = zip(SETS, values, strict=True)
        return {**facts, "quality": ", ".join(f"{name} {100 * value:.1f}" for name, value in pairs)}

    ours = measured("vectors_firth_general")
    task = f"word vectors: {n_words / 1e6:g} million words, 500 dimensions"
    for job, other in PEERS.items():
        yield row(task, SECTION, other, ours, measured(job))


def learn_classes(folder: Path, quick: bool) -> Iterator[Facts]:
    tokens, min_count, m = (1_000_000, 5, 100) if quick else (5_000_000, 10, 500)
    run = classes.Run(folder, classes.Sizes(limit=7200), None)
    unpack(data_file("text/wiki.txt.xz"), folder / "text.txt", None)
    _, commands = classes.program_commands(run, tokens, min_count, m)
    found = {name: classes.run_once(run, name, command) for name, command in commands.items()}
    judged = run.once("evaluate")
    for name, facts in found.items():
        value = judged[name]
        facts["quality"] = f"{value['bits']:.3f} bits, perplexity {value['perplexity']:.0f}"
    task = f"{judged['n']:,} words, {m} classes"
    for kind, ours, other in (
        ("Brown clusters", "Firth, Brown", "wcluster"),
        ("exchange clusters", "Firth, Brown and exchange", "ClusterCat"),
    ):
        if other in found:
            yield row(f"{kind}: {task}", "other-programs", other, found[ours], found[other])


def learn_tags(folder: Path, quick: bool) -> Iterator[Facts]:
    path, n_tokens = folder / "text.txt", 100_000 if quick else 1_000_000
    unpack(data_file("text/wiki.txt.xz"), path, 7 * n_tokens)

    def measured(name: str) -> Facts:
        facts = tags.measured(name, path, n_tokens, 45, 1)
        return {**facts, "quality": f"log likelihood {facts['result']:,.0f}"}

    ours, theirs = map(measured, ("Baum-Welch, one iteration", "the same, hmmlearn, scaling"))
    task = f"hidden Markov model: one iteration, 45 tags, {n_tokens:,} tokens"
    yield row(task, "parts-of-speech", "hmmlearn, scaling", ours, theirs)


def learn_names(folder: Path, quick: bool) -> Iterator[Facts]:
    del folder

    def measured(name: str) -> Facts:
        command = ["-m", "benchmarks.headline", "--job", name, *["--quick"] * quick]
        done = subprocess.run(
            [sys.executable, "-W", "ignore", *command],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        facts: Facts = json.loads(done.stdout.splitlines()[-1])
        print(f"  {name}: {facts}", file=sys.stderr, flush=True)
        return facts

    ours = measured("Firth")
    for other in list(TAGGERS)[1:]:
        yield row(
            "named entities: training on CoNLL-2003", "named-entities", other, ours, measured(other)
        )


TAGGERS: dict[str, Callable[[Any], Any]] = {
    "Firth": lambda _: ner.firth_tagger(None, 2),
    "CRFsuite, the same features": lambda _: ner.crfsuite(None),
    "spaCy, its usual small network": ner.spacy,
}


def run_tagger(name: str, quick: bool) -> None:
    """In a process of its own, on one core: learn names, and print what it took and how good it is."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    text, dev = (read_labelled(data_file(f"ner/eng.{part}")).documents for part in ("train", "testa"))  # fmt: skip
    text = text[:50] if quick else text
    firth.EntityTagger(rounds=1).fit(text[:20]).tag([["compiled"]])
    began = time.process_time()
    tag = TAGGERS[name](dev)(text)
    cpu = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    gold = [labels for document in dev for _, labels in document]
    f1 = 100 * evaluate_entities(gold, tag(dev)).overall.f1
    print(json.dumps({"cpu": cpu, "peak": peak, "quality": f"F1 {f1:.2f}"}))


TASKS: dict[str, Callable[[Path, bool], Iterator[Facts]]] = {
    "vectors": learn_vectors,
    "classes": learn_classes,
    "tags": learn_tags,
    "names": learn_names,
}


# The file of rows -----------------------------------------------------------------------------------


def save(task: str, found: list[Facts]) -> None:
    """Replace the rows of a task with others; what was not measured now stays, with its date."""
    rows = {(one["task"], one["other"]): one for one in json.loads(ROWS.read_text("utf-8"))}
    about = {
        "command": f"python -m benchmarks.headline --tasks {task}", "machine": processor(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }  # fmt: skip
    rows |= {(one["task"], one["other"]): {**one, **about} for one in found}
    text = json.dumps(list(rows.values()), indent=1, ensure_ascii=False)
    ROWS.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.headline", description=__doc__)
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--quick", action="store_true", help="less text, and save nothing")
    parser.add_argument("--job", choices=list(TAGGERS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        run_tagger(options.job, options.quick)
        return
    for task in options.tasks:
        with tempfile.TemporaryDirectory(prefix="firth-bench-") as folder:
            found = list(TASKS[task](Path(folder), options.quick))
        for one in found:
            print(json.dumps(one, ensure_ascii=False), flush=True)
        if not options.quick:
            save(task, found)


if __name__ == "__main__":
    main()
