"""firth data list."""

from __future__ import annotations

import dataclasses

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.data.get import Table


@command()
def list_(table: Table = None, json: shared.Json = False) -> None:
    """List the data sets that can be downloaded, with size and licence.

    A table of your own is a TOML file with a section for each data set: [bold]\\[name][/], and in it
    [bold]title[/], [bold]licence[/], [bold]url[/], [bold]size[/] in bytes and [bold]sha256[/].

    Example: [bold]firth data list[/]
    """
    from rich.table import Table as Printed

    from firth.data import data_sets, is_here
    from firth.progress import size

    found = data_sets(table)
    if json:
        rows = [{**dataclasses.asdict(one), "downloaded": is_here(one)} for one in found]
        shared.print_json(rows)
        return
    printed = Printed(box=None, pad_edge=False, header_style="bold")
    for name in ("name", "size", "licence", "here", "what it is"):
        printed.add_column(name, justify="right" if name == "size" else "left")
    for one in found:
        here = "yes" if is_here(one) else ""
        cells = (one.name, size(one.size), one.licence, here, one.title)
        printed.add_row(*map(shared.line, cells))
    shared.print_table(printed)
