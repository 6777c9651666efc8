"""Print a concordance."""

from __future__ import annotations

from typing import Any

from firth.cli._shared import count_of, fitting, line, printable, stdout, width_of


def print_hits(hits: list[Any], total: int, width: int) -> None:
    """Print occurrences of a word, one on each line, the word in the middle."""
    console = stdout()
    for hit in hits:
        left, right = (printable(" ".join(side.split())) for side in (hit.left, hit.right))
        left += " " * hit.left[-1:].isspace()
        right = " " * hit.right[:1].isspace() + right
        left, right = fitting(left[::-1], width)[::-1], fitting(right, width)
        text = line(" " * (width - width_of(left)) + left, (hit.word, "bold cyan"), right)
        console.print(text, no_wrap=True)
    note = f"{len(hits):,} of {count_of(total, 'occurrence')}"
    note += ", evenly spread" * (len(hits) < total)
    if hits and not all(hit.original for hit in hits):
        note += (
            "; words as learned where the original text is missing, has changed or was not opened"
        )
    console.print(line((note, "dim")))
