"""firth senses: the senses of a word, told by its contexts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.senses import Sense, SenseLine, SenseReport, TypicalWord

_OCCURRENCES = 20_000
_BAR = 30


@shared.guarded
def senses(
    model: shared.ModelPath,
    word: Annotated[
        str,
        typer.Argument(
            metavar="WORD", help="The word to look at, just as it is written.", show_default=False
        ),
    ],
    n_senses: Annotated[
        int | None,
        typer.Option(
            "--senses",
            metavar="N",
            min=1,
            help="How many senses; by default as many as describe the contexts in the fewest bits.",
            show_default=False,
        ),
    ] = None,
    window: Annotated[
        int,
        typer.Option(
            "--window",
            metavar="N",
            min=0,
            max=1000,
            help="Words on either side; 0 for all of the sentence.",
        ),
    ] = 7,
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="The most context words to show.")
    ] = 12,
    lines: Annotated[
        int, typer.Option("--lines", metavar="N", min=0, help="The most lines of each sense.")
    ] = 4,
    occurrences: Annotated[
        int,
        typer.Option(
            "--occurrences",
            metavar="N",
            min=0,
            help="The most occurrences to learn from, evenly spread; 0 for all.",
        ),
    ] = _OCCURRENCES,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Of the random starts.")
    ] = 0,
    json: shared.Json = False,
) -> None:
    """Tell the senses of a word apart by its contexts, with typical words and lines of each.

    Senses are learned by EM, without labels; nothing is written.

    Example: [bold]firth senses news monday[/]
    """
    from firth.model import load
    from firth.senses import report_senses

    corpus = load(model).corpus
    console = shared.stdout()
    width = 50
    if console.is_terminal and not json:
        width = max(10, (console.width - len(word)) // 2 - 3)
    with shared.interruptible(), shared.reporting(quiet=False):
        report = report_senses(
            corpus, word, n_senses, window=window or None, seed=seed, n_words=n, n_lines=lines, width=width,
            most=occurrences or None,
        )  # fmt: skip
    if json:
        shared.print_json(_as_data(report))
    else:
        _print(console, report, width)


def _as_data(report: SenseReport) -> dict[str, Any]:
    """What ``--json`` prints."""
    data = asdict(report)
    for entry, description in zip(data["descriptions"], report.descriptions, strict=True):
        entry["bits"] = description.bits
    return data


def _print(console: Any, report: SenseReport, width: int) -> None:
    line = shared.line
    looked = "" if report.n_contexts == report.count else f", {report.n_contexts:,} looked at"
    told = shared.count_of(len(report.senses), "sense")
    times = shared.count_of(report.count, "time")
    console.print(line((report.word, "bold"), f"  {told}", (f"  {times}{looked}", "dim")))
    console.print(line(*_why(report)))
    for k, sense in enumerate(report.senses):
        _print_sense(console, k + 1, sense, len(report.senses) > 1)
        for one in sense.lines:
            _print_line(console, one, width)
    if any(one.side for sense in report.senses for one in sense.words):
        console.print()
        console.print(line(("~ stands for the word itself", "dim")))


def _why(report: SenseReport) -> list[tuple[str, str]]:
    """Why there are so many senses, in one line; the number that is shown stands out."""
    shown = len(report.senses)
    what = "1 sense describes" if shown == 1 else f"{shown} senses describe"
    why = f"{what} the contexts in the fewest bits"
    parts = [("bits to describe the contexts, by senses" if report.given else why, "dim")]
    for one in report.descriptions:
        style = "bold" if one.n_senses == shown else "dim"
        parts += [("   ", ""), (f"{one.n_senses}: {one.bits:,.0f}", style)]
    return parts


def _print_sense(console: Any, number: int, sense: Sense, several: bool) -> None:
    line = shared.line
    console.print()
    if several:
        bar = "█" * max(1, round(_BAR * sense.share))
        console.print(line((f"{number}", "bold"), f"  {sense.share:.1%}  ", (bar, "green")))
        if not sense.n_contexts:
            console.print(line(("   no occurrence has it: try fewer senses", "dim")))
    words: list[str | tuple[str, str]] = ["   " if several else ""]
    for one in sense.words:
        words += [(_shown(one), "cyan"), "  "]
    console.print(line(*words[:-1]) if sense.words else line(("   no typical words", "dim")))


def _shown(word: TypicalWord) -> str:
    """A context word; right beside the word itself, with its place."""
    return {"before": f"{word.word} ~", "after": f"~ {word.word}"}.get(word.side, word.word)


def _print_line(console: Any, one: SenseLine, width: int) -> None:
    """A line of the corpus, the word in the middle."""
    left, right = (shared.printable(" ".join(side.split())) for side in (one.left, one.right))
    left += " " * one.left[-1:].isspace()
    right = " " * one.right[:1].isspace() + right
    left, right = shared.fitting(left[::-1], width)[::-1], shared.fitting(right, width)
    blank = " " * (3 + width - shared.width_of(left))
    console.print(shared.line(blank + left, (one.word, "bold cyan"), right), no_wrap=True)
