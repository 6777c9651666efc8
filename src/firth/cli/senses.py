"""firth senses: the senses of a word."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.senses import ReportParameters, SenseParameters

if TYPE_CHECKING:
    from firth.senses import Sense, SenseLine, SenseReport, TypicalWord

_BAR = 30


@command(SenseParameters, ReportParameters)
def senses(
    model: shared.ModelPath,
    word: Annotated[str, shared.argument("WORD", "A word, as it is spelled in the corpus.")],
    *,
    options: dict[str, Any],
    json: shared.Json = False,
) -> None:
    """Find the senses of a word from its contexts, with typical words and lines of each.

    Senses are learned by EM, without labels. Nothing is written.

    Example: [bold]firth senses news monday[/]
    """
    from firth.senses import report_senses

    corpus = shared.open_part(model, "corpus")
    console = shared.stdout()
    width = 50
    if console.is_terminal and not json:
        width = max(10, (console.width - len(word)) // 2 - 3)
    settings = {"most": ReportParameters.most, **options}
    with shared.interruptible(), shared.reporting(quiet=False):
        report = report_senses(corpus, word, width=width, **settings)
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
    used = "" if report.n_contexts == report.count else f", {report.n_contexts:,} used"
    n_senses = shared.count_of(len(report.senses), "sense")
    times = shared.count_of(report.count, "time")
    console.print(line((report.word, "bold"), f"  {n_senses}", (f"  {times}{used}", "dim")))
    console.print(line(*_why(report)))
    for k, sense in enumerate(report.senses):
        _print_sense(console, k + 1, sense, len(report.senses) > 1)
        for one in sense.lines:
            _print_line(console, one, width)
    if any(one.side for sense in report.senses for one in sense.words):
        console.print()
        console.print(line(("~ stands for the word itself", "dim")))


def _why(report: SenseReport) -> list[tuple[str, str]]:
    """Why this number of senses was chosen, in one line."""
    shown = len(report.senses)
    what = "1 sense has" if shown == 1 else f"{shown} senses have"
    why = f"{what} the shortest description, in bits"
    parts = [("description length in bits, by number of senses" if report.given else why, "dim")]
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
            console.print(line(("   no occurrence has this sense: try fewer senses", "dim")))
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
