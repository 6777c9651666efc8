"""Results of evaluations of word vectors, for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firth.cli import _shared as shared

_MISSING = 8
"""Number of words without a vector that are listed."""
_BAR = 20


def print_results(models: list[str], results: Sequence[Sequence[Any]]) -> None:
    """The score of every model on each set of questions; details if there is one model."""
    console = shared.stdout()
    names = [Path(path).name for path in models]
    if len(set(names)) < len(names):
        names = models
    for kind, title, figure in (
        ("pairs", "word pairs", "Spearman"),
        ("analogies", "analogies", "% right"),
    ):
        rows = [k for k, result in enumerate(results[0]) if _kind(result) == kind]
        if rows:
            _print_table(title, figure, names, [[found[k] for found in results] for k in rows])
    of_each = zip(*results, strict=True)
    if any(len({_n_used(result) for result in row}) > 1 for row in of_each):
        console.print(
            "[dim]The vectors have different words, so the scores are on different questions.[/]"
        )
    if len(models) == 1:
        for result in results[0]:
            _print_pairs(result) if _kind(result) == "pairs" else _print_analogies(result)


def _print_table(title: str, figure: str, names: list[str], rows: list[list[Any]]) -> None:
    """A line for each set of questions and model."""
    console = shared.stdout()
    first = max(len(title), *(len(row[0].name) for row in rows))
    wide = max(map(len, ["vectors", *names]))
    head = f"{title:<{first}}  {'vectors':<{wide}}  {figure:>8}  {'95 %':<13}  of"
    console.print(shared.line((head, "bold")))
    for row in rows:
        for i, (name, result) in enumerate(zip(names, row, strict=True)):
            label = result.name if i == 0 else ""
            value, interval, of = _cells(result)
            console.print(
                shared.line(
                    f"{label:<{first}}  {name:<{wide}}  ",
                    (f"{value:>8}", "green"),
                    (f"  {interval:<13}  {of}", "dim"),
                )
            )
    console.print()


def _kind(result: Any) -> str:
    return "analogies" if hasattr(result, "categories") else "pairs"


def _n_used(result: Any) -> int:
    """The number of pairs or questions whose words all have vectors."""
    return int(result.n_scored if _kind(result) == "pairs" else result.n_answered)


def _cells(result: Any) -> list[str]:
    """The score in percent, its interval, and the number of questions."""
    low, high = result.interval
    if _kind(result) == "pairs":
        score, of = result.spearman, f"{result.n_scored:,} of {result.n_pairs:,} pairs"
    else:
        score, of = result.accuracy, f"{result.n_answered:,} of {result.n_questions:,} answered"
    if score != score:
        return ["–", "", of]
    interval = f"{100 * low:.1f} – {100 * high:.1f}" if low == low else "too few"
    return [f"{100 * score:.1f}", interval, of]


def _print_pairs(result: Any) -> None:
    """The linear correlation, and the words without a vector."""
    missing = ""
    if result.missing:
        words = ", ".join(result.missing[:_MISSING])
        words += ", ..." if len(result.missing) > _MISSING else ""
        missing = f"; {shared.count_of(len(result.missing), 'word')} without a vector: {words}"
    pearson = f"{100 * result.pearson:.1f}" if result.pearson == result.pearson else "–"
    line = shared.line((result.name, "bold"), f"  Pearson {pearson}", (missing, "dim"))
    shared.stdout().print(line)


def _print_analogies(result: Any) -> None:
    """The accuracy over all questions, and the accuracy of each category."""
    console = shared.stdout()
    over_all = f"{100 * result.accuracy_over_all:.1f} % over all {result.n_questions:,} questions"
    console.print(shared.line((result.name, "bold"), f"  {over_all}"))
    for category in result.categories:
        figure = f"{100 * category.accuracy:5.1f} %" if category.n_answered else "    –  "
        bar = "█" * round(_BAR * category.accuracy) if category.n_answered else ""
        sizes = f"{category.n_right:,} right of {category.n_answered:,} answered"
        console.print(
            shared.line(
                f"  {figure}  {category.name:<28} ",
                (f"{bar:<{_BAR}} ", "green"),
                (f"{sizes}, {category.n_questions:,} asked", "dim"),
            )
        )
