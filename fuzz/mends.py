"""Mending: what must hold of a part holds again after a change, so that checks let it through.

A mend changes files in place as far as it can; whatever is too damaged stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from firth.store._contents import TYPES
from fuzz.changes import Files, read_words, write_words

HOW = ("all", "sums")
"""Mend everything, or only what is counted and added up: zeros, gaps and disorder stay."""


def mend(files: Files, part: str, how: str = HOW[0]) -> None:
    """Mend the files of a part."""
    mends = MENDS if how == "all" else SUMS
    if part in mends:
        hopeless = (ValueError, LookupError, ArithmeticError, TypeError, OSError)
        with suppress(*hopeless), np.errstate(all="ignore"):
            mends[part](_Arrays(files, part))


class _Arrays:
    """The files of a part as arrays and tables."""

    def __init__(self, files: Files, part: str) -> None:
        self._files, self._part = files, part

    def __contains__(self, name: str) -> bool:
        return f"{self._part}/{name}" in self._files

    def __getitem__(self, name: str) -> Any:
        data = self._data(name)
        return np.frombuffer(data, TYPES[name[-3:]]).copy()

    def __setitem__(self, name: str, array: Any) -> None:
        self._data(name)
        plain = np.ascontiguousarray(array).astype(TYPES[name[-3:]])
        self._files[f"{self._part}/{name}"] = plain.tobytes()

    def _data(self, name: str) -> bytes:
        data = self._files[f"{self._part}/{name}"]
        if not isinstance(data, bytes):
            raise ValueError(name)
        return data

    def words(self, name: str) -> tuple[list[str], list[int]]:
        return read_words(self._data(name))

    def set_words(self, name: str, words: Any, counts: Any) -> None:
        self._files[f"{self._part}/{name}"] = write_words(words, [int(n) for n in counts])


def _corpus(files: _Arrays) -> None:
    """Ids are counted again; words and ids are in order of their counts."""
    words, _ = files.words("words.arrow")
    ids = files["ids.u32"] % len(words)
    ends = np.unique(np.clip(files["ends.i64"], 1, len(ids)))
    ends[-1] = len(ids)
    counts = np.bincount(ids, minlength=len(words))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    rank = np.zeros(len(words), np.uint32)
    rank[order] = np.arange(len(order))
    places = files["places.i64"]
    files["ids.u32"], files["ends.i64"] = rank[ids], ends
    files["places.i64"] = np.sort(np.resize(places, len(ends)))
    files.set_words("words.arrow", [words[i] for i in order], counts[order])


def _corpus_sums(files: _Arrays) -> None:
    words, _ = files.words("words.arrow")
    counts = np.bincount(files["ids.u32"] % (1 << 16), minlength=len(words))
    files.set_words("words.arrow", words, counts[: len(words)])


def _index(files: _Arrays) -> None:
    """Starts never fall, and the positions of each word rise."""
    positions, starts = files["positions.u32"], np.sort(files["starts.i64"])
    starts[0], starts[-1] = 0, len(positions)
    for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        positions[a:b] = np.sort(positions[a:b])
    files["positions.u32"], files["starts.i64"] = positions, starts


def _counts(files: _Arrays) -> None:
    """Entries are sorted, sums are added up again, and no word is rarer than its contexts."""
    n = len(files["word_counts.i64"])
    blocks = len(files["columns.i64"]) // n
    data = np.maximum(files["data.u32"].astype(np.int64), 1)
    indices = files["indices.i32"] % (n * blocks)
    indptr = np.sort(np.clip(np.resize(files["indptr.i64"], n + 1), 0, len(data)))
    indptr[0], indptr[-1] = 0, len(data)
    row = np.repeat(np.arange(n), np.diff(indptr))
    order = np.lexsort((indices, row))
    row, indices, data = row[order], indices[order], data[order]
    kept = np.append(True, (np.diff(row) != 0) | (np.diff(indices) != 0))  # no entry twice
    files["data.u32"], files["indices.i32"] = data[kept], indices[kept]
    files["indptr.i64"] = np.searchsorted(row[kept], np.arange(n + 1))
    _counts_sums(files)


def _counts_sums(files: _Arrays) -> None:
    words, _ = files.words("words.arrow")
    totals = files["word_counts.i64"]
    n, blocks = len(totals), len(files["columns.i64"]) // len(totals)
    data, indices = files["data.u32"].astype(np.int64), files["indices.i32"]
    sizes = np.diff(files["indptr.i64"])
    if sizes.min() < 0 or sizes.max() > len(data) or sizes.sum() != len(data):
        raise ValueError("there are no sums")
    row = np.repeat(np.arange(n), sizes)
    rows, columns = np.zeros((n, blocks), np.int64), np.zeros(n * blocks, np.int64)
    np.add.at(rows, (row, indices // n), data)
    np.add.at(columns, indices, data)
    totals = np.maximum(totals, rows.max(axis=1, initial=1))
    kept_words = min(len(words), n)
    totals[:kept_words] = np.sort(totals[:kept_words])[::-1]
    files["rows.i64"], files["columns.i64"], files["word_counts.i64"] = rows, columns, totals
    files.set_words("words.arrow", words[:kept_words], totals[:kept_words])


def _classes(files: _Arrays) -> None:
    """Classes exist, heights never fall, and classes occur as often as they follow each other."""
    paths, tokens = files.words("leaves.arrow")
    words, counts = files.words("words.arrow")
    n, m = len(words), len(paths)
    files["class_of.i32"] = np.resize(files["class_of.i32"] % m, n)
    files["heights.f64"] = np.sort(np.nan_to_num(np.resize(files["heights.f64"], m - 1)))
    if "follow.i64" in files:
        follow = np.maximum(np.resize(files["follow.i64"], (m, m)), 0)
        files["follow.i64"] = follow
        tokens = np.maximum(np.maximum(follow.sum(0), follow.sum(1)), tokens).tolist()
    if "context_words.i32" in files:
        files["context_words.i32"] = np.clip(files["context_words.i32"], -1, n - 1)
        files["context_counts.i64"] = np.maximum(files["context_counts.i64"], 0)
        files["context_pmi.f32"] = np.nan_to_num(files["context_pmi.f32"])
    files.set_words("leaves.arrow", sorted(set(paths)), tokens[: len(set(paths))])
    files.set_words("words.arrow", words, counts)


def _tags(files: _Arrays) -> None:
    """Probabilities add up to one."""
    prior = files["prior.f64"]
    m = len(prior)
    for name, axis in (("emission.f32", 0), ("transition.f64", 1), ("initial.f64", None)):
        array = np.abs(np.nan_to_num(files[name]))
        array = array if axis is None else array.reshape(-1, m)
        files[name] = array / array.sum(axis=axis, keepdims=True)
    prior = np.abs(np.nan_to_num(prior))
    files["prior.f64"] = prior / prior.sum()


def _lm(files: _Arrays) -> None:
    """Weights add up to one, probabilities are such, and rows are sorted."""
    for name in ("weights.f64", "cache_weights.f64"):
        if name in files:
            weights = np.abs(np.nan_to_num(files[name])).reshape(20, -1) + 1e-9
            files[name] = weights / weights.sum(axis=1, keepdims=True)
    for name in ("tokens.i64", "in_class.f64"):
        if name in files:
            files[name] = np.clip(
                np.nan_to_num(files[name]), 0, 1 if name.startswith("in") else None
            )
    trees = ["letters", *(f"model{k}_{which}" for k in range(8) for which in "ab")]
    for tree in trees:
        if f"{tree}_p.f32" in files:
            for name in ("p", "backoff", "base"):
                array = np.nan_to_num(files[f"{tree}_{name}.f32"])
                files[f"{tree}_{name}.f32"] = np.clip(array, 0, 1)
            edges, numbers = files[f"{tree}_starts.i32"], files[f"{tree}_words.i32"]
            edges = np.clip(np.sort(edges), 0, len(numbers))
            edges[0], edges[-1] = 0, len(numbers)
            for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
                numbers[a:b] = np.sort(numbers[a:b])
            files[f"{tree}_starts.i32"], files[f"{tree}_words.i32"] = edges, numbers


def _grammar(files: _Arrays) -> None:
    """Probabilities are such: they are not negative, and those of a symbol add up to one."""
    rules = files["rules.i64"].reshape(-1, 3)
    p = np.abs(np.nan_to_num(files["p.f64"]))
    parents = rules[:, 0] % (1 << 20)
    sums = np.bincount(parents, p)
    files["p.f64"] = p / np.maximum(sums[parents], 1e-9)
    roots = np.abs(np.nan_to_num(files["roots.f64"]))
    files["roots.f64"] = roots / max(roots.sum(), 1e-9)
    files["word_p.f64"] = np.clip(np.nan_to_num(files["word_p.f64"]), 0, 1)
    files["counts.i64"] = np.maximum(files["counts.i64"], 0)
    for name in ("fine_roots", "tensors", "vectors", "totals"):
        for number in (0, 1):
            kind = f"{name}{number}.{'f32' if name == 'tensors' else 'f64'}"
            if kind in files:
                files[kind] = np.clip(np.nan_to_num(files[kind]), -1e30, 1e30)


MENDS: Mapping[str, Callable[[_Arrays], None]] = {
    "corpus": _corpus,
    "index": _index,
    "counts": _counts,
    "classes": _classes,
    "tags": _tags,
    "lm": _lm,
    "grammar": _grammar,
}
SUMS: Mapping[str, Callable[[_Arrays], None]] = {
    **MENDS,
    "corpus": _corpus_sums,
    "counts": _counts_sums,
}
