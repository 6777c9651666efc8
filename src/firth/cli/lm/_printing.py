"""What ``firth lm`` prints about a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firth.cli import _shared as shared

_NGRAMS = ("bigram", "trigram")


def perplexity(value: float | None) -> str:
    """A perplexity as text; None is an infinite one."""
    return "infinite" if value is None else f"{value:,.1f}" if value < 1e9 else f"{value:.3g}"


def print_facts(facts: Mapping[str, Any], changed: Sequence[str] = ()) -> None:
    """A few lines on a language model; ``changed`` names the parts that were learned."""
    count = shared.count_of
    words = count(facts["n_words"], "word")
    if facts["n_tokens"]:
        sentences = count(facts["n_sentences"], "sentence")
        share = facts["n_unknown"] / facts["n_tokens"]
        _row("text", f"{count(facts['n_tokens'], 'token')} in {sentences}")
        _row("words", words, f"{count(facts['n_unknown'], 'unknown token')} ({share:.1%})")
    else:
        _row("words", words, "imported")
    sizes = [count(n, name) for n, name in zip(facts["n_grams"][1:], _NGRAMS, strict=False)]
    if sizes:
        _row("n-grams", ", ".join(sizes))
    for one in facts["classes"]:
        figures = (
            f"{one['cross_entropy']:.3f} bits without smoothing; "
            f"H(w) - I(c1;c2) = {one['word_entropy']:.3f} - {one['mutual_information']:.3f}"
        )
        _row("classes", f"{one['n_classes']:,}, n-grams up to {one['order']}", figures)
    if "classes" in changed:
        _row("", "word classes were learned first")
    if held := facts["held_out"]:
        alone = [f"{one['name']} {perplexity(one['perplexity'])}" for one in held["components"]]
        text = (
            f"{count(held['n_sentences'], 'sentence')}, perplexity {perplexity(held['perplexity'])}"
        )
        _row("held out", text, f"alone: {', '.join(alone)}" if len(alone) > 1 else "")


def _row(title: str, text: str, more: str = "") -> None:
    shared.stdout().print(
        shared.line((f"{title:<9}", "dim"), text, (f"  {more}" if more else "", "dim"))
    )


def print_discounts(facts: Mapping[str, Any]) -> None:
    """The discounts of Kneser-Ney smoothing."""
    if not facts["discounts"]:
        return
    console = shared.stdout()
    console.print()
    console.print(shared.line(("discount of n-grams seen    once   twice   more often", "bold")))
    for k, given in enumerate(facts["discounts"], 1):
        name = ("unigrams", "bigrams", "trigrams")[k - 1]
        console.print(f"{name:<24}{given[0]:>8.3f}{given[1]:>8.3f}{given[2]:>13.3f}")


def print_weights(facts: Mapping[str, Any]) -> None:
    """The interpolation weights by history; histories without held-out words are left out."""
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
