"""firth counts show."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.counts import MEASURES, Measure


@command()
def show(
    model: shared.ModelPath,
    word: Annotated[str | None, shared.argument("[WORD]", "A word.")] = None,
    n: Annotated[int, shared.option("-n", "N", "Number of contexts.", least=1)] = 10,
    measure: Annotated[
        Measure,
        shared.option("--measure", "NAME", f"Measure of association: {', '.join(MEASURES)}."),
    ] = "pmi",
    where: shared.Where = None,
    json: shared.Json = False,
) -> None:
    """Show the size of the counts, or the most typical contexts of a word.

    Mutual information (pmi) prefers rare contexts, t and g2 prefer frequent ones, and logdice is between.
    With --where, frequency and contexts are those in some documents; similar words and the class are those
    of the whole text.

    Example: [bold]firth counts show news monday -n 20[/]
    """
    from firth.cli._print_model import print_model
    from firth.cli._print_word import print_word
    from firth.describe import model_facts, word_facts
    from firth.model import load

    opened = load(model)
    shared.check_where(where, word)
    counts = opened.counts
    if word is not None:
        if json:
            shared.print_json(word_facts(opened, word, n, measure, where=where))
        else:
            print_word(opened, word, n, measure, where=where)
        return
    if json:
        facts = model_facts(opened)["parts"]["counts"]
        shared.print_json({**facts, "coverage": counts.coverage, "pairs": counts.n_pairs})
        return
    print_model(opened)
    console = shared.stdout()
    pairs = f"{counts.n_pairs:,.0f} pairs of word and context"
    console.print(f"\n{pairs}; the vocabulary covers {counts.coverage:.1%} of the tokens")
    of_bag, alone = [], []
    for block, offset in zip(counts.contexts.blocks, counts.contexts.offsets, strict=True):
        (alone if counts.contexts.blocks.count(block) == 1 else of_bag).append(str(offset))
    for layout, offsets in (("one bag of offsets", of_bag), ("a block for each offset", alone)):
        if offsets:
            console.print(f"{layout}: {', '.join(offsets)}")
