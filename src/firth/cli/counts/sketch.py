"""firth counts sketch."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.counts import MEASURES, Measure


@command()
def sketch(
    model: shared.ModelPath,
    word: Annotated[str, shared.argument("WORD", "A word.")],
    n: Annotated[int, shared.option("-n", "N", "Number of words of each tag.", least=1)] = 5,
    measure: Annotated[
        Measure,
        shared.option("--measure", "NAME", f"Measure of association: {', '.join(MEASURES)}."),
    ] = "logdice",
    min_count: Annotated[
        int,
        shared.option(
            "--min-count", "N", "Leave out words that are next to it less often.", least=1
        ),
    ] = 2,
    where: shared.Where = None,
    json: shared.Json = False,
) -> None:
    """Show the words that typically stand before and after a word, by their tags.

    In a model without tags, words are grouped by 16 classes.

    Example: [bold]firth counts sketch news monday[/]
    """
    from dataclasses import asdict

    from rich.table import Table
    from rich.text import Text

    from firth.measure import sketch as make_sketch

    shared.open_part(model, "corpus")
    columns = make_sketch(model, word, measure, n, min_count, where or "")
    if json:
        shared.print_json(
            {"word": word, "measure": measure, "columns": [asdict(one) for one in columns]}
        )
        return
    if not columns:
        shared.stdout().print(f"no word is next to it {min_count:,} times")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", columns[0].kind, "times", f"words by {measure}, with their counts"):
        table.add_column(name, justify="right" if name == "times" else "left")
    for side in ("before", "after"):
        for one in (one for one in columns if one.side == side):
            words = ", ".join(f"{shared.printable(c.word)} {c.count:,}" for c in one.collocates)
            group = Text(shared.printable(one.group))
            table.add_row(f"{side} it", group, f"{one.count:,}", Text(words))
    shared.print_table(table)
