"""What the commands of firth lm share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._opening import open_part

Tokens = Annotated[
    str | None,
    shared.optional("--tokens", "words|whitespace|characters", "What a token is; by default as it was learned."),
]  # fmt: skip
Split = Annotated[
    str | None,
    shared.optional("--split", "lines|sentences|none", "What a sentence is; by default as it was learned."),
]  # fmt: skip

WORDS_AT_A_TIME = 20_000
"""How many words are looked up at once."""
LONGEST = 1_000_000
"""Longer sentences are cut."""


def open_lm(model: str) -> Any:
    """The language model of a model."""
    return open_part(model, "lm", "language model")


def reading_of(lm: Any, tokens: str | None, split: str | None) -> Any:
    """How text is read: as that which was learned from, unless something else is said."""
    said = {"tokens": tokens, "split": split}
    return replace(lm.words_.reading, **{name: value for name, value in said.items() if value})


def pieces(texts: list[str], reading: Any) -> Iterator[list[list[str]]]:
    """The sentences of some texts, some thousand words at a time."""
    from firth.corpus import find_sources

    sources = find_sources(texts, reading.column)
    from firth.corpus import stream_sentences

    return stream_sentences(sources, reading, WORDS_AT_A_TIME, LONGEST)


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes, as it is printed."""
    from rich.cells import cell_len

    return cell_len(shared.printable(text))


def figure(value: float | None) -> str:
    """A perplexity; there may be none."""
    return "none" if value is None else f"{value:,.1f}" if value < 1e9 else f"{value:.3g}"
