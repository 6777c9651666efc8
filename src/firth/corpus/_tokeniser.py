"""Tokeniser: blocks of text in, tokens and sentence boundaries out; see ``docs/tokenising.md``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from firth.corpus import _cutting_kernels as kernels
from firth.corpus._blocks import Block
from firth.corpus._characters import character_table
from firth.corpus._morphs import WordSplitter, morph_tokens, needed
from firth.corpus._reading import GIVEN, Reading, Split, check_tokens
from firth.corpus._segmenters import segmenter_of
from firth.corpus._segmenting import Cut, cut_by, cut_by_icu
from firth.errors import ParameterError, check_choice

__all__ = [
    "Cut",
    "cut",
    "cut_block",
    "join_lines",
    "sentence_breaks",
    "sentence_starts",
    "sentence_texts",
    "tokenise",
]

_PADDING = 16
_BLANKS = np.frombuffer(b" \t\n\v\f\r", np.uint8)
IntArray = npt.NDArray[np.int32]


def padded(data: bytes) -> npt.NDArray[np.uint8]:
    """A block with line feeds after it, so that kernels may read beyond its end."""
    text = np.empty(len(data) + _PADDING, np.uint8)
    text[: len(data)] = np.frombuffer(data, np.uint8)
    text[len(data) :] = 0x0A
    return text


def cut(data: bytes, tokens: str, n_lines: int | None = None) -> Cut:
    """Tokenise a block of valid UTF-8; ``n_lines`` is the number of line ends, if known."""
    if tokens == "icu":
        return cut_by_icu(cut(data, "words", n_lines))
    text = padded(data)
    if tokens == GIVEN:
        text[len(data) :] = 0xFF
    # at most a token for each byte; half as many if there are separators between them
    room = len(data) + 1 if tokens in ("words", "characters") else len(data) // 2 + 1
    starts, ends = np.empty(room, np.int32), np.empty(room, np.int32)
    if n_lines is None:
        n_lines = data.count(b"\xfe" if tokens == GIVEN else b"\n")
    lines = np.empty(n_lines, np.int32)
    if tokens == "words":
        k, n = kernels.cut_words(text, len(data), character_table(), starts, ends, lines)
    elif tokens == "characters":
        k, n = kernels.cut_characters(text, len(data), character_table(), starts, ends, lines)
    elif tokens == "whitespace":
        k, n = kernels.cut_at_spaces(text, len(data), starts, ends, lines)
    elif tokens == GIVEN:
        k, n = kernels.cut_given(text, len(data), starts, ends, lines)
    else:
        return cut_by(data, text, segmenter_of(tokens))
    return Cut(text, starts[:k], ends[:k], lines[:n])


def cut_block(block: Block, data: bytes, reading: Reading) -> tuple[Cut, Sequence[int] | None]:
    """Tokenise the text of a block; also returns the positions of its lines, if they are records."""
    if block.given or reading.split != "paragraphs":
        tokens = GIVEN if block.given else reading.cuts
        return cut(data, tokens, block.n_lines), block.places
    data, places = join_lines(data, block.places)
    return cut(data, reading.cuts), places


def sentence_starts(block: Cut, tokens: str) -> IntArray:
    """The tokens that begin a sentence inside a line, for ``--split sentences``."""
    out = np.empty(len(block.starts), np.int32)
    by_its_end = tokens == "whitespace"
    n = kernels.cut_sentences(
        block.text, block.starts, block.ends, block.lines, by_its_end, character_table(), out
    )
    return out[:n]


def sentence_breaks(
    block: Cut, given: bool, reading: Reading, places: Sequence[int] | None = None
) -> npt.NDArray[np.int64]:
    """The numbers of tokens after which a sentence ends in a block.

    If text is split into paragraphs, it must have gone through ``join_lines`` before it was cut. ``places``
    are the positions of its lines, if they are those of records: no sentence goes over the end of a record.
    """
    if given:
        return block.lines.astype(np.int64)
    if reading.split == "none":
        if places is None:
            return np.empty(0, np.int64)
        last = np.diff(np.asarray(places, np.int64), append=-1) != 0
        return np.asarray(block.lines[last], np.int64)
    if reading.split in ("sentences", "paragraphs"):
        inside = sentence_starts(block, reading.cuts)
        return np.sort(np.concatenate([block.lines, inside])).astype(np.int64)
    return block.lines.astype(np.int64)


def join_lines(
    data: bytes, places: Sequence[int] | None = None
) -> tuple[bytes, Sequence[int] | None]:
    """Join the lines of a paragraph: line feeds become blanks, unless an empty line follows.

    No byte moves. ``places`` are the positions of the lines, if they come from records, which end
    paragraphs, too; those of the paragraphs are returned.

    >>> join_lines(b"a rose\\nis\\n \\na rose\\n")
    (b'a rose is\\n  a rose ', None)
    """
    text = np.frombuffer(data, np.uint8).copy()
    ends = np.flatnonzero(text == 0x0A)
    visible = np.concatenate([[0], np.cumsum(~np.isin(text, _BLANKS))])
    if not len(ends):
        return data, places
    kept = visible[np.append(ends[1:], len(text))] == visible[ends]
    if places is None:
        kept[-1] = False  # the paragraph may go on in the next block
        kept[0] |= visible[ends[0]] == 0  # or end with the block before
    else:
        kept |= np.diff(np.asarray(places[: len(ends)], np.int64), append=-1) != 0
        places = np.asarray(places)[np.flatnonzero(kept)].tolist()
    text[ends[~kept]] = 0x20
    return text.tobytes(), places


def tokenise(
    text: str, tokens: str = "words", split: str = "lines", morphs: WordSplitter | None = None
) -> list[list[str]]:
    """Split text into sentences of tokens.

    Parameters
    ----------
    text : str
    tokens : {"words", "whitespace", "characters", "morphs", "icu"} or str
        A tokeniser, or the name of a segmenter that is installed.
    split : {"lines", "sentences", "paragraphs", "none"}
    morphs : Morphology, optional
        Divides words, for the tokens ``morphs``.

    Examples
    --------
    >>> tokenise("Mr. O'Hara didn't pay. Why?", split="sentences")
    [['Mr.', "O'Hara", 'did', "n't", 'pay', '.'], ['Why', '?']]
    """
    check_tokens("tokenise", tokens)
    check_choice("tokenise", "split", split, get_args(Split))
    if tokens == "morphs":
        splitter = needed(tokens, morphs)
        return [morph_tokens(words, splitter) for words in tokenise(text, "words", split)]
    block, edges = _sentences(text, tokens, split)
    words = [block.token(k) for k in range(len(block.starts))]
    return [words[a:b] for a, b in pairwise(edges)]


def sentence_texts(text: str, tokens: str = "words", split: str = "sentences") -> list[str]:
    """Split text into sentences, each as it is written.

    >>> sentence_texts("Mr. O'Hara didn't pay.  Why?")
    ["Mr. O'Hara didn't pay.", 'Why?']
    """
    block, edges = _sentences(text, tokens, split)
    data = block.text.tobytes()
    return [data[block.starts[a] : block.ends[b - 1]].decode() for a, b in pairwise(edges)]


def _sentences(text: str, tokens: str, split: str) -> tuple[Cut, list[int]]:
    """A text that was cut, and the numbers of the tokens where sentences begin, and of the last end."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ParameterError("The text is not valid Unicode (lone surrogate).") from None
    block = cut(join_lines(data)[0] if split == "paragraphs" else data, tokens)
    cuts: Any = {0, len(block.starts)}
    if split != "none":
        cuts.update(block.lines.tolist())
    if split in ("sentences", "paragraphs"):
        cuts.update(sentence_starts(block, tokens).tolist())
    return block, sorted(cuts)
