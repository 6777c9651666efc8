"""Trees of classes for the tests: two small ones and one that was learned."""

from __future__ import annotations

from functools import cache

import firth
from firth.classes import BrownClasses, Hierarchy
from tests.conftest import zipf_text

__all__ = ["LINES", "given", "learned", "small"]

LINES = [
    "the cat sat", "the dog sat", "the cat ran", "the dog ran",
    "a cat sat", "a dog ran", "a cat ran", "a dog sat",
] * 3  # fmt: skip


def small() -> Hierarchy:
    """Articles, nouns and verbs."""
    corpus = firth.Corpus.from_sentences([line.split() for line in LINES])
    return BrownClasses(3, min_count=1).fit(corpus).hierarchy_


def given() -> Hierarchy:
    """Paths from elsewhere; words are not in the order of their counts."""
    words = ["cat", "dog", "sat", "ran", "the"]
    return Hierarchy.from_paths(words, ["000", "000", "01", "001", "1"], [5, 7, 9, 2, 20])


@cache
def learned() -> Hierarchy:
    """A few hundred words in 15 classes, with rare words among them; not to be changed."""
    lines = zipf_text(1500, n_words=400).splitlines()
    corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    return BrownClasses(15, min_count=8).fit(corpus).hierarchy_
