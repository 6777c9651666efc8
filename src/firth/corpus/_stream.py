"""Tokenise a stream of text, without a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firth import progress
from firth.corpus._morphs import needed
from firth.corpus._notices import UNSPACED, are_unspaced
from firth.corpus._phrases import Phrases, Units, tokens_of
from firth.corpus._reading import Reading
from firth.corpus._source_blocks import blocks_of, plain_text
from firth.corpus._sources import Source
from firth.corpus._tokeniser import cut_block, sentence_breaks
from firth.corpus._vocabulary import fold_word

__all__ = ["stream_sentences", "stream_tokens"]

_WORDS_AT_ONCE = 20_000
"""Default number of words in a batch, and of the longest sentence."""


def stream_tokens(
    sources: Sequence[Source], reading: Reading, units: Units | None = None
) -> Iterator[tuple[list[str], bool]]:
    """Yield tokens, and whether a sentence ends after them; a very long sentence is split.

    ``units`` are what makes tokens of words: a morphology, for the tokens ``morphs``, or phrases.
    """
    if not isinstance(units, Phrases):
        units = needed(reading.tokens, units)
        for words, ends in _stream_words(sources, reading):
            yield tokens_of(words, units), ends
        return
    rest: list[str] = []  # a phrase may go on in the next block
    for words, ends in _stream_words(sources, reading):
        rest += words
        tokens, n = units.take(rest, whole=ends)
        del rest[:n]
        yield tokens, ends


def _stream_words(sources: Sequence[Source], reading: Reading) -> Iterator[tuple[list[str], bool]]:
    is_open = said = False
    for source, block in blocks_of(sources, reading):
        if block is None:
            if is_open:
                yield [], True
            is_open = False
            continue
        cut_, places = cut_block(block, plain_text(block, source, reading.errors), reading)
        words = [fold_word(cut_.token(k), reading) for k in range(len(cut_.starts))]
        if not said and not block.given and reading.cuts == "words" and are_unspaced(words):
            progress.notice(*UNSPACED)
            said = True
        start = 0
        for end in sentence_breaks(cut_, block.given, reading, places).tolist():
            if end > start or is_open:
                yield words[start:end], True
            is_open, start = False, end
        if start < len(words):
            yield words[start:], False
            is_open = True


def stream_sentences(
    sources: Sequence[Source],
    reading: Reading,
    n_words: int = _WORDS_AT_ONCE,
    longest: int = _WORDS_AT_ONCE,
    units: Units | None = None,
) -> Iterator[list[list[str]]]:
    """Yield batches of sentences of about ``n_words`` words; sentences longer than ``longest`` are split."""
    sentences: list[list[str]] = []
    sentence: list[str] = []
    seen = 0
    for words, ends in stream_tokens(sources, reading, units):
        sentence += words
        seen += len(words)
        if sentence and (ends or len(sentence) > longest):
            sentences.append(sentence)
            sentence = []
        if seen >= n_words and sentences:
            yield sentences
            sentences, seen = [], 0
    if sentence:
        sentences.append(sentence)
    if sentences:
        yield sentences
