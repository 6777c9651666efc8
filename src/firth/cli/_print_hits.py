"""Print a concordance."""

from __future__ import annotations

from typing import Any

from firth.cli._shared import count_of, fitting, line, printable, stdout, width_of

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
