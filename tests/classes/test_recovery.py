"""The guarantee: spectral classes find the classes of a Brown model; Brown's own algorithm need not.

That the singular vectors of exact counts tell the classes is shown in ``test_brown_model.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import firth
from firth.classes import BrownClasses, BrownModel, ExchangeRefiner, Hierarchy, SpectralClasses
from tests.classes.samples import same_partition
from tests.oracles import classes as oracle

pytestmark = pytest.mark.slow

TRANSFORMS = ["none", "sqrt", "two-thirds"]
SIZES = [300, 3000, 30_000]


def sampled_corpus(model: BrownModel, n_tokens: int, seed: int) -> firth.Corpus:
    lines = model.sample(n_tokens // 10, 10, seed)
    return firth.Corpus.from_sentences([f"w{w}" for w in line] for line in lines)


def exact_corpus(model: BrownModel, n_pairs: int) -> firth.Corpus:
    """Lines of two words each, in just the proportions of the model's pairs."""
    b, _, _ = model.bigrams(2)
    pairs = np.rint(b * n_pairs).astype(int)
    return firth.Corpus.from_sentences(
        [f"w{x}", f"w{y}"]
        for x in range(model.n_words)
        for y in range(model.n_words)
        for _ in range(pairs[x, y])
    )


def true_classes(model: BrownModel, classes: Hierarchy) -> list[int]:
    return [int(model.class_of[int(word[1:])]) for word in classes.words]


def recovery_rate(model: BrownModel, classes: Hierarchy) -> float:
    """The part of the words that are in the right class, once classes are matched one to one."""
    return oracle.one_to_one(true_classes(model, classes), classes.class_of.tolist())


def spectral(model: BrownModel, corpus: firth.Corpus, **options: Any) -> Hierarchy:
    settings = {"contexts": "R1", "kappa": 0, "min_count": 1, "threads": 1, **options}
    return SpectralClasses(model.n_classes, **settings).fit(corpus).hierarchy_


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(("n_words", "n_classes", "seed"), [(30, 4, 1), (20, 3, 5)])
def test_with_more_text_the_classes_are_recovered(
    transform: str, n_words: int, n_classes: int, seed: int
) -> None:
    model = BrownModel.random(n_words, n_classes, seed)
    rates = [
        [
            recovery_rate(
                model, spectral(model, sampled_corpus(model, size, s), transform=transform)
            )
            for s in range(3)
        ]
        for size in SIZES
    ]
    means = np.mean(rates, axis=1)
    assert means[0] < 0.8, "little text is not enough"
    assert means[0] < means[1]
    assert 0.9 < means[1] <= means[2]
    assert rates[2] == [1, 1, 1]


@pytest.mark.parametrize("clustering", ["ward", "two-means"])
@pytest.mark.parametrize("contexts", ["R1", "LR1", "LR2"])
def test_classes_are_recovered_from_any_contexts(clustering: str, contexts: str) -> None:
    model = BrownModel.random(30, 4, seed=1)
    corpus = sampled_corpus(model, 100_000, seed=0)
    classes = spectral(model, corpus, clustering=clustering, contexts=contexts)
    assert recovery_rate(model, classes) == 1


def blind_spot() -> BrownModel:
    """A model whose frequent words never stand beside each other.

    Articles and pronouns, say, come before nouns and verbs, most often, and there are many rare nouns
    and verbs. Brown's algorithm begins with the most frequent words alone: it sees no pair, so all
    merges look alike, and it merges an article with a pronoun.
    """
    transitions = np.zeros((4, 4))
    transitions[2:, :2] = [[0.9, 0.2], [0.1, 0.8]]
    transitions[:2, 2:] = [[0.7, 0.4], [0.3, 0.6]]
    frequent, rare = np.array([0.5, 0.3, 0.2]), np.full(10, 0.1)
    emissions = np.zeros((26, 4))
    emissions[0:3, 0] = emissions[3:6, 1] = frequent
    emissions[6:16, 2] = emissions[16:26, 3] = rare
    start = np.full(4, 0.25)
    for _ in range(200):  # every class as likely at the start as anywhere
        start = (start + transitions @ start) / 2
    return BrownModel(start, transitions, emissions)


def test_greedy_merges_cannot_be_undone_where_spectral_classes_are_right() -> None:
    model = blind_spot()
    corpus = exact_corpus(model, 40_000)
    classes = spectral(model, corpus)
    assert recovery_rate(model, classes) == 1

    brown = BrownClasses(4, min_count=1, threads=1).fit(corpus)
    assert recovery_rate(model, brown.hierarchy_) < 1
    first = next(brown.trace())
    assert first.loss == pytest.approx(0, abs=1e-9), "nothing is seen to be lost"
    kinds = {model.class_of[int(word[1:])] for word in first.left + first.right}
    assert kinds == {0, 1}, "but two classes are mixed for ever"
    assert brown.hierarchy_.path(first.left[0]) == brown.hierarchy_.path(first.right[0])


def test_exchange_mends_what_greedy_merges_spoilt() -> None:
    model = blind_spot()
    corpus = exact_corpus(model, 40_000)
    brown = BrownClasses(4, min_count=1).fit(corpus).hierarchy_
    refined = ExchangeRefiner(min_count=1, tolerance=0.0).fit(brown, corpus).hierarchy_
    assert recovery_rate(model, refined) > recovery_rate(model, brown)


def test_brown_recovers_classes_that_are_seen_from_the_beginning() -> None:
    """Where the frequent words tell the classes apart, so does Brown's algorithm, with enough text."""
    model = BrownModel.random(30, 4, seed=1)
    brown = BrownClasses(4, min_count=1).fit(sampled_corpus(model, 100_000, seed=0)).hierarchy_
    assert same_partition(true_classes(model, brown), brown.class_of.tolist())
