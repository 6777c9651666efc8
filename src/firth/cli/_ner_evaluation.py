"""firth ner evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _ner as common
from firth.cli import _shared as shared


@shared.guarded
def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|FILE", show_default=False,
            help="A model with a tagger; or a file whose last two columns are right labels and found ones, or - for "
            "standard input.",
        ),
    ],
    gold: Annotated[
        str | None,
        typer.Argument(
            metavar="[GOLD]", show_default=False,
            help="Labelled text, for the model; - for standard input.",
        ),
    ] = None,
    column: common.Column = -1,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Measure how well names are found: precision, recall and F1, of each type and of all.

    A name is right if its first word, its last word and its type are (exact match). Where names begin and
    end is told from labels as by the script of the CoNLL tasks, conlleval: a name begins with B-, after O,
    and where the type changes. F1 of all types counts all names alike (micro average). The interval is
    that of 95 % of bootstrap samples of the sentences.

    Example: [bold]firth ner evaluate names names.txt[/]
    """
    from firth.evaluate import evaluate_entities
    from firth.formats import convert_labels, read_labelled
    from firth.store import MANIFEST

    if gold is None:
        if Path(model, MANIFEST).exists():
            shared.fail(
                "There is nothing to measure the tagger on.",
                f"Give labelled text: firth ner evaluate {model} FILE",
                status=2,
            )
        if column != -1:
            shared.fail(
                "--column is for labelled text.",
                "Of a file alone, the last two columns count.",
                status=2,
            )
        with common.labelled_text(model) as path:
            other, text = (_two_columns(path, which) for which in (-1, -2))
        right = [labels for _, labels in text.sentences]
        found = [labels for _, labels in other.sentences]
        if other.scheme != text.scheme:
            found = [convert_labels(labels, None, text.scheme) for labels in found]
    else:
        tagger = common.open_tagger(model)
        with common.labelled_text(gold) as path:
            text = read_labelled(path, column)
        right = [labels for _, labels in text.sentences]
        found = [
            labels
            for document in text.documents
            for labels in tagger.tag([words for words, _ in document], text.scheme)
        ]
    result = evaluate_entities(right, found)
    shared.print_json(result.to_dict()) if json else _print_result(result)


def _two_columns(path: Path, which: int) -> Any:
    from firth.errors import InputError
    from firth.formats import read_labelled

    try:
        return read_labelled(path, which)
    except InputError as error:
        raise InputError(
            error.message, "A file alone needs right labels and found ones in its last two columns."
        ) from None


def _print_result(result: Any) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("type")
    for name in ("precision", "recall", "F1", "there", "found", "right"):
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
    if low == low:
        parts.append(f"F1 between {100 * low:.2f} and {100 * high:.2f} (95 %)")
    parts.append(f"{100 * result.accuracy:.2f} % of labels the same")
    shared.stdout().print(shared.line((", ".join(parts), "dim")))
