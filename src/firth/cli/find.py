"""firth find."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.corpus import FindParameters

_WIDTH = 50
"""Characters on each side if the output is not a terminal."""


@command(FindParameters)
def find(
    model: shared.ModelPath,
    word: Annotated[str, shared.argument("WORD", "The word to search for; case matters.")],
    *,
    options: dict[str, Any],
    n: Annotated[int, shared.option("-n", "N", "Maximum number of occurrences.", least=1)] = 20,
    width: Annotated[
        int | None,
        shared.option(
            "--width", "N", "Characters on each side; by default what fits the terminal.", least=0
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """Show occurrences of a word in context (a concordance), evenly spread over the corpus.

    Lines come from the original text if it still exists and has not changed. Text at network addresses
    is opened only with --remote: use it with models that you trust.

    Example: [bold]firth find news monday -n 50[/]
    """
    from firth.cli._print_hits import print_hits

    corpus = shared.open_part(model, "corpus")
    if width is None:
        console = shared.stdout()
        fits = max(10, (console.width - len(word)) // 2 - 1)
        width = fits if console.is_terminal and not json else _WIDTH
    tokens = _tokens(model, corpus, word)
    with shared.reporting(quiet=False):
        hits = corpus.find(tokens, n, width, **options)
    total = corpus.count(tokens)
    if json:
        shared.print_json({"word": word, "count": total, "hits": [asdict(hit) for hit in hits]})
    else:
        print_hits(hits, total, width)


def _tokens(model: str, corpus: Any, word: str) -> list[str]:
    """The tokens to search for: a token, or the parts of a word if tokens are morphs."""
    from firth.corpus import fold_word, marked

    if corpus.reading.tokens != "morphs" or word in corpus.vocabulary:
        return [word]
    splitter = shared.splitter_of(model, corpus.reading.tokens)
    parts = marked(splitter.split(fold_word(word, corpus.reading)))
    return parts if all(part in corpus.vocabulary for part in parts) else [word]
