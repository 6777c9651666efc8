"""firth corpus show."""

from __future__ import annotations

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def show(
    model: shared.ModelPath,
    n: shared.NumberOfWords = 20,
    json: shared.Json = False,
) -> None:
    """Show the most frequent words, and how much of the text vocabularies of several sizes cover.

    Example: [bold]firth corpus show news -n 100[/]
    """
    from firth.cli._print_model import print_corpus, print_model
    from firth.describe import coverage, model_facts
    from firth.model import load

    opened = load(model)
    corpus = opened.corpus
    if not json:
        print_model(opened)
        print_corpus(opened, n)
        return
    vocabulary = corpus.vocabulary
    shared.print_json(
        {
            **model_facts(opened)["parts"]["corpus"],
            "sources": corpus.sources,
            "words": [
                {"word": vocabulary[i], "count": int(vocabulary.counts[i])}
                for i in range(min(n, corpus.n_types))
            ],
            "coverage": coverage(corpus),
        }
    )
