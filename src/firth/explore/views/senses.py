"""Word senses, learned from the contexts of a word."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from firth.explore._requests import Opened, Word
from firth.explore._snapshot import Snapshot
from firth.senses import Sense, SenseReport, report_senses

__all__ = ["MOST_SENSES", "exported", "router"]

router = APIRouter(tags=["senses"])
MOST_SENSES = 6
_OCCURRENCES = 3_000
"""Maximum number of occurrences, so that learning is quick for every word."""
_WORDS, _LINES, _WIDTH = 16, 6, 80
_REMEMBERED = 100


@dataclass(frozen=True)
class Length:
    """The length of a description of the contexts with a number of senses, in bits."""

    n_senses: int
    bits: float
    model_bits: float
    """The bits that describe the senses rather than the contexts."""


@dataclass(frozen=True)
class WordSensesFacts:
    """A word with its senses, the most frequent first."""

    word: str
    count: int
    n_contexts: int
    """Number of occurrences that were used, evenly spread over the corpus."""
    window: int
    """Number of context words on each side."""
    given: bool
    """Whether the number of senses was given; otherwise it has the shortest description."""
    lengths: list[Length]
    """One for each number of senses that was tried."""
    senses: list[Sense]


class Recent:
    """A cache of recent answers, because learning takes a second or two."""

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
    snapshot: Opened,
    word: Word,
    n: Annotated[
        int | None,
        Query(ge=1, le=MOST_SENSES, description="Number of senses; by default the one with the shortest description."),
    ] = None,
) -> WordSensesFacts:  # fmt: skip
    """The senses of a word, learned from its contexts: shares, typical context words, and lines."""
    corpus, index = snapshot.corpus, snapshot.index_if_any
    recent = snapshot.once("recent senses", Recent)
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
    """What the page shows: rounded numbers, and file names without folders."""
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


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """No answers: senses are learned on request."""
    return iter(())
