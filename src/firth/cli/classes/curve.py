"""firth classes curve."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _classes as common
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import TextLimits


@command(TextLimits)
def curve(
    model: common.ClassesPath,
    texts: common.HeldOut = None,
    output: Annotated[
        str | None, shared.option("--output -o", "FILE", "Draw the curve: .html .svg .png .pdf")
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """How many classes? Mutual information and perplexity of the tree cut to more and more classes.

    Perplexity is measured on held-out text. Without it, every word of the training text is predicted from
    the others (leave-one-out), which favours many classes slightly, because the classes have seen the word.

    Example: [bold]firth classes curve news --text other.txt[/]
    """
    from firth.evaluate import curve as measure

    classes = common.open_classes(model)
    with shared.reporting(quiet):
        found = measure(classes, common.read_like(model, texts))
    if output:
        from firth.plots import curve_figure, save_figure

        save_figure(curve_figure(found), output)
    if json:
        shared.print_json(found.to_dict())
        return
    _print(found)
    if output:
        shared.stdout().print(shared.line("drawn: ", (output, "bold")))


def _print(found: Any) -> None:
    console = shared.stdout()
    console.print(f"[bold]classes  mutual information  {found.kind} perplexity[/]")
    best = max(row.mutual_information for row in found.rows) or 1.0
    width = len(found.kind) + 11
    for row in found.rows:
        mark = " [cyan]<[/]" if row.k == found.suggestion else ""
        bar = "█" * round(30 * row.mutual_information / best)
        console.print(
            f"{row.k:>7,}  {row.mutual_information:>13.4f} bits  {row.perplexity:>{width},.1f}{mark} "
            f"[green]{bar}[/]"
        )
    console.print(
        f"suggestion: {found.suggestion:,} classes "
        "[dim](<: the fewest whose perplexity is within 1 % of the best)[/]"
    )
    last = found.rows[-1]
    if last.perplexity == min(row.perplexity for row in found.rows):
        console.print(
            f"perplexity still falls at {last.k:,}, so more classes may be better: "
            f"firth classes learn MODEL --classes {2 * last.k}"
        )
