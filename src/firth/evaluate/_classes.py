"""Figures of word classes: sizes, mutual information, perplexity, agreement with tags."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from firth.classes import Hierarchy, mutual_information
from firth.corpus import Corpus, Reading, fold_word
from firth.evaluate._class_model import perplexity
from firth.evaluate._matching import matching
from firth.formats import Rows

__all__ = ["evaluate_classes"]


def evaluate_classes(
    classes: Hierarchy,
    text: Corpus | None = None,
    tagged: Sequence[Sequence[tuple[str, str]]] | None = None,
    reading: Reading | None = None,
) -> dict[str, Any]:
    """Evaluate word classes.

    Parameters
    ----------
    classes : Hierarchy
    text : Corpus, optional
        Held-out text, for perplexity.
    tagged : sequence of sequences of (word, tag), optional
        Tagged text, as ``firth.formats.read_tagged`` reads it. Words without a class get one from their
        spelling.
    reading : Reading, optional
        How the text was read that the classes were learned from; tagged words are lower-cased, and their
        digits replaced, in the same way.

    Returns
    -------
    dict
        Sizes; mutual information of adjacent classes, None if unknown; ``held_out``, perplexity on the
        text; ``tags``, agreement with the tags for all classes and for as many classes as there are tags.
    """
    sizes = classes.sizes()
    facts: dict[str, Any] = {
        "n_words": len(classes),
        "n_classes": classes.n_classes,
        "smallest": int(sizes.min()),
        "median": int(sorted(sizes.tolist())[len(sizes) // 2]),
        "largest": int(sizes.max()),
        "deepest": max(len(path) for path in classes.paths),
        "mutual_information": None,
    }
    if classes.follow is not None:
        nats = mutual_information(classes.follow, classes.tokens)
        facts["mutual_information"] = {"bits": nats / math.log(2), "nats": nats}
    if text is not None:
        facts["held_out"] = perplexity(classes, text).to_dict()
    if tagged is not None:
        facts["tags"] = _against_tags(classes, tagged, reading or Reading())
    return facts


def _against_tags(
    classes: Hierarchy, tagged: Sequence[Sequence[tuple[str, str]]], reading: Reading
) -> dict[str, Any]:
    """Agreement with tags, for as many classes as there are tags and for all classes."""
    tokens = [(fold_word(word, reading), tag) for sentence in tagged for word, tag in sentence]
    tags = [tag for _, tag in tokens]
    words = list(dict.fromkeys(word for word, _ in tokens))
    n_tags = len(set(tags))
    rows: Rows[dict[str, Any]] = Rows()
    for k in sorted({min(n_tags, classes.n_classes), classes.n_classes}):
        cut = classes if k == classes.n_classes else classes.cut(k)
        paths = {answer.word: answer.path or "?" for answer in cut.assign(words)}
        result = matching(tags, [paths[word] for word, _ in tokens])
        rows.append({"classes": k, **result.to_dict()})
    return {
        "n_tags": n_tags,
        "n_tokens": len(tokens),
        "n_outside": sum(word not in classes for word, _ in tokens),
        "rows": rows,
    }
