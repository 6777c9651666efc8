"""What the text of a model is large enough for."""

from __future__ import annotations

from typing import Any, NamedTuple

from firth.corpus import Corpus
from firth.formats import Rows
from firth.measure import Report
from firth.progress import count_of

__all__ = ["report_facts", "report_rows"]

_TITLES = {
    "tags": "tags",
    "classes": "classes",
    "meaning": "words that go with a word",
    "grammar": "words that can replace a word",
}


def report_facts(report: Report) -> dict[str, Any]:
    """A report as data: what the text is large enough for, and how much halves of it have in common.

    For ``meaning`` and ``grammar``, the two kinds of word vectors, ``usable_from`` and ``coarse_from`` are
    the numbers of occurrences from which on they are so.
    """
    facts: dict[str, Any] = {
        "tokens": report.tokens,
        "whole": report.whole,
        "tags": {"verdict": report.verdict("tags")},
        "classes": {"stability": report.classes, "verdict": report.verdict("classes")},
    }
    for name in ("meaning", "grammar"):
        facts[name] = {
            "bands": [band._asdict() for band in getattr(report, name)],
            "usable_from": report.from_count(name, "usable"),
            "coarse_from": report.from_count(name, "coarse"),
        }
    return facts


class Verdict(NamedTuple):
    """What a text is good for."""

    what: str
    verdict: str


def report_rows(report: Report, corpus: Corpus) -> Rows[Verdict]:
    """The same in words: what is learned, and what it is good for. Empty if the text is too small."""
    if report.classes is None and not report.meaning and not report.grammar:
        return Rows(kind=Verdict)
    rows = Rows(
        (Verdict(_TITLES[name], report.verdict(name)) for name in ("tags", "classes")), Verdict
    )
    for name in ("meaning", "grammar"):
        parts: list[str] = []
        for word in ("usable", "coarse"):
            least = report.from_count(name, word)
            if least is not None and not (parts and least == report.from_count(name, "usable")):
                n = corpus.vocabulary.n_kept(least)
                parts.append(f"{word} from {least} occurrences on ({count_of(n, 'word')})")
        rows.append(Verdict(_TITLES[name], ", ".join(parts) or "weak"))
    return rows
