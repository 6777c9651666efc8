"""firth names import."""

from __future__ import annotations

from typing import Annotated, Any

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
    before = set(map(_known, name_rows(load(model))))
    with shared.reporting(quiet=False):
        rows = name_rows(import_names(model, file))
    new = [row for row in rows if _known(row) not in before]
    if quiet:
        return
    if not new:
        shared.stdout().print(shared.line(f"Nothing to import: the model has all names of {file}."))
        return
    shared.stdout().print(f"{shared.count_of(len(new), 'name')} imported.")
    for row in new:
        lost = f"no {row['kind']} has its words"
        place = lost if row["key"] is None else place_of(row)
        shared.stdout().print(shared.line((row["name"], "bold"), f"  {place}"))


def _known(row: dict[str, Any]) -> tuple[Any, ...]:
    """What an import can change in a row."""
    return tuple(row[name] for name in ("kind", "key", "name", "note"))
