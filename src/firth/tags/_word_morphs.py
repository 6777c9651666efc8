"""The parts of words as spelling features: endings, beginnings and stems that a morphology finds."""

from __future__ import annotations

from collections.abc import Sequence

from firth import unicode
from firth.morphs import MOST_WORDS, Morph, has_parts

__all__ = ["morph_features", "names_of_morphs"]


def morph_features(words: Sequence[str]) -> list[list[str]]:
    """The names of the parts of each word, as a morphology of these words finds them, in lower case.

    The first words must be the most frequent: if there are very many, it is learned from these.
    """
    from firth.morphs import Morphology  # late: it needs compiled kernels

    lower = [unicode.lower(word) for word in words]
    some = sorted({word for word in lower[:MOST_WORDS] if has_parts(word)})
    if not some:
        return [[] for _ in lower]
    return [names_of_morphs(morphs) for morphs in Morphology().fit(some).analyse_all(lower)]


def names_of_morphs(morphs: Sequence[Morph]) -> list[str]:
    """The names of the parts of a word.

    The suffixes after the last stem make endings, each with all that follow it, and the prefixes before
    the first stem beginnings, each with all that precede it. A word without suffixes has an empty ending.

    >>> names_of_morphs([Morph("ev", "stem"), Morph("ler", "suffix"), Morph("den", "suffix")])
    ['stem ev', 'ending den', 'ending lerden']
    """
    stems = [k for k, morph in enumerate(morphs) if morph.kind == "stem"] or [0]
    names = [f"stem {morphs[k].text}" for k in stems]
    texts = [morph.text for morph in morphs]
    endings = ["".join(texts[k:]) for k in range(len(texts) - 1, stems[-1], -1)]
    beginnings = ["".join(texts[: k + 1]) for k in range(stems[0])]
    names += [f"ending {text}" for text in endings or [""]]
    return names + [f"beginning {text}" for text in beginnings]
