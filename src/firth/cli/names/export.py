"""firth names export."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def export(
    model: shared.ModelPath,
    file: Annotated[str, shared.argument("FILE", "The file to write: .json, .csv or .tsv.")],
    quiet: shared.Quiet = False,
) -> None:
    """Write the names given to classes and tags to a file, with their words and notes.

    Example: [bold]firth names export news names.json[/]
    """
    from firth.formats import check_output
    from firth.pipeline import export_names

    check_output(file)
    n = export_names(model, file)
    if not quiet:
        shared.print_written(file, n, "name")
