"""Moving words between classes, against the oracle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from firth.classes import (
    Bigrams,
    BrownClasses,
    ExchangeRefiner,
    SpectralClasses,
    _merging,
    mutual_information,
)  # fmt: skip
from firth.classes._parameters import ExchangeParameters
from firth.classes._refining import classes_in_order, refine, seeds
from firth.compute import Engine
from tests.classes.samples import NO_CHECKPOINT, Machine, corpora, make_bigrams, pairs_of, sampled
from tests.oracles import classes as oracle


@st.composite
def starts(draw: st.DrawFn, n: int) -> list[int]:
    """Classes of n words, none of them empty."""
    m = draw(st.integers(2, min(n, 6)))
    rest = draw(st.lists(st.integers(0, m - 1), min_size=n - m, max_size=n - m))
    return draw(st.permutations([*range(m), *rest]))


def information(bigrams: Bigrams, class_of: Any) -> float:
    """In nats, for the library's side of a comparison."""
    m = int(max(class_of)) + 1
    return mutual_information(bigrams.between(class_of, m), bigrams.sums(class_of, m))


def move_all(bigrams: Bigrams, start: list[int], passes: int) -> tuple[list[int], bool]:
    """Move word by word, and check every move; returns the classes and whether a choice was free.

    Where classes are equally good for a word there are many right answers, and later words follow from
    them. So what is asked of a move is that no other would have been better.
    """
    machine, pairs, m = (
        Machine(bigrams, start, max(start) + 1),
        pairs_of(bigrams),
        max(start) + 1,
    )
    free = False
    for _ in range(passes):
        gained = 0.0
        for x in range(bigrams.n_words):
            before = machine.slot_of.tolist()
            gain = machine.move(x)
            after = machine.slot_of.tolist()
            assert before[:x] + before[x + 1 :] == after[:x] + after[x + 1 :]
            if before.count(before[x]) == 1:
                assert after == before, "no class is emptied"
                continue
            values = [
                oracle.mutual_information(pairs, bigrams.counts, oracle.with_move(before, x, c))
                for c in range(m)
            ]
            best = max(values)
            assert values[after[x]] >= best - 1e-9
            assert gain == pytest.approx(
                (values[after[x]] - values[before[x]]) * bigrams.n_pairs, abs=1e-8
            )
            free = free or sum(value >= best - 1e-9 for value in values) > 1
            gained += gain
        if gained <= 0:
            break
    return machine.slot_of.tolist(), free


@settings(max_examples=80)
@given(data=st.data(), bigrams=corpora())
@pytest.mark.slow
def test_every_move_is_the_best(data: st.DataObject, bigrams: Bigrams) -> None:
    start = data.draw(starts(bigrams.n_words))
    expected, free = move_all(bigrams, start, 3)
    found, history = _merging.exchange(
        bigrams, np.array(start), max(start) + 1, 3, 0.0, Engine(1), NO_CHECKPOINT
    )
    assert found.tolist() == expected
    pairs = pairs_of(bigrams)
    if not free:
        assert found.tolist() == oracle.exchange(pairs, bigrams.counts, start, 1, 3)
    information = [
        oracle.mutual_information(pairs, bigrams.counts, classes)
        for classes in (start, found.tolist())
    ]
    assert sum(step["gain"] for step in history) == pytest.approx(
        information[1] - information[0], abs=1e-9
    )


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(4, 10), m=st.integers(2, 4))
def test_without_ties_the_classes_are_those_of_the_oracle(seed: int, n: int, m: int) -> None:
    bigrams = sampled(n, 3, seed, lines=40)
    start = seeds(n, m).tolist()
    expected, free = move_all(bigrams, start, 4)
    assume(not free)
    assert oracle.exchange(pairs_of(bigrams), bigrams.counts, start, 1, 4) == expected


def refined(class_of: Any, bigrams: Bigrams, **how: Any) -> tuple[Any, list[dict[str, float]]]:
    return refine(class_of, bigrams, ExchangeParameters(**how), Engine(1))


@pytest.mark.parametrize("start", ["seeds", "brown", "one class and the rest"])
def test_mutual_information_rises_pass_after_pass(start: str) -> None:
    bigrams, m = sampled(300, 10, seed=7), 15
    if start == "seeds":
        class_of: Any = seeds(300, m)
    elif start == "brown":
        class_of = classes_in_order(BrownClasses(m).fit_bigrams(bigrams).hierarchy_, bigrams)
    else:
        class_of = np.minimum(np.arange(300), m - 1)
    before = information(bigrams, class_of)
    classes, history = refined(class_of, bigrams, passes=5, tolerance=0.0)
    assert classes.n_classes == m
    assert classes.sizes().min() >= 1
    assert classes.follow is not None
    after = mutual_information(classes.follow, classes.tokens)
    gains = [step["gain"] for step in history]
    assert min(gains) >= 0
    assert sum(gains) == pytest.approx((after - before) / math.log(2), abs=1e-9), (
        "gains are in bits"
    )
    for passes in range(1, len(gains)):
        assert refined(class_of, bigrams, passes=passes, tolerance=0.0)[1] == history[:passes]


def test_words_find_back_to_their_classes() -> None:
    """From any start of a clear case: two kinds of words that take turns."""
    pairs = np.array([[(x + y) % 2 * 50 for y in range(8)] for x in range(8)])
    bigrams = make_bigrams(pairs, np.full(8, 200))
    for start in ([0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1, 1], [1, 0, 0, 1, 0, 1, 1, 0]):
        found, history = _merging.exchange(
            bigrams, np.array(start), 2, 10, 0.0, Engine(1), NO_CHECKPOINT
        )
        assert len(set(found[::2])) == len(set(found[1::2])) == 1
        assert found[0] != found[1]
        assert history[-1] == {"moved": 0.0, "gain": 0.0}, "it stops once nothing moves"


def test_spectral_classes_are_a_start_as_well() -> None:
    import firth
    from tests.conftest import zipf_text

    corpus = firth.Corpus.from_sentences(
        line.split() for line in zipf_text(800, n_words=300).splitlines()
    )
    start = SpectralClasses(9, min_count=4).fit(corpus).hierarchy_
    assert start.follow is not None
    refiner = ExchangeRefiner(min_count=4).fit(start, corpus)
    better = refiner.hierarchy_
    assert better.follow is not None
    gained = mutual_information(better.follow, better.tokens) - mutual_information(
        start.follow, start.tokens
    )
    assert gained > 0
    assert gained == pytest.approx(math.log(2) * sum(s["gain"] for s in refiner.history_), abs=1e-9)
    assert better.n_classes == 9
    assert better.made == {**start.made, "refine": True}
    assert start.made["refine"] is False


def test_the_refiner_stops_where_little_is_gained() -> None:
    bigrams = sampled(200, 8, seed=1)
    _, many = refined(seeds(200, 10), bigrams, passes=20, tolerance=0.0)
    _, few = refined(seeds(200, 10), bigrams, passes=20, tolerance=0.2)
    assert few == many[: len(few)]
    assert len(few) < len(many)
    share = 0.2 * abs(information(bigrams, seeds(200, 10))) / math.log(2)
    assert few[-1]["gain"] <= share
    assert all(step["gain"] > share for step in few[:-1])
