"""firth data get."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.cli._options import command

Table = Annotated[
    str | None, shared.option("--table", "FILE", "A table of data sets instead of Firth's own.")
]


@command()
def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of a data set.")],
    table: Table = None,
    offline: Annotated[
        bool, shared.flag("--offline", "Download nothing; also if FIRTH_OFFLINE is set.")
    ] = False,
    quiet: shared.Quiet = False,
) -> None:
    """Download a data set, and print where it is.

    A file that is already here is not downloaded again. An interrupted download continues where it stopped, now or
    when the command is run again. The file must match the checksum in the table. Files are kept in the folder
    [bold]FIRTH_CACHE[/], by default [bold]~/.cache/firth[/] on Linux. A proxy is taken from [bold]https_proxy[/].

    Example: [bold]firth learn "$(firth data get moby-dick)" --split paragraphs -o moby[/]
    """
    from firth.data import get as download

    with shared.reporting(quiet):
        path = download(name, table, offline)
    typer.echo(path)
