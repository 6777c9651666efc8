"""Beginnings of sentences, against derivations that are followed one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from firth.errors import InputError, ParameterError
from firth.grammar import LPCFG, METHODS, LatentGrammar, Parser, TensorGrammar
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._prefixes import prefix_log_probs
from firth.trees import parse_trees
from tests.grammar.test_best_trees import parser_of_many, same_rules
from tests.grammar.test_grammar_counts_oracle import left_branching
from tests.grammar.test_lpcfg import attachment
from tests.grammar.test_parser import open_parser
from tests.oracles import grammar_counts as slow

pytestmark = pytest.mark.slow

Floats = npt.NDArray[np.float64]

SENTENCES = ([0], [2], [0, 1], [2, 0, 1], [1, 1, 0, 2])


def turned_parser(grammar: LatentGrammar, seed: int) -> Parser:
    """A parser of the same grammar in another basis; the totals are turned with it."""
    rng = np.random.default_rng(seed)
    m = grammar.n_states
    change = rng.normal(size=(grammar.n_symbols, m, m)) + 2 * np.eye(m)
    coarse = open_parser(grammar).coarse
    totals = np.linalg.inv(change).sum(axis=1)
    fine = FineGrammar.of(grammar.tensors(change), coarse.lexicon, totals)
    return Parser(coarse, [fine], threshold=0.0)


def begins(parser: Parser, words: Sequence[int]) -> list[float]:
    return [math.exp(log) for log in prefix_log_probs(parser, parser.leaves(words))]


@pytest.mark.parametrize("n_states", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_beginnings_are_those_of_all_derivations(seed: int, n_states: int) -> None:
    grammar = LatentGrammar.random(2, 2, 3, n_states, 3, seed)
    form = grammar.tensors()
    parsers = [open_parser(grammar), turned_parser(grammar, seed)]
    for words in SENTENCES:
        expected = [slow.prefix_probability(form, words[: k + 1]) for k in range(len(words))]
        for parser in parsers:
            found = begins(parser, words)
            assert len(found) == len(words)
            for value, (least, bound) in zip(found, expected, strict=True):
                assert bound < 1e-13
                assert value == pytest.approx(least + bound / 2, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_phrases_that_begin_with_themselves(seed: int) -> None:
    """Rules whose left part is the phrase itself, one behind the other, with a high probability."""
    rng = np.random.default_rng(seed)
    rules = np.array([(0, 0, 2), (0, 1, 2), (0, 2, 2), (1, 0, 2), (1, 2, 3), (1, 3, 0)])
    of_rules = np.array([(8, 1), (1, 7), (1, 2), (5, 8), (1, 1), (1, 1)], float)
    for phrase in range(2):
        of_rules[rules[:, 0] == phrase] /= of_rules[rules[:, 0] == phrase].sum(axis=0)
    grammar = LatentGrammar(
        np.array([[0.5, 0.2], [0.2, 0.1]]), rules, of_rules, rng.dirichlet(np.ones(2), (6, 2)),
        rng.dirichlet(np.ones(2), (6, 2)), rng.dirichlet(np.ones(3), (2, 2)).transpose(0, 2, 1),
    )  # fmt: skip
    form = grammar.tensors()
    for parser in (open_parser(grammar), turned_parser(grammar, seed)):
        for words in ([0], [1, 2], [0, 0, 1], [2, 1, 0, 1]):
            value, bound = slow.prefix_probability(form, words, 1e-10)
            assert bound <= 1e-10
            assert begins(parser, words)[-1] == pytest.approx(value + bound / 2, abs=2e-10)


def plain_parser(form: TensorGrammar) -> Parser:
    """A parser of a grammar of one state."""
    pairs = sorted(form.lexicon, key=lambda pair: (pair[1], pair[0]))
    tags, words = (np.array(part, np.int64) for part in zip(*pairs, strict=True))
    p = np.array([form.lexicon[pair][0] for pair in pairs])
    lexicon = Lexicon(tags, words, p, np.ones(len(pairs), np.int64))
    coarse = CoarseGrammar(form.rules, form.tensors[:, 0, 0, 0], lexicon, form.roots[:, 0])
    return Parser(coarse, [FineGrammar.plain(coarse)], threshold=0.0)


@pytest.mark.parametrize("p", [0.3, 0.9, 0.999])
def test_beginnings_by_hand(p: float) -> None:
    """S → S T with p, T T else: any number of words above one, each drawn alone."""
    parser = plain_parser(left_branching(p, 0.2))
    for words in ([0], [1], [0, 1, 1], [0, 0, 1, 0, 1, 1, 1]):
        alone = np.cumprod([0.2 if word == 0 else 0.8 for word in words])
        goes_on = p ** np.maximum(0, np.arange(len(words)) - 1)
        np.testing.assert_allclose(begins(parser, words), alone * goes_on, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_beginning_is_a_sentence_or_goes_on(seed: int) -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 3, seed)
    for parser in (open_parser(grammar), turned_parser(grammar, seed)):
        assert sum(begins(parser, [word])[0] for word in range(3)) == pytest.approx(1)
        for n in (1, 2, 3):
            for words in product(range(3), repeat=n):
                found = parser.items(parser.leaves(words))
                here = 0.0 if found is None else math.exp(parser.log_prob(parser.leaves(words), found))  # fmt: skip
                longer = [begins(parser, [*words, word])[-1] for word in range(3)]
                whole = begins(parser, words)
                assert whole[-1] == pytest.approx(here + sum(longer), abs=1e-10)
                assert whole[-1] >= here - 1e-12
                assert (np.diff(whole) <= 1e-12).all()


def test_several_grammars_have_the_mean() -> None:
    one = LatentGrammar.random(2, 2, 3, 2, 3, 1)
    grammars = [one, same_rules(one, 3, 3), same_rules(one, 4, 1)]
    together = parser_of_many(grammars, "rules")
    alone = [begins(open_parser(grammar), [1, 0, 2]) for grammar in grammars]
    np.testing.assert_allclose(begins(together, [1, 0, 2]), np.mean(alone, axis=0), rtol=1e-10)


def test_a_word_that_no_tag_has() -> None:
    parser = open_parser(LatentGrammar.random(2, 2, 3, 2, 3, 0))
    with np.errstate(all="raise"):
        found = prefix_log_probs(parser, parser.leaves([0, 99, 1]))
    assert math.isfinite(found[0])
    assert found[1:] == [-math.inf, -math.inf]


# Grammars that were learned -----------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_beginnings_of_sentences(method: Any) -> None:
    parser = LPCFG(3, method=method, threshold=1e-12).fit(attachment(100, 0))
    for text in ("the cat sees the dog with the hat", "the gnu knows the dog", "the cat"):
        words = text.split()
        found = parser.prefix_log_probs(words)
        assert len(found) == len(words)
        assert found == parser.prefix_log_probs(words)
        if method in ("spectral", "product"):  # no probabilities, but about as much
            assert found[0] < 0.1
        else:
            assert found[0] < 0
            assert all(b < a for a, b in pairwise(found))
            assert found[-1] >= parser.sentence_log_prob(words) - 1e-6
        for k in range(1, len(words)):
            assert parser.prefix_log_probs(words[:k]) == pytest.approx(found[:k])


def test_what_cannot_begin_a_sentence() -> None:
    parser = LPCFG(2, method="pcfg").fit(parse_trees("(S (N cats) (V sleep)) (S (N dogs) (V bark))" * 5))  # fmt: skip
    assert parser.prefix_log_probs(["cats", "sleep", "bark"])[2] == -math.inf
    assert parser.prefix_log_probs(["cats", "sleep"])[1] == pytest.approx(
        parser.sentence_log_prob(["cats", "sleep"])
    )


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="is not fitted"):
        LPCFG().prefix_log_probs(["a"])
    parser = LPCFG(method="pcfg").fit(attachment(5, 0))
    with pytest.raises(InputError, match="too long"):
        parser.prefix_log_probs(["the"] * 301)
    for words in ("the", [], ["the", ""], ["the", 3]):
        with pytest.raises(InputError):
            parser.prefix_log_probs(words)  # type: ignore[arg-type]


def test_long_beginnings() -> None:
    """The longest there are: products of many rules do not vanish."""
    parser = LPCFG(2, method="clustering").fit(attachment(30, 0))
    words = ["the", "cat", "sees", "the", "dog", *(["of", "the", "dog"] * 98), "of"]
    assert len(words) == 300
    found = parser.prefix_log_probs(words)
    assert np.isfinite(found).all()
    assert (np.diff(found) < 1e-9).all()


def test_long_beginnings_of_improbable_rules() -> None:
    """S → T_k S, of 200 tags with a word each: every rule has a probability below 0.005."""
    tags = [f"(S (T{k} w{k}) (S (T{199 - k} w{199 - k}) (E end)))" for k in range(200)] * 3
    parser = LPCFG(method="pcfg").fit(parse_trees("\n".join(tags)))
    words = [f"w{k}" for k in range(199)] + ["end"]
    found = parser.prefix_log_probs(words)
    assert np.isfinite(found).all()
