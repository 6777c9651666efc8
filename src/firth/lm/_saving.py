"""Files of a language model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import Reading, Vocabulary
from firth.errors import ModelError, ParameterError
from firth.lm._arpa import BEGIN, END, UNKNOWN
from firth.lm._buckets import BUCKETS, Histories
from firth.lm._classes import ClassModel
from firth.lm._mixture import Mixture
from firth.lm._ngrams import NgramModel
from firth.lm._words import KnownWords
from firth.store import array_file, read_array

__all__ = ["FACTS", "Saved", "read_model", "unsound", "write_model"]

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
"""The structure of the facts; a list has any number of elements of its kind."""

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
    (folder / FACTS).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
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
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    plain.tofile(folder / array_file(name, array.dtype))


def read_model(file: Callable[[str], Path]) -> Saved:
    """Read and check the files that ``write_model`` wrote."""
    folder = file(FACTS).parent
    try:
        content = json.loads(file(FACTS).read_text(encoding="utf-8"))
        reading = Reading(**content["reading"])
        order, of_classes, facts = content["order"], content["classes"], content["facts"]
        sound = order in (1, 2, 3) and all(k in (1, 2, 3) for k in of_classes)
    except (ValueError, RecursionError, TypeError, KeyError, ParameterError):
        raise unsound(folder, f"{FACTS} is damaged") from None
    if not sound or not _is(facts, _FACTS):
        raise unsound(folder, f"{FACTS} is damaged")
    held = facts.get("held_out")
    if not (held is None or _is(held, _HELD_OUT)) or len(facts["buckets"]) != BUCKETS:
        raise unsound(folder, f"{FACTS} is damaged")
    vocabulary = Vocabulary.load(file(WORDS), ordered=False)
    words = KnownWords(vocabulary, reading)
    if (
        not len(words)
        or len(set(words.words)) < len(words)
        or {UNKNOWN, BEGIN, END} & set(words.words)
    ):
        raise unsound(folder, "it has no words, or duplicate or reserved words")

    def read(name: str, dtype: str) -> Array:
        # a copy: kernels are compiled for writable arrays
        return np.array(read_array(file(array_file(name, dtype))))

    ngrams = _ngrams(read, folder, "words", len(words), order)
    models = tuple(
        _class_model(read, folder, number, len(words), k) for number, k in enumerate(of_classes)
    )
    histories = Histories(read("counts1", "i8"), read("counts2", "i8"))
    n_bigrams = len(ngrams.words2) if order > 2 else 0
    if (
        (len(histories.words), len(histories.bigrams)) != (len(words) + 3, n_bigrams)
        or (histories.words < 0).any()
        or (histories.bigrams < 0).any()
        or [one["n_classes"] for one in facts["classes"]] != [m.ngrams.n_words for m in models]
        or len(facts["discounts"]) not in (0, order)
        or any(len(some) != 3 for some in facts["discounts"])
    ):
        raise unsound(folder, "the sizes of its tables do not agree")
    weights = _weights(folder, read("weights", "f8"), 1 + len(models))
    return Saved(Mixture(ngrams, histories, models, weights), words, facts)


def _is(value: Any, kind: Any) -> bool:
    """Whether a value read from a file has a given structure."""
    if isinstance(kind, dict):
        return isinstance(value, dict) and all(_is(value.get(name), k) for name, k in kind.items())
    if isinstance(kind, list):
        return isinstance(value, list) and all(_is(one, kind[0]) for one in value)
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return value is None or (number and math.isfinite(value))
    return isinstance(value, kind) and not isinstance(value, bool) and (kind is str or value >= 0)


def _ngrams(
    read: Callable[[str, str], Array], folder: Path, name: str, n_words: int, order: int
) -> NgramModel:
    tables = {table: read(f"{name}_{table}", dtype) for table, dtype in _TABLES.items()}
    model = NgramModel(n_words, order, **tables)
    n, n_bigrams, n_trigrams = n_words + 3, len(model.words2), len(model.words3)
    lengths = [len(table) for table in tables.values()]
    of_bigrams = [n_bigrams, n_bigrams, n_bigrams, n_bigrams + 1]
    wanted = [n, n, n + 1, *of_bigrams, n_trigrams, n_trigrams]
    if lengths != wanted or (order < 2 and n_bigrams) or (order < 3 and n_trigrams):
        raise unsound(folder, "the sizes of its tables do not agree")
    if not (
        _are_rows(model.starts2, model.words2, n) and _are_rows(model.starts3, model.words3, n)
    ):
        raise unsound(folder, "its n-grams are not sorted")
    for p in (model.p1, model.p2, model.p3):
        if not (p <= 1e-6).all():
            raise unsound(folder, "it contains invalid probabilities")
    for backoff in (model.backoff1, model.backoff2):
        if not (backoff <= _MOST_BACKOFF).all():
            raise unsound(folder, "it contains invalid probabilities")
    return model


def _are_rows(starts: Array, numbers: Array, below: int) -> bool:
    """Whether ``starts`` cuts the numbers into rows, each sorted, of numbers below ``below``."""
    if starts[0] != 0 or starts[-1] != len(numbers) or (np.diff(starts) < 0).any():
        return False
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < below:
        return False
    fresh = np.zeros(len(numbers) + 1, bool)
    fresh[starts] = True
    return bool(((np.diff(numbers) > 0) | fresh[1:-1]).all()) if len(numbers) else True


def _class_model(
    read: Callable[[str, str], Array], folder: Path, number: int, n_words: int, order: int
) -> ClassModel:
    class_of, log_p = read(f"class_of{number}", "i8"), read(f"in_class{number}", "f8")
    if len(class_of) != n_words + 3 or len(log_p) != n_words + 3:
        raise unsound(folder, "the sizes of its tables do not agree")
    n_classes = int(class_of[-1]) - 2
    special = n_classes + np.arange(3)
    inside = class_of[:-3]
    if (
        n_classes < 1
        or not np.array_equal(class_of[-3:], special)
        or not 0 <= inside.min() <= inside.max() < n_classes
        or not (log_p <= 0).all()
    ):
        raise unsound(folder, "it contains invalid classes")
    return ClassModel(class_of, _ngrams(read, folder, f"classes{number}", n_classes, order), log_p)


def _weights(folder: Path, found: Array, n_models: int) -> npt.NDArray[np.float64]:
    if len(found) != BUCKETS * n_models:
        raise unsound(folder, "the sizes of its tables do not agree")
    weights = found.reshape(BUCKETS, n_models)
    if not ((weights >= 0) & (weights <= 1)).all() or not np.allclose(weights.sum(axis=1), 1):
        raise unsound(folder, "its interpolation weights do not sum to one")
    return weights


def unsound(folder: Path, why: str) -> ModelError:
    return ModelError(
        f"The language model in {folder} cannot be used: {why}.", "Retrain it: firth lm learn MODEL"
    )
