"""Files of a language model."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import MOST_TOKENS, Reading, Vocabulary
from firth.lm._arpa import BEGIN, END, UNKNOWN
from firth.lm._buckets import BUCKETS, Histories
from firth.lm._classes import ClassModel
from firth.lm._mixture import Mixture
from firth.lm._ngrams import NgramModel
from firth.lm._words import KnownWords
from firth.store import (
    Order,
    Part,
    array_file,
    every,
    has_structure,
    write_array,
    write_text,
)

__all__ = ["FACTS", "Saved", "read_model", "write_model"]

FACTS, WORDS, WEIGHTS = "model.json", "words.arrow", "weights.f64"
_TABLES = {
    "p1": "f8", "backoff1": "f8", "starts2": "i8", "words2": "i4", "p2": "f8", "backoff2": "f8", "starts3": "i8",
    "words3": "i4", "p3": "f8",
}  # fmt: skip
"""The tables of an n-gram model, and their types."""
_MOST_BACKOFF = 250.0
"""The largest log backoff weight."""
_HELD_OUT = {
    "perplexity": float, "perplexity_known": float, "log_prob": float, "n_sentences": int, "n_words": int,
    "n_unknown": int, "n_tokens": int, "bits": float,
    "components": [{"name": str, "perplexity": float, "perplexity_known": float, "weight": float}],
}  # fmt: skip
_OF_CLASSES = {
    "n_classes": int, "order": int, "cross_entropy": float, "word_entropy": float, "mutual_information": float,
    "n_pairs": int,
}  # fmt: skip
_FACTS = {
    "n_words": int, "n_sentences": int, "n_tokens": int, "n_unknown": int, "n_grams": [int], "discounts": [[float]],
    "classes": [_OF_CLASSES], "buckets": [int],
}  # fmt: skip
_CONTENT = {"order": {1, 2, 3}, "classes": [{1, 2, 3}], "reading": dict, "facts": _FACTS}

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Saved:
    """The contents of the files."""

    mixture: Mixture
    words: KnownWords
    facts: dict[str, Any]


def write_model(folder: Path, saved: Saved) -> None:
    """Write the files of a language model."""
    mixture = saved.mixture
    content = {
        "order": mixture.words.order, "classes": [model.ngrams.order for model in mixture.classes],
        "reading": saved.words.reading.parameters(), "facts": saved.facts,
    }  # fmt: skip
    write_text(folder / FACTS, json.dumps(content, ensure_ascii=False))
    saved.words.vocabulary.save(folder / WORDS)
    _write(folder, "weights", mixture.weights)
    _write(folder, "counts1", mixture.histories.words)
    _write(folder, "counts2", mixture.histories.bigrams)
    _write_ngrams(folder, "words", mixture.words)
    for number, model in enumerate(mixture.classes):
        _write_ngrams(folder, f"classes{number}", model.ngrams)
        _write(folder, f"class_of{number}", model.class_of)
        _write(folder, f"in_class{number}", model.log_p)


def _write_ngrams(folder: Path, name: str, model: NgramModel) -> None:
    for table, dtype in _TABLES.items():
        _write(folder, f"{name}_{table}", np.asarray(getattr(model, table), dtype))


def _write(folder: Path, name: str, array: Array) -> None:
    write_array(folder / array_file(name, array.dtype), array)


def read_model(part: Part) -> Saved:
    """Read and check the files that ``write_model`` wrote."""
    content = part.json(FACTS, _CONTENT)
    order, of_classes, facts = content["order"], content["classes"], content["facts"]
    held = facts.get("held_out")
    part.require(
        len(facts["buckets"]) == BUCKETS
        and "held_out" in facts
        and (held is None or has_structure(held, _HELD_OUT))
        and len(facts["discounts"]) in (0, order)
        and all(len(some) == 3 for some in facts["discounts"]),
        f"{FACTS} does not contain what it should",
    )
    vocabulary = Vocabulary.load(part, WORDS, ordered=False)
    words = KnownWords(vocabulary, Reading.restored(content["reading"]))
    distinct, n = set(words.words), len(words)
    part.require(
        n and len(distinct) == n and not {UNKNOWN, BEGIN, END} & distinct,
        "it has no words, or duplicate or reserved words",
    )
    ngrams = _ngrams(part, "words", n, order)
    models = tuple(_class_model(part, number, n, k) for number, k in enumerate(of_classes))
    part.require(
        [one["n_classes"] for one in facts["classes"]] == [m.ngrams.n_words for m in models],
        f"{FACTS} does not match the classes",
    )
    n_bigrams = len(ngrams.words2) if order > 2 else 0
    histories = Histories(
        part.array("counts1.i64", n + 3, 0, MOST_TOKENS, copy=True),
        part.array("counts2.i64", n_bigrams, 0, MOST_TOKENS),
    )
    weights = part.array("weights.f64", (BUCKETS, 1 + len(models)), 0, 1, copy=True)
    part.require(np.allclose(weights.sum(axis=1), 1), "its interpolation weights do not sum to one")
    return Saved(Mixture(ngrams, histories, models, weights), words, facts)


def _ngrams(part: Part, name: str, n_words: int, order: int) -> NgramModel:
    """The tables of an n-gram model: rows of bigrams by word, rows of trigrams by bigram."""
    n = n_words + 3

    def numbers(table: str, n: int, high: int, order: Order | None = None) -> Array:
        path = array_file(f"{name}_{table}", _TABLES[table])
        return part.array(path, n, 0, high, order)

    def logs(table: str, n: int, high: float) -> Array:
        return part.array(f"{name}_{table}.f64", n, -math.inf, high, infinite=True)

    words2, words3 = numbers("words2", -1, n - 1), numbers("words3", -1, n - 1)
    n2, n3 = len(words2), len(words3)
    part.require((order > 1 or not n2) and (order > 2 or not n3), "it has n-grams beyond its order")
    starts2 = numbers("starts2", n + 1, n2, "never falls")
    starts3 = numbers("starts3", n2 + 1, n3, "never falls")
    for starts, words in ((starts2, words2), (starts3, words3)):
        part.require(_are_rows(starts, words), "its n-grams are not sorted")
    return NgramModel(
        n_words, order, starts2=starts2, words2=words2, starts3=starts3, words3=words3,
        p1=logs("p1", n, 1e-6), backoff1=logs("backoff1", n, _MOST_BACKOFF),
        p2=logs("p2", n2, 1e-6), backoff2=logs("backoff2", n2, _MOST_BACKOFF), p3=logs("p3", n3, 1e-6),
    )  # fmt: skip


def _are_rows(starts: Array, numbers: Array) -> bool:
    """Whether ``starts``, which never falls, cuts the numbers into rows, each sorted."""
    if starts[0] != 0 or starts[-1] != len(numbers):
        return False

    def rise(begin: int, end: int) -> bool:
        rises = numbers[begin + 1 : end + 1] > numbers[begin:end]
        a, b = np.searchsorted(starts, [begin + 1, end + 1])
        rises[starts[a:b] - begin - 1] = True  # where another row begins
        return bool(rises.all())

    return every(len(numbers) - 1, rise)


def _class_model(part: Part, number: int, n_words: int, order: int) -> ClassModel:
    class_of = part.array(f"class_of{number}.i64", n_words + 3, 0, n_words + 2, copy=True)
    n_classes = int(class_of[-1]) - 2
    part.require(
        n_classes >= 1
        and np.array_equal(class_of[-3:], n_classes + np.arange(3))
        and class_of[:-3].max() < n_classes,
        "it contains invalid classes",
    )
    log_p = part.array(f"in_class{number}.f64", n_words + 3, -math.inf, 0, infinite=True, copy=True)
    return ClassModel(class_of, _ngrams(part, f"classes{number}", n_classes, order), log_p)
