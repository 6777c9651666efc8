"""firth grammar evaluate."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _grammar as common
from firth.cli import _shared as shared

_TREES = "a file of trees in brackets"


@shared.guarded
def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|PARSED", show_default=False,
            help="A model with a grammar; or a file of trees that a parser has made, to compare; - for standard input.",
        ),
    ],
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD", show_default=False, help="A file of the right trees; - for standard input."
        ),
    ],
    tagged: Annotated[
        bool, typer.Option("--tagged", help="Give the parser the right tags of the words.")
    ] = False,
    longest: Annotated[
        int | None,
        typer.Option(
            "--longest", metavar="N", min=1, show_default=False, help="Leave out sentences of more words."
        ),
    ] = None,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Parse the sentences of trees, and measure how much of the trees is found again.

    A phrase is right if its first word, its last word and its label are. Precision is the share of the phrases
    found that are right, recall the share of the right ones that are found, F1 their harmonic mean. Counted
    as the program EVALB does: punctuation, function tags and traces are left out. Exact is the share
    of sentences with all phrases right, tags the share of words with the right tag. The interval is that of
    95 % of bootstrap samples of the sentences.

    Example: [bold]firth grammar evaluate parser dev.mrg[/]
    """
    from firth.evaluate import evaluate_parses

    compared = model == "-" or (Path(model).exists() and not Path(model).is_dir())
    if model == gold == "-":
        shared.fail("Standard input can be read only once.", "Give a file.", status=2)
    if compared and tagged:
        shared.fail("--tagged is for a parser.", "Leave it out: trees are compared.", status=2)
    with shared.interruptible(), shared.reporting(quiet=False):
        right, found, how = (
            _compared(model, gold, longest) if compared else _parsed(model, gold, longest, tagged)
        )
    if not right:
        shared.fail(
            f"No sentence of {common.name_of(gold)} has as few as {shared.count_of(longest or 0, 'word')}.",
            "Use a larger --longest.",
        )
    result = evaluate_parses(right, found)
    if json:
        interval = result.interval if math.isfinite(result.interval[0]) else None
        shared.print_json({**result.to_dict(), "interval": interval, **how})
    else:
        _print(result, how)


def _trees(name: str, longest: int | None) -> list[Any]:
    """The trees of a file, made plain; those without words are left out."""
    from firth.formats import text_lines
    from firth.trees import clean, parse_trees

    called = common.name_of(name)
    lines = common.lines_of(name) if name == "-" else text_lines(common.check_file(name, _TREES))
    plain = [tree for tree in map(clean, parse_trees(lines, called)) if tree is not None]
    if not plain:
        shared.fail(f"{called} has no trees in it.", f"Give {_TREES}.")
    return [tree for tree in plain if longest is None or len(tree) <= longest]


def _compared(
    parsed: str, gold: str, longest: int | None
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Right trees, and those of a file."""
    right, found = _trees(gold, None), _trees(parsed, None)
    if len(right) != len(found):
        sizes = [shared.count_of(len(trees), "tree") for trees in (right, found)]
        shared.fail(
            f"{common.name_of(gold)} has {sizes[0]}, {common.name_of(parsed)} has {sizes[1]}.",
            "Both must have a tree for each sentence, in the same order.",
        )
    pairs = list(zip(right, found, strict=True))
    kept = [pair for pair in pairs if longest is None or len(pair[0]) <= longest]
    return [tree for tree, _ in kept], [tree for _, tree in kept], {}


def _parsed(
    model: str, gold: str, longest: int | None, tagged: bool
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Right trees, parses of their sentences, and how it went."""
    from firth import progress

    grammar, right = common.open_grammar(model), _trees(gold, longest)

    def parse(tree: Any) -> Any:
        return grammar.n_best(tree.words, 1, tree.tags if tagged else None)[0]

    for tree in right[:1]:  # what must be compiled is compiled now
        parse(tree)
    parses, started = [], time.perf_counter()
    with progress.stage("parsing", total=len(right), unit="sentences", brief=1.0) as stage:
        for tree in right:
            parses.append(parse(tree))
            stage.advance(1)
    seconds = time.perf_counter() - started
    how = {
        "n_not_found": sum(not parse.found for parse in parses),
        "seconds": seconds,
        "sentences_per_second": len(right) / seconds,
    }
    return right, [parse.tree for parse in parses], how


def _print(result: Any, how: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("sentences")
    for name in ("precision", "recall", "F1", "exact", "tags", "number"):
        table.add_column(name, justify="right")
    for row in (*result.rows, result.overall):
        figures = (row.precision, row.recall, row.f1, row.exact, row.tags)
        shown = [f"{100 * x:.2f}" for x in figures]
        style = "bold" if row is result.overall else ""
        table.add_row(shared.line(row.name), *shown, f"{row.n_sentences:,}", style=style)
    shared.print_table(table)
    low, high = result.interval
    parts = [f"F1 between {100 * low:.2f} and {100 * high:.2f} (95 %)"] * math.isfinite(low)
    if how:
        n = result.overall.n_sentences
        parts.append(f"{how['n_not_found']:,} of {n:,} without a tree by the grammar")
        speed = how["sentences_per_second"]
        parts.append(
            f"{speed:,.0f} sentences a second" if speed > 10 else f"{speed:.2g} sentences a second"
        )
    if parts:
        shared.stdout().print(shared.line((", ".join(parts), "dim")))
