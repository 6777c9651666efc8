"""firth find."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.cli._options import command

_WIDTH = 50
"""Characters on each side if the output is not a terminal."""


@command()
def find(
    model: shared.ModelPath,
    word: Annotated[
        str,
        typer.Argument(
            metavar="WORD", help="The word to search for; case matters.", show_default=False
        ),
    ],
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="Maximum number of occurrences.")
    ] = 20,
    width: Annotated[
        int | None,
        typer.Option(
            "--width",
            metavar="N",
            min=0,
            help="Characters on each side; by default what fits the terminal.",
            show_default=False,
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """Show occurrences of a word in context (a concordance), evenly spread over the corpus.

    Lines come from the original text if it still exists and has not changed.

    Example: [bold]firth find news monday -n 50[/]
    """
    from firth.cli._print_hits import print_hits

    corpus = shared.open_part(model, "corpus")
    if width is None:
        console = shared.stdout()
        fits = max(10, (console.width - len(word)) // 2 - 1)
        width = fits if console.is_terminal and not json else _WIDTH
    with shared.reporting(quiet=False):
        hits = corpus.find(word, n, width)
    total = int(corpus.vocabulary.counts[corpus.vocabulary.id(word)])
    if json:
        shared.print_json({"word": word, "count": total, "hits": [asdict(hit) for hit in hits]})
    else:
        print_hits(hits, total, width)
