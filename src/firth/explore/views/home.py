"""The home view: the text at a glance, and what it is large enough for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter

from firth.describe import report_rows
from firth.explore._requests import Opened
from firth.explore._snapshot import Snapshot

__all__ = ["exported", "router"]

router = APIRouter(tags=["about"])


@dataclass(frozen=True)
class ReportRow:
    """Something that is learned from a text, and how far the text is large enough for it."""

    what: str
    verdict: str


@dataclass(frozen=True)
class ReportFacts:
    """What the text is large enough for, by comparing two halves of it."""

    tokens: int
    """The number of tokens of both halves."""
    whole: bool
    """Whether that is the whole text."""
    rows: list[ReportRow]
    """Empty if the text is too small to tell."""


@dataclass(frozen=True)
class HomeFacts:
    """The text of the model. None for what the model does not have."""

    n_documents: int | None
    n_sentences: int | None
    n_tokens: int | None
    n_types: int | None
    report: ReportFacts | None


@router.get("/home")
def home(snapshot: Opened) -> HomeFacts:
    """The size of the text, and the report on it if it has been made."""
    corpus = snapshot.corpus if "corpus" in snapshot.parts else None
    return HomeFacts(
        n_documents=len(snapshot.documents) if "documents" in snapshot.parts else None,
        n_sentences=corpus.n_sentences if corpus else None,
        n_tokens=corpus.n_tokens if corpus else None,
        n_types=corpus.n_types if corpus else None,
        report=_report(snapshot),
    )


def _report(snapshot: Snapshot) -> ReportFacts | None:
    if not {"corpus", "report"} <= snapshot.parts:
        return None
    report = snapshot.report
    rows = [ReportRow(what, verdict) for what, verdict in report_rows(report, snapshot.corpus)]
    return ReportFacts(report.tokens, report.whole, rows)


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers for an exported page."""
    yield "home", home(snapshot)
