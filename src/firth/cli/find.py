"""firth find: a concordance."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from firth.cli import _shared as shared


@shared.guarded
def find(
    model: shared.ModelPath,
    word: Annotated[
        str,
        typer.Argument(
            metavar="WORD", help="The word to look for, just as it is written.", show_default=False
        ),
    ],
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="The most occurrences to show.")
    ] = 20,
    width: Annotated[
        int | None,
        typer.Option(
            "--width",
            metavar="N",
            min=0,
            help="Characters on either side; by default what fits.",
            show_default=False,
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """Show a word in its contexts: a concordance, evenly spread over the corpus.

    The lines come from the original text where it is still there and unchanged.

    Example: [bold]firth find news monday -n 50[/]
    """
    from firth.cli._print_hits import print_hits
    from firth.model import load

    corpus = load(model).corpus
    console = shared.stdout()
    if width is None:
        width = (
            max(10, (console.width - len(word)) // 2 - 1)
            if console.is_terminal and not json
            else 50
        )
    with shared.reporting(quiet=False):
        hits = corpus.find(word, n, width)
    total = int(corpus.vocabulary.counts[corpus.vocabulary.id(word)])
    if json:
        shared.print_json({"word": word, "count": total, "hits": [asdict(hit) for hit in hits]})
    else:
        print_hits(hits, total, width)
