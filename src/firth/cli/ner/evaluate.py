"""firth ner evaluate."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.ner._printing import LABELLED
from firth.errors import not_for
from firth.formats import LabelLimits
from firth.ner import LabelColumn


@command(LabelColumn, LabelLimits)
def evaluate(
    model: Annotated[
        str,
        shared.argument(
            "MODEL|FILE",
            "A model; or a file whose last two columns are gold and predicted labels, or -.",
        ),
    ],
    gold: Annotated[
        str | None,
        shared.argument("[GOLD]", "Labelled text to evaluate the model on; - for standard input."),
    ] = None,
    *,
    options: dict[str, Any],
    json: shared.Json = False,
) -> None:
    """Report precision, recall and F1, for each entity type and overall.

    An entity is correct if its first word, its last word and its type are. Labels are read as by
    conlleval, the script of the CoNLL shared tasks: an entity starts with B-, after O, and where the type
    changes. The overall scores are micro-averages. The 95 % interval comes from bootstrap samples of the
    sentences.

    Example: [bold]firth ner evaluate names names.txt[/]
    """
    from firth.formats import read_labelled
    from firth.ner import evaluate_columns, evaluate_recogniser
    from firth.store import MANIFEST

    if gold is not None:
        column = LabelColumn(**options)
        column.check()
        recogniser = shared.open_part(model, "ner")
        lines = shared.input_lines(gold, LABELLED)
        text = read_labelled(lines, column.label_column, shared.input_name(gold))
        result = evaluate_recogniser(recogniser, text)
    elif Path(model, MANIFEST).exists():
        shared.fail(
            "Give labelled text to evaluate the model on.",
            f"For example: firth ner evaluate {shlex.quote(model)} GOLD",
            status=2,
        )
    elif options:
        raise not_for("label_column", "a file alone, whose last two columns are compared")
    else:
        both = list(shared.input_lines(model, LABELLED))
        result = evaluate_columns(both, shared.input_name(model))
    shared.print_json(result.to_dict()) if json else _print(result)


def _print(result: Any) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("type")
    for name in ("precision", "recall", "F1", "gold", "found", "correct"):
        table.add_column(name, justify="right")
    for row in (*result.rows, result.overall):
        style = "bold" if row is result.overall else ""
        figures = [f"{100 * x:.2f}" for x in (row.precision, row.recall, row.f1)]
        counts = [f"{n:,}" for n in (row.n_gold, row.n_found, row.n_right)]
        table.add_row(shared.line(row.type), *figures, *counts, style=style)
    shared.print_table(table)
    low, high = result.interval
    count = shared.count_of
    parts = [count(result.n_sentences, "sentence"), count(result.n_words, "word")]
    if low == low:  # not NaN
        parts.append(f"95 % interval of F1 {100 * low:.2f} to {100 * high:.2f}")
    parts.append(f"label accuracy {100 * result.accuracy:.2f} %")
    shared.stdout().print(shared.line((", ".join(parts), "dim")))
