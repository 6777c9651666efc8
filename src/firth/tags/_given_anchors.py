"""Anchors that a person chose: a list of words, or a file with a word on each line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import Reading, fold_word
from firth.errors import InputError, wrong_parameter
from firth.formats import reading, text_lines
from firth.progress import count_of

__all__ = ["given_anchors", "numbers_of"]

Given = list[tuple[str, str]]
"""Words, and where each is from, such as "line 3 of anchors.txt"."""


def given_anchors(anchors: Any, n_tags: int) -> Given:
    """The words of a file or a list, checked, and where each is from."""
    if isinstance(anchors, str | Path):
        name, given = str(anchors), _read(Path(anchors))
    else:
        name, given = "the list of anchors", _listed(anchors)
    if len(given) != n_tags:
        raise InputError(
            f"{count_of(n_tags, 'tag')} need as many anchors, but {name} has {count_of(len(given), 'word')}.",
            f"Give {n_tags} words, or ask for {count_of(len(given), 'tag')}." if given else "Give a word for each tag.",
        )  # fmt: skip
    _check_different(given)
    return given


def numbers_of(given: Given, words: Sequence[str], how_read: Reading) -> npt.NDArray[np.int64]:
    """The numbers of anchors among the words of a text, which was read in some way."""
    number = {word: k for k, word in enumerate(words)}
    found: Given = []
    for word, where in given:
        known = word if word in number else fold_word(word, how_read)
        if known not in number:
            raise InputError(
                f"The anchor {word!r} ({where}) is not in the text, or too rare there.",
                "Write anchors as they are in the text; firth tags show lists frequent words.",
            )
        found.append((known, where))
    _check_different(found)
    return np.array([number[word] for word, _ in found], np.int64)


def _read(path: Path) -> Given:
    with reading(path):
        lines = [(line.strip(), number) for number, line in text_lines(path)]
    given = [(word, f"line {number} of {path}") for word, number in lines if word]
    if not given:
        raise InputError(f"{path} is empty.", "Write the anchor words into it, one per line.")
    return given


def _listed(anchors: Any) -> Given:
    if not isinstance(anchors, list | tuple) or not all(isinstance(w, str) and w for w in anchors):
        raise wrong_parameter("AnchorTagger", "anchors", "a file or a list of words", anchors)
    return [(word, f"number {k} of the list") for k, word in enumerate(anchors, 1)]


def _check_different(given: Given) -> None:
    first: dict[str, str] = {}
    for word, where in given:
        if word in first:
            raise InputError(
                f"The anchor {word!r} is given twice: {first[word]}, {where}.",
                "Every tag needs an anchor of its own.",
            )
        first[word] = where
