"""firth lm apply."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._opening import ModelOrFile, open_lm, units_of
from firth.formats import FileLimits
from firth.lm import ReadAs, WordScore

_LONGEST = 1_000_000
"""Longer sentences are cut."""
_COLUMNS = ("log10_prob", "n_words", "n_unknown", "perplexity", "sentence")
_WORD_COLUMNS = ("word", "bits", "log10_prob", "known", "bits_spelled")


@command(ReadAs, FileLimits)
def apply(
    model: ModelOrFile,
    texts: shared.TextsOrInput = None,
    *,
    options: dict[str, Any],
    words: Annotated[
        bool, shared.flag("--words", "A line for each word, with an empty line after a sentence.")
    ] = False,
    cache: Annotated[
        bool,
        shared.flag(
            "--cache", "With --words: make words that occurred recently more probable."
        ),
    ] = False,
    headings: Annotated[
        bool | None,
        shared.flag(
            "--headings/--no-headings",
            "Name the columns in the first line; by default on a terminal only.",
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """Score each sentence, or each word, of a stream of text.

    Prints a tab-separated line for each sentence: log probability (base 10), number of words, number of
    unknown words, perplexity, and the tokens. The end of the sentence is predicted too, so perplexity
    counts one token more than there are words. With --words, each word has a line: how surprising it is
    in bits, its log probability, whether it is known, and the bits with the letters of an unknown word, which
    otherwise stands for all unknown words. With --json, each line is an object.

    Example: [bold]echo "Markets rose on monday." | firth lm apply news --words[/]
    """
    from firth.corpus import find_sources, stream_sentences

    if cache and not words:
        shared.fail("--cache needs --words.", "Sentences are scored each by itself.", status=2)
    lm = open_lm(model)
    reading = replace(lm.words_.reading, **options)
    units = units_of(model, reading)
    if not json and (sys.stdout.isatty() if headings is None else headings):
        sys.stdout.write("\t".join(_WORD_COLUMNS if words else _COLUMNS) + "\n")
    recent = lm.recent() if cache else None
    if cache and recent is None:
        shared.fail("The model has no cache of recent words.", "Leave out --cache.")
    with shared.reporting(quiet=False):
        sources = find_sources(texts or ["-"], reading.column)
        for sentences in stream_sentences(sources, reading, longest=_LONGEST, units=units):
            if words:
                for sentence in sentences:
                    rows = lm.word_scores(sentence, recent)
                    sys.stdout.write(_json_words(rows) if json else _words(rows))
            else:
                sys.stdout.write(_scored(lm, sentences, json))
            sys.stdout.flush()


def _scored(lm: Any, sentences: list[list[str]], json: bool) -> str:
    found = lm.scores(sentences)
    columns = (found.log_prob / math.log(10), found.n_words, found.n_unknown, found.perplexity)
    rows = zip(*(column.tolist() for column in columns), sentences, strict=True)
    return "".join((_json_line if json else _line)(*row) for row in rows)


def _words(rows: list[WordScore]) -> str:
    lines = [
        f"{shared.printable(row.word)}\t{row.bits:.3f}\t{row.log_prob / math.log(10):.4f}\t"
        f"{'yes' if row.known else 'no'}\t{row.bits_spelled:.3f}\n"
        for row in rows
    ]
    return "".join(lines) + "\n"


def _json_words(rows: list[WordScore]) -> str:
    found = [
        {
            "word": row.word,
            "bits": _finite(row.bits),
            "log10_prob": _finite(row.log_prob / math.log(10)),
            "known": row.known,
            "bits_spelled": _finite(row.bits_spelled),
        }
        for row in rows
    ]
    return shared.json_text({"words": found}) + "\n"


def _finite(value: float) -> float | None:
    """A number for JSON."""
    return value if math.isfinite(value) else None


def _line(log10: float, n_words: int, n_unknown: int, perplexity: float, words: list[str]) -> str:
    text = shared.printable(" ".join(words))
    return f"{log10:.4f}\t{n_words}\t{n_unknown}\t{perplexity:.2f}\t{text}\n"


def _json_line(
    log10: float, n_words: int, n_unknown: int, perplexity: float, words: list[str]
) -> str:
    row = {
        "log10_prob": _finite(log10),
        "n_words": n_words,
        "n_unknown": n_unknown,
        "perplexity": _finite(perplexity),
        "words": words,
    }
    return shared.json_text(row) + "\n"
