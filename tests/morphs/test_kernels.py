"""The kernels are what their slow twins are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firth.morphs import _kernels as kernels
from firth.morphs._lattice import Lattice, spell
from firth.morphs._learning import attestation, divisions, estimate
from firth.morphs._letters import LetterModel
from firth.morphs._splitter import _morphs
from tests.oracles import morphs as oracle

WORDS = st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=8, unique=True)


def lattice_of(words: list[str]) -> Lattice:
    return Lattice(spell(words, {"a": 0, "b": 1, "c": 2}), 3)


def rows_of(lattice: Lattice) -> dict[str, int]:
    return {lattice.text(row): row for row in range(len(lattice.first))}


@given(WORDS)
@settings(max_examples=60, deadline=None)
def test_substrings_that_occur_twice_have_numbers(words: list[str]) -> None:
    lattice = lattice_of(words)
    found = [
        word[i:j] for word in words for i, j in itertools.combinations(range(len(word) + 1), 2)
    ]
    counts = {text: found.count(text) for text in found}
    rows = rows_of(lattice)
    assert set(rows) == {text for text, n in counts.items() if n > 1}
    of_edges = [
        word[i:j] for word in words for i in range(len(word)) for j in range(i + 1, len(word) + 1)
    ]
    assert lattice.rows.tolist() == [rows.get(text, -1) for text in of_edges]
    assert {text for text, row in rows.items() if lattice.is_word[row]} == set(rows) & set(words)
    stems = frozenset(text for text, row in rows.items() if lattice.is_stem[row])
    told = oracle.tallies(words, stems)
    for text, row in rows.items():
        assert lattice.tallies[row].tolist() == told.get(text, [0] * 4)


def random_model(words: list[str], seed: int) -> tuple[Lattice, dict[str, np.ndarray]]:
    rng, lattice = np.random.default_rng(seed), lattice_of(words)
    moves = rng.random((4, 4))
    moves[0, 2:] = moves[3, 2:] = 0.0
    return lattice, {
        "shares": rng.random((len(lattice.first), 3)) / 10,
        "fresh": rng.random(3),
        "moves": moves / moves.sum(axis=1, keepdims=True),
        "letters": rng.random((len(lattice.spelled.codes), 3)),
    }


def twin_of(
    word: str, words: list[str], lattice: Lattice, made: dict[str, np.ndarray]
) -> oracle.Model:
    rows = rows_of(lattice)
    begin = int(lattice.spelled.starts[words.index(word)])
    return oracle.Model(
        {text: made["shares"][row].tolist() for text, row in rows.items()},
        frozenset(text for text, row in rows.items() if lattice.is_stem[row]),
        {k: made["letters"][begin + k].tolist() for k in range(len(word))},
        made["fresh"].tolist(), made["moves"].tolist(), 0.1,
    )  # fmt: skip


@given(WORDS, st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_the_e_step_sums_over_all_splits_and_states(words: list[str], seed: int) -> None:
    lattice, made = random_model(words, seed)
    n, rows = len(lattice.spelled.codes), rows_of(lattice)
    room, ways, _, _ = kernels.work_space(lattice.spelled.longest)
    counts, moved = np.zeros_like(made["shares"]), np.zeros((4, 4))
    inside, cuts = np.zeros(n + 1), np.zeros(n)
    total = kernels.expect(
        lattice.spelled.starts, lattice.edges, lattice.rows, made["shares"], lattice.is_stem,
        np.zeros(n, np.int8), made["letters"], made["fresh"], 0.1, made["moves"], False, room, ways,
        counts, moved, inside, cuts,
    )  # fmt: skip
    told = [oracle.expected(word, twin_of(word, words, lattice, made)) for word in words]
    assert total == pytest.approx(sum(np.log(one.probability) for one in told))
    for text, row in rows.items():
        for s in range(3):
            assert counts[row, s] == pytest.approx(sum(one.counts[text, s] for one in told))
    for a, b in itertools.product(range(4), repeat=2):
        assert moved[a, b] == pytest.approx(sum(one.moved[a, b] for one in told))
    stems = np.cumsum(inside)
    for one, begin, word in zip(told, lattice.spelled.starts.tolist(), words, strict=False):
        for k in range(len(word)):
            assert cuts[begin + k] == pytest.approx(one.cuts[k])
            assert stems[begin + k] == pytest.approx(one.inside[k], abs=1e-9)


def test_given_splits_are_the_only_ones() -> None:
    words = ["abcab", "ab", "cab"]
    lattice, made = random_model(words, 3)
    n = len(lattice.spelled.codes)
    fixed = np.zeros(n, np.int8)
    fixed[1:5] = 2
    fixed[2] = 1  # ab cab
    out = np.zeros((15, 3))
    kernels.emissions(
        0, 5, lattice.edges, lattice.rows, made["shares"], lattice.is_stem, fixed, made["letters"],
        made["fresh"], 0.1, out,
    )  # fmt: skip
    edges = [(i, j) for i in range(5) for j in range(i + 1, 6)]
    assert {edge for edge, row in zip(edges, out, strict=True) if row.any()} == {(0, 2), (2, 5)}


@pytest.mark.parametrize("seed", range(5))
def test_parts_are_labelled_with_the_best_states(seed: int) -> None:
    words = ["abcab", "ab", "cab", "bca"]
    lattice, made = random_model(words, seed)
    n = len(lattice.spelled.codes)
    cuts = np.random.default_rng(seed).random(n)
    room, _, best, came = kernels.work_space(5)
    marks = np.zeros(n, np.uint32)
    kernels.label(
        lattice.spelled.starts, lattice.edges, lattice.rows, made["shares"], lattice.is_stem,
        np.zeros(n, np.int8), made["letters"], made["fresh"], 0.1, made["moves"], room, best, came,
        cuts, marks,
    )  # fmt: skip
    for word, begin in zip(words, lattice.spelled.starts.tolist(), strict=False):
        places = [0, *(k for k in range(1, len(word)) if cuts[begin + k] > 0.5), len(word)]
        parts = [word[a:b] for a, b in itertools.pairwise(places)]
        twin = twin_of(word, words, lattice, made)
        states = max(
            itertools.product(range(3), repeat=len(parts)), key=lambda s: twin.joint(parts, s)
        )
        found = marks[begin : begin + len(word)]
        assert np.flatnonzero(found).tolist() == places[:-1]
        assert (found[found > 0] - 1).tolist() == list(states)


@given(WORDS, st.integers(0, 99), st.booleans())
@settings(max_examples=60, deadline=None)
def test_affixes_that_are_two_affixes_are_found(words: list[str], seed: int, suffix: bool) -> None:
    lattice = lattice_of(words)
    rows = rows_of(lattice)
    counts = np.random.default_rng(seed).choice([1.0, 2.0, 4.0, 8.0], len(rows))
    found = divisions(lattice, counts, 2 if suffix else 0)
    stems = frozenset(text for text, row in rows.items() if lattice.is_stem[row])
    told = oracle.divisions(
        words, stems, {text: counts[row] for text, row in rows.items()}, suffix, 0.3
    )
    assert {text for text, row in rows.items() if found[row]} == told


def test_an_affix_is_not_divided_if_words_without_its_outer_half_are_not_words() -> None:
    stems = ["cab", "ccb", "cbb", "bbb", "bcb", "bab"]
    for middle, divided in (True, {"ac"}), (False, set()):
        ends = ("", "c", "ac", "a") if middle else ("", "c", "ac")
        lattice = lattice_of([stem + end for stem in stems for end in ends])
        rows, counts = rows_of(lattice), np.zeros(len(lattice.first))
        counts[rows["ac"]], counts[rows["a"]], counts[rows["c"]] = 5.0, 5.0, 10.0
        found = divisions(lattice, counts, 2)
        assert {text for text, row in rows.items() if found[row]} == divided
        counts[rows["c"]] = 9.0  # and one half is twice as frequent
        assert not divisions(lattice, counts, 2).any()


@given(WORDS, st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_stems_that_are_words_are_split_as_these_words(words: list[str], seed: int) -> None:
    lattice, rng = lattice_of(words), np.random.default_rng(seed)
    starts, n = lattice.spelled.starts, len(lattice.spelled.codes)
    marks = rng.integers(0, 4, n).astype(np.uint32)
    marks[starts[:-1]] = rng.integers(1, 4, len(words))

    def splits() -> dict[str, list[tuple[str, str]]]:
        return {
            word: [(morph.text, morph.kind) for morph in _morphs(word, marks[a:b])]
            for word, (a, b) in zip(words, itertools.pairwise(starts.tolist()), strict=True)
        }

    told = splits()
    order = np.argsort(np.diff(starts), kind="stable")
    args = (starts, lattice.edges, lattice.rows, order, lattice.words)
    kernels.expand(*args, np.zeros(n, np.int8), marks)
    assert splits() == {word: oracle.expanded(word, told) for word in words}


@given(WORDS, st.text("abcd", min_size=1, max_size=6), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_letters_have_the_probabilities_of_the_formula(
    words: list[str], other: str, seed: int
) -> None:
    alphabet = {"a": 0, "b": 1, "c": 2, "d": 3}
    spelled = spell(words, alphabet)
    weights = np.random.default_rng(seed).random(len(spelled.codes))
    model = LetterModel(spelled.codes, spelled.starts, 4)
    own = model.weigh(weights)
    of_words = [weights[a:b].tolist() for a, b in itertools.pairwise(spelled.starts.tolist())]
    told = [
        row for word in words
        for row in oracle.trigram_probabilities(words, of_words, word, list(alphabet))
    ]  # fmt: skip
    assert own == pytest.approx(np.array(told), rel=1e-6)
    assert model.probabilities(spelled.codes, spelled.starts) == pytest.approx(own, rel=1e-9)
    more = spell([other], alphabet)
    found = model.probabilities(more.codes, more.starts)
    assert found == pytest.approx(
        np.array(oracle.trigram_probabilities(words, of_words, other, list(alphabet))), rel=1e-6
    )


def test_a_morph_that_occurs_once_does_not_support_itself() -> None:
    counts = np.array([[0.0, 1.0, 0.0], [0.0, 3.0, 0.5]])
    shares, fresh = estimate(counts, np.array([0.0, 6.0, 0.5]), np.ones((2, 3)))
    assert shares.tolist() == [[0, 0, 0], [0, 2 / 7, 0]]
    # two types of the table, and two morphs that occur once and are not in it
    assert fresh.tolist() == [1.0, 5 / 7, 1.0]


def test_attestation_is_relative_to_the_average_affix() -> None:
    tallies = np.array([[0, 0, 100.0, 51.0], [0, 0, 100.0, 1.0], [0, 0, 0, 0]])
    found = attestation(tallies, 1.0, 1000)
    by_chance = 52 / 200
    average = (51 * 50 / 99 + 10 * by_chance) / (52 + 10)
    assert found[0, 2] == 1.0
    assert found[1, 2] == pytest.approx(1.3 / (average * 101 + 0.3))
    assert found[2, 2] == pytest.approx(0.3 / (average * 1 + 0.3))
    assert found[:, 1].tolist() == [1.0, 1.0, 1.0]
    # without any attested remainder, every affix counts as the average does
    assert found[:, 0].tolist() == [1.0, 1.0, 1.0]
    assert attestation(tallies, 2.0, 1000)[1, 2] == pytest.approx(found[1, 2] / 2)
