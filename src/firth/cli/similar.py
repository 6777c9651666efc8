"""firth similar."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.formats import FileLimits


@command(FileLimits)
def similar(
    model: common.VectorsPath,
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORD...", help="Words to look up.", show_default=False),
    ],
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="WORD",
            help="Subtract the vector of this word; repeat for more. Implies --together.",
            show_default=False,
        ),
    ] = None,
    together: Annotated[
        bool,
        typer.Option("--together", help="One list for all words: add their vectors."),
    ] = False,
    n: common.HowMany = 10,
    json: shared.Json = False,
) -> None:
    """Show the most similar words, by the cosine of their vectors.

    Each word gets a list of its own, unless --together is given.

    Example: [bold]firth similar news monday tuesday[/]
    """
    with common.vectors_of(model) as vectors:
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
            note = f"{title} has no contexts, so no word is similar to it"
            shared.stdout().print(shared.line((note, "dim")))
