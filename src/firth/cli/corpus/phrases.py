"""firth corpus phrases."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.measure import PhraseMeasure

_ROWS = 20


@command()
def phrases(
    model: shared.ModelPath,
    n: Annotated[
        int | None,
        shared.option("-n", "N", f"Number of phrases: {_ROWS}, or all with --output.", least=1),
    ] = None,
    length: Annotated[
        int, shared.option("--length", "N", "The longest phrases: 2 to 5 words.", least=2)
    ] = 5,
    measure: Annotated[
        PhraseMeasure,
        shared.option("--measure", "NAME", "Measure of association: npmi, g2, pmi, t, logdice."),
    ] = "npmi",
    min_count: Annotated[
        int, shared.option("--min-count", "N", "Leave out phrases that are less frequent.", least=1)
    ] = 10,
    where: shared.Where = None,
    output: shared.Table = None,
    json: shared.Json = False,
) -> None:
    """List phrases: words that occur in a row more often than by chance.

    Phrases have two to five words and are within sentences. The measure of a longer phrase is that of its
    weakest joint, so "the United States" is as strong as "the" with "United States".

    To make them tokens, such as United_States, read the text again: firth learn TEXT --phrases 1000 joins the
    strongest, and --phrases FILE those of a list that was written with --output, which can be edited.

    Example: [bold]firth corpus phrases news --measure g2 -n 50[/]
    """
    from rich.table import Table
    from rich.text import Text

    from firth.formats import check_output
    from firth.measure import phrases as find_phrases

    if output is not None:
        check_output(output)
    shared.open_part(model, "corpus")
    with shared.reporting(json):
        found = find_phrases(model, length, measure, min_count, where or "")
    rows: list[dict[str, Any]] = [
        {"phrase": " ".join(p.words), "length": len(p.words), "count": p.count, measure: p.score}
        for p in found[: n if n or output else _ROWS]
    ]
    if output is not None and rows:
        shared.write_table(output, rows, "phrase")
    elif json:
        some = [asdict(phrase) for phrase in found[: len(rows)]]
        shared.print_json({"count": len(found), "measure": measure, "phrases": some})
    elif not rows:
        shared.stdout().print(f"no phrase occurs {min_count:,} times: try a smaller --min-count")
    else:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("phrase", "times", measure):
            table.add_column(name, justify="left" if name == "phrase" else "right")
        for row in rows:
            table.add_row(
                Text(shared.printable(row["phrase"])), f"{row['count']:,}", f"{row[measure]:,.3f}"
            )
        shared.print_table(table)
        shown = f"{len(rows):,} of {shared.count_of(len(found), 'phrase')}"
        shared.stdout().print(shared.line((shown, "dim")))
