"""firth names import."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.names.show import place_of


@command()
def import_(
    model: shared.ModelPath,
    file: Annotated[str, shared.argument("FILE", "A file of names: .json, .csv or .tsv.")],
    quiet: shared.Quiet = False,
) -> None:
    """Add the names in a file to a model.

    Each name goes to the class or tag that has most of its words; without words, to the one that "key"
    names.

    Example: [bold]firth names import news names.json[/]
    """
    from firth.model import load
    from firth.pipeline import import_names, name_rows

    shared.existing_file(file, 'rows with "kind", "key", "name", "note" and "words"')
    before = {(row["kind"], row["key"], row["name"]) for row in name_rows(load(model))}
    with shared.reporting(quiet=False):
        rows = name_rows(import_names(model, file))
    new = [row for row in rows if (row["kind"], row["key"], row["name"]) not in before]
    if quiet:
        return
    shared.stdout().print(f"{shared.count_of(len(new), 'name')} imported.")
    for row in new:
        lost = f"no {row['kind']} has its words"
        place = lost if row["key"] is None else place_of(row)
        shared.stdout().print(shared.line((row["name"], "bold"), f"  {place}"))
