"""What ``firth plot dendrogram`` does: choose words, compare them, draw their tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli._vectors import open_vectors
from firth.errors import InputError, check_choice, wrong_parameter

BY = {"neighbours": "overlap of neighbours", "vectors": "cosine of vectors"}
_LINKS = {
    "ward": "Ward's method", "group-average": "group-average link", "average": "average link",
    "complete": "complete link", "single": "single link",
}  # fmt: skip
_DEFAULT, _MOST, _NAMED = 100, 5_000, 5
_ALMOST_NOTHING = 1e-10

Top = Annotated[
    int | None,
    shared.optional("--top", "N", f"Draw the N most frequent words; {_DEFAULT} by default."),
]
Words = Annotated[
    str | None, shared.optional("--words", "FILE", "Draw the words of this file, one a line.")
]
Method = Annotated[
    str,
    typer.Option(
        "--method", metavar="NAME", help="ward, group-average, average, complete or single."
    ),
]
By = Annotated[
    str | None,
    shared.optional(
        "--by",
        "neighbours|vectors",
        "What to compare; by default the neighbours where the model has a text.",
    ),
]
Cut = Annotated[
    int | None,
    shared.optional("--cut", "K", "Colour the groups of the tree cut into K; chosen by default."),
]
Marks = Annotated[bool, typer.Option("--marks", help="Draw marks such as , and . as well.")]


@dataclass(frozen=True)
class Source:
    """Where words and their similarities come from."""

    vocabulary: Any
    usable: Callable[[int], bool]
    """Whether the word of this id can be compared."""
    distances: Callable[[list[int]], Any]
    """One minus the similarity of all pairs of these words."""


def draw(
    path: str,
    output: str,
    *,
    top: int | None,
    file: str | None,
    method: str,
    by: str | None,
    cut: int | None,
    marks: bool,
) -> None:
    """Draw the tree of some words of a model, and say what was drawn."""
    from firth.plots import save_dendrogram

    check_choice("plot", "method", method, tuple(_LINKS))
    if by is not None:
        check_choice("plot", "by", by, tuple(BY))
    if top is not None and not 2 <= top <= _MOST:
        raise wrong_parameter("plot", "top", f"from 2 to {_MOST:,}", top)
    wanted = None if file is None else _words_of(file)
    by = by or ("neighbours" if _has_text(path) else "vectors")
    source = _by_neighbours(path, wanted) if by == "neighbours" else _by_vectors(path)
    ids, missing = _most_frequent(source, top, marks) if wanted is None else _known(source, wanted, top)  # fmt: skip
    words = [source.vocabulary[i] for i in ids]
    if cut is not None and not 1 <= cut <= len(words):
        raise wrong_parameter("plot", "cut", f"from 1 to {len(words):,} (the words)", cut)
    distances = source.distances(ids)
    tree = _tree(distances, method)
    which = "The {} most frequent words" if wanted is None else "{} words"
    title = f"{which.format(f'{len(words):,}')} by their {by}, {_LINKS[method]}"
    axis = "Ward's height" if method == "ward" else f"1 − {BY[by]}"
    save_dendrogram(output, tree, words, cut, title, axis, distances)
    _tell(output, words, missing)


def _words_of(file: str) -> list[str]:
    """The words of a file, one a line, each once."""
    from firth.formats import text_lines

    words = list(dict.fromkeys(line.strip() for _, line in text_lines(Path(file)) if line.strip()))
    if not words:
        raise InputError(f"There are no words in {file}.", "Write one word a line.")
    if len(words) > _MOST:
        raise InputError(f"{file} has {len(words):,} words.", f"Take {_MOST:,} at the most.")
    return words


def _has_text(path: str) -> bool:
    """Whether neighbours can be known; where neither they nor vectors can, they are what is missed."""
    from firth.model import load

    if Path(path).is_file():
        return False
    model = load(path)
    return "corpus" in model or "vectors" not in model


def _by_neighbours(path: str, wanted: Sequence[str] | None) -> Source:
    """By the counts of the model where they have all the words, else by counts made now."""
    from firth.counts import count, has_neighbours, neighbour_overlap
    from firth.model import load

    model = load(path)
    counts = None
    if "counts" in model and not model.is_stale("counts") and has_neighbours(model.counts):
        found = model.counts.vocabulary.ids(wanted or [])
        if "corpus" not in model or None not in found:
            counts = model.counts
    counts = counts or count(model.corpus, "LR1", min_count=1, vocabulary=None)
    words = counts.vocabulary

    def distances(ids: list[int]) -> Any:
        return 1.0 - neighbour_overlap(counts, [words[i] for i in ids])

    return Source(words, lambda _: True, distances)


def _by_vectors(path: str) -> Source:
    vectors = open_vectors(path)

    def distances(ids: list[int]) -> Any:
        import numpy as np

        rows = np.asarray(vectors.matrix[ids], np.float64)
        rows /= np.linalg.norm(rows, axis=1)[:, None]
        found = np.maximum(1.0 - rows @ rows.T, 0.0)
        np.fill_diagonal(found, 0.0)
        return (found + found.T) / 2

    # a word that was never seen in a context has a vector of zeros
    return Source(vectors.vocabulary, lambda i: bool(vectors.matrix[i].any()), distances)


def _most_frequent(source: Source, top: int | None, marks: bool) -> tuple[list[int], list[str]]:
    words = source.vocabulary
    fit = (
        i
        for i, word in enumerate(words)
        if (marks or any(c.isalnum() for c in word)) and source.usable(i)
    )
    ids = list(islice(fit, top or _DEFAULT))
    if len(ids) < 2:
        raise InputError(
            f"A dendrogram needs two words, and the model has {len(ids)}.",
            "Learn from more text, or draw marks as well: --marks",
        )
    return ids, []


def _known(source: Source, wanted: Sequence[str], top: int | None) -> tuple[list[int], list[str]]:
    """The ids of the words that can be compared, and the words that cannot."""
    ids: dict[int, None] = {}
    missing = []
    for word, i in zip(wanted, source.vocabulary.ids(wanted), strict=True):
        found = source.vocabulary.find(word) if i is None else i
        if found is None or not source.usable(found):
            missing.append(word)
        else:
            ids[found] = None
    if len(ids) < 2:
        raise InputError(
            f"A dendrogram needs two words, and the model has {len(ids)} of those in the file.",
            f"Words are case-sensitive. Not in the model: {_some(missing)}" if missing else None,
        )
    return list(ids)[:top], missing


def _tree(distances: Any, method: str) -> Any:
    """The tree of objects whose similarities are scalar products of unit vectors, as cosines and overlaps are."""
    from firth.cluster import linkage

    if method != "ward":
        return linkage(distances, method, "precomputed")
    import numpy as np

    # Ward's method asks for points: those whose scalar products the similarities are
    products = 1.0 - distances
    np.fill_diagonal(products, 1.0 + _ALMOST_NOTHING)  # equal words would be singular
    return linkage(np.linalg.cholesky(products), "ward", "euclidean")


def _some(words: Sequence[str]) -> str:
    more = len(words) - _NAMED
    return " ".join(words[:_NAMED]) + (f" ... (+ {more:,})" if more > 0 else "")


def _tell(output: str, words: Sequence[str], missing: Sequence[str]) -> None:
    console = shared.stdout()
    facts = shared.count_of(len(words), "word")
    console.print(shared.line("drawn: ", (output, "bold"), (f"  {facts}", "dim")))
    if missing:
        console.print(shared.line((f"not in the model: {_some(missing)}", "dim")))
