"""Trees of histories against their definition, word by word; discounts, weights, the cache, ARPA files."""

from __future__ import annotations

import io
import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError
from firth.lm import CountedTree, Event, Text, _runs, buckets_of, learn_weights, mixed
from firth.lm._arpa import read_arpa, write_arpa
from firth.lm._cache import Recent
from firth.lm._designs import designs_for, read_design
from firth.lm._fitting import fit_mixture
from firth.lm._mixture import class_rows, outcomes_of
from firth.lm._runs import add_counts, count_different, sorted_counts
from firth.lm._texts import Sentences, padded
from firth.store import Room
from tests.oracles.language_models import SlowTree, log_likelihood, slow_cache

N = 6
"""The number of words."""
CLASSES = np.array([0, 1, 0, 2, 1, 2])
MAPS = class_rows(N, [CLASSES])
EVENTS = {
    "words": Event(0, None, ((0, 1), (0, 2), (0, 3), (0, 4))),
    "unigrams": Event(0, None, ()),
    "classes": Event(1, None, ((1, 1), (1, 2), (1, 3))),
    "in class": Event(0, 1, ()),
    "class from both": Event(1, None, ((1, 1), (0, 1), (1, 2), (0, 2), (1, 3))),
    "word from both": Event(0, 1, ((1, 1), (0, 1), (1, 2), (0, 2), (1, 3))),
    "gap": Event(0, 1, ((1, 2), (0, 2), (1, 3))),
}


def sentences(n: int, n_words: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, n_words + 3)
    return [rng.choice(n_words + 2, rng.integers(0, 9), p=p / p.sum()).tolist() for _ in range(n)]


def flat(some: list[list[int]]) -> tuple[Any, Any]:
    words = np.array([w for one in some for w in one], np.int64)
    return words, np.cumsum([len(one) for one in some])


def text_of(some: list[list[int]], n_words: int = N) -> Text:
    return padded(Sentences(*flat(some)), n_words)


def whole(some: list[list[int]]) -> list[list[int]]:
    return [[N + 1, *(min(w, N) for w in one), N + 2] for one in some]


def counted(event: Event, some: list[list[int]], least: int = 1) -> CountedTree:
    n_outcomes = outcomes_of(MAPS, event.outcome, event.given)
    return CountedTree.count(event, text_of(some), MAPS, n_outcomes, least)


def slow(event: Event, some: list[list[int]], least: int = 1, discounts: Any = None) -> SlowTree:
    n_outcomes = outcomes_of(MAPS, event.outcome, event.given)
    return SlowTree(
        whole(some), MAPS, event.outcome, event.given, event.history, n_outcomes, least, discounts
    )


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize(("seed", "least"), [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_probabilities_are_those_of_the_formulas(name: str, seed: int, least: int) -> None:
    event, some = EVENTS[name], sentences(20 * (seed + 1), N, seed)
    made, expected = counted(event, some, least), slow(event, some, least)
    np.testing.assert_allclose(made.discounts()[:, 1:], expected.discounts)
    tree, asked = made.smooth(made.discounts()), sentences(15, N, 99)
    p = np.ones(len(text_of(asked)))
    tree.multiply(event, text_of(asked), MAPS, p)
    wanted = [
        1.0 if i == 0 else expected.p(one, i) for one in whole(asked) for i in range(len(one))
    ]
    np.testing.assert_allclose(p, wanted, rtol=2e-6)


@pytest.mark.parametrize("name", ["words", "classes", "class from both"])
def test_probabilities_after_any_words_add_up_to_one(name: str) -> None:
    event = EVENTS[name]
    tree = counted(event, sentences(80, N, 3), 2).smooth(
        counted(event, sentences(80, N, 3), 2).discounts()
    )
    inside = counted(EVENTS["word from both"], sentences(80, N, 3))
    other = inside.smooth(inside.discounts())
    every = [w for w in range(N + 3) if w != N + 1]
    for before in itertools.product(every[:3], every[2:6], every[:2]):
        rows = [[*before, w] for w in every]
        text = Text(
            np.array([[N + 1, *row] for row in rows], np.int32).ravel(),
            np.tile(np.arange(5, dtype=np.int32), len(rows)),
        )
        p = np.ones(len(text))
        tree.multiply(event, text, MAPS, p)
        if event.outcome:
            other.multiply(EVENTS["word from both"], text, MAPS, p)
        last = p.reshape(-1, 5)[:, -1]
        assert last.sum() == pytest.approx(1, rel=1e-6)
        assert last.min() > 0


def test_counts_in_parts_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    some, event = sentences(100, N, 1), EVENTS["word from both"]
    one = counted(event, some)
    monkeypatch.setattr(_runs, "_MOST_KEYS", 17)
    monkeypatch.setattr(_runs, "_AT_ONCE", 7)
    two = counted(event, some)
    for name in ("children", "elements", "starts", "words", "parents", "tokens", "counts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@given(
    st.lists(st.integers(0, 8), unique=True).map(sorted),
    st.lists(st.integers(0, 8), unique=True).map(sorted),
)
def test_sorted_lists_are_added_up(one: list[int], two: list[int]) -> None:
    a, b = np.array(one, np.uint64), np.array(two, np.uint64)
    n = count_different(a, b)
    keys, counts = np.zeros(n, np.uint64), np.zeros(n, np.int64)
    assert add_counts(a, np.full(len(a), 1), b, np.full(len(b), 2), keys, counts) == n
    wanted = Counter(dict.fromkeys(one, 1)) + Counter(dict.fromkeys(two, 2))
    assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == wanted
    assert keys.tolist() == sorted(wanted)


@pytest.mark.parametrize("bits", [5, 12, 33, 60])
def test_keys_are_counted(bits: int) -> None:
    rng = np.random.default_rng(bits)
    few = rng.integers(0, 1 << bits, 5).astype(np.uint64)
    given_keys = rng.choice(few, 300)

    def make(some: slice, keys: Any) -> int:
        keys[: some.stop - some.start] = given_keys[some]
        return int(some.stop - some.start)

    keys, counts = sorted_counts(300, make, bits, Room())
    wanted = Counter(given_keys.tolist())
    assert keys.tolist() == sorted(wanted)
    assert counts.tolist() == [wanted[key] for key in sorted(wanted)]


# discounts and weights ---------------------------------------------------------------------------


def test_discounts_make_held_out_text_most_probable() -> None:
    event, some, held = EVENTS["classes"], sentences(120, N, 4), sentences(60, N, 5)
    traced = counted(event, some).traced(text_of(held), MAPS)
    start = slow(event, some)
    np.testing.assert_allclose(
        traced.p(), [start.p(s, i) for s in whole(held) for i in range(1, len(s))]
    )
    ones, zeros = np.ones(len(traced.lowest)), np.zeros(len(traced.lowest))
    for _ in range(8):
        traced.fit(ones, zeros)
    best = slow(event, some, discounts=traced.discounts[:, 1:].tolist())
    assert np.log(traced.p()).sum() == pytest.approx(log_likelihood(best, whole(held)))
    assert np.log(traced.p()).sum() > log_likelihood(start, whole(held))
    for level in range(len(traced.discounts)):
        for k in range(3):
            for step in (-0.02, 0.02):
                moved = traced.discounts[:, 1:].copy()
                moved[level, k] = np.clip(moved[level, k] + step, 0.01, k + 0.99)
                other = slow(event, some, discounts=moved.tolist())
                assert log_likelihood(other, whole(held)) <= np.log(traced.p()).sum() + 1e-3


def test_all_discounts_and_weights_fit_together() -> None:
    some, held = sentences(150, N, 6), text_of(sentences(60, N, 7))
    kinds = [["words"], ["classes", "in class"], ["class from both", "word from both"]]
    traced = [[counted(EVENTS[k], some).traced(held, MAPS) for k in names] for names in kinds]
    before = [one.discounts.copy() for model in traced for one in model]
    inside = np.flatnonzero(held.places > 0)
    buckets = np.zeros(len(inside), np.int64)
    start = np.stack([np.prod([one.p() for one in model], axis=0) for model in traced], axis=1)
    alone = mixed(start, buckets, learn_weights(start, buckets, 1)).sum()
    p, weights = fit_mixture(traced, buckets, 1)
    assert mixed(p, buckets, weights).sum() > alone
    np.testing.assert_allclose(
        p, np.stack([np.prod([one.p() for one in model], axis=0) for model in traced], axis=1)
    )
    changed = [one.discounts for model in traced for one in model]
    np.testing.assert_array_equal(changed[0], before[0])  # that of words can be exported
    assert not np.array_equal(changed[-1], before[-1])


def test_weights_make_held_out_text_most_probable() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 1, (4000, 2))
    buckets = rng.integers(0, 2, 4000)
    p[buckets == 1, 0] /= 20  # the first model is bad there
    weights = learn_weights(p, buckets, 3)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights[1, 0] < 0.05
    np.testing.assert_allclose(weights[2], 0.5)
    best = mixed(p, buckets, weights).sum()
    for other in (0.2, 0.4, 0.6, 0.8):
        tried = np.tile([other, 1 - other], (3, 1))
        assert mixed(p, buckets, tried).sum() < best
    np.testing.assert_allclose(
        mixed(p, buckets, weights), np.log((weights[buckets] * p).sum(axis=1))
    )
    with pytest.raises(InputError, match="held-out"):
        learn_weights(p[:0], buckets[:0], 3)


def test_buckets() -> None:
    assert buckets_of(np.array([0, 1, 7, 8]), 9).tolist() == [0, 1, 3, 4]


# the cache ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_class", [True, False])
def test_the_cache_is_that_of_the_formulas(by_class: bool) -> None:
    text = text_of(sentences(40, N, 8))
    rng = np.random.default_rng(0)
    p_class, p_in_class = rng.uniform(0.1, 1, (2, len(text)))
    class_of = MAPS[1] if by_class else None
    found = Recent(N + 3, class_of).probabilities(text, p_class, p_in_class)
    listed = None if class_of is None else class_of.tolist()
    wanted = slow_cache(text.symbols.tolist(), N + 1, N + 3, listed, p_class, p_in_class)
    inside = text.places > 0
    expected = [row[: 2 + by_class] for row in wanted]
    np.testing.assert_allclose(found[inside], np.array(expected)[inside])
    # in pieces, as long texts are read
    recent, parts = Recent(N + 3, class_of), []
    edges = [0, *np.flatnonzero(text.places == 0)[[9, 20, 33]].tolist(), len(text)]
    for a, b in itertools.pairwise(edges):
        some = Text(text.symbols[a:b], text.places[a:b])
        parts.append(recent.probabilities(some, p_class[a:b], p_in_class[a:b]))
    np.testing.assert_allclose(np.concatenate(parts)[inside], found[inside])


def test_the_cache_adds_up_to_one() -> None:
    before = text_of(sentences(12, N, 9))
    every = [w for w in range(N + 3) if w != N + 1]
    total = np.zeros(3)
    shares = np.array([0.5, 0.4, 0.5, 0.7, 0.6, 0.3, 1.0, 1.0, 1.0])
    p_class = np.array([0.2, 0.1, 0.3, 0.15, 0.0, 0.25])
    for word in every:
        recent = Recent(N + 3, MAPS[1])
        recent.probabilities(before, np.ones(len(before)), np.ones(len(before)))
        text = Text(np.array([N + 1, 2, word], np.int32), np.array([0, 1, 2], np.int32))
        classes = p_class[MAPS[1][text.symbols]]
        total += recent.probabilities(text, classes, shares[text.symbols])[-1]
    np.testing.assert_allclose(total, 1)


# designs and files -------------------------------------------------------------------------------


def test_models_of_a_mixture() -> None:
    few = designs_for(5, None, 6, 1_000_000)
    assert [one.kind for one in few] == ["words"] + 6 * ["classes"] + 8 * ["predictive"]
    assert len({one.to_dict().__repr__() for one in few}) == len(few)
    assert few[0].name([]) == "words, 5-grams"
    names = [design.name([50, 100, 200, 500, 1000, 200]) for design in few]
    assert names[-1] == "200 classes, 5-grams and words without word 1"
    assert len(set(names)) == len(names)
    assert "200 classes (2), 5-grams and words" in names
    assert [len(designs_for(5, None, 6, n)) for n in (10**7, 10**8)] == [13, 7]
    assert [one.kind for one in designs_for(1, None, 2, 100)] == ["words", "classes", "classes"]
    assert designs_for(3, 2, 1, 100)[1].history == (("class", 1),)
    for one in few:
        assert read_design(one.to_dict(), 6) == one
    good = few[-1].to_dict()
    for wrong in (
        None, {}, {**good, "kind": "x"}, {**good, "clustering": 6}, {**good, "clustering": None},
        {**good, "history": [["class", 9]]}, {**good, "history": [["x", 1]]}, {**good, "history": 3},
        {**good, "clustering": True}, {**few[0].to_dict(), "history": [["class", 1]]},
    ):  # fmt: skip
        assert read_design(wrong, 6) is None


def words_tree(some: list[list[int]], n_words: int, order: int) -> tuple[Any, Event]:
    event = Event(0, None, tuple((0, k) for k in range(1, order)))
    maps = class_rows(n_words, [])
    made = CountedTree.count(event, text_of(some, n_words), maps, outcomes_of(maps, 0, None))
    return made.smooth(made.discounts()), event


@pytest.mark.parametrize("order", range(1, 7))
def test_models_come_back_from_files(order: int) -> None:
    some = sentences(100, N, 3)
    tree, event = words_tree(some, N, order)
    file = io.StringIO()
    words = [f"w{9 - k}" for k in range(N)]
    write_arpa(tree, order, words, file)
    again, names, sizes = read_arpa(file.getvalue().splitlines(True))
    assert names == words
    assert len(sizes) == order
    text, p = text_of(sentences(60, N, 4)), []
    for one in (tree, again):
        p.append(np.ones(len(text)))
        one.multiply(event, text, MAPS, p[-1])
    np.testing.assert_allclose(p[1], p[0], rtol=2e-5)


def test_a_file_whose_shorter_n_grams_were_pruned() -> None:
    lines = [
        "\\data\\", "ngram 1=5", "ngram 2=1", "ngram 3=1", "\\1-grams:", "-1 a -0.5", "-1 b -0.25", "-2 <unk>",
        "-99 <s> -0.125", "-1 </s>", "\\2-grams:", "-0.3 <s> a -0.0625", "\\3-grams:", "-0.2 a b a", "\\end\\",
    ]  # fmt: skip
    tree, _, _ = read_arpa(lines)
    event = Event(0, None, ((0, 1), (0, 2)))
    for symbols, log10 in (
        ([3, 0, 1], -0.0625 - 0.5 - 1), ([3, 0, 1, 0], -0.2), ([3, 0], -0.3), ([3, 1], -0.125 - 1),
        ([3, 1, 1, 0], -0.25 - 1), ([3, 2, 0], -1),
    ):  # fmt: skip
        text = Text(np.array(symbols, np.int32), np.arange(len(symbols), dtype=np.int32))
        p = np.ones(len(text))
        tree.multiply(event, text, class_rows(2, []), p)
        assert np.log10(p[-1]) == pytest.approx(log10, abs=1e-6)


def test_files_that_are_wrong() -> None:
    tree, _ = words_tree([[0, 1], [1, 0]], 2, 3)
    file = io.StringIO()
    write_arpa(tree, 3, ["a", "b"], file)
    good = file.getvalue()
    for old, new in (
        ("\\\\data\\\\".replace("\\\\", "\\"), "data"), ("ngram 2=", "ngram 2=x"), ("ngram 1=5", "ngram 1=6"),
        ("\\2-grams:", "\\4-grams:"), ("\\end\\", ""), ("\ta\t", "\tb\t"), ("\t<s>", "\tz"), ("-99", "0.5"),
        ("-99", "nan"), ("-99", "x"),
    ):  # fmt: skip
        assert old in good
        with pytest.raises(InputError):
            read_arpa(good.replace(old, new, 1).splitlines(True), "a.arpa")
    for words in (["a", "b c"], ["a", "<s>"], ["a", ""]):
        with pytest.raises(InputError):
            write_arpa(tree, 3, words, io.StringIO())


def test_a_text_with_unk_is_written_with_that_word() -> None:
    tree, event = words_tree(sentences(50, 3, 1), 3, 2)
    file = io.StringIO()
    write_arpa(tree, 2, ["a", "<unk>", "c"], file)
    again, words, _ = read_arpa(file.getvalue().splitlines(True))
    assert words == ["a", "c"]
    numbers = {0: 0, 1: 2, 2: 1, 4: 3, 5: 4}  # <unk> is the unknown word now
    text = text_of([[0, 1, 1, 2], [1, 0]], 3)
    other = Text(np.array([numbers[k] for k in text.symbols.tolist()], np.int32), text.places)
    p, q = np.ones((2, len(text)))
    tree.multiply(event, text, class_rows(3, []), p)
    again.multiply(event, other, class_rows(2, []), q)
    np.testing.assert_allclose(q, p, rtol=1e-5)
