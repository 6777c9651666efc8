"""The overlap of neighbours: against a literal twin, on random texts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import firth
from firth.counts import has_neighbours, neighbour_overlap
from firth.errors import InputError, WordError

Sentences = list[list[str]]


def literal(text: Sentences, one: str, other: str, kept: set[str]) -> float:
    """The mean over both sides of the sum over all neighbours of the smaller share."""
    total = 0.0
    for step in (-1, 1):
        shares: list[dict[str, float]] = []
        for word in (one, other):
            met: dict[str, int] = {}
            for sentence in text:
                for i, token in enumerate(sentence):
                    if token == word:
                        beside = sentence[i + step] if 0 <= i + step < len(sentence) else "(end)"
                        beside = beside if beside in kept or beside == "(end)" else "(rare)"
                        met[beside] = met.get(beside, 0) + 1
            shares.append({key: n / sum(met.values()) for key, n in met.items()})
        total += sum(min(shares[0].get(key, 0.0), share) for key, share in shares[1].items())
    return total / 2


def random_text(chance: random.Random) -> Sentences:
    words = [f"w{k}" for k in range(chance.randint(2, 12))]
    weights = [1 / (k + 1) for k in range(len(words))]
    return [chance.choices(words, weights, k=chance.randint(1, 6)) for _ in range(30)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("contexts", ["LR1", "LR2", "-1,1,3"])
def test_the_overlap_is_that_of_the_formula(seed: int, contexts: str) -> None:
    text = random_text(random.Random(seed))
    weights: Any = ("none", "distance", "dynamic")[seed % 3]
    counts = firth.count(
        firth.Corpus.from_sentences(text), contexts, min_count=1 + seed % 4, weights=weights
    )
    words = list(counts.vocabulary)
    found = neighbour_overlap(counts, words)
    for i, one in enumerate(words):
        for j, other in enumerate(words):
            assert found[i, j] == pytest.approx(literal(text, one, other, set(words)), abs=1e-12)
    assert np.array_equal(found, found.T)
    assert (np.diag(found) == 1).all()
    assert np.linalg.eigvalsh(found).min() > -1e-12, "overlaps are scalar products"
    some = words[::-2]
    at = [words.index(word) for word in some]
    assert np.allclose(neighbour_overlap(counts, some), found[np.ix_(at, at)], atol=1e-15)


def test_words_that_never_have_a_neighbour_are_like_each_other() -> None:
    counts = firth.count(firth.Corpus.from_sentences([["a"], ["b"], ["c", "d"]]), "LR1", 1)
    found = neighbour_overlap(counts, ["a", "b", "c", "a"])
    assert found[0].tolist() == [1.0, 1.0, 0.5, 1.0]


def test_what_cannot_be_compared_is_said() -> None:
    corpus = firth.Corpus.from_sentences([["a", "b", "a"]])
    for contexts in ("bag1", "R1", "-2,1"):
        counts = firth.count(corpus, contexts, 1)
        assert not has_neighbours(counts)
        with pytest.raises(InputError, match="do not count the words before.*LR1"):
            neighbour_overlap(counts, ["a"])
    with pytest.raises(WordError, match="'c' is not in the corpus"):
        neighbour_overlap(firth.count(corpus, "LR1", 1), ["a", "c"])
    assert neighbour_overlap(firth.count(corpus, "LR1", 1), []).shape == (0, 0)
