"""The senses of a word, told apart by its contexts."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from firth.explore._asking import Opened, Word
from firth.explore._edition import Edition
from firth.senses import Sense, SenseReport, report_senses

__all__ = ["MOST_SENSES", "exported", "router"]

router = APIRouter(tags=["senses"])
MOST_SENSES = 6
_OCCURRENCES = 3_000
"""Learning is quick with so many, whatever the word."""
_WORDS, _LINES, _WIDTH = 16, 6, 80
_REMEMBERED = 100


@dataclass(frozen=True)
class Length:
    """How many bits it takes to describe the contexts with some number of senses."""

    n_senses: int
    bits: float
    model_bits: float
    """Those of them that describe the senses, not the contexts."""


@dataclass(frozen=True)
class WordSensesFacts:
    """A word with its senses, the most frequent first."""

    word: str
    count: int
    n_contexts: int
    """How many occurrences were looked at, evenly spread over the corpus."""
    window: int
    """How many words on either side were looked at."""
    given: bool
    """Whether the number of senses was asked for; else it is that of the shortest description."""
    lengths: list[Length]
    """For each number of senses that was tried."""
    senses: list[Sense]


class Recent:
    """The answers that were last given: learning takes a second or two."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._most = most
        self._kept: OrderedDict[object, WordSensesFacts] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], WordSensesFacts]) -> WordSensesFacts:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = make()
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found


@router.get("/senses")
def senses(
    edition: Opened,
    word: Word,
    n: Annotated[
        int | None,
        Query(ge=1, le=MOST_SENSES, description="How many senses; by default as many as describe the contexts best."),
    ] = None,
) -> WordSensesFacts:  # fmt: skip
    """The senses of a word, learned from its contexts: shares, typical context words, and lines."""
    corpus, index = edition.corpus, edition.index_if_any
    recent = edition.once("recent senses", Recent)
    return recent.get(
        (word, n),
        lambda: _facts(
            report_senses(
                corpus, word, n, max_senses=MOST_SENSES, n_words=_WORDS, n_lines=_LINES, width=_WIDTH,
                most=_OCCURRENCES, index=index, quick=True,
            )
        ),
    )  # fmt: skip


def _facts(report: SenseReport) -> WordSensesFacts:
    """What the page shows; figures rounded, and of paths the names alone."""
    lengths = [
        Length(d.n_senses, round(d.bits, 1), round(d.model_bits, 1)) for d in report.descriptions
    ]
    return WordSensesFacts(
        report.word, report.count, report.n_contexts, report.window or 0, report.given, lengths,
        [_sense(sense) for sense in report.senses],
    )  # fmt: skip


def _sense(sense: Sense) -> Sense:
    words = [
        replace(w, count=round(w.count, 1), ratio=round(w.ratio, 2), bits=round(w.bits, 1))
        for w in sense.words
    ]
    lines = [
        replace(line, source=Path(line.source).name, membership=round(line.membership, 4))
        for line in sense.lines
    ]
    return replace(sense, share=round(sense.share, 5), words=words, lines=lines)


def exported(edition: Edition, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Nothing goes into a page without a server: senses are learned when they are asked for."""
    return iter(())
