"""Hidden states that are known: clusters of nodes, their counts, and how counts are smoothed."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import numpy.typing as npt
import pytest

from firth.grammar import LatentGrammar, Moments, Node, Treebank, random_grammar
from firth.grammar._clusters import cluster_states, count_states
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._em import expected_counts, log_probs
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._smoothing import StateCounts
from firth.grammar._spectral import Projection
from tests.grammar.test_parser import plain_lexicon

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SEEDS = range(3)
M = 3


def bank_of(seed: int) -> Treebank:
    grammar = LatentGrammar.random(3, 3, 6, 2, 4, seed)
    return Treebank.of(grammar.sample(60, seed), grammar.n_symbols)


def smooth_lexicon(bank: Treebank) -> Lexicon:
    """Every tag has words that it never had, and some of its words stand for groups."""
    n_words = int(bank.words.max()) + 5
    group_of = np.arange(n_words) % 2
    group_of[-4:] = [0, 0, 1, 1]
    return Lexicon.count(bank, group_of, 2)


def some_states(bank: Treebank, seed: int) -> Integers:
    """By chance; symbol 1 has one state only, and symbol 2 never has state 0."""
    states = np.random.default_rng(seed).integers(0, M, len(bank))
    states[bank.symbols == 1] = 1
    states[(bank.symbols == 2) & (states == 0)] = 2
    return states


def soft_counts(bank: Treebank, lexicon: Lexicon, seed: int) -> StateCounts:
    """As a round of EM counts them."""
    start = random_grammar(CoarseGrammar.count(bank, lexicon), M, seed)
    return expected_counts(bank, lexicon, start)[0]


# Counts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_states_are_counted_one_by_one(seed: int) -> None:
    bank, states = bank_of(seed), some_states(bank_of(seed), seed)
    lexicon = smooth_lexicon(bank)
    found = count_states(bank, lexicon, states, M)
    rules: Counter[tuple[int, ...]] = Counter()
    pairs: Counter[tuple[int, ...]] = Counter()
    roots: Counter[tuple[int, ...]] = Counter()
    for v in range(len(bank)):
        left, right, h = bank.lefts[v], bank.rights[v], int(states[v])
        if left >= 0:
            symbols = bank.symbols[[v, left, right]].tolist()
            rules[(*symbols, h, int(states[left]), int(states[right]))] += 1
        else:
            pairs[int(bank.symbols[v]), int(bank.words[v]), h] += 1
        if bank.parents[v] < 0:
            roots[int(bank.symbols[v]), h] += 1
    for (r, i, j, k), count in np.ndenumerate(found.of_rules):
        assert count == rules.pop((*bank.table[r].tolist(), i, j, k), 0)
    for (number, h), count in np.ndenumerate(found.of_pairs):
        assert count == pairs.pop((*lexicon.pairs()[number], h), 0)
    for place, count in np.ndenumerate(found.of_roots):
        assert count == roots.pop(place, 0)
    assert not rules
    assert not pairs
    assert not roots
    np.testing.assert_array_equal(
        found.of_symbols(bank, lexicon).sum(axis=1), bank.symbol_counts.astype(float)
    )


# Moments ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_known_states_are_projections_of_ones_and_zeros(seed: int) -> None:
    """With y = 1 for the state of a node and z = y divided by its share, averages are the same."""
    bank = bank_of(seed)
    lexicon, states = smooth_lexicon(bank), some_states(bank, seed)
    counts = count_states(bank, lexicon, states, M)
    y = np.eye(M)[states]
    share = np.array([y[bank.symbols == a].mean(axis=0) for a in range(bank.n_symbols)])
    z = y / np.where(share > 0, share, 1.0)[bank.symbols]
    one = Moments.of_counts(bank, lexicon, counts)
    other = Moments.of_nodes(bank, lexicon, y, z)
    for field in fields(Moments):
        if field.name != "proper":
            np.testing.assert_allclose(
                getattr(one, field.name), getattr(other, field.name), atol=1e-12, err_msg=field.name
            )
    assert (one.proper, other.proper) == (True, False)
    for slow, own in ((0.0, 1.0), (10.0, 0.6), (1e3, 0.0)):
        made, nodes = (
            some.smoothed(bank, lexicon, slow, own) for some in (replace(one, proper=False), other)
        )
        for name in ("tensors", "vectors", "roots", "totals"):
            np.testing.assert_allclose(getattr(made, name), getattr(nodes, name), atol=1e-12)


# Smoothing ----------------------------------------------------------------------------------------


def check_proper(bank: Treebank, lexicon: Lexicon, fine: FineGrammar, alive: Floats) -> None:
    """Rules add up to one, words to what the lexicon has, for each symbol and state that occurs."""
    assert fine.proper
    for numbers in (fine.tensors, fine.vectors, fine.roots, fine.totals):
        assert numbers.min() >= 0
        assert np.isfinite(numbers).all()
    rules, words = np.zeros_like(fine.roots), np.zeros_like(fine.roots)
    np.add.at(rules, bank.table[:, 0], fine.tensors.sum(axis=(2, 3)))
    np.add.at(words, lexicon.tags, fine.vectors)
    of_words = np.bincount(lexicon.tags, lexicon.p, bank.n_symbols)
    is_phrase = np.isin(np.arange(bank.n_symbols), bank.table[:, 0])
    np.testing.assert_allclose(rules, alive * is_phrase[:, None], atol=1e-12)
    np.testing.assert_allclose(words, alive * of_words[:, None], atol=1e-12)
    np.testing.assert_array_equal(fine.totals, alive)
    assert fine.roots.sum() == pytest.approx(1)
    # no state that does not occur is ever given to a node
    for (_, b, c), tensor in zip(bank.table.tolist(), fine.tensors, strict=True):
        assert not tensor.sum(axis=(0, 2))[alive[b] == 0].any()
        assert not tensor.sum(axis=(0, 1))[alive[c] == 0].any()


@pytest.mark.parametrize("own", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("slow", [0.0, 10.0, 1e6])
@pytest.mark.parametrize("seed", SEEDS)
def test_smoothed_counts_are_probabilities(seed: int, slow: float, own: float) -> None:
    bank = bank_of(seed)
    lexicon = smooth_lexicon(bank)
    assert (lexicon.counts == 0).any()
    for counts in (
        count_states(bank, lexicon, some_states(bank, seed), M),
        soft_counts(bank, lexicon, seed),
    ):
        fine = Moments.of_counts(bank, lexicon, counts).smoothed(bank, lexicon, slow, own)
        alive = (counts.of_symbols(bank, lexicon) > 0).astype(float)
        check_proper(bank, lexicon, fine, alive)


def test_states_that_never_occur_are_there_to_test() -> None:
    bank = bank_of(0)
    counts = count_states(bank, smooth_lexicon(bank), some_states(bank, 0), M)
    alive = counts.of_symbols(bank, smooth_lexicon(bank)) > 0
    assert alive[1].tolist() == [False, True, False]
    assert alive[2].tolist() == [False, True, True]


@pytest.mark.parametrize("seed", SEEDS)
def test_without_smoothing_the_counts_themselves_are_left(seed: int) -> None:
    bank = bank_of(seed)
    lexicon = plain_lexicon(bank)
    for counts in (
        count_states(bank, lexicon, some_states(bank, seed), M),
        soft_counts(bank, lexicon, seed),
    ):
        simple = counts.grammar(bank, lexicon)
        fine = Moments.of_counts(bank, lexicon, counts).smoothed(bank, lexicon, 0.0, 1.0)
        np.testing.assert_allclose(fine.tensors, simple.tensors, atol=1e-12)
        np.testing.assert_allclose(fine.vectors, simple.vectors, atol=1e-12)
        np.testing.assert_allclose(fine.roots, simple.roots, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_smoothed_without_end_states_say_nothing(seed: int) -> None:
    """What is left then is the grammar without states."""
    bank = bank_of(seed)
    lexicon = smooth_lexicon(bank)
    coarse = CoarseGrammar.count(bank, lexicon)
    counts = count_states(bank, lexicon, some_states(bank, seed), M)
    moments = Moments.of_counts(bank, lexicon, counts)
    plain = log_probs(bank, coarse, FineGrammar.plain(coarse))
    simple = log_probs(bank, coarse, moments.smoothed(bank, lexicon, 1e15, 0.0))
    np.testing.assert_allclose(simple, plain, rtol=1e-9)
    other = log_probs(bank, coarse, moments.smoothed(bank, lexicon, 1.0, 1.0))
    assert other.sum() > plain.sum() + 1, "what states say of the same trees is not nothing"


@pytest.mark.parametrize("seed", SEEDS)
def test_one_state_is_the_grammar_without_states(seed: int) -> None:
    bank = bank_of(seed)
    lexicon = smooth_lexicon(bank)
    coarse = CoarseGrammar.count(bank, lexicon)
    plain = FineGrammar.plain(coarse)
    counts = count_states(bank, lexicon, np.zeros(len(bank), np.int64), 1)
    for slow, own in ((0.0, 1.0), (10.0, 0.6)):
        fine = Moments.of_counts(bank, lexicon, counts).smoothed(bank, lexicon, slow, own)
        np.testing.assert_allclose(fine.tensors, plain.tensors)
        np.testing.assert_allclose(fine.roots, plain.roots)
        np.testing.assert_allclose(fine.vectors, plain.vectors)


# Clusters -----------------------------------------------------------------------------------------


def two_kinds(n: int, seed: int) -> tuple[Treebank, Integers, npt.NDArray[np.float64]]:
    """Nodes of symbol 0 of two kinds, and rows that tell them apart; tags 1 that are all alike."""
    rng = np.random.default_rng(seed)
    leaf = Node(1, word=0)
    bank = Treebank.of([Node(0, leaf, leaf) for _ in range(n)], 2)
    kind = rng.integers(0, 2, len(bank))
    rows = np.zeros((len(bank), 2))
    rows[:, 0] = 100 * rng.random(len(bank))  # far spread, and says nothing
    rows[:, 1] = kind + 0.01 * rng.normal(size=len(bank))
    return bank, kind, rows


def projected(inside: Floats, outside: Floats, ranks: list[int]) -> Projection:
    n = len(ranks)
    return Projection(inside, outside, np.array(ranks), np.ones((n, inside.shape[1])))


@pytest.mark.parametrize("side", ["inside", "outside"])
@pytest.mark.parametrize("seed", SEEDS)
def test_clusters_are_the_kinds_that_rows_tell(seed: int, side: str) -> None:
    bank, kind, rows = two_kinds(100, seed)
    nothing = np.zeros_like(rows)
    found = projected(rows, nothing, [2, 1]) if side == "inside" else projected(nothing, rows, [2, 1])  # fmt: skip
    states = cluster_states(bank, found, 2, seed)
    phrases = bank.symbols == 0
    agree = (states == kind)[phrases]
    assert agree.all() or not agree.any(), "the names of states do not matter"
    assert not states[~phrases].any(), "a symbol of one dimension has one state"
    np.testing.assert_array_equal(states, cluster_states(bank, found, 2, seed))


def test_no_more_states_than_there_may_be() -> None:
    bank, _, _ = two_kinds(200, 0)
    rows = np.random.default_rng(1).normal(size=(len(bank), 5))
    found = projected(rows, rows, [5, 3])
    for most in (1, 2, 4, 8):
        states = cluster_states(bank, found, most, 0)
        assert len(np.unique(states[bank.symbols == 0])) == min(most, 5)
        assert len(np.unique(states[bank.symbols == 1])) == min(most, 3)
        assert states.max() < most
    same = projected(np.ones_like(rows), np.ones_like(rows), [5, 3])
    assert not cluster_states(bank, same, 4, 0).any(), "nodes that are all alike are of one state"


def test_only_dimensions_that_a_symbol_has_are_looked_at() -> None:
    bank, kind, rows = two_kinds(100, 3)
    wide = np.hstack([rows, 5.0 * (np.arange(len(bank)) % 3)[:, None]])
    states = cluster_states(bank, projected(wide, np.zeros_like(wide), [2, 1]), 2, 0)
    agree = (states == kind)[bank.symbols == 0]
    assert agree.all() or not agree.any()
