"""Modified Kneser-Ney against its definition, word by word."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError
from firth.lm import NgramCounts, NgramModel
from firth.lm._counting import add_counts, count_different
from firth.lm._kneser_ney import smooth


def sentences(n: int, n_words: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, n_words + 3)
    return [rng.choice(n_words + 2, rng.integers(0, 9), p=p / p.sum()).tolist() for _ in range(n)]


def flat(some: list[list[int]]) -> tuple[Any, Any]:
    words = np.array([w for one in some for w in one], np.int64)
    return words, np.cumsum([len(one) for one in some])


class Slow:
    """Chen and Goodman's formulas, from dictionaries."""

    def __init__(self, some: list[list[int]], n_words: int, order: int) -> None:
        self.v, self.order = n_words, order
        unknown, begin, end = n_words, n_words + 1, n_words + 2
        self.begin = begin
        padded = [[begin, *(min(w, unknown) for w in one), end] for one in some]
        raw: list[Counter[tuple[int, ...]]] = [
            Counter(tuple(s[i : i + k]) for s in padded for i in range(len(s) - k + 1))
            for k in range(1, order + 1)
        ]
        self.counts: list[Counter[tuple[int, ...]]] = []
        for k in range(order):
            if k == order - 1:
                now = Counter(raw[k])
            else:
                now = Counter(key[1:] for key in raw[k + 1])
                now.update({key: n for key, n in raw[k].items() if key[0] == begin})
            if k == 0:
                now.pop((begin,), None)
            self.counts.append(now)
        self.given = [self.discounts(c) for c in self.counts]

    @staticmethod
    def discounts(counts: Counter[tuple[int, ...]]) -> tuple[float, ...]:
        n = Counter(counts.values())
        if not all(n[k] for k in (1, 2, 3, 4)):
            return (0.5, 1.0, 1.5)
        y = n[1] / (n[1] + 2 * n[2])
        found = tuple(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
        return found if all(0 < d <= k for k, d in enumerate(found, 1)) else (0.5, 1.0, 1.5)

    def p(self, word: int, before: tuple[int, ...]) -> float:
        k = len(before)
        lower = 1 / (self.v + 2) if k == 0 else self.p(word, before[1:])
        after = {key[-1]: n for key, n in self.counts[k].items() if key[:-1] == before}
        total = sum(after.values())
        if not total:
            return lower
        d = (0.0, *self.given[k])
        n = after.get(word, 0)
        left = sum(d[min(m, 3)] for m in after.values())
        return (n - d[min(n, 3)] + left * lower) / total


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_those_of_the_formulas(order: int, seed: int) -> None:
    some, n_words = sentences(30 * (seed + 1), 6, seed), 6
    model, slow = NgramModel.learn(*flat(some), n_words, order), Slow(some, n_words, order)
    text = NgramCounts(n_words, [], []).padded(*flat(sentences(20, n_words, 99)))
    found = model.look_up(text).log_p
    for i, word in enumerate(text):
        if word == model.begin:
            assert found[i] == 0
            continue
        start = max(k for k in range(i) if text[k] == model.begin)
        before = tuple(int(x) for x in text[max(start, i - order + 1) : i])
        assert np.exp(found[i]) == pytest.approx(slow.p(int(word), before), rel=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_probabilities_after_any_words_add_up_to_one(order: int) -> None:
    n_words = 5
    model = NgramModel.learn(*flat(sentences(80, n_words, 3)), n_words, order)
    others = [w for w in range(n_words + 3) if w != model.begin]
    for a in others:
        for b in others[:4]:
            p = [np.exp(model.look_up(np.array([model.begin, a, b, w])).log_p[-1]) for w in others]
            assert sum(p) == pytest.approx(1)
            assert min(p) > 0


def test_counts_in_parts_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    some = sentences(100, 6, 1)
    whole = NgramCounts.count(*flat(some), 6)
    monkeypatch.setattr("firth.lm._counting._AT_ONCE", 17)
    parts = NgramCounts.count(*flat(some), 6)
    for k in range(3):
        np.testing.assert_array_equal(whole.rows[k], parts.rows[k])
        np.testing.assert_array_equal(whole.counts[k], parts.counts[k])
    assert whole.counts[0].sum() == sum(map(len, some)) + 2 * len(some)


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


@pytest.mark.parametrize("n_words", [5, 2040, 2045, 70_000, (1 << 21) - 3])
def test_counts_are_those_of_a_dictionary(n_words: int) -> None:
    rng = np.random.default_rng(n_words)
    few = rng.choice(n_words, 4)  # far apart, so that all bits of a number matter
    some = [
        rng.choice([*few, n_words - 1, n_words], rng.integers(0, 9)).tolist() for _ in range(80)
    ]
    found = NgramCounts.count(*flat(some), n_words)
    halves = NgramCounts.count(*flat(some[:30]), n_words) + NgramCounts.count(
        *flat(some[30:]), n_words
    )
    padded = [[n_words + 1, *one, n_words + 2] for one in some]
    for k in range(3):
        wanted = Counter(tuple(s[i : i + k + 1]) for s in padded for i in range(len(s) - k))
        for counts in (found, halves):
            rows = [tuple(row) for row in counts.rows[k].tolist()]
            assert rows == sorted(wanted)
            assert counts.counts[k].tolist() == [wanted[row] for row in rows]


def test_discounts_of_a_larger_text() -> None:
    found = smooth(NgramCounts.count(*flat(sentences(3000, 40, 5)), 40))
    for d in found.discounts[1:]:
        assert 0 < d[0] < 1
        assert d[0] < d[1] < d[2] < 3


def test_bad_input() -> None:
    with pytest.raises(InputError, match="no sentences"):
        NgramCounts.count(np.zeros(0), np.zeros(0, np.int64), 5)
    with pytest.raises(InputError, match="smaller vocabulary"):
        NgramCounts.count(np.zeros(1), np.array([1]), 1 << 22)
    model = NgramModel.learn(*flat([[0, 1]]), 2)
    for text in ([0, 1], [3, 9]):
        with pytest.raises(InputError):
            model.look_up(np.array(text))
