"""The sample: two small models that have all parts between them, and checkpoints."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import firth
from firth.classes import ClassesParameters, learn_hierarchy
from firth.compute import ONE_THREAD
from firth.parts import PARTS
from firth.pipeline import (
    correct_morphs,
    learn_classes,
    learn_corpus,
    learn_counts,
    learn_entities,
    learn_grammar,
    learn_index,
    learn_lm,
    learn_map,
    learn_morphs,
    learn_report,
    learn_tags,
    learn_vectors,
    name_classes,
    name_tags,
)
from firth.store import Checkpoint

TEXT = (
    "the cat sees a dog\na dog hears the cat\nthe bird sees the dog\na cat hears a bird\n" * 6
    + "über 12 birds sleep , the dog sees 3 cats .\n"
)
LABELLED = (
    "-DOCSTART- O\n\nAnna B-PER\nsees O\nOslo B-LOC\n. O\n\nOslo B-LOC\nhears O\nAnna B-PER\n. O\n\n"
    * 4
)
TAGGED = "the D\ncat N\nsees V\na D\ndog N\n\ncats N\nsleep V\n\n" * 6
TREES = (
    "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))\n(S (NP (N cats)) (VP (V sleep)))\n"
    * 6
)
MODELS = ("words", "bags")
"""The models of the sample: counts by offsets, Brown classes; and the other methods."""
STATES = ("brown", "start", "exchange", "vectors")
"""The checkpoints of learning classes."""


def make(folder: Path) -> None:
    """Write the sample into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("t.txt", TEXT), ("ner.txt", LABELLED), ("tagged.txt", TAGGED), ("t.mrg", TREES),
    ):  # fmt: skip
        (folder / name).write_text(text, encoding="utf-8")
    records = "".join(json.dumps({"text": line}) + "\n" for line in TEXT.splitlines())
    (folder / "t.jsonl.gz").write_bytes(gzip.compress(records.encode(), mtime=0))
    words, bags = (folder / name for name in MODELS)
    _make_words(folder, words)
    _make_bags(folder, bags)
    for model in (words, bags):
        name_classes(model, {"0": "zero"})
        name_tags(model, {"0": "NOUN"})
        correct_morphs(model, {"sees": ["see", "s"], "dogged": ["dog", "ged"]})
        if missing := PARTS.keys() - firth.load(model).parts.keys():
            raise AssertionError(f"The sample lacks {', '.join(missing)}.")
    _make_checkpoints(words, folder / "states")


def _make_words(folder: Path, model: Path) -> None:
    text, known = folder / "t.txt", folder / "known.csv"
    known.write_text("file,year,who\nt,1900,Anna\n", encoding="utf-8")
    how: dict[str, Any] = {"dim": 3, "classes": 4, "tags": 3, "min_count": 1, "threads": 1}
    firth.learn(text, model, metadata=known, **how)
    learn_index(model)
    learn_report(model, threads=1)
    learn_map(model, threads=1)
    learn_map(model, kind="grammar", threads=1)
    learn_lm(model, order=4, classes=[3, 2], threads=1)
    learn_morphs(model)
    learn_entities(model, folder / "ner.txt", rounds=2, threads=1)
    learn_grammar(model, [folder / "t.mrg"], n_states=2, held_out=0)


def _make_bags(folder: Path, model: Path) -> None:
    texts = [folder / "t.txt", folder / "t.jsonl.gz"]
    (folder / "phrases.txt").write_text("a dog\na dog hears\n", encoding="utf-8")
    how: dict[str, Any] = {"lowercase": True, "digits": "zero", "split": "sentences"}
    learn_corpus(model, texts, phrases=folder / "phrases.txt", threads=1, **how)
    learn_index(model)
    learn_report(model, threads=1)
    learn_counts(model, contexts="bag2", weights="distance", min_count=3, threads=1)
    learn_vectors(model, preset="paper", dim=2, min_count=3, threads=1)
    learn_vectors(model, kind="grammar", dim=2, min_count=3, threads=1)
    learn_map(model, threads=1)
    learn_map(model, kind="grammar", threads=1)
    learn_classes(model, method="spectral", n_classes=3, min_count=3, threads=1)
    learn_tags(model, folder / "tagged.txt", tagged=True, method="latent", n_states=2, threads=1)
    learn_lm(model, order=2, classes=[], threads=1)
    learn_morphs(model, min_count=2, rounds=2)
    learn_entities(model, folder / "ner.txt", using=folder / MODELS[0], rounds=2, threads=1)
    learn_grammar(model, [folder / "t.mrg"], method="product", n_states=2, held_out=0)


def parameters_for(state: str) -> ClassesParameters:
    """The parameters with which a checkpoint is made, and read again."""
    if state == "vectors":
        return ClassesParameters(4, "spectral", refine=False, contexts="LR2")
    return ClassesParameters(4, "brown", refine=state != "brown")


@contextmanager
def many_checkpoints() -> Iterator[None]:
    """A checkpoint is written after every batch."""
    kind: Any = Checkpoint
    rule, kind.is_due = kind.is_due, True
    try:
        yield
    finally:
        kind.is_due = rule


def _make_checkpoints(model: Path, folder: Path) -> None:
    counts, scratch = firth.load(model).counts, folder / "scratch"
    for state in STATES:
        with many_checkpoints():
            learn_hierarchy(counts, parameters_for(state), ONE_THREAD, scratch)
        (scratch / f"{state}.state").replace(folder / f"{state}.state")
        for path in scratch.iterdir():
            path.unlink()
        scratch.rmdir()


if __name__ == "__main__":
    make(Path(sys.argv[1]))
