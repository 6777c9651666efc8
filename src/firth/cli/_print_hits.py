"""Print a concordance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from firth.cli._shared import (
    count_of,
    fitting,
    line,
    print_json,
    print_table,
    printable,
    stdout,
    width_of,
    write_table,
)

if TYPE_CHECKING:
    from firth.find import Frequency

_NUMBERS = ("count", "tokens", "per_million")
_WIDEST = 24
"""Characters of what is known about a document, beside a line."""
_HOW = {"even": "evenly spread", "random": "at random", "first": "the first"}


def beside_lines(hits: Sequence[Any], documents: Any, columns: str | None) -> list[str]:
    """What is known about the document of each line, in some columns of the same width; no more than a part."""
    if columns is None:
        return [""] * len(hits)
    rows = documents.of_sentences([hit.sentence for hit in hits]).tolist()
    lines = [""] * len(hits)
    for name in filter(None, map(str.strip, columns.split(","))):
        values = documents.values(name)
        texts = ["" if values[row] is None else str(values[row]) for row in rows]
        shown = [fitting(printable(" ".join(text.split())[:_WIDEST]), _WIDEST) for text in texts]
        width = max(map(width_of, shown), default=0)
        lines = [
            before + text + " " * (width - width_of(text) + 2)
            for before, text in zip(lines, shown, strict=True)
        ]
    return lines


def print_hits(
    hits: list[Any],
    total: int,
    context: str,
    sample: str = "even",
    fits: bool = False,
    beside: Sequence[str] | None = None,
) -> None:
    """Print matches, one on each line, the match in the middle; ``fits`` cuts lines to the terminal.

    ``beside`` is what stands before each line.
    """
    from firth.corpus import Context

    console, asked = stdout(), Context.of(context)
    sides, beside = [_sides(hit) for hit in hits], beside or [""] * len(hits)
    if asked.unit == "characters":
        longest = max((width_of(hit.word) for hit in hits), default=0)
        room = console.width - longest - max(map(width_of, beside), default=0)
        width = max(10, room // 2 - 1) if fits else asked.size
        sides = [(fitting(a[::-1], width)[::-1], fitting(b, width)) for a, b in sides]
    elif asked.unit == "words":
        width = max((width_of(left) for left, _ in sides), default=0)
    else:
        width = 0
    for hit, (left, right), known in zip(hits, sides, beside, strict=True):
        before = " " * (width - width_of(left)) + left
        word = " ".join(hit.word.split()) or hit.word
        console.print(line((known, "dim"), before, (word, "bold cyan"), right), no_wrap=True)
    note = f"{len(hits):,} of {count_of(total, 'occurrence')}"
    note += f", {_HOW[sample]}" * (len(hits) < total)
    if hits and not all(hit.original for hit in hits):
        note += (
            "; words as learned where the original text is missing, has changed or was not opened"
        )
    console.print(line((note, "dim")))


def _sides(hit: Any) -> tuple[str, str]:
    """What is before and after a match, on one line."""
    left, right = (printable(" ".join(side.split())) for side in (hit.left, hit.right))
    return left + " " * hit.left[-1:].isspace(), " " * hit.right[:1].isspace() + right


def print_frequencies(
    column: str, rows: Sequence[Frequency], output: str | None, json: bool
) -> None:
    """Print or write how often something occurs in the documents with each value of a column."""
    heading = f"document_{column}" if column in _NUMBERS else column
    data = [{heading: row.value, **_numbers(row)} for row in rows]
    if output is not None:
        write_table(output, data, "row")
        return
    if json:
        print_json(data)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (column, "matches", "words", "per million", ""):
        table.add_column(Text(printable(name)), justify="left" if name in (column, "") else "right")
    most = max((row.per_million for row in rows), default=0.0) or 1.0
    for row in rows:
        value = "(unknown)" if row.value is None else str(row.value)
        bar = Text("█" * round(30 * row.per_million / most), "green")
        cells = f"{row.count:,}", f"{row.tokens:,}", f"{row.per_million:,.1f}"
        table.add_row(Text(printable(value)), *cells, bar)
    print_table(table)


def _numbers(row: Frequency) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _NUMBERS}
