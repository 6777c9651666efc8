"""Word senses, learned from the contexts of a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from firth.explore._jobs import Jobs, Pending
from firth.explore._requests import Opened, Word
from firth.explore._snapshot import Snapshot
from firth.senses import Sense, SenseReport, check_frequent, report_senses

__all__ = ["MOST_SENSES", "exported", "router"]

router = APIRouter(tags=["senses"])
MOST_SENSES = 6
_OCCURRENCES = 3_000
"""Maximum number of occurrences, so that learning is quick for every word."""
_WORDS, _LINES, _WIDTH = 16, 6, 80


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


@router.get(
    "/senses",
    response_model=WordSensesFacts,
    responses={202: {"model": Pending, "description": "They are being learned: ask again."}},
)
def senses(
    snapshot: Opened,
    word: Word,
    n: Annotated[
        int | None,
        Query(ge=1, le=MOST_SENSES, description="Number of senses; by default the one with the shortest description."),
    ] = None,
) -> WordSensesFacts | JSONResponse:  # fmt: skip
    """The senses of a word, learned from its contexts: shares, typical context words, and lines.

    Learning takes a second or two. Until it is done, the answer is 202 with its progress.
    """
    corpus, index = snapshot.corpus, snapshot.index_if_any
    check_frequent(corpus, word)

    def learn() -> WordSensesFacts:
        return _facts(
            report_senses(
                corpus, word, n, max_senses=MOST_SENSES, n_words=_WORDS, n_lines=_LINES, width=_WIDTH,
                most=_OCCURRENCES, index=index, quick=True, remote=snapshot.remote,
            )
        )  # fmt: skip

    jobs: Jobs[WordSensesFacts] = snapshot.once("senses", Jobs)
    found = jobs.ask((word, n), learn)
    if isinstance(found, Pending):
        return JSONResponse(asdict(found), 202, {"Retry-After": str(found.seconds)})
    return found


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
