"""firth similar: the neighbours of words."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.cli import _vectors as common


@shared.guarded
def similar(
    model: common.VectorsPath,
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORD...", help="Words to look at.", show_default=False),
    ],
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="WORD",
            help="Take the vector of this word away; may be said again. Implies --together.",
            show_default=False,
        ),
    ] = None,
    together: Annotated[
        bool,
        typer.Option("--together", help="One list for all words: their vectors are added up."),
    ] = False,
    n: common.HowMany = 10,
    json: shared.Json = False,
) -> None:
    """Show the words most like a word, by the cosine of their vectors.

    Several words get a list each, or one list for all of them with --together.

    Example: [bold]firth similar news monday tuesday[/]
    """
    with common.asking(model) as vectors:
        if together or without:
            title = " + ".join(words) + "".join(f" − {word}" for word in without or [])
            found = {title: vectors.most_similar(words, without or [], n)}
        else:
            words = list(dict.fromkeys(words))
            found = dict(zip(words, vectors.neighbours(words, n), strict=True))
    if json:
        shared.print_json({title: common.as_dicts(near) for title, near in found.items()})
        return
    common.print_neighbours({title: near for title, near in found.items() if near})
    for title, near in found.items():
        if not near:
            shared.stdout().print(
                shared.line((f"{title} has no contexts, so it is like no other word", "dim"))
            )
