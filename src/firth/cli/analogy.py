"""firth analogy."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.formats import FileLimits
from firth.vectors import AnalogyOption


@command(AnalogyOption, FileLimits)
def analogy(
    model: common.VectorsPath,
    a: Annotated[str, shared.argument("A", "As in: A is to B ...")],
    b: Annotated[str, shared.argument("B", "")],
    c: Annotated[str, shared.argument("C", "... as C is to what?")],
    *,
    options: dict[str, Any],
    kind: common.Kind = "meaning",
    n: shared.NumberOfWords = 10,
    json: shared.Json = False,
) -> None:
    """Show the words that are to C as B is to A.

    Example: [bold]firth analogy news paris france rome[/]
    """
    with common.vectors_of(model, kind) as vectors:
        found = vectors.analogy(a, b, c, n, **options)
    if json:
        shared.print_json(common.as_dicts(found))
    else:
        common.print_neighbours({f"{a} : {b} = {c} : ?": found})
