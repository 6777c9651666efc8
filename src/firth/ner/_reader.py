"""Fast tagging: the scores of each word type are computed once and kept."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.ner._feature_kernels import PLACES
from firth.ner._lexicon import Lexicon
from firth.ner._spelling import has_one_case
from firth.ner._training import read_document, static_of
from firth.ner._types import (
    EDGE,
    describe,
    document_of,
    in_lower_case,
    same_words,
    with_contexts,
    with_topic,
)
from firth.ner._weights import FinishedWeights, allowed_after, mirrored, workspace_for

__all__ = ["Reader"]

MOST_TYPES = 200_000
"""The maximum number of word types in the cache; it is emptied when it is full."""


class Reader:
    """Tags documents with trained weights; keeps the scores of every word type seen so far.

    Documents that are all in lower case or all in capitals go to the reader ``caseless`` in lower case. If not
    ``both_ways``, the stages are of a model of before format 5, whose second stage reads from left to right.
    """

    def __init__(
        self,
        stages: Sequence[FinishedWeights],
        n_entity_types: int,
        lexicon: Lexicon,
        cased: bool = True,
        any_case: bool = True,
        caseless: Reader | None = None,
        both_ways: bool = True,
    ) -> None:
        self._caseless = caseless
        self._cased, self._any_case, self._both_ways = cased, any_case, both_ways
        self._stages = stages
        self._lexicon = lexicon
        self._labels = allowed_after(n_entity_types), mirrored(n_entity_types)
        self._work = workspace_for(1 + 4 * n_entity_types)
        self._lock = threading.Lock()
        self._forget()

    def read(self, sentences: Sequence[Sequence[str]]) -> npt.NDArray[np.int32]:
        """The label numbers of all words of a document. Threads take turns."""
        with self._lock:
            return self._read(sentences)

    def _read(self, sentences: Sequence[Sequence[str]]) -> npt.NDArray[np.int32]:
        numbers = self._numbers(sentences)  # may add word types
        document = document_of(numbers, self._same, self._last)
        if self._caseless is not None and has_one_case(self._types.kinds[document.types]):
            return self._caseless.read(in_lower_case(sentences))
        document = with_topic(with_contexts(document, self._types), self._types, self._lexicon)
        return read_document(
            self._stages, self._static, self._types, document, self._labels, self._work,
            self._both_ways,
        )  # fmt: skip

    def _numbers(self, sentences: Sequence[Sequence[str]]) -> list[list[int]]:
        """The type numbers of words; words not seen before get new ones."""
        words = {word for sentence in sentences for word in sentence}
        if len(self._ids) + len(words) > MOST_TYPES:
            self._forget()
        new = sorted(words - self._ids.keys())
        if new:
            self._add_words(new)
        ids = self._ids
        return [[ids[word] for word in sentence] for sentence in sentences]

    def _forget(self) -> None:
        self._ids: dict[str, int] = {}
        self._same, self._same_numbers = np.zeros(0, np.int32), dict[tuple[bool, str], int]()
        n_labels = len(self._labels[1])
        self._types = describe([], self._lexicon)
        self._static = [np.zeros((0, PLACES, n_labels), np.float32) for _ in self._stages]
        self._add_words([EDGE])

    def _add_words(self, words: list[str]) -> None:
        """Compute the scores of new words."""
        types = describe(words, self._lexicon, self._cased)
        known, n = self._types, len(self._ids)
        self._types = known._replace(
            words=_with(known.words, n, types.words),
            kinds=_with(known.kinds, n, types.kinds),
            reach=_with(known.reach, n, types.reach),
            lexicon_rows=_with(known.lexicon_rows, n, types.lexicon_rows),
            scales=_with(known.scales, n, types.scales),
        )
        self._static = [
            _with(static, n, static_of(weights, types))
            for weights, static in zip(self._stages, self._static, strict=True)
        ]
        same = same_words(words, self._same_numbers, self._any_case)
        self._same = _with(self._same, n, same)
        self._ids.update(zip(words, range(n, n + len(words)), strict=True))
        self._last = np.full(len(self._types.words), -1, np.int32)


def _with(array: npt.NDArray[Any], n: int, more: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array with more rows after its first ``n``; if it must grow, it grows by half."""
    needed = n + len(more)
    if needed > len(array):
        longer = np.zeros((needed + needed // 2, *array.shape[1:]), array.dtype)
        longer[:n] = array[:n]
        array = longer
    array[n:needed] = more
    return array
