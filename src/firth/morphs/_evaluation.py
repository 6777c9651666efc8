"""Splits compared with a gold standard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firth.morphs._splitter import Splitter

__all__ = ["boundaries", "compare_splits", "evaluate_morphs"]


def evaluate_morphs(splitter: Splitter, gold: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Precision, recall and F1 of boundaries, micro-averaged, and the share of words wholly right.

    Parameters
    ----------
    splitter : Splitter
    gold : mapping of str to sequence of str
        Words and their parts.
    """
    words = list(gold)
    found = dict(zip(words, splitter.split_all(words), strict=True))
    known = sum(word in splitter.words_ for word in words)
    return {**compare_splits(gold, found), "n_unseen": len(words) - known}


def compare_splits(
    gold: Mapping[str, Sequence[str]], found: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The same for splits of any origin.

    >>> gold = {"walked": ["walk", "ed"], "red": ["red"]}
    >>> figures = compare_splits(gold, {"walked": ["walk", "ed"], "red": ["r", "ed"]})
    >>> figures["precision"], figures["recall"], figures["words_right"]
    (0.5, 1.0, 0.5)
    """
    right = n_found = n_gold = exact = 0
    for word, parts in gold.items():
        ours, theirs = boundaries(found[word]), boundaries(parts)
        right += len(ours & theirs)
        n_found += len(ours)
        n_gold += len(theirs)
        exact += ours == theirs
    return {
        "precision": right / n_found if n_found else 0.0,
        "recall": right / n_gold if n_gold else 0.0,
        "f1": 2 * right / (n_found + n_gold) if n_found + n_gold else 0.0,
        "words_right": exact / len(gold) if gold else 0.0,
        "n_words": len(gold),
        "n_boundaries": n_gold,
        "n_found": n_found,
    }


def boundaries(parts: Sequence[str]) -> set[int]:
    """The places where a word is split, counted in characters."""
    places, at = set(), 0
    for part in parts[:-1]:
        at += len(part)
        places.add(at)
    return places
