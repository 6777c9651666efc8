"""Senses as a person would learn and use them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import firth
from firth.senses import Contexts, ContextWord, SenseReport, report_senses
from firth.senses._typical import company, typical
from tests.senses.samples import MONEY, RIVER, agreement, bank_corpus, bank_sentences


@pytest.fixture(scope="module")
def learned() -> tuple[firth.WordSenses, list[int]]:
    corpus, truth = bank_corpus(120)
    return firth.WordSenses(2, restarts=2).fit(Contexts.of(corpus, "bank")), truth


def test_what_is_learned_fits_together(learned: tuple[firth.WordSenses, list[int]]) -> None:
    senses, truth = learned
    assert agreement(senses.labels_, truth) > 0.97
    n = len(senses.words_)
    assert senses.word_probabilities_.shape == (2, n)
    assert senses.word_probabilities_.sum(axis=1) == pytest.approx([1, 1])
    assert senses.memberships_.sum(axis=1) == pytest.approx(np.ones(120))
    assert senses.shares_.sum() == pytest.approx(1)
    assert senses.shares_[0] >= senses.shares_[1]
    assert len(senses.log_likelihoods_) == len(senses.objectives_) > 1
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(senses.objectives_))
    assert [one.n_senses for one in senses.descriptions_] == [1, 2]


def test_new_contexts_are_told_apart(learned: tuple[firth.WordSenses, list[int]]) -> None:
    senses, _ = learned
    river, money = senses.predict([["river", "water"], ["loan", "money"]]).tolist()
    assert river != money
    again = senses.predict_proba(senses.contexts_)
    assert again == pytest.approx(senses.memberships_)
    unknown = senses.predict_proba([["never", "seen"], []])
    assert unknown == pytest.approx(np.tile(senses.shares_, (2, 1)))
    sentences, truth = bank_sentences(40, seed=8)
    new = Contexts.of(firth.Corpus.from_sentences(sentences), "bank", min_contexts=1)
    assert agreement(senses.predict(new), truth) > 0.9


def test_typical_words_are_those_of_the_sense(
    learned: tuple[firth.WordSenses, list[int]],
) -> None:
    senses, _ = learned
    tops = [{w.word for w in senses.typical_words(k, 8)} for k in range(2)]
    assert any(t <= set(RIVER) for t in tops)
    assert any(t <= set(MONEY) for t in tops)
    found = senses.typical_words(0, 100)
    assert [w.bits for w in found] == sorted((w.bits for w in found), reverse=True)
    assert min(w.ratio for w in found) >= 2
    assert len(senses.typical_words(0, 3)) == 3


def test_typical_words_by_hand() -> None:
    words = [ContextWord("a"), ContextWord("b", "after"), ContextWord("c"), ContextWord("d")]
    counts, usual = np.array([40.0, 8, 3, 0]), np.array([30.0, 2, 1, 5])
    first, second = typical(words, counts, usual, 5)
    assert (first.word, first.side, first.count, first.ratio) == ("b", "after", 8, 4)
    assert first.bits == pytest.approx(8 * 2 - 6 / np.log(2))
    assert (second.word, second.ratio) == ("c", 3)


def test_typical_contexts_are_clear_and_differ(
    learned: tuple[firth.WordSenses, list[int]],
) -> None:
    senses, truth = learned
    for k in range(2):
        found = senses.typical_contexts(k, 5)
        assert len(found) == 5
        assert (senses.memberships_[found, k] > 0.99).all()
        assert len({truth[i] for i in found}) == 1
        bags = [{word for word, _ in senses.contexts_.row(i)} for i in found]
        for j, bag in enumerate(bags):
            assert all(2 * len(bag & other) < len(bag) for other in bags[:j])
    one = firth.WordSenses(1).fit([["a"]] * 9)
    assert one.typical_contexts(0, 3) == [0, 4, 8]
    assert one.typical_words(0) == []
    twice = firth.WordSenses(2).fit([["a", "b"], ["c", "d"]] * 30)
    assert all(len(twice.typical_contexts(k, 5)) == 1 for k in range(2)), "the same is not said twice"  # fmt: skip


def test_the_seed_decides(learned: tuple[firth.WordSenses, list[int]]) -> None:
    senses, _ = learned
    again = firth.WordSenses(2, restarts=2).fit(senses.contexts_)
    assert np.array_equal(again.memberships_, senses.memberships_)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"n_senses": 0}, "'n_senses'.*at least 1"), ({"n_senses": 2.0}, "'n_senses'"),
        ({"max_senses": 0}, "'max_senses'"), ({"n_senses": 5}, "5 senses are too many: there are only 3"),
        ({"smoothing": 0}, "'smoothing'.*above 0"), ({"smoothing": float("nan")}, "'smoothing'"),
        ({"smoothing": "much"}, "'smoothing'"), ({"tolerance": -1}, "'tolerance'"), ({"restarts": 0}, "'restarts'"),
        ({"rounds": True}, "'rounds'"), ({"seed": -1}, "'seed'"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_told(how: dict[str, Any], said: str) -> None:
    with pytest.raises(firth.ParameterError, match=said):
        firth.WordSenses(**how).fit([["a"], ["a"], ["b"]])


def test_contexts_that_say_nothing_are_an_error() -> None:
    with pytest.raises(firth.InputError, match="no contexts to learn senses from"):
        firth.WordSenses().fit([])
    with pytest.raises(firth.InputError, match="no word occurs in two of them"):
        firth.WordSenses().fit([[], []])
    one = firth.WordSenses(1).fit([["a"], ["a"]])
    for sense in (-1, 1, "0"):
        with pytest.raises(firth.ParameterError, match="'sense'"):
            one.typical_words(sense)  # type: ignore[arg-type]
    with pytest.raises(firth.ParameterError, match="'n'"):
        one.typical_words(0, 0)


# The report ---------------------------------------------------------------------------------------


def test_a_report_says_what_there_is() -> None:
    corpus, truth = bank_corpus(120)
    report = report_senses(corpus, "bank", max_senses=3, n_words=5, n_lines=3)
    assert isinstance(report, SenseReport)
    assert (report.count, report.n_contexts, report.given) == (120, 120, False)
    assert len(report.senses) == 2
    assert sum(sense.n_contexts for sense in report.senses) == 120
    sizes = sorted((truth.count(0), truth.count(1)), reverse=True)
    assert [sense.n_contexts for sense in report.senses] == pytest.approx(sizes, abs=4)
    for sense in report.senses:
        assert len(sense.words) == 5
        assert len(sense.lines) == 3
        topic = RIVER if sense.words[0].word in RIVER else MONEY
        for line in sense.lines:
            assert line.word == "bank"
            assert {*line.left.split(), *line.right.split()} & set(topic)
            assert line.membership > 0.9
    assert report_senses(corpus, "bank", 1, n_lines=0).senses[0].lines == []
    few = report_senses(corpus, "bank", 2, most=30, window=None)
    assert (few.count, few.n_contexts, few.window, few.given) == (120, 30, None, True)


def test_one_sense_has_its_company() -> None:
    lines = [
        ["cold", "beer", "please"],
        ["cold", "beer", "now"],
        ["please", "please", "now", "now"],
    ]
    corpus = firth.Corpus.from_sentences(lines * 10)
    found = company(corpus, Contexts.of(corpus, "beer"), 5)
    assert [(w.word, w.side) for w in found] == [("cold", "before")]
    # 20 of 20 words before it, and 20 of 100 of the corpus
    assert found[0].ratio == pytest.approx(5)
    assert report_senses(corpus, "beer", 1).senses[0].words == found


def test_too_few_occurrences_and_unknown_words_are_told() -> None:
    corpus = firth.Corpus.from_sentences([["once", "a"]] + [["a", "b"]] * 9)
    with pytest.raises(firth.InputError, match="'once' occurs once; at least 10"):
        report_senses(corpus, "once")
    with pytest.raises(firth.InputError, match="'b' occurs 9 times"):
        report_senses(corpus, "b")
    with pytest.raises(firth.WordError, match="'A' is not in the corpus.*There is 'a'"):
        report_senses(corpus, "A")
    with pytest.raises(firth.ParameterError, match="11 senses are too many"):
        report_senses(corpus, "a", 11)
