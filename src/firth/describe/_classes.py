"""Word classes: the nodes of their tree, and the classes of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firth.classes import Hierarchy
from firth.corpus import Corpus
from firth.formats import Rows

__all__ = ["assigned_words", "class_facts", "node_facts", "siblings", "typical_classes", "word_class"]  # fmt: skip

_N_SIBLINGS = 3
_DEPTH_OF_TREE, _DEPTH_OF_NODE = 4, 2
"""How many levels are described below the root and below another node."""
_TYPICAL = 8
"""Minimum number of words of a typical class."""
_ALIKE = 4
"""How many times more frequent its first word can be than its eighth."""
_COLUMNS = ("path", "label", "n_classes", "n_words", "tokens", "rare", "too_rare", "share", "members")  # fmt: skip


def class_facts(classes: Hierarchy, prefix: str, n: int) -> dict[str, Any]:
    """A node of the tree as data, with ``n`` words and ``n`` contexts on each side.

    ``share`` is its share of the tokens of known words. ``too_rare`` tells whether it stands for the words that
    are too rare to be learned.
    """
    begin, end = classes.tree.span(prefix)
    facts: dict[str, Any] = {
        "path": prefix,
        "label": classes.label(prefix),
        "n_classes": end - begin,
        "n_words": len(classes.ids_below(prefix)),
        "tokens": int(classes.tokens[begin:end].sum()),
        "rare": classes.rare_below(prefix),
        "too_rare": classes.is_rare(prefix),
        "share": classes.share(prefix),
        "members": [{"word": m.word, "count": m.count} for m in classes.members(prefix, n)],
    }
    contexts = classes.contexts(prefix, n)
    if contexts is not None:
        for side, found in contexts.items():
            facts[side] = [{"word": c.word, "count": c.count, "pmi": c.pmi} for c in found]
    return facts


def siblings(classes: Hierarchy, path: str) -> list[str]:
    """The paths of the nodes beside a node and beside the nodes above it, the nearest first."""
    flipped = (
        path[: depth - 1] + ("1" if path[depth - 1] == "0" else "0")
        for depth in range(len(path), 0, -1)
    )
    return [other for other in flipped if other in classes.tree.node_of]


def _with_siblings(classes: Hierarchy, path: str, n: int) -> dict[str, Any]:
    beside = [
        {"path": other, "label": classes.label(other)}
        for other in siblings(classes, path)[:_N_SIBLINGS]
    ]
    return {**class_facts(classes, path, n), "siblings": beside}


def word_class(classes: Hierarchy, word: str, n: int) -> dict[str, Any] | None:
    """The class of a word and its siblings as data; None if the word has no class."""
    return _with_siblings(classes, classes.path(word), n) if word in classes else None


def node_facts(classes: Hierarchy, prefix: str, depth: int | None, n: int) -> dict[str, Any]:
    """A node, its siblings and the nodes at a depth below it, as data.

    By default the depth is 4 below the root and 2 below other nodes. Classes that end before the depth
    are included.
    """
    depth = depth or (_DEPTH_OF_NODE if prefix else _DEPTH_OF_TREE)
    begin, end = classes.tree.span(prefix)
    is_class = end - begin == 1 and classes.paths[begin] == prefix
    below = [] if is_class else classes.paths[begin:end]
    rows = Rows(
        (
            class_facts(classes, path, n)
            for path in dict.fromkeys(path[: len(prefix) + depth] for path in below)
        ),
        _COLUMNS,
    )
    for row in rows:
        row.pop("before", None)
        row.pop("after", None)
    return {**_with_siblings(classes, prefix, n), "below": rows}


def typical_classes(classes: Hierarchy, n_classes: int, n: int) -> list[dict[str, Any]]:
    """Frequent classes of many words, none of which makes up most of the class, as data."""
    rows = []
    for path in classes.paths:
        members = classes.members(path, _TYPICAL)
        if classes.is_rare(path):
            continue
        if len(members) == _TYPICAL and members[0].count < _ALIKE * members[-1].count:
            rows.append(class_facts(classes, path, n))
    rows.sort(key=lambda row: -row["tokens"])
    return rows[:n_classes]


def assigned_words(
    classes: Hierarchy,
    corpus: Corpus | None = None,
    words: Sequence[str] = (),
    *,
    min_count: int = 1,
    known: bool = False,
) -> list[dict[str, Any]]:
    """Assign classes to words: word, count, path and source as data.

    Parameters
    ----------
    classes : Hierarchy
    corpus : Corpus, optional
        Text with contexts of the words.
    words : list of str
        The words; by default those of the corpus that have no class.
    min_count : int
        Minimum count of words of the corpus.
    known : bool
        Whether words of the corpus that have a class are included.
    """
    here = classes.vocabulary if corpus is None else corpus.vocabulary
    wanted = list(words)
    if not words and corpus is not None:
        wanted = here.words.slice(0, here.n_kept(min_count)).to_pylist()
        ids = classes.vocabulary.ids(wanted)
        wanted = [word for word, i in zip(wanted, ids, strict=True) if known or i is None]
    found = classes.assign(wanted, corpus if classes.follow is not None else None)
    places = [here.find(answer.word) for answer in found]
    return [
        {
            "word": answer.word,
            "count": 0 if i is None else int(here.counts[i]),
            "path": answer.path,
            "source": answer.source,
        }
        for answer, i in zip(found, places, strict=True)
    ]
