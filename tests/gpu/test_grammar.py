"""Parsing and inside-outside on a device: the same trees and counts as on the CPU and as the slow twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from firth.compute import Device
from firth.errors import FirthError
from firth.grammar import (
    LatentGrammar,
    Node,
    Parser,
    Treebank,
    _device_fine,
    random_grammar,
    random_plain_grammar,
    reestimate,
)
from firth.grammar import _device_chart as charts
from firth.grammar import _device_parser as parsing
from firth.grammar import _parser as on_cpu
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._device_chart import DeviceCharts, Leaves
from firth.grammar._device_parser import DeviceParser
from firth.grammar._fine import FineGrammar
from firth.grammar._grammar import tree_log_probs
from firth.grammar._lexicon import Lexicon
from tests.gpu.conftest import full_above
from tests.oracles import grammar_counts, lpcfg

BRACKETS = [
    None,
    [[], [(1, 2)], [(0, 1), (2, 3)], [(1, 3)]],
    [[(0, 1)], [(0, 2), (0, 1)], [(0, 3), (1, 3), (2, 3)], [(3, 4), (2, 4)]],
]
SENTENCES = [[0, 1], [2, 0, 1], [1, 1, 0, 2], [2, 2, 1, 0, 0]]


def sampled(seed: int, n_states: int = 3, decode: str = "phrases", threshold: float = 1e-3) -> Any:
    """A parser of a random grammar with states, counted in its trees, and sentences with other words, too."""
    grammar = LatentGrammar.random(4, 4, 9, n_states, 6, seed)
    trees = grammar.sample(300, seed)
    bank = Treebank.of(trees, grammar.n_symbols)
    lexicon = Lexicon.count(bank, np.zeros(int(bank.words.max()) + 3, np.int64), 1, smoothing=0.0)
    coarse = CoarseGrammar.count(bank, lexicon)
    used = {tuple(rule): r for r, rule in enumerate(grammar.rules.tolist())}
    form = grammar.tensors()
    kept = [used[tuple(rule)] for rule in coarse.rules.tolist()]
    chosen = type(form)(coarse.rules, form.tensors[kept], form.lexicon, form.roots)
    fine = FineGrammar.of(chosen, lexicon, np.ones_like(form.roots)).compact()
    rng = np.random.default_rng(seed)
    texts = [[n.word for n in lpcfg.nodes_of(t) if n.left is None] for t in trees[:60]]
    texts += [rng.integers(0, 9, rng.integers(1, 12)).tolist() for _ in range(30)] + [[99], [0, 99]]
    texts = [words for words in texts if len(words) < 40]
    return Parser(coarse, [fine], threshold, decode), texts


@pytest.mark.parametrize("decode", ["phrases", "rules"])
@pytest.mark.parametrize("seed", range(4))
def test_the_same_trees_as_on_the_cpu(device: Device, seed: int, decode: str) -> None:
    parser, texts = sampled(seed, 1 + seed, decode, threshold=(1e-3, 0.0, 1e-1, 0.3)[seed])
    if seed == 2:  # several grammars decide together
        other = random_grammar(parser.coarse, 2, 0)
        parser = Parser(parser.coarse, [parser.fine[0], other], parser.threshold, decode)
    leaves = [parser.leaves(words) for words in texts]
    found = dict(DeviceParser(parser, device).best(leaves))
    assert sorted(found) == list(range(len(texts)))
    n_trees = 0
    for k, words in enumerate(leaves):
        best = parser.best(parser.all_shares(words))
        if not best:
            assert found[k] is None
            continue
        tree, log = found[k] or pytest.fail("the CPU has a tree")
        n_trees += 1
        assert tree == best[0]
        assert log == pytest.approx(tree_log_probs(parser, [tree])[0], abs=1e-9)
    assert 60 <= n_trees < len(texts)


def test_trees_have_the_largest_sum_of_marginals(device: Device) -> None:
    """Against all trees of short sentences."""
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, 3)
    pairs = [(tag, word) for word in range(3) for tag in (2, 3)]
    tags, words = np.array(pairs).T
    lexicon = Lexicon(tags, words, np.full(len(pairs), 0.5), np.ones(len(pairs), np.int64))
    coarse = CoarseGrammar(
        grammar.rules, np.full(len(grammar.rules), 0.3), lexicon, np.array([1.0, 1, 0, 0])
    )
    fine = FineGrammar.of(grammar.tensors(), lexicon, np.ones((4, 2)))
    parser = Parser(coarse, [fine], threshold=0.0)
    texts = [[0, 1], [2, 0, 1], [1, 1, 0, 2], [0, 2, 2, 1, 0]]
    found = dict(DeviceParser(parser, device).best([parser.leaves(text) for text in texts]))
    for k, text in enumerate(texts):
        marginals = lpcfg.marginals(grammar, text)
        trees = [t for a in range(2) for t in lpcfg.all_trees(grammar, text, a)]

        def value(tree: Node, marginals: Any = marginals) -> float:
            return float(sum(marginals[a, i, j] for a, i, j in lpcfg.spans_of(tree)[0]))

        best = found[k]
        if not trees:
            assert best is None
            continue
        assert best is not None
        assert value(best[0]) == pytest.approx(max(map(value, trees)), rel=1e-9)
        assert np.exp(best[1]) == pytest.approx(lpcfg.tree_probability(grammar, best[0]))


def test_known_tags(device: Device) -> None:
    """Also those that the lexicon does not have for a word."""
    parser, texts = sampled(5)
    rng = np.random.default_rng(0)
    tags = [
        [np.array([4 + rng.integers(4)]) if rng.random() < 0.5 else None for _ in w] for w in texts
    ]
    leaves = [parser.leaves(words, known) for words, known in zip(texts, tags, strict=True)]
    found = dict(DeviceParser(parser, device).best(leaves))
    for k, words in enumerate(leaves):
        best = parser.best(parser.all_shares(words))
        tree, log = found[k] or (None, 0.0)
        assert [tree] == (best or [None])
        if best:
            assert log == pytest.approx(tree_log_probs(parser, best)[0], rel=1e-9)


def test_blocks_and_batches_of_one(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small memory: batches of one sentence, one block of edges at a time."""
    parser, texts = sampled(1)
    leaves = [parser.leaves(words) for words in texts[:25]]
    whole = dict(DeviceParser(parser, device).best(leaves))
    monkeypatch.setattr(charts, "_ROOM", 1)
    monkeypatch.setattr(_device_fine, "_ROOM", 1)
    assert {k: f and f[0] for k, f in DeviceParser(parser, device).best(leaves)} == {
        k: f and f[0] for k, f in whole.items()
    }


def test_full_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that is too large is done in halves."""
    parser, texts = sampled(1)
    leaves = [parser.leaves(words) for words in texts[:20]]
    made = DeviceParser(parser, device)
    whole, started, sizes = dict(made.best(leaves)), made._started, []

    def small(sentences: Any, *limits: Any) -> Any:
        sizes.append(len(sentences))
        if len(sentences) > 6:
            raise device.torch.cuda.OutOfMemoryError("full")
        return started(sentences, *limits)

    monkeypatch.setattr(made, "_started", small)
    assert dict(made.best(leaves)) == whole
    assert max(sizes) > 6


def test_full_memory_when_trees_are_read(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch before has trees that must not be lost."""
    parser, texts = sampled(1)
    leaves = [parser.leaves(words) for words in texts[:20]]
    made = DeviceParser(parser, device)
    whole = dict(made.best(leaves))
    sizes = full_above(monkeypatch, device, made, "_read", 3, lambda _, n: n)
    assert dict(made.best(leaves)) == whole
    assert max(sizes) > 3


@pytest.mark.parametrize("name", ["_started", "_read"])
def test_a_sentence_that_does_not_fit(
    device: Device, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    parser, texts = sampled(1)
    leaves = [parser.leaves(words) for words in texts[:20]]
    made = DeviceParser(parser, device)
    full_above(monkeypatch, device, made, name, 0, lambda *_: 1)
    words = (
        rf"too small: a sentence of {max(map(len, leaves))} words.*more than \d+ words, or --device"
    )
    with pytest.raises(FirthError, match=words):
        dict(made.best(leaves))


def test_inside_outside_in_full_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Halves of a batch, and an error if one sentence is too much."""
    start = random_plain_grammar(2, 2, 3, 0)
    whole = reestimate(start, SENTENCES, rounds=2, device=device)
    sizes = full_above(
        monkeypatch, device, DeviceCharts, "_outside", 2, lambda _, parts, *__: len(parts[0])
    )
    found = reestimate(start, SENTENCES, rounds=2, device=device)
    assert max(sizes) == len(SENTENCES)
    np.testing.assert_allclose(found.log_likelihoods, whole.log_likelihoods, rtol=1e-12)
    np.testing.assert_allclose(found.grammar.p, whole.grammar.p, rtol=1e-9)
    full_above(monkeypatch, device, DeviceCharts, "_outside", 0, lambda *_: 1)
    with pytest.raises(FirthError, match="too small: a sentence of 5 words"):
        reestimate(start, SENTENCES, rounds=1, device=device)


def test_sentences_with_too_many_edges_have_no_tree(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser, texts = sampled(1)
    leaves = [parser.leaves(words) for words in texts]
    monkeypatch.setattr(parsing, "MOST_EDGES", 20)
    monkeypatch.setattr(on_cpu, "MOST_EDGES", 20)
    found = dict(DeviceParser(parser, device).best(leaves))
    assert [found[k] is not None for k in range(len(leaves))] == [
        bool(parser.best(parser.all_shares(s))) for s in leaves
    ]
    assert None in found.values()


def test_charts_of_improbable_sentences(device: Device) -> None:
    """Words are scaled until the probability of a sentence fits; the phrases are those of the CPU."""
    start = random_plain_grammar(2, 2, 500, 0)
    parser = Parser(start, [])
    texts = [[k % 7 for k in range(n)] for n in (300, 120, 1, 300)]
    leaves = [parser.leaves(words) for words in texts]
    chart = DeviceCharts(start, device).chart(Leaves.of(leaves, device))
    for k, words in enumerate(leaves):
        expected = parser.coarse_chart(words)
        if expected is None:
            assert float(chart.total[k]) == 0
            continue
        share = device.get(chart.inside[k] * chart.outside[k])
        for i in range(0, len(words), 17):
            for j in range(i, len(words), 13):
                there = expected.inside[i, j] * expected.outside[i, j]
                np.testing.assert_allclose(share[i, j - i], there, rtol=1e-8, atol=1e-15)
        log = float(chart.total[k].log()) + sum(np.log(leaf.scale) for leaf in words)
        log -= len(words) * float(chart.lift[k].log())
        assert log == pytest.approx(expected.log_prob, rel=1e-10)


@pytest.mark.parametrize("brackets", BRACKETS)
@pytest.mark.parametrize("seed", range(2))
def test_a_round_of_inside_outside(device: Device, seed: int, brackets: Any) -> None:
    """Against all trees, and against the CPU."""
    start = random_plain_grammar(2, 2, 3, seed)
    sentences = [*SENTENCES, [0, 7], [1]]
    given = None if brackets is None else [*brackets, [], []]
    found = reestimate(start, sentences, given, rounds=1, device=device)
    pairs = start.lexicon.pairs()
    p_words = dict(zip(pairs, start.lexicon.p.tolist(), strict=True))
    rules, _, _, log, _ = grammar_counts.plain_expected_counts(
        start.rules, start.p, p_words, start.roots, SENTENCES, brackets
    )
    assert found.log_likelihoods == [pytest.approx(log)]
    assert found.n_without == 2
    ratios = found.grammar.p / np.where(rules > 0, rules, 1)
    for a in range(2):
        mine = (start.rules[:, 0] == a) & (rules > 0)
        np.testing.assert_allclose(ratios[mine], ratios[mine][0], rtol=1e-9)
    plain = reestimate(start, sentences, given, rounds=3)
    moved = reestimate(start, sentences, given, rounds=3, device=device)
    np.testing.assert_allclose(moved.log_likelihoods, plain.log_likelihoods, rtol=1e-12)
    for name in ("p", "roots"):
        np.testing.assert_allclose(
            getattr(moved.grammar, name), getattr(plain.grammar, name), rtol=1e-9
        )
    np.testing.assert_allclose(
        moved.grammar.lexicon.p, plain.grammar.lexicon.p, rtol=1e-9, atol=1e-300
    )
