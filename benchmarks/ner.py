"""``python -m benchmarks.ner``: named-entity recognition compared with CRFsuite on the same word features.

Trains on CoNLL-2003's ``eng.train`` and tags ``eng.testa``: once, when most words are new to the tagger, and then
repeatedly, when it has seen them all, as in a long text. Times include making the features. The peer is CRFsuite
through ``sklearn_crfsuite`` (L-BFGS, 100 iterations, c1 = c2 = 0.1) on ``firth.features``. Both use BILOU labels. If
spaCy is installed, its recogniser is trained too. Needs ``pip install sklearn-crfsuite`` and FIRTH_DATA with
``ner/eng.train`` and ``ner/eng.testa``; ``--using MODEL`` adds the classes of a model.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import firth
from benchmarks.common import data_file, processor
from firth.evaluate import evaluate_entities
from firth.formats import convert_labels, read_labelled

AT_LEAST = 5.0
"""Seconds for which a tagger repeats its work, to measure its speed."""

Labels = list[list[str]]


def firth_tagger(classes: Any, stages: int) -> Callable[[Any], Callable[[Any], Labels]]:
    def learn(text: Any) -> Callable[[Any], Labels]:
        tagger = firth.EntityTagger(classes, stages=stages).fit(text)
        return lambda dev: [
            labels for document in dev for labels in tagger.tag([words for words, _ in document])
        ]

    return learn


def crfsuite(classes: Any) -> Callable[[Any], Callable[[Any], Labels]]:
    def learn(text: Any) -> Callable[[Any], Labels]:
        peer = import_module("sklearn_crfsuite")
        sentences = [sentence for document in text for sentence in document]
        made = firth.SentenceFeatures(classes)
        model = peer.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100)
        labels = [convert_labels(labels, None, "bilou") for _, labels in sentences]
        model.fit(made.transform([words for words, _ in sentences]), labels)
        return lambda dev: model.predict(
            made.transform([words for document in dev for words, _ in document])
        )

    return learn


def spacy(dev: Any) -> Callable[[Any], Callable[[Any], Labels]]:
    """What ``spacy train`` does with the configuration of ``spacy init config --pipeline ner``: a small network on
    the CPU, no pretrained vectors. It trains until 1,600 steps bring no better F1 on ``dev``, and keeps the best.
    """

    def learn(text: Any) -> Callable[[Any], Labels]:
        library, tokens = import_module("spacy"), import_module("spacy.tokens")
        loop, initialize = map(import_module, ("spacy.training.loop", "spacy.training.initialize"))
        config = import_module("spacy.cli.init_config").init_config(
            lang="en", pipeline=["ner"], optimize="efficiency", gpu=False
        )
        with tempfile.TemporaryDirectory(prefix="firth-bench-") as name:
            folder, vocabulary = Path(name), library.blank("en").vocab
            for part, documents in (("train", text), ("dev", dev)):
                gold = (
                    tokens.Doc(vocabulary, words, ents=convert_labels(labels, None, "iob2"))
                    for document in documents
                    for words, labels in document
                )
                config["paths"][part] = str(folder / f"{part}.spacy")
                tokens.DocBin(docs=gold).to_disk(config["paths"][part])
            loop.train(initialize.init_nlp(config), folder, stdout=sys.stderr)
            nlp = library.load(folder / "model-best")

        def tag(dev: Any) -> Labels:
            docs = (tokens.Doc(nlp.vocab, words) for document in dev for words, _ in document)
            return [
                [t.ent_iob_ if t.ent_iob_ == "O" else f"{t.ent_iob_}-{t.ent_type_}" for t in doc]
                for doc in nlp.pipe(docs)
            ]

        return tag

    return learn


def measure(name: str, learn: Callable[[Any], Callable[[Any], Labels]], text: Any, dev: Any) -> str:
    """A row of the table: training time, speed and F1."""
    started = time.process_time(), time.perf_counter()
    tag = learn(text)
    cpu, wall = time.process_time() - started[0], time.perf_counter() - started[1]
    gold = [labels for document in dev for _, labels in document]
    began = time.perf_counter()
    found = tag(dev)
    first = time.perf_counter() - began
    result = evaluate_entities(gold, found)
    n, began = 0, time.perf_counter()
    while time.perf_counter() - began < AT_LEAST:
        tag(dev)
        n += result.n_words
    speed = n / (time.perf_counter() - began)
    speeds = f"{result.n_words / first:,.0f} | {speed:,.0f}"
    return f"| {name} | {wall:.0f} s | {cpu:.0f} s | {speeds} | {100 * result.overall.f1:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ner", description=__doc__)
    parser.add_argument("--using", type=Path, metavar="MODEL")
    parser.add_argument("--alone", action="store_true", help="without CRFsuite")
    options = parser.parse_args()
    text, dev = (read_labelled(data_file(f"ner/eng.{name}")).documents for name in ("train", "testa"))  # fmt: skip
    classes = firth.load(options.using).classes if options.using else None
    firth.EntityTagger(rounds=1).fit(text[:20]).tag([["compiled"]])
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    print(f"command: python -m benchmarks.ner {' '.join(sys.argv[1:])}\n")
    print("| tagger | training, wall | CPU | words a second, new text | repeated text | F1 |")
    print("|---|---|---|---|---|---|")
    jobs = {
        "`EntityTagger`": firth_tagger(classes, 2),
        "`EntityTagger(stages=1)`": firth_tagger(classes, 1),
    }
    if not options.alone:
        jobs["CRFsuite on `firth.features`"] = crfsuite(classes)
        if find_spec("spacy"):
            jobs["spaCy, `spacy train`"] = spacy(dev)
    for name, learn in jobs.items():
        print(measure(name, learn, text, dev), flush=True)


if __name__ == "__main__":
    main()
