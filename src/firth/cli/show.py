"""firth show: a model, or a word in it."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared


@shared.guarded
def show(
    model: shared.ModelPath,
    word: Annotated[
        str | None, typer.Argument(metavar="[WORD]", help="A word to look at.", show_default=False)
    ] = None,
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="How many contexts to show.")
    ] = 10,
    json: shared.Json = False,
) -> None:
    """Show a model, or a word: its count, its strongest contexts, words like it, and its class.

    Contexts are ordered by pointwise mutual information: how much more often than by chance they
    stand there. Of the class there are the path, typical words, the classes beside it up the tree,
    and the contexts that set it apart.

    Example: [bold]firth show news monday[/]
    """
    from firth.cli import _describe as describe
    from firth.model import load

    opened = load(model)
    if word is not None:
        shared.print_json(describe.word_facts(opened, word, n)) if json else describe.print_word(
            opened, word, n
        )
    elif json:
        shared.print_json(describe.model_facts(opened))
    else:
        describe.print_model(opened)
        if "corpus" in opened:
            describe.print_corpus(opened)
