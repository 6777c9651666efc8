"""firth lm apply."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import FileLimits
from firth.lm import ReadAs

_LONGEST = 1_000_000
"""Longer sentences are cut."""
_COLUMNS = ("log10_prob", "n_words", "n_unknown", "perplexity", "sentence")


@command(ReadAs, FileLimits)
def apply(
    model: shared.ModelPath,
    texts: shared.TextsOrInput = None,
    *,
    options: dict[str, Any],
    json: shared.Json = False,
) -> None:
    """Score each sentence of a stream of text.

    Prints a tab-separated line for each sentence: log probability (base 10), number of words, number of
    unknown words, perplexity, and the tokens. The end of the sentence is predicted too, so perplexity
    counts one token more than there are words. On a terminal, a header names the columns. With --json,
    each line is an object.

    Example: [bold]echo "Markets rose on monday." | firth lm apply news[/]
    """
    from firth.corpus import find_sources, stream_sentences

    lm = shared.open_part(model, "lm")
    reading = replace(lm.words_.reading, **options)
    splitter = shared.splitter_of(model, reading.tokens)
    write = _json_line if json else _line
    if not json and sys.stdout.isatty():
        sys.stdout.write("\t".join(_COLUMNS) + "\n")
    with shared.reporting(quiet=False):
        sources = find_sources(texts or ["-"], reading.column)
        for sentences in stream_sentences(sources, reading, longest=_LONGEST, morphs=splitter):
            found = lm.scores(sentences)
            columns = (
                found.log_prob / math.log(10),
                found.n_words,
                found.n_unknown,
                found.perplexity,
            )
            rows = zip(*(column.tolist() for column in columns), sentences, strict=True)
            sys.stdout.write("".join(write(*row) for row in rows))
            sys.stdout.flush()


def _line(log10: float, n_words: int, n_unknown: int, perplexity: float, words: list[str]) -> str:
    text = shared.printable(" ".join(words))
    return f"{log10:.4f}\t{n_words}\t{n_unknown}\t{perplexity:.2f}\t{text}\n"


def _json_line(
    log10: float, n_words: int, n_unknown: int, perplexity: float, words: list[str]
) -> str:
    row = {
        "log10_prob": log10 if math.isfinite(log10) else None,
        "n_words": n_words,
        "n_unknown": n_unknown,
        "perplexity": perplexity if math.isfinite(perplexity) else None,
        "words": words,
    }
    return shared.json_text(row) + "\n"
