"""firth grammar evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import FileLimits
from firth.parameters import DeviceOption
from firth.trees import TreeFormat


@command(TreeFormat, FileLimits, DeviceOption)
def evaluate(
    model: Annotated[
        str,
        shared.argument(
            "MODEL|PARSED",
            "A model with a grammar, or a file of trees that a parser has made; - for standard input.",
        ),
    ],
    gold: Annotated[str, shared.argument("GOLD", "A file of gold trees; - for standard input.")],
    *,
    options: dict[str, Any],
    tagged: Annotated[
        bool, shared.flag("--tagged", "Give the parser the gold tags.", panel="Text")
    ] = False,
    longest: Annotated[
        int | None,
        shared.option(
            "--longest", "N", "Leave out sentences of more than N words.", panel="Text", least=1
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """Parse the sentences of gold trees and compare the trees.

    A phrase is correct if its first word, its last word and its label are. Precision is the share of the
    phrases found that are correct, recall the share of the gold phrases that are found, and F1 the harmonic
    mean of the two. As in the program EVALB, punctuation, function tags and traces are not counted. Exact
    is the share of sentences with all phrases correct, and tags is the tagging accuracy. The interval is a
    95% bootstrap interval over sentences.

    Example: [bold]firth grammar evaluate parser dev.mrg[/]
    """
    from firth.grammar import compare_trees, evaluate_grammar

    compared = model == "-" or (Path(model).exists() and not Path(model).is_dir())
    if model == gold == "-":
        shared.fail("Standard input can be read only once.", "Give a file.", status=2)
    of_device = DeviceOption.take(options)
    for name, given in (("--tagged", tagged), ("--device", of_device)):
        if compared and given:
            shared.fail(
                f"{name} does not apply to parsed trees.", "Give a model instead.", status=2
            )
    with shared.interruptible(), shared.reporting(quiet=False):
        if compared:
            facts = compare_trees(_trees(gold, **options), _trees(model), longest=longest)
        else:
            grammar = shared.open_part(model, "grammar")
            grammar.use_device(DeviceOption(**of_device).device)
            trees = _trees(gold, **options)
            facts = evaluate_grammar(grammar, trees, tagged=tagged, longest=longest)
    shared.print_json(facts) if json else _print(facts)


def _trees(name: str, **options: Any) -> list[Any]:
    from firth.grammar import gold_trees

    lines = shared.input_lines(name, "trees in brackets")
    return gold_trees(lines, shared.input_name(name), **options)


def _print(facts: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("sentences")
    for name in ("precision", "recall", "F1", "exact", "tags", "number"):
        table.add_column(name, justify="right")
    overall = facts["overall"]
    for row in (*facts["rows"], overall):
        scores = [row[name] for name in ("precision", "recall", "f1", "exact", "tags")]
        cells = [f"{100 * score:.2f}" for score in scores]
        style = "bold" if row is overall else ""
        table.add_row(shared.line(row["name"]), *cells, f"{row['n_sentences']:,}", style=style)
    shared.print_table(table)
    notes = []
    if facts["interval"] is not None:
        low, high = facts["interval"]
        notes.append(f"F1 between {100 * low:.2f} and {100 * high:.2f} (95%)")
    if "seconds" in facts:
        speed = facts["sentences_per_second"]
        notes.append(f"no tree for {facts['n_not_found']:,} of {overall['n_sentences']:,}")
        notes.append(f"{speed:,.0f} sentences/s" if speed > 10 else f"{speed:.2g} sentences/s")
    if notes:
        shared.stdout().print(shared.line((", ".join(notes), "dim")))
