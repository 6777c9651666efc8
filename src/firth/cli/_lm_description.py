"""firth lm show, and what firth lm learn says of a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from firth.cli import _lm as common
from firth.cli import _shared as shared

_TOGETHER = ("pair", "triple")
_BAR = 40


def facts_of(lm: Any) -> dict[str, Any]:
    """What a language model is, as data."""
    from firth.lm import bucket_names

    weights = [
        {"before": name, "held_out_words": n, "weights": row}
        for name, n, row in zip(bucket_names(), lm.facts_["buckets"], lm.weights_.tolist(), strict=True)
    ]  # fmt: skip
    rest = {name: value for name, value in lm.facts_.items() if name != "buckets"}
    return {
        "order": lm.order, "components": lm.component_names, **rest, "weights": weights,
        "reading": lm.words_.reading.parameters(),
    }  # fmt: skip


def print_facts(facts: Mapping[str, Any], note: str = "") -> None:
    """A few lines on a language model."""
    console, count = shared.stdout(), shared.count_of

    def tell(title: str, text: str, more: str = "") -> None:
        console.print(
            shared.line((f"{title:<9}", "dim"), text, (f"  {more}" if more else "", "dim"))
        )

    if facts["n_tokens"]:
        tell(
            "from",
            f"{count(facts['n_tokens'], 'word')} in {count(facts['n_sentences'], 'sentence')}",
        )
        share = facts["n_unknown"] / facts["n_tokens"]
        unknown = f"{facts['n_unknown']:,} of the text ({share:.1%}) unknown"
        tell("knows", count(facts["n_words"], "word"), unknown)
    else:
        tell("knows", count(facts["n_words"], "word"), "from elsewhere")
    sizes = [count(n, what) for n, what in zip(facts["n_grams"][1:], _TOGETHER, strict=False)]
    if sizes:
        tell("has seen", ", ".join(sizes))
    for one in facts["classes"]:
        figures = (
            f"{one['cross_entropy']:.3f} bits without smoothing; "
            f"H(w) - I(c1;c2) = {one['word_entropy']:.3f} - {one['mutual_information']:.3f}"
        )
        tell("classes", f"{one['n_classes']:,}, up to {one['order']} together", figures)
    if note and facts["classes"]:
        tell("", f"classes were {note}")
    if held := facts["held_out"]:
        alone = [f"{one['name']} {common.figure(one['perplexity'])}" for one in held["components"]]
        together = f"perplexity {common.figure(held['perplexity'])}"
        text = f"{count(held['n_sentences'], 'sentence')}, {together}"
        tell("held out", text, f"alone: {', '.join(alone)}" if len(alone) > 1 else "")


@shared.guarded
def show(
    model: shared.ModelPath,
    after: Annotated[
        str | None,
        shared.optional("--after", "TEXT", "Show what may come next after these words, the beginning of a sentence."),
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many words to show.")] = 10,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Show what a language model is, or which words it expects next.

    Sizes, discounts of sequences seen once, twice and more often, and how much each model counts, by what is
    before a word. With --after, the most probable next words; the end of a sentence is </s>, and
    <unk> is any word that is not known. --after "" shows how sentences begin.

    Example: [bold]firth lm show news --after "fell on"[/]
    """
    lm = common.open_lm(model)
    if after is not None:
        _show_next(lm, after, n, json)
        return
    facts = facts_of(lm)
    if json:
        shared.print_json(facts)
        return
    print_facts(facts)
    _print_discounts(facts)
    if len(facts["components"]) > 1:
        _print_weights(facts)


def _show_next(lm: Any, after: str, n: int, json: bool) -> None:
    from firth.corpus import tokenise

    reading = lm.words_.reading
    words = [word for sentence in tokenise(after, reading.tokens, "none") for word in sentence]
    numbers, _ = lm.words_.numbered([words])
    unknown = [w for w, k in zip(words, numbers.tolist(), strict=True) if k == len(lm.words_)]
    found = lm.next_words(words, n)
    if json:
        rows = [{"word": one.word, "p": one.p} for one in found]
        shared.print_json({"after": words, "unknown": unknown, "next": rows})
        return
    console = shared.stdout()
    wide = max(common.width_of(one.word) for one in found)
    for one in found:
        bar = "█" * round(_BAR * one.p / found[0].p)
        word = one.word + " " * (wide - common.width_of(one.word))
        console.print(shared.line((word, "bold"), (f"  {one.p:>7.2%}  ", "dim"), (bar, "green")))
    if unknown:
        console.print(shared.line((f"not known: {' '.join(unknown)}", "yellow")))


def _print_discounts(facts: Mapping[str, Any]) -> None:
    if not facts["discounts"]:
        return
    console = shared.stdout()
    console.print()
    console.print(shared.line(("discount of what is seen    once   twice   more often", "bold")))
    for k, given in enumerate(facts["discounts"], 1):
        name = "1 word" if k == 1 else f"{k} words together"
        console.print(f"{name:<24}{given[0]:>8.3f}{given[1]:>8.3f}{given[2]:>13.3f}")


def _print_weights(facts: Mapping[str, Any]) -> None:
    """How much each model counts, by what is before; what held-out text had nothing of is left out."""
    console, names = shared.stdout(), facts["components"]
    head = "".join(f"{name:>{max(8, len(name) + 2)}}" for name in names)
    console.print()
    console.print(shared.line((f"weights after{'':<21}held-out words{head}", "bold")))
    for row in facts["weights"]:
        if row["held_out_words"]:
            cells = "".join(
                f"{weight:>{max(8, len(name) + 2)}.2f}"
                for name, weight in zip(names, row["weights"], strict=True)
            )
            console.print(f"{row['before']:<34}{row['held_out_words']:>14,}{cells}")
