"""firth analogy: a is to b as c is to what?"""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.cli import _vectors as common


@shared.guarded
def analogy(
    model: common.VectorsPath,
    a: Annotated[str, typer.Argument(metavar="A", help="As in: A is to B ...", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="", show_default=False)],
    c: Annotated[str, typer.Argument(metavar="C", help="... as C is to what?", show_default=False)],
    method: Annotated[
        str, typer.Option("--method", metavar="mul|add", help=common.METHOD_HELP)
    ] = "mul",
    n: common.HowMany = 10,
    json: shared.Json = False,
) -> None:
    """Show the words that are to C as B is to A.

    Example: [bold]firth analogy news paris france rome[/]
    """
    with common.asking(model) as vectors:
        found = vectors.analogy(a, b, c, n, method)
    if json:
        shared.print_json(common.as_dicts(found))
    else:
        common.print_neighbours({f"{a} : {b} = {c} : ?": found})
