"""firth lm show."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._opening import ModelOrFile, open_lm
from firth.cli.lm._printing import print_discounts, print_facts, print_weights

_BAR = 40


@command()
def show(
    model: ModelOrFile,
    after: Annotated[
        str | None,
        shared.option(
            "--after",
            "TEXT",
            "Show the most probable next words after these first words of a sentence.",
        ),
    ] = None,
    n: shared.NumberOfWords = 10,
    json: shared.Json = False,
) -> None:
    """Show a language model, or the words it expects next.

    Without --after: sizes, discounts, and interpolation weights by history; of a compact file, its sizes.
    With --after: the most probable next words, where </s> is the end of the sentence and <unk> any unknown
    word. --after "" shows how sentences begin.

    Example: [bold]firth lm show news --after "fell on"[/]
    """
    from firth.describe import lm_facts

    lm = open_lm(model)
    if after is not None:
        if not hasattr(lm, "next_words"):
            shared.fail(
                "A compact file scores given words, and does not list those that may come next.",
                "Use the model folder, or: firth lm apply FILE --words",
            )
        units = shared.units_of(model, lm.words_.reading)
        _show_next(lm, units, after, n, json)
        return
    facts = lm_facts(lm)
    if json:
        shared.print_json(facts)
        return
    print_facts(facts)
    print_discounts(facts)
    if len(facts["components"]) > 1:
        print_weights(facts)


def _show_next(lm: Any, units: Any, after: str, n: int, json: bool) -> None:
    from firth.corpus import fold_word, tokenise, tokens_of

    sentences = tokenise(after, lm.words_.reading.cuts, "none")
    reading = lm.words_.reading
    folded = [fold_word(word, reading) for sentence in sentences for word in sentence]
    words = tokens_of(folded, units)
    numbers, _ = lm.words_.numbered([words])
    unknown = [w for w, k in zip(words, numbers.tolist(), strict=True) if k == len(lm.words_)]
    found = lm.next_words(words, n)
    if json:
        rows = [{"word": one.word, "p": one.p} for one in found]
        shared.print_json({"after": words, "unknown": unknown, "next": rows})
        return
    console = shared.stdout()
    wide = max(shared.width_of(one.word) for one in found)
    for one in found:
        bar = ("█" * round(_BAR * one.p / found[0].p), "green")
        word = (shared.padded(one.word, wide), "bold")
        console.print(shared.line(word, (f"  {one.p:>7.2%}  ", "dim"), bar))
    if unknown:
        console.print(shared.line((f"unknown: {' '.join(unknown)}", "yellow")))
