"""Files of a language model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import MOST_TOKENS, Reading, Vocabulary
from firth.lm._arpa import BEGIN, END
from firth.lm._buckets import BUCKETS
from firth.lm._cache import CACHE_NAMES
from firth.lm._designs import Design, read_design
from firth.lm._mixture import Mixture, cached_design
from firth.lm._ngram_trees import n_counted
from firth.lm._old_files import is_old, read_old
from firth.lm._spelling import Spelling
from firth.lm._trees import Tree
from firth.lm._words import KnownWords
from firth.store import Part, array_file, every, has_structure, write_array, write_text

__all__ = ["FACTS", "Saved", "read_model", "write_model"]

FACTS, WORDS = "model.json", "words.arrow"
_LARGEST = float(np.finfo(np.float32).max)
_HELD_OUT = {
    "perplexity": float, "perplexity_known": float, "log_prob": float, "n_sentences": int, "n_words": int,
    "n_unknown": int, "n_tokens": int, "bits": float,
    "components": [{"name": str, "perplexity": float, "perplexity_known": float, "weight": float}],
}  # fmt: skip
_OF_CLASSES = {
    "n_classes": int, "cross_entropy": float, "word_entropy": float, "mutual_information": float, "n_pairs": int,
}  # fmt: skip
_FACTS = {
    "n_words": int, "n_sentences": int, "n_tokens": int, "n_unknown": int, "n_grams": [int], "discounts": [[float]],
    "classes": [_OF_CLASSES], "buckets": [int],
}  # fmt: skip
_CONTENT = {"designs": [dict], "n_clusterings": int, "reading": dict, "facts": _FACTS}

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Saved:
    """The contents of the files."""

    mixture: Mixture
    words: KnownWords
    spelling: Spelling | None
    facts: dict[str, Any]


def write_model(folder: Path, saved: Saved) -> None:
    """Write the files of a language model."""
    mixture = saved.mixture
    content = {
        "designs": [design.to_dict() for design in mixture.designs], "n_clusterings": len(mixture.maps) - 1,
        "reading": saved.words.reading.parameters(), "facts": saved.facts,
    }  # fmt: skip
    if saved.spelling is not None:
        content["letters"] = saved.spelling.letters
        content["log_left"] = saved.spelling.log_left
        _write_tree(folder, "letters", saved.spelling.tree)
    write_text(folder / FACTS, json.dumps(content, ensure_ascii=False))
    saved.words.vocabulary.save(folder / WORDS)
    _write(folder, "weights", mixture.weights)
    _write(folder, "tokens", mixture.tokens)
    for number, row in enumerate(mixture.maps[1:]):
        _write(folder, f"class_of{number}", row)
    if mixture.cache_weights is not None:
        _write(folder, "cache_weights", mixture.cache_weights)
    if mixture.in_class is not None:
        _write(folder, "in_class", mixture.in_class)
    for number, trees in enumerate(mixture.trees):
        for which, tree in enumerate(trees):
            _write_tree(folder, f"model{number}_{'ab'[which]}", tree)


def _write_tree(folder: Path, name: str, tree: Tree) -> None:
    for table, array in vars(tree).items():
        _write(folder, f"{name}_{table}", array)


def _write(folder: Path, name: str, array: Array) -> None:
    write_array(folder / array_file(name, array.dtype), array)


def read_model(part: Part) -> Saved:
    """Read and check the files that ``write_model`` wrote, or an older version."""
    old = is_old(part)
    content = part.json(FACTS, {"reading": dict, "facts": _FACTS} if old else _CONTENT)
    facts = content["facts"]
    held = facts.get("held_out")
    part.require(
        len(facts["buckets"]) == BUCKETS
        and "held_out" in facts
        and (held is None or has_structure(held, _HELD_OUT))
        and all(len(some) == 3 for some in facts["discounts"]),
        f"{FACTS} does not contain what it should",
    )
    words = _words(part, content["reading"])
    if old:
        mixture, spelling = read_old(part, len(words)), None
    else:
        mixture, spelling = _mixture(part, content, len(words)), _spelling(part, content)
    part.require(
        [one["n_classes"] for one in facts["classes"]] == mixture.sizes
        and len(facts["discounts"]) in (0, mixture.order),
        f"{FACTS} does not match the models",
    )
    return Saved(mixture, words, spelling, facts)


def _words(part: Part, reading: Any) -> KnownWords:
    vocabulary = Vocabulary.load(part, WORDS, ordered=False)
    words = KnownWords(vocabulary, Reading.restored(reading))
    names, n = vocabulary.words, len(words)
    part.require(
        n and len(names.unique()) == n and BEGIN not in vocabulary and END not in vocabulary,
        "it has no words, or duplicate or reserved words",
    )
    return words


def _mixture(part: Part, content: Any, n_words: int) -> Mixture:
    n_clusterings = content["n_clusterings"]
    part.require(0 <= n_clusterings <= len(part.files), f"{FACTS} has too many clusterings")
    rows = [np.arange(n_words + 3, dtype=np.int32)]
    rows += [_class_of(part, number, n_words) for number in range(n_clusterings)]
    maps = np.array(rows)
    found = [read_design(given, n_clusterings) for given in content["designs"]]
    designs = tuple(design for design in found if design is not None)
    part.require(
        designs
        and len(designs) == len(found)
        and designs[0].kind == "words"
        and _is_plain(designs[0]),
        f"{FACTS} contains invalid models",
    )
    trees = tuple(
        tuple(
            _tree(part, f"model{number}_{'ab'[which]}", int(maps[event.outcome].max()),
                  1 if event.given is None else int(maps[event.given].max()) + 1, n_words + 2)
            for which, event in enumerate(design.events())
        )
        for number, design in enumerate(designs)
    )  # fmt: skip
    tokens = part.array("tokens.i64", n_counted(trees[0][0]), 0, MOST_TOKENS)
    weights = _weights(part, "weights.f64", len(designs))
    cached, in_class = None, None
    if "cache_weights.f64" in part.files:
        by_class = cached_design(designs) is not None
        n_cached = len(CACHE_NAMES) - (not by_class)
        cached = _weights(part, "cache_weights.f64", len(designs) + n_cached)
        if by_class:
            in_class = part.array("in_class.f64", n_words + 3, 0, 1, copy=True)
    return Mixture(maps, designs, trees, tokens, weights, cached, in_class)


def _is_plain(design: Design) -> bool:
    """Whether a model of words has all distances."""
    return [distance for _, distance in design.history] == [*range(1, len(design.history) + 1)]


def _class_of(part: Part, number: int, n_words: int) -> Array:
    class_of = part.array(f"class_of{number}.i32", n_words + 3, 0, n_words + 2, copy=True)
    n_classes = int(class_of[-1]) - 2
    part.require(
        n_classes >= 1
        and np.array_equal(class_of[-3:], n_classes + np.arange(3))
        and class_of[:-3].max() < n_classes,
        "it contains invalid classes",
    )
    return class_of


def _weights(part: Part, name: str, n: int) -> Array:
    weights = part.array(name, (BUCKETS, n), 0, 1, copy=True)
    part.require(np.allclose(weights.sum(axis=1), 1), "its interpolation weights do not sum to one")
    return weights


def _spelling(part: Part, content: Any) -> Spelling | None:
    letters, left = content.get("letters"), content.get("log_left")
    if letters is None:
        return None
    part.require(
        isinstance(letters, str)
        and sorted(set(letters)) == list(letters)
        and isinstance(left, float)
        and -100 < left <= 0,
        "its letters are not valid",
    )
    return Spelling(letters, _tree(part, "letters", len(letters) + 2, 1, len(letters) + 2), left)


def _tree(part: Part, name: str, highest: int, n_given: int, most: int) -> Tree:
    """The tables of a tree: rows of histories by node, and rows of outcomes by node.

    ``highest`` is the largest outcome, ``most`` the largest element.
    """

    def edges(table: str, low: int, high: int) -> Array:
        names = [array_file(f"{name}_{table}", dtype) for dtype in ("i4", "i8")]
        return part.array(names, n + 1, low, high, "never falls")

    elements = part.array(f"{name}_elements.i32", -1, 0, most)
    words = part.array(f"{name}_words.i32", -1, 0, highest)
    n = len(elements)
    part.require(n >= n_given, "it has no histories")
    children, starts = edges("children", n_given, n), edges("starts", 0, len(words))
    part.require(
        children[0] == n_given
        and children[-1] == n
        and every(n, lambda a, b: bool((children[a:b] > np.arange(a, b)).all()))
        and _are_rows(children, elements, n_given)
        and starts[0] == 0
        and _are_rows(starts, words, 0),
        "its histories are not sorted",
    )
    return Tree(
        children, elements, part.array(f"{name}_backoff.f32", n, 0, _LARGEST), starts, words,
        part.array(f"{name}_p.f32", len(words), 0, 1.00001),
        part.array(f"{name}_base.f32", n_given, 0, 1),
    )  # fmt: skip


def _are_rows(starts: Array, numbers: Array, first: int) -> bool:
    """Whether ``starts``, which never falls, cuts the numbers from ``first`` on into rows, each sorted."""
    if starts[-1] != len(numbers):
        return False

    def rise(begin: int, end: int) -> bool:
        rises = numbers[begin + 1 : end + 1] > numbers[begin:end]
        # of the same type, or all of them would be copied
        a, b = np.searchsorted(starts, np.array([begin + 1, end + 1], starts.dtype))
        rises[starts[a:b] - begin - 1] = True  # where another row begins
        rises[: max(0, first - begin)] = True
        return bool(rises.all())

    return every(len(numbers) - 1, rise)
