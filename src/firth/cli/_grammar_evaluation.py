"""firth grammar evaluate."""

from __future__ import annotations

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
            help="A model with a grammar; or a file of trees that some parser has made, to compare.",
        ),
    ],
    gold: Annotated[
        str, typer.Argument(metavar="GOLD", show_default=False, help="A file of the right trees.")
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

    Example: [bold]firth grammar evaluate parser trees.mrg[/]
    """
    from firth.evaluate import evaluate_parses

    compared = Path(model).is_file()
    if compared and tagged:
        shared.fail("--tagged is for a parser.", "Leave it out: trees are compared.", status=2)
    with common.interruptible(), shared.reporting(quiet=False):
        if compared:
            right, found = _trees(gold, None), _trees(model, None)
            _check_as_many(right, found, gold, model)
            pairs = list(zip(right, found, strict=True))
            kept = [pair for pair in pairs if longest is None or len(pair[0]) <= longest]
            right, found = [a for a, _ in kept], [b for _, b in kept]
            how: dict[str, Any] = {}
        else:
            grammar = common.open_grammar(model)
            right = _trees(gold, longest)
            found, how = _parsed(grammar, right, tagged)
    if not right:
        shared.fail(
            f"No sentence in {gold} has as few as {shared.count_of(longest or 0, 'word')}.",
            "Use a larger --longest.",
        )
    result = evaluate_parses(right, found)
    if json:
        shared.print_json({**result.to_dict(), **how})
    else:
        _print(result, how)


def _trees(name: str, longest: int | None) -> list[Any]:
    """The trees of a file, made plain; those without words are left out."""
    from firth.trees import clean, read_trees

    plain = [tree for tree in map(clean, read_trees(common.check_file(name, _TREES))) if tree]
    if not plain:
        shared.fail(f"{name} has no trees in it.", f"Give {_TREES}.")
    return [tree for tree in plain if longest is None or len(tree) <= longest]


def _check_as_many(right: list[Any], found: list[Any], gold: str, parsed: str) -> None:
    if len(right) != len(found):
        shared.fail(
            f"{gold} has {shared.count_of(len(right), 'tree')}, {parsed} has {len(found):,}.",
            "Both must have a tree for each sentence, in the same order.",
        )


def _parsed(grammar: Any, trees: list[Any], tagged: bool) -> tuple[list[Any], dict[str, Any]]:
    """Parses of the sentences of trees, and how it went."""
    from firth import progress

    for tree in trees[:1]:  # what must be compiled is compiled now
        grammar.parse(tree.words, tree.tags if tagged else None)
    found, n_lost, started = [], 0, time.perf_counter()
    with progress.stage("parsing", total=len(trees), unit="sentences", brief=1.0) as stage:
        for tree in trees:
            [parse] = grammar.n_best(tree.words, 1, tree.tags if tagged else None)
            found.append(parse.tree)
            n_lost += not parse.found
            stage.advance(1)
    seconds = time.perf_counter() - started
    how = {"n_not_found": n_lost, "seconds": seconds, "sentences_per_second": len(trees) / seconds}
    return found, how


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
    parts = [f"F1 between {100 * low:.2f} and {100 * high:.2f} (95 %)"]
    if how:
        n = result.overall.n_sentences
        parts.append(f"{how['n_not_found']:,} of {n:,} without a tree by the grammar")
        parts.append(f"{how['sentences_per_second']:,.3g} sentences a second")
    shared.stdout().print(shared.line((", ".join(parts), "dim")))
