"""firth corpus documents."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def documents(
    model: shared.ModelPath,
    n: Annotated[int, shared.option("-n", "N", "Maximum number of documents.", least=1)] = 20,
    where: shared.Where = None,
    json: shared.Json = False,
) -> None:
    """Show the documents of a model, their sizes, and what is known about them.

    A file is a document, and so is each record of a table. The other columns of a table, or those of the
    table given with --metadata, say what is known about them.

    Example: [bold]firth corpus documents speeches -n 100[/]
    """
    from rich.table import Table
    from rich.text import Text

    from firth.find import select

    found = shared.open_part(model, "documents")
    chosen, sizes = found.table, found.sizes
    if where is not None:
        holds = select(found, where)
        chosen, sizes = chosen.filter(holds), sizes[holds]
    if json:
        every = chosen.to_pylist()
        shared.print_json(
            [{**row, "tokens": size} for row, size in zip(every, sizes.tolist(), strict=True)]
        )
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("document", "tokens", *found.metadata):
        numeric = name == "tokens" or found.table.schema.field(name).type in ("int64", "double")
        table.add_column(Text(shared.printable(name)), justify="right" if numeric else "left")
    for row, size in zip(chosen.slice(0, n).to_pylist(), sizes, strict=False):
        values = ["" if row[name] is None else str(row[name]) for name in found.metadata]
        cells = [row["document"], f"{size:,}", *values]
        table.add_row(*(Text(shared.printable(cell)) for cell in cells))
    shared.print_table(table)
    if len(sizes) > n:
        shared.stdout().print(f"[dim]{len(sizes) - n:,} more: -n {len(sizes)} shows all[/]")
    if where is not None:
        selected = f"{len(sizes):,} of {shared.count_of(len(found), 'document')}"
        shared.stdout().print(
            f"[dim]{selected}, {sizes.sum():,} of {found.sizes.sum():,} tokens[/]"
        )
