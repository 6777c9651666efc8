"""The features of words as dictionaries, for other taggers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from firth.classes import Hierarchy
from firth.errors import InputError
from firth.ner._lexicon import Lexicon
from firth.ner._spelling import KINDS, kind_of
from firth.ner._types import EDGE, centre_features, window_features
from firth.vectors import WordVectors

__all__ = ["Features", "features", "features_of"]

Features = dict[str, str | float | bool]

WINDOW = 2


def features(
    sentence: Sequence[str], classes: Hierarchy | None = None, vectors: WordVectors | None = None
) -> list[Features]:
    """The features of each word of a sentence, for ``sklearn_crfsuite`` and ``DictVectorizer``.

    For the word itself and two words on either side: the word (digits as 0), its lower-case form, shape
    and kind of spelling, the first 4, 6, 10 and 20 steps of the path of its class, and the components of
    its vector, scaled to a mean square of 0.01. For the word itself also prefixes and suffixes of up to
    four letters, pairs of adjacent words, the kinds of spelling in the window, and whether it is the
    first word. These are the features of ``EntityTagger``, except those that depend on its own labels
    and on the rest of the document.

    Parameters
    ----------
    sentence : sequence of str
        The words.
    classes : Hierarchy, optional
    vectors : WordVectors, optional

    Returns
    -------
    list of dict
        One for each word. Names of features of other words start with their offset: ``-1:lower``.

    Examples
    --------
    >>> import firth
    >>> of_words = firth.features(["Mr", "Blair", "said"])
    >>> {name: of_words[1][name] for name in ("word", "shape", "suffix2", "-1:word", "+2:edge")}
    {'word': 'Blair', 'shape': 'Xxx', 'suffix2': 'ir', '-1:word': 'Mr', '+2:edge': True}
    """
    return features_of(sentence, Lexicon(classes, vectors, "features"), {})


def features_of(
    sentence: Sequence[str], lexicon: Lexicon, known: dict[str, Features]
) -> list[Features]:
    """``features`` with a given lexicon; ``known`` caches the features of words.

    Equal names and values are the same objects, so that many sentences take less memory.
    """
    if isinstance(sentence, str):
        raise InputError(
            f"A sentence must be a list of words, not text: {sentence[:40]!r}.",
            "Split it: firth.features(text.split())",
        )
    for word in sentence:
        if word not in known:
            known[word] = _word_features(word, lexicon)
    small = [str(known[word]["lower"]) for word in sentence]
    kinds = [KINDS[kind_of(word)] for word in sentence]
    found = []
    for i, word in enumerate(sentence):
        of_word: Features = {"bias": 1.0, "first": i == 0}
        for offset in range(-WINDOW, WINDOW + 1):
            place = f"{offset:+}:" if offset else ""
            if not 0 <= i + offset < len(sentence):
                of_word[f"{place}edge"] = True
                continue
            for name, value in known[sentence[i + offset]].items():
                of_word[_placed(place, name)] = value
        for name, value in centre_features(word):
            if name == "piece":
                of_word[f"piece={value}"] = True
            else:
                of_word[name] = value
        before, after = _at(small, i - 1, ""), _at(small, i + 1, "")
        of_word["-1,0:lower"] = f"{before} {small[i]}"
        of_word["0,+1:lower"] = f"{small[i]} {after}"
        of_word["-1,+1:lower"] = f"{before} {after}"
        of_word["-1..+1:kind"] = " ".join(_at(kinds, i + k, "edge") for k in (-1, 0, 1))
        of_word["-2..+2:kind"] = " ".join(_at(kinds, i + k, "edge") for k in (-2, -1, 0, 1, 2))
        found.append(of_word)
    return found


@lru_cache(maxsize=1 << 16)
def _placed(place: str, name: str) -> str:
    return place + name


def _word_features(word: str, lexicon: Lexicon) -> Features:
    """The features that a word has at every position of the window."""
    if not isinstance(word, str) or word == EDGE:
        raise InputError(
            f"Not a word: {word!r}.", "A sentence is a list of words, none of them empty."
        )
    known: Features = dict(window_features(word, lexicon))
    vector = lexicon.vector(word) if lexicon.dim else None
    if vector is not None:
        known |= {f"vector{k}": x for k, x in enumerate(vector.tolist())}
    return known


def _at(values: Sequence[str], i: int, otherwise: str) -> str:
    return values[i] if 0 <= i < len(values) else otherwise
