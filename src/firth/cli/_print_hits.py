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
_HOW = {"even": "evenly spread", "random": "at random", "first": "the first"}


def print_hits(
    hits: list[Any], total: int, context: str, sample: str = "even", fits: bool = False
) -> None:
    """Print matches, one on each line, the match in the middle; ``fits`` cuts lines to the terminal."""
    from firth.corpus import Context

    console, asked = stdout(), Context.of(context)
    sides = [_sides(hit) for hit in hits]
    if asked.unit == "characters":
        longest = max((width_of(hit.word) for hit in hits), default=0)
        width = max(10, (console.width - longest) // 2 - 1) if fits else asked.size
        sides = [(fitting(a[::-1], width)[::-1], fitting(b, width)) for a, b in sides]
    elif asked.unit == "words":
        width = max((width_of(left) for left, _ in sides), default=0)
    else:
        width = 0
    for hit, (left, right) in zip(hits, sides, strict=True):
        before = " " * (width - width_of(left)) + left
        word = " ".join(hit.word.split()) or hit.word
        console.print(line(before, (word, "bold cyan"), right), no_wrap=True)
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
