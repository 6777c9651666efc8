"""firth names show."""

from __future__ import annotations

from typing import Any

from firth.cli import _shared as shared
from firth.cli._options import command

_WORDS = 8


def place_of(row: dict[str, Any]) -> str:
    """What has a name, in words."""
    return f"{row['kind']} {row['key'] or '(root)'}"


@command()
def show(model: shared.ModelPath, json: shared.Json = False) -> None:
    """Show the names given to classes and tags, and the words that they stand for.

    Names whose class or tag was not found again after learning are shown, too: they are kept, and are tried
    again the next time.

    Example: [bold]firth names show news[/]
    """
    from rich.table import Table

    from firth.model import load
    from firth.pipeline import name_rows

    rows = name_rows(load(model))
    if json:
        shared.print_json(rows)
        return
    if not rows:
        shared.stdout().print("No names were given yet.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("name", "of", "words", "note"):
        table.add_column(name)
    for row in rows:
        place = f"no {row['kind']} now" if row["key"] is None else place_of(row)
        words = " ".join(row["words"][:_WORDS])
        table.add_row(*map(shared.line, (row["name"], place, words, row["note"])))
    shared.print_table(table)
