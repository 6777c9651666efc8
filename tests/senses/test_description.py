"""Description lengths of contexts, by hand and with random data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.senses import Contexts, Mixture, WordSenses
from firth.senses._description import LESS, MORE, _choose, adjustment_bits, adjustments, describe
from tests.oracles.senses import sequential_bits
from tests.senses.samples import bank_sentences


def test_one_sense_by_hand() -> None:
    contexts = Contexts.of_bags([["a", "a"], ["a", "b"]])
    found = describe(contexts, Mixture(np.ones(1), np.array([[0.5], [0.5]])))
    assert found.bits == pytest.approx(3 * math.log2(4 / 3) + math.log2(4))
    assert (found.model_bits, found.n_senses, found.n_said) == (0, 1, 0)


def test_two_senses_by_hand() -> None:
    # a and b come in one sense, c and d in the other; each is best described as 64 times as frequent in its own
    contexts = Contexts.of_bags([["a", "b"], ["c", "d"]] * 100)
    words = np.array([[4, 1], [4, 1], [1, 4], [1, 4]]) / 10
    found = describe(contexts, Mixture(np.full(2, 0.5), words))
    # 11 possible adjustments, two of them twice
    adjusted = math.log2(math.factorial(14) / (math.factorial(10) * 2 * 2))
    own, other = (x / 32.5 / 4 for x in (64, 1))
    data = -200 * math.log2(0.5 * own**2 + 0.5 * other**2)
    assert found.model_bits == pytest.approx(adjusted + math.log2(200) / 2)
    assert found.data_bits == pytest.approx(data)
    assert (found.n_senses, found.n_said) == (2, 4)
    assert found.bits < describe(contexts, Mixture(np.ones(1), np.full((4, 1), 0.25))).bits


@given(st.lists(st.integers(0, 4), max_size=12))
def test_adjustments_are_encoded_one_after_the_other(chosen: list[int]) -> None:
    times = np.bincount(chosen, minlength=5) if chosen else np.zeros(5, np.int64)
    assert adjustment_bits(times) == pytest.approx(sequential_bits(chosen, 5), abs=1e-9)


@given(st.lists(st.floats(0.05, 1), min_size=2, max_size=4))
def test_adjustments_leave_the_whole_as_it_is(weights: list[float]) -> None:
    shares = np.array(weights) / sum(weights)
    possible = adjustments(shares)
    steps = len(MORE) + (len(LESS) if len(shares) > 2 else 0)
    assert possible.shape == (1 + len(shares) * steps, len(shares))
    assert possible @ shares == pytest.approx(np.ones(len(possible)))
    assert possible[0] == pytest.approx(np.ones(len(shares)))
    assert possible[1, 0] / possible[1, 1] == pytest.approx(2)


def test_adjustments_make_distributions_and_save_bits() -> None:
    rng = np.random.default_rng(4)
    whole = rng.dirichlet(np.ones(50))
    added = rng.poisson(400 * whole[:, None] * rng.choice([0.2, 1, 1, 4], (50, 2))).astype(float)
    possible = adjustments(np.array([0.6, 0.4]))
    chosen, times, scale = _choose(whole, added, possible, None, np.ones(2))
    adjusted = whole[:, None] * possible[chosen] * scale
    assert adjusted.sum(axis=0) == pytest.approx([1, 1])
    assert np.bincount(chosen, minlength=len(possible)).tolist() == times.tolist()
    plain = -(added * np.log2(whole)[:, None]).sum()
    assert adjustment_bits(times) - (added * np.log2(adjusted)).sum() < plain


@pytest.mark.parametrize("senses", [1, 2, 3])
def test_the_number_of_senses_is_found(senses: int) -> None:
    sentences, _ = bank_sentences(250, senses)
    learned = WordSenses(max_senses=4, restarts=2).fit([[w for w in s if w != "bank"] for s in sentences])  # fmt: skip
    assert learned.n_senses_ == senses
    bits = [one.bits for one in learned.descriptions_]
    assert [one.n_senses for one in learned.descriptions_] == [1, 2, 3, 4]
    assert bits.index(min(bits)) + 1 == senses


def test_few_contexts_do_not_pay_for_a_second_sense() -> None:
    assert WordSenses(max_senses=2).fit([["a", "b"], ["c", "d"]] * 3).n_senses_ == 1
