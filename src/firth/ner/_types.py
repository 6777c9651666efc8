"""Types of words, as the kernels know them: the keys of their features, their kind, their vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain

import numpy as np
import numpy.typing as npt

from firth.ner._kernels import (
    ELSEWHERE,
    HISTORY,
    PLACES,
    Document,
    Types,
    link_types,
    place_keys,
)
from firth.ner._lexicon import Lexicon
from firth.ner._spelling import (
    KINDS,
    affixes,
    has_capital,
    is_sign,
    kind_of,
    may_be_name,
    shape,
    zeroed,
)

__all__ = [
    "EDGE", "describe", "document_of", "key_of", "spelling", "told_at_the_word",
    "told_in_the_window",
]  # fmt: skip

EDGE = ""
"""The word before the first of a sentence and after the last."""

Named = list[tuple[str, str]]


def spelling(word: str) -> Named:
    """What the spelling of a word tells wherever it stands in the window."""
    exact = zeroed(word)
    return [
        ("word", exact), ("lower", exact.lower()), ("shape", shape(word)), ("kind", KINDS[kind_of(word)]),
    ]  # fmt: skip


def told_in_the_window(word: str, lexicon: Lexicon) -> Named:
    """The features of a word that count at every place of the window, with their names."""
    if word == EDGE:
        return [("word", EDGE)]
    return spelling(word) + lexicon.prefixes(word)


def told_at_the_word(word: str) -> Named:
    """The features that count for the word itself only."""
    return affixes(word)


@lru_cache(maxsize=1 << 17)
def key_of(name: str, value: str) -> int:
    """The key of a feature: the same on every machine."""
    text = f"{name}={value}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def describe(words: Sequence[str], lexicon: Lexicon, cased: bool = True) -> Types:
    """What the kernels must know of some words, but for the rows of their features.

    Where names have capital letters (``cased``), only words that have one are looked for elsewhere in the
    document; where they have none, all that are no signs.
    """
    window_keys, window_starts = _flat(
        [key_of(*told) for told in dict.fromkeys(told_in_the_window(word, lexicon))]
        for word in words
    )
    centre_keys, centre_starts = _flat(
        [key_of(*told) for told in told_at_the_word(word)] for word in words
    )
    starts = np.empty(len(words) * PLACES + 1, np.int64)
    keys = np.empty(len(window_keys) * PLACES + len(centre_keys), np.uint64)
    place_keys(window_keys, window_starts, centre_keys, centre_starts, starts, keys)
    vectors = [lexicon.vector(word) if lexicon.dim and word != EDGE else None for word in words]
    known = [vector for vector in vectors if vector is not None]
    there = [vector is not None for vector in vectors]
    return Types(
        words=np.array([key_of("lower", zeroed(word.lower())) for word in words], np.uint64),
        kinds=np.array([kind_of(word) for word in words], np.int64),
        reach=np.array([_reach(word, cased) for word in words], np.int64),
        vector_of=np.where(there, np.cumsum(there) - 1, -1),
        starts=starts,
        keys=keys,
        rows=np.zeros(0, np.int64),
        vectors=np.array(known, np.float32).reshape(len(known), lexicon.dim),
    )


def _reach(word: str, cased: bool) -> int:
    """How much of the document is looked at for the sake of a word."""
    if not cased:
        return 0 if is_sign(word) else ELSEWHERE
    if has_capital(word):
        return ELSEWHERE
    return HISTORY if may_be_name(word) else 0


def _flat(keys: Iterable[list[int]]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Lists behind each other, and where they begin."""
    lists = list(keys)
    starts = np.zeros(len(lists) + 1, np.int64)
    starts[1:] = np.cumsum([len(some) for some in lists])
    return np.fromiter(chain.from_iterable(lists), np.uint64, int(starts[-1])), starts


def document_of(sentences: Iterable[Sequence[int]], last: npt.NDArray[np.int32]) -> Document:
    """A document from the types of the words of its sentences; ``last`` is -1 for every type."""
    lists = list(sentences)
    starts = np.zeros(len(lists) + 1, np.int64)
    starts[1:] = np.cumsum([len(sentence) for sentence in lists])
    types = np.fromiter(chain.from_iterable(lists), np.int32, int(starts[-1]))
    before, after = np.empty((2, len(types)), np.int32)
    link_types(types, last, before, after)
    return Document(types, starts, before, after, np.zeros(0, np.int32))
