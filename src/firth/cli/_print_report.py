"""Print what a text is large enough for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth.cli._shared import line, stdout

if TYPE_CHECKING:
    from firth.corpus import Corpus
    from firth.measure import Report


def print_report(report: Report, corpus: Corpus) -> None:
    """Print the report on a text."""
    from firth.describe import report_rows

    rows, console = report_rows(report, corpus), stdout()
    console.print()
    if not rows:
        console.print(
            line(("too small", "bold"), "  to tell what the text is good for: use more text")
        )
        return
    console.print(line(("what the text is large enough for", "bold")))
    width = max(len(name) for name, _ in rows)
    for name, what in rows:
        console.print(line(f"  {name:<{width}}  ", what))
    sample = "" if report.whole else f" of a sample of {report.tokens:,} tokens"
    said = f"by its size, and by what two halves{sample or ' of it'} have in common"
    if corpus.reading.tokens in ("characters", "morphs"):
        said += f"; words are {corpus.reading.tokens} here"
    console.print(line((said, "dim")))
