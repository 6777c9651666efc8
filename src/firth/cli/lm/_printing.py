"""What ``firth lm`` prints about a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firth.cli import _shared as shared

_NGRAMS = ("bigram", "trigram", "4-gram", "5-gram", "6-gram")


def perplexity(value: float | None) -> str:
    """A perplexity as text; None is an infinite one."""
    return "infinite" if value is None else f"{value:,.1f}" if value < 1e9 else f"{value:.3g}"


def print_facts(facts: Mapping[str, Any]) -> None:
    """A few lines on a language model."""
    count = shared.count_of
    words = count(facts["n_words"], "word")
    if "weights" not in facts:
        _row(
            "file", "a compact language model", "n-grams of words with probabilities of eight bits"
        )
        _row("words", words, f"read as {facts['reading']['tokens']}")
    elif facts["n_tokens"]:
        sentences = count(facts["n_sentences"], "sentence")
        share = facts["n_unknown"] / facts["n_tokens"]
        _row("text", f"{count(facts['n_tokens'], 'token')} in {sentences}")
        _row("words", words, f"{count(facts['n_unknown'], 'unknown token')} ({share:.1%})")
    else:
        _row("words", words, "imported")
    sizes = [count(n, name) for n, name in zip(facts["n_grams"][1:], _NGRAMS, strict=False)]
    if sizes:
        _row("n-grams", ", ".join(sizes))
    for one in facts.get("classes", ()):
        figures = (
            f"{one['cross_entropy']:.3f} bits without smoothing; "
            f"H(w) - I(c1;c2) = {one['word_entropy']:.3f} - {one['mutual_information']:.3f}"
        )
        _row("classes", f"{one['n_classes']:,}", figures)
    if len(facts["components"]) > 1:
        _row("models", f"{len(facts['components']):,}", "with a cache" if facts["cache"] else "")
    if held := facts.get("held_out"):
        text = (
            f"{count(held['n_sentences'], 'sentence')}, perplexity {perplexity(held['perplexity'])}"
        )
        static = held.get("perplexity_static")
        more = f"{perplexity(static)} without the cache" if facts["cache"] else ""
        _row("held out", text, more)


def _row(title: str, text: str, more: str = "") -> None:
    shared.stdout().print(
        shared.line((f"{title:<9}", "dim"), text, (f"  {more}" if more else "", "dim"))
    )


def print_discounts(facts: Mapping[str, Any]) -> None:
    """The discounts of Kneser-Ney smoothing."""
    if not facts.get("discounts"):
        return
    console = shared.stdout()
    console.print()
    console.print(shared.line(("discount of n-grams seen    once   twice   more often", "bold")))
    for k, given in enumerate(facts["discounts"], 1):
        name = "unigrams" if k == 1 else f"{_NGRAMS[k - 2]}s"
        console.print(f"{name:<24}{given[0]:>8.3f}{given[1]:>8.3f}{given[2]:>13.3f}")


def print_weights(facts: Mapping[str, Any]) -> None:
    """The interpolation weights by history; histories without held-out words are left out."""
    console, names = shared.stdout(), facts["components"]
    console.print()
    for number, name in enumerate(names, 1):
        console.print(shared.line((f"{number:>3}  ", "dim"), name))
    head = "".join(f"{number:>6}" for number in range(1, len(names) + 1))
    console.print()
    console.print(shared.line((f"weights after{'':<21}held-out words{head}", "bold")))
    for row in facts["weights"]:
        if row["held_out_words"]:
            cells = "".join(f"{weight:>6.2f}" for weight in row["weights"])
            console.print(f"{row['before']:<34}{row['held_out_words']:>14,}{cells}")
