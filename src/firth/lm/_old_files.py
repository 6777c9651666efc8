"""Files of language models before version 2: tables of n-grams up to trigrams."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import exps
from firth.corpus import MOST_TOKENS
from firth.lm._buckets import BUCKETS
from firth.lm._designs import Design
from firth.lm._mixture import Mixture
from firth.lm._ngram_trees import Table, level_edges, n_counted, tree_of
from firth.lm._trees import Tree
from firth.store import Part

__all__ = ["is_old", "read_old"]

_MOST_BACKOFF = 88.0
"""The largest log backoff weight."""

Array = npt.NDArray[Any]


def is_old(part: Part) -> bool:
    """Whether a part has the files of version 1."""
    return "words_p1.f64" in part.files


def read_old(part: Part, n_words: int) -> Mixture:
    """Read and check the models of version 1."""
    content = part.json("model.json", {"order": {1, 2, 3}, "classes": [{1, 2, 3}]})
    order = content["order"]
    tables = _tables(part, "words", n_words, order)
    trees: list[tuple[Tree, ...]] = [(tree_of(tables),)]
    designs = [Design("words", tuple(("word", k) for k in range(1, order)))]
    rows = [np.arange(n_words + 3, dtype=np.int32)]
    for number, class_order in enumerate(content["classes"]):
        class_of = part.array(f"class_of{number}.i64", n_words + 3, 0, n_words + 2).astype(np.int32)
        n_classes = int(class_of[-1]) - 2
        part.require(
            n_classes >= 1
            and np.array_equal(class_of[-3:], n_classes + np.arange(3))
            and class_of[:-3].max() < n_classes,
            "it contains invalid classes",
        )
        of_classes = tree_of(_tables(part, f"classes{number}", n_classes, class_order))
        log_p = part.array(f"in_class{number}.f64", n_words + 3, -math.inf, 0, infinite=True)
        trees.append((of_classes, _in_class(class_of, exps(log_p))))
        history = tuple(("class", k) for k in range(1, class_order))
        designs.append(Design("classes", history, number))  # type: ignore[arg-type]
        rows.append(class_of)
    weights = part.array("weights.f64", (BUCKETS, len(designs)), 0, 1, copy=True)
    part.require(np.allclose(weights.sum(axis=1), 1), "its interpolation weights do not sum to one")
    tokens = _tokens(part, trees[0][0], tables, n_words)
    return Mixture(np.array(rows), tuple(designs), tuple(trees), tokens, weights)


def _in_class(class_of: Array, p: Array) -> Tree:
    """The probabilities of words in their classes, as a tree without histories."""
    order = np.lexsort((np.arange(len(class_of)), class_of))
    n = int(class_of.max()) + 1
    return Tree(
        np.full(n + 1, n, np.int32), np.zeros(n, np.int32), np.zeros(n, np.float32),
        np.searchsorted(class_of[order], np.arange(n + 1)).astype(np.int32), order.astype(np.int32),
        p[order].astype(np.float32), np.zeros(n, np.float32),
    )  # fmt: skip


def _tables(part: Part, name: str, n_words: int, order: int) -> list[Table]:
    """The n-grams of each order, in the order of their files."""
    n = n_words + 3

    def numbers(table: str, n: int, high: int) -> Array:
        return part.array(f"{name}_{table}.i32", n, 0, high).astype(np.int64)

    def starts(table: str, n: int, last: int) -> Array:
        found = part.array(f"{name}_{table}.i64", n + 1, 0, last, "never falls")
        part.require(found[0] == 0 and found[-1] == last, "its n-grams are not complete")
        return found

    def powers(table: str, n: int, high: float) -> Array:
        return exps(part.array(f"{name}_{table}.f64", n, -math.inf, high, infinite=True))

    words2, words3 = numbers("words2", -1, n - 1), numbers("words3", -1, n - 1)
    n2, n3 = len(words2), len(words3)
    part.require((order > 1 or not n2) and (order > 2 or not n3), "it has n-grams beyond its order")
    first = np.repeat(np.arange(n), np.diff(starts("starts2", n, n2)))
    bigrams = np.stack([first, words2], axis=1)
    before = np.repeat(np.arange(n2), np.diff(starts("starts3", n2, n3)))
    trigrams = np.concatenate([bigrams[before], words3[:, None]], axis=1)
    tables = [
        Table(np.arange(n)[:, None], powers("p1", n, 1e-6), powers("backoff1", n, _MOST_BACKOFF)),
        Table(bigrams, powers("p2", n2, 1e-6), powers("backoff2", n2, _MOST_BACKOFF)),
        Table(trigrams, powers("p3", n3, 1e-6), np.ones(n3)),
    ][:order]
    for table in tables:
        part.require(
            len(np.unique(table.rows, axis=0)) == len(table.rows), "an n-gram occurs twice"
        )
    return tables


def _tokens(part: Part, tree: Tree, tables: list[Table], n_words: int) -> Array:
    """How often the histories of one and of two words were seen, by node."""
    counts = part.array("counts1.i64", n_words + 3, 0, MOST_TOKENS)
    n2 = len(tables[1].rows) if len(tables) > 2 else 0
    pairs = part.array("counts2.i64", n2, 0, MOST_TOKENS)
    edges = level_edges(tree.children, 1)
    tokens = np.zeros(n_counted(tree), np.int64)
    if len(edges) > 2:
        tokens[edges[1] : edges[2]] = counts[tree.elements[edges[1] : edges[2]]]
    if n2 and len(edges) > 3:
        parents = np.repeat(np.arange(edges[2]), np.diff(tree.children[: edges[2] + 1]))
        here = slice(edges[2], edges[3])
        last = tree.elements[parents[edges[2] - 1 : edges[3] - 1]]
        keys = tree.elements[here].astype(np.int64) * (n_words + 3) + last
        known = tables[1].rows[:, 0] * (n_words + 3) + tables[1].rows[:, 1]
        order = np.argsort(known)
        place = np.minimum(np.searchsorted(known[order], keys), n2 - 1)
        found = known[order][place] == keys
        tokens[here] = np.where(found, pairs[order][place], 0)
    return tokens
