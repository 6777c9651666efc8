"""What the tagger sees of a sentence, in dictionaries for other people's taggers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from firth.classes import Hierarchy
from firth.errors import InputError
from firth.ner._lexicon import Lexicon
from firth.ner._spelling import KINDS, kind_of
from firth.ner._types import EDGE, told_at_the_word, told_in_the_window
from firth.vectors import WordVectors

__all__ = ["Features", "features", "features_of"]

Features = dict[str, str | float | bool]

WINDOW = 2


def features(
    sentence: Sequence[str], classes: Hierarchy | None = None, vectors: WordVectors | None = None
) -> list[Features]:
    """The features of each word of a sentence, as ``sklearn_crfsuite`` and ``DictVectorizer`` take them.

    Of the word itself and of two words to each side: the word (digits as 0), its small letters, its
    shape and kind of writing, the first 4, 6, 10 and 20 steps of the path of its class, and the
    components of its vector, whose mean square is 0.01. Of the word itself also its first and last
    letters, up to four. Then pairs of words (before and this, this and after, before and after), the
    kinds of writing in the window, and whether the word is the first. These are the features of
    ``EntityTagger`` but for those that depend on its own labels and on the rest of the document.

    Parameters
    ----------
    sentence : sequence of str
        The words.
    classes : Hierarchy, optional
    vectors : WordVectors, optional

    Returns
    -------
    list of dict
        One for each word. The names of features of other words begin with their place: ``-1:lower``.

    Examples
    --------
    >>> import firth
    >>> of_words = firth.features(["Mr", "Blair", "said"])
    >>> {name: of_words[1][name] for name in ("word", "shape", "suffix2", "-1:word", "+2:edge")}
    {'word': 'Blair', 'shape': 'Xxx', 'suffix2': 'ir', '-1:word': 'Mr', '+2:edge': True}
    """
    return features_of(sentence, Lexicon(classes, vectors, "features"), {})


def features_of(
    sentence: Sequence[str], lexicon: Lexicon, told: dict[str, Features]
) -> list[Features]:
    """``features``, with a lexicon made before; ``told`` is what is known of words so far.

    Names and values that come again are the same objects, so that many sentences take less memory.
    """
    if isinstance(sentence, str):
        raise InputError(
            f"{sentence[:40]!r} is a text where the words of a sentence should be.",
            "Give a list of words: firth.features(text.split()).",
        )
    for word in sentence:
        if word not in told:
            told[word] = _told(word, lexicon)
    small = [str(told[word]["lower"]) for word in sentence]
    kinds = [KINDS[kind_of(word)] for word in sentence]
    found = []
    for i, word in enumerate(sentence):
        of_word: Features = {"bias": 1.0, "first": i == 0}
        for offset in range(-WINDOW, WINDOW + 1):
            place = f"{offset:+}:" if offset else ""
            if not 0 <= i + offset < len(sentence):
                of_word[f"{place}edge"] = True
                continue
            for name, value in told[sentence[i + offset]].items():
                of_word[_placed(place, name)] = value
        for name, value in told_at_the_word(word):
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


def _told(word: str, lexicon: Lexicon) -> Features:
    """What is said of a word wherever it stands."""
    if not isinstance(word, str) or word == EDGE:
        raise InputError(f"{word!r} is no word.", "A sentence is a list of words.")
    told: Features = dict(told_in_the_window(word, lexicon))
    vector = lexicon.vector(word) if lexicon.dim else None
    if vector is not None:
        told |= {f"vector{k}": x for k, x in enumerate(vector.tolist())}
    return told


def _at(values: Sequence[str], i: int, otherwise: str) -> str:
    return values[i] if 0 <= i < len(values) else otherwise
