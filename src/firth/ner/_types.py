"""Word types as the kernels know them: keys of features, kind of spelling, vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.ner._feature_kernels import (
    CONTEXTS,
    ELSEWHERE,
    HISTORY,
    PLACES,
    Document,
    Types,
    add_vectors,
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
    "EDGE", "Feature", "centre_features", "describe", "document_of", "in_lower_case", "key_of", "same_words",
    "turned", "window_features", "with_contexts", "with_topic",
]  # fmt: skip

EDGE = ""
"""The word that stands for the positions before and after a sentence."""

Feature = tuple[str, str]
"""The name and the value of a feature."""


def window_features(word: str, lexicon: Lexicon) -> list[Feature]:
    """The features of a word at every position of the window: its spelling and its class."""
    if word == EDGE:
        return [("word", EDGE)]
    exact, kind = zeroed(word), KINDS[kind_of(word)]
    spelling = [
        ("word", exact),
        ("lower", unicode.lower(exact)),
        ("shape", shape(word)),
        ("kind", kind),
    ]
    return spelling + lexicon.prefixes(word)


def centre_features(word: str) -> list[Feature]:
    """The features that a word has at the centre of the window only."""
    return affixes(word)


@lru_cache(maxsize=1 << 17)
def key_of(name: str, value: str) -> int:
    """The key of a feature; it is the same on every machine."""
    text = f"{name}={value}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def describe(words: Sequence[str], lexicon: Lexicon, cased: bool = True) -> Types:
    """The features of some words for the kernels; ``rows`` is left empty.

    If named entities have capital letters (``cased``), features from elsewhere in the document are used
    for capitalised words only, and otherwise for all words but punctuation.
    """
    window_keys, window_starts = _flat(
        [key_of(*feature) for feature in dict.fromkeys(window_features(word, lexicon))]
        for word in words
    )
    centre_keys, centre_starts = _flat(
        [key_of(*feature) for feature in centre_features(word)] for word in words
    )
    starts = np.empty(len(words) * PLACES + 1, np.int64)
    keys = np.empty(len(window_keys) * PLACES + len(centre_keys), np.uint64)
    place_keys(window_keys, window_starts, centre_keys, centre_starts, starts, keys)
    vectors = [lexicon.vector(word) if lexicon.dim and word != EDGE else None for word in words]
    found = [lexicon.scaled(word) if lexicon.dim and word != EDGE else None for word in words]
    known = [vector for vector in vectors if vector is not None]
    there = [vector is not None for vector in vectors]
    return Types(
        words=np.array([key_of("lower", zeroed(unicode.lower(word))) for word in words], np.uint64),
        kinds=np.array([kind_of(word) for word in words], np.int64),
        reach=np.array([_reach(word, cased) for word in words], np.int64),
        vector_of=np.where(there, np.cumsum(there) - 1, -1),
        starts=starts,
        keys=keys,
        rows=np.zeros(0, np.int64),
        vectors=np.array(known, np.float32).reshape(len(known), lexicon.dim),
        lexicon_rows=np.array([-1 if one is None else one[0] for one in found], np.int64),
        scales=np.array([0 if one is None else one[1] for one in found], np.float32),
    )


def _reach(word: str, cased: bool) -> int:
    """How much of the document the features of a word depend on."""
    if not cased:
        return 0 if is_sign(word) else ELSEWHERE
    if has_capital(word):
        return ELSEWHERE
    return HISTORY if may_be_name(word) else 0


def _flat(keys: Iterable[list[int]]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Lists joined into one array, and where each of them starts."""
    lists = list(keys)
    starts = np.zeros(len(lists) + 1, np.int64)
    starts[1:] = np.cumsum([len(some) for some in lists])
    return np.fromiter(chain.from_iterable(lists), np.uint64, int(starts[-1])), starts


def same_words(
    words: Iterable[str], numbers: dict[tuple[bool, str], int], any_case: bool = True
) -> npt.NDArray[np.int32]:
    """A number for each word: words with capitals that differ in case only have the same number.

    ``numbers`` has the numbers that were given before; new ones are added to it.

    >>> same_words(["Oslo", "OSLO", "oslo", "Turkey", "turkey"], {}).tolist()
    [0, 0, 1, 2, 3]
    """
    found = []
    for word in words:
        folded = any_case and has_capital(word)
        key = folded, unicode.lower(word) if folded else word
        found.append(numbers.setdefault(key, len(numbers)))
    return np.array(found, np.int32)


def in_lower_case(sentences: Iterable[Sequence[str]]) -> list[list[str]]:
    """Sentences with all words in lower case.

    >>> in_lower_case([["EU", "rejects"], []])
    [['eu', 'rejects'], []]
    """
    lists = list(sentences)
    words = list(dict.fromkeys(chain.from_iterable(lists)))
    small = dict(zip(words, unicode.fold_words(words, lowercase=True, zero=False), strict=True))
    return [[small[word] for word in sentence] for sentence in lists]


def document_of(
    sentences: Iterable[Sequence[int]], same: npt.NDArray[np.int32], last: npt.NDArray[np.int32]
) -> Document:
    """A document from the word types of its sentences.

    ``same`` has the number of each type from ``same_words``; ``last`` is -1 for every number.
    """
    lists = list(sentences)
    starts = np.zeros(len(lists) + 1, np.int64)
    starts[1:] = np.cumsum([len(sentence) for sentence in lists])
    types = np.fromiter(chain.from_iterable(lists), np.int32, int(starts[-1]))
    before, after = np.empty((2, len(types)), np.int32)
    link_types(types, same, last, before, after)
    alike = np.full((2 * len(CONTEXTS), len(types)), -1, np.int32)
    return Document(
        types, starts, before, after, alike, np.zeros(0, np.int32), np.zeros(0, np.float32)
    )


def with_contexts(document: Document, types: Types) -> Document:
    """The same with links between words in the same context, of those whose features reach elsewhere."""
    ids, sizes = document.types, np.diff(document.starts)
    start, end = (np.repeat(edges, sizes) for edges in (document.starts[:-1], document.starts[1:]))
    here = np.arange(len(ids))
    linked = np.flatnonzero(types.reach[ids] == ELSEWHERE)

    def beside(offset: int) -> npt.NDArray[np.uint64]:
        """The words at some distance, in lower case."""
        at = here + offset
        inside = (start <= at) & (at < end)
        found: npt.NDArray[np.uint64] = types.words[np.where(inside, ids[at % max(1, len(ids))], 0)]
        return found[linked]

    alike = np.full_like(document.alike, -1)
    for c, (one, other) in enumerate(CONTEXTS):
        pair = beside(one), beside(other)
        order = np.lexsort(pair)  # it keeps the order of equals
        same = np.logical_and(*(words[order[1:]] == words[order[:-1]] for words in pair))
        earlier, later = linked[order[:-1][same]], linked[order[1:][same]]
        alike[2 * c, later], alike[2 * c + 1, earlier] = earlier, later
    return document._replace(alike=alike)


def turned(document: Document, mirror: npt.NDArray[np.int32]) -> Document:
    """The same from its last word to its first; ``mirror`` has what each label is called then."""
    last = len(document.types) - 1

    def from_end(array: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return np.ascontiguousarray(array[..., ::-1], np.int32)

    def links(array: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return from_end(np.where(array < 0, -1, last - array))

    # what is before is after, in the mirrored context, too
    rows = [2 * CONTEXTS.index((-b, -a)) + side for a, b in CONTEXTS for side in (1, 0)]
    return document._replace(
        types=from_end(document.types),
        starts=last + 1 - document.starts[::-1],
        before=links(document.after),
        after=links(document.before),
        alike=links(document.alike[rows]),
        first=from_end(mirror[document.first]),
    )


def with_topic(document: Document, types: Types, lexicon: Lexicon) -> Document:
    """The same with its topic: the mean of the vectors of its words, less that of all words, scaled as they are."""
    total = np.zeros(lexicon.dim)
    if lexicon.dim:
        n = add_vectors(document.types, types.lexicon_rows, types.scales, lexicon.matrix, total)
        total = lexicon.rescaled(total / max(1, n) - lexicon.centre) if n else total
    return document._replace(topic=total.astype(np.float32))
