"""The best trees of sentences against all trees there are; grammars that decide together; tags that are told."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from firth.errors import InputError, ParameterError
from firth.grammar import LPCFG, METHODS, LatentGrammar, Node, Parser, TensorGrammar
from firth.grammar._chart_kernels import best_lists
from firth.grammar._fine import FineGrammar
from firth.trees import Tree, parse_trees
from tests.grammar.test_grammar_counts_oracle import plain, with_one_state
from tests.grammar.test_lpcfg import attachment
from tests.grammar.test_parser import all_pairs, best_of, open_parser
from tests.oracles import grammar_counts as slow
from tests.oracles import lpcfg

pytestmark = pytest.mark.slow

Floats = npt.NDArray[np.float64]

SENTENCES = ([0, 1], [2, 0, 1], [1, 1, 0, 2], [0, 2, 2, 1, 0])
COUNTS = (1, 2, 3, 7, 20)


def grammar_of(seed: int, n_states: int = 2) -> LatentGrammar:
    """Few symbols and many rules: a sentence has many trees."""
    return LatentGrammar.random(2, 2, 3, n_states, 7, seed)


def trees_of(grammar: LatentGrammar, words: Sequence[int]) -> list[Node]:
    return [t for a in range(grammar.n_phrases) for t in lpcfg.all_trees(grammar, words, a)]


def products(forms: Sequence[TensorGrammar], words: Sequence[int]) -> Callable[[Node], float]:
    """The logarithm of the product of the posteriors of rules and tags, by all grammars."""
    known = [slow.posteriors(form, words) for form in forms]

    def value(tree: Node) -> float:
        rules, tags = slow.parts(tree)
        factors = [p.rules[r] for p in known for r in rules] + [p.tags[t] for p in known for t in tags]  # fmt: skip
        # the parser counts as 1e-12 what has a smaller share in the sentence
        return math.fsum(math.log(max(p, 1e-12)) for p in factors)

    return value


def sums(grammars: Sequence[LatentGrammar], words: Sequence[int]) -> Callable[[Node], float]:
    """The sum of the posteriors of all phrases, by all grammars.

    They are from charts; other tests compare these with all trees.
    """
    charts = [grammar.tensors().chart(words) for grammar in grammars]
    shares = np.sum([chart.marginals / chart.probability for chart in charts], axis=0)

    def value(tree: Node) -> float:
        return math.fsum(float(shares[a, i, j]) for a, i, j in lpcfg.spans_of(tree)[0])

    return value


def check_list(found: list[Node], trees: list[Node], value: Callable[[Node], float], k: int) -> None:  # fmt: skip
    """The list has the k best values in order; trees of equal value may change places."""
    assert len(found) == min(k, len(trees))
    assert len(set(found)) == len(found), "no tree twice"
    assert set(found) <= set(trees)
    expected = sorted(map(value, trees), reverse=True)[:k]
    np.testing.assert_allclose([value(tree) for tree in found], expected, rtol=1e-9, atol=1e-9)


# Lists --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_states", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_best_products_of_rules(seed: int, n_states: int) -> None:
    grammar = grammar_of(seed, n_states)
    parser = open_parser(grammar, decode="rules")
    for words in SENTENCES:
        trees = trees_of(grammar, words)
        if not trees:
            assert not best_of(parser, words)
            continue
        value = products([grammar.tensors()], words)
        [best] = best_of(parser, words)
        score, _ = slow.max_rule_product(grammar.tensors(), words)
        assert value(best) == pytest.approx(score, abs=1e-9)
        for k in COUNTS:
            check_list(best_of(parser, words, k), trees, value, k)


@pytest.mark.parametrize("seed", range(5))
def test_best_sums_of_phrases(seed: int) -> None:
    grammar = grammar_of(seed)
    parser = open_parser(grammar)
    for words in SENTENCES:
        trees = trees_of(grammar, words)
        for k in COUNTS if trees else ():
            check_list(best_of(parser, words, k), trees, sums([grammar], words), k)


def test_there_are_sentences_with_many_trees() -> None:
    numbers = [len(trees_of(grammar_of(seed), SENTENCES[-1])) for seed in range(5)]
    assert sum(n > 40 for n in numbers) >= 3


@pytest.mark.parametrize("decode", ["phrases", "rules"])
def test_another_basis_gives_the_same_lists(decode: str) -> None:
    grammar = grammar_of(1)
    rng = np.random.default_rng(0)
    change = rng.normal(size=(grammar.n_symbols, 2, 2)) + 2 * np.eye(2)
    parser = open_parser(grammar, change, decode)
    for words in SENTENCES:
        trees = trees_of(grammar, words)
        value = products([grammar.tensors()], words) if decode == "rules" else sums([grammar], words)  # fmt: skip
        check_list(best_of(parser, words, 10), trees, value, 10)


@pytest.mark.parametrize("k", [1, 2, 5, 12, 20, 200])
@pytest.mark.parametrize("seed", range(4))
def test_the_most_probable_trees(seed: int, k: int) -> None:
    """With logarithms of probabilities for values, the lists are those of the most probable trees."""
    rules, p_rules, p_words, p_roots = plain(seed)
    form = with_one_state((rules, p_rules, p_words, p_roots))
    for words in ([0, 1], [1, 0, 0], [0, 1, 1, 0]):
        everything = parser_of(form)
        found = everything.items(everything.leaves(words))
        assert found is not None
        of_items = np.zeros(len(found.items))
        for number, (symbol, i, j) in enumerate(found.items.tolist()):
            if i == j:
                of_items[number] = math.log(p_words[symbol, words[i]])
        of_edges = np.log(p_rules[found.edges[:, 0]])
        best = np.empty((len(found.items), k))
        choice = np.empty((len(found.items), k, 3), np.int32)
        best_lists(found.items, found.edges, of_items, of_edges, best, choice)
        values = best[found.whole]
        logs = (values + np.log(p_roots[found.items[found.whole, 0]])[:, None])[values > -1e299]
        expected = slow.n_best(rules, p_rules, p_words, p_roots, words, k)
        np.testing.assert_allclose(
            np.exp(np.sort(logs)[::-1][:k]), [p for p, _ in expected], rtol=1e-9
        )


def parser_of(form: TensorGrammar) -> Parser:
    """A parser for a grammar whose tags are 2 and 3, with two words; nothing is given up."""
    pairs = sorted(form.lexicon, key=lambda pair: (pair[1], pair[0]))
    tags, words = (np.array(part, np.int64) for part in zip(*pairs, strict=True))
    grammar = LatentGrammar.random(1, 1, 1, 1, 0, 0)
    lexicon = type(all_pairs(grammar))(tags, words, np.full(len(tags), 0.5), np.ones(len(tags), np.int64))  # fmt: skip
    base = open_parser(grammar).coarse
    coarse = type(base)(form.rules, np.full(len(form.rules), 0.1), lexicon, form.roots[:, 0])
    fine = FineGrammar.of(form, lexicon, np.ones_like(form.roots))
    return Parser(coarse, [fine], threshold=0.0)


# Grammars that decide together --------------------------------------------------------------------


def same_rules(grammar: LatentGrammar, seed: int, n_states: int) -> LatentGrammar:
    """Another grammar with the same rules."""
    rng = np.random.default_rng(seed)
    n_rules, m = len(grammar.rules), n_states
    of_rules = rng.gamma(1.0, size=(n_rules, m))
    for phrase in range(grammar.n_phrases):
        here = grammar.rules[:, 0] == phrase
        of_rules[here] /= of_rules[here].sum(axis=0)
    return LatentGrammar(
        rng.dirichlet(np.ones(grammar.n_phrases * m)).reshape(-1, m), grammar.rules, of_rules,
        rng.dirichlet(np.ones(m), (n_rules, m)), rng.dirichlet(np.ones(m), (n_rules, m)),
        rng.dirichlet(np.ones(grammar.of_words.shape[1]), (grammar.n_tags, m)).transpose(0, 2, 1),
    )  # fmt: skip


def parser_of_many(grammars: list[LatentGrammar], decode: str) -> Parser:
    first = open_parser(grammars[0])
    lexicon = first.coarse.lexicon
    fine = [
        FineGrammar.of(grammar.tensors(), lexicon, np.ones((grammar.n_symbols, grammar.n_states)))
        for grammar in grammars
    ]
    return Parser(first.coarse, fine, threshold=0.0, decode=decode)


@pytest.mark.parametrize("decode", ["phrases", "rules"])
@pytest.mark.parametrize("seed", range(3))
def test_several_grammars_decide_together(seed: int, decode: str) -> None:
    one = grammar_of(seed)
    grammars = [one, same_rules(one, seed + 10, 3), same_rules(one, seed + 20, 1)]
    parser = parser_of_many(grammars, decode)
    differ = 0
    for words in SENTENCES:
        trees = trees_of(one, words)
        if not trees:
            continue
        forms = [grammar.tensors() for grammar in grammars]
        value = products(forms, words) if decode == "rules" else sums(grammars, words)
        for k in (1, 4, 20):
            check_list(best_of(parser, words, k), trees, value, k)
        alone = {best_of(parser_of_many([g], decode), words)[0] for g in grammars}
        differ += len(alone) > 1
        leaves = parser.leaves(words)
        computed = parser.all_shares(leaves)
        assert computed is not None
        found = computed.found
        charts = [form.chart(words) for form in forms]
        shares = np.mean([chart.marginals / chart.probability for chart in charts], axis=0)
        np.testing.assert_allclose(computed.of_phrases(), shares[tuple(found.items.T)], atol=1e-10)
        mean = np.mean([chart.probability for chart in charts])
        assert parser.log_prob(leaves, found) == pytest.approx(math.log(mean), rel=1e-9)
    assert differ, "alone they do not agree on all sentences"


# Lists of parses ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trees() -> list[Tree]:
    return attachment(150, 0)


@pytest.fixture(scope="module", params=METHODS)
def parser(request: pytest.FixtureRequest, trees: list[Tree]) -> LPCFG:
    return LPCFG(4, method=request.param, threshold=1e-12).fit(trees)


WORDS = "the cat sees the dog with the hat of the man".split()


def test_lists_of_parses(parser: LPCFG) -> None:
    found = parser.n_best(WORDS, 20)
    assert 1 < len(found) <= 20
    assert len({parse.tree for parse in found}) == len(found)
    for parse in found:
        assert parse.found
        assert parse.tree.words == WORDS
        assert parse.log_prob == pytest.approx(parser.log_prob(parse.tree), rel=1e-9)
    assert found[0].tree == parser.parse(WORDS)
    assert next(parser.parses([WORDS])) == found[0]
    assert parser.n_best(WORDS, 3) == found[:3]
    both = parser.trees_and_phrases(WORDS, 20, 0.01)
    assert both == (found, parser.marginals(WORDS, least=0.01))
    assert both[1]
    best = max(parse.log_prob for parse in found)
    assert parser.sentence_log_prob(WORDS) >= best - 1e-9, "a sentence has all its trees"


def test_a_list_of_all_parses_is_the_sentence(trees: list[Tree]) -> None:
    parser = LPCFG(3, method="clustering", threshold=1e-100).fit(trees)
    words = "the cat sees the dog".split()
    found = parser.n_best(words, 500)
    assert len(found) < 500
    total = np.logaddexp.reduce([parse.log_prob for parse in found])
    assert parser.sentence_log_prob(words) == pytest.approx(float(total), rel=1e-6)


@pytest.mark.parametrize("decode", ["phrases", "rules"])
def test_pruning_with_a_tiny_threshold_changes_nothing(trees: list[Tree], decode: Any) -> None:
    words = "the cat sees the dog".split()
    little = LPCFG(method="pcfg", threshold=1e-100, decode=decode).fit(trees).n_best(words, 500)
    none = LPCFG(method="pcfg", threshold=0.0, decode=decode).fit(trees).n_best(words, 500)
    assert none == little


def test_bad_requests(parser: LPCFG) -> None:
    bad: list[Any] = [0, -1, 1.5, True, "3", None]
    for n in bad:
        with pytest.raises(ParameterError):
            parser.n_best(WORDS, n)
        with pytest.raises(ParameterError):
            parser.trees_and_phrases(WORDS, n)
    others: list[Any] = [[], ["D"], ["D"] * 12, "DNVDNIDNIDN", [""] * 11, [None] * 11, [5] * 11]
    for tags in others:
        with pytest.raises(InputError, match="needs [0-9]+ tags"):
            parser.n_best(WORDS, 1, tags)
        with pytest.raises(InputError, match="needs [0-9]+ tags"):
            parser.parse(WORDS, tags)


def test_as_many_lists_of_tags_as_sentences(parser: LPCFG) -> None:
    tags = parser.parse(WORDS).tags
    found = list(parser.parses([WORDS, WORDS], [None, tags]))
    assert [parse.tree.words for parse in found] == [WORDS, WORDS]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_too_few_or_too_many_lists_of_tags(n: int) -> None:
    parser = LPCFG(method="pcfg").fit(attachment(5, 0))
    with pytest.raises(InputError):
        list(parser.parses([WORDS, WORDS], [None] * n))


# Tags that are told -------------------------------------------------------------------------------


SAW = """
(S (NP (D the) (N saw)) (VP (V cuts)))
(S (NP (D the) (N man)) (VP (V saw) (NP (D the) (N fish))))
(S (NP (D the) (N man)) (VP (V fish)))
(S (NP (D the) (N fish)) (VP (V cuts) (NP (D the) (N saw))))
(S (NP (D the) (J old)) (VP (V saw)))
(S (NP (D the) (J old) (N man)) (VP (V cuts)))
"""


@pytest.fixture(scope="module")
def saws() -> list[Tree]:
    return list(parse_trees(SAW)) * 10


@pytest.mark.parametrize("method", METHODS)
def test_tags_that_are_told_are_in_the_tree(saws: list[Tree], method: Any) -> None:
    parser = LPCFG(2, method=method).fit(saws)
    words = "the old man saw".split()
    [one] = parser.n_best(words, 1, ["D", "J", "N", "V"])
    assert repr(one.tree) == "(S (NP (D the) (J old) (N man)) (VP (V saw)))"
    assert one.found
    [other] = parser.n_best(words, 1, ["D", "J", "V", "N"])
    assert other.tree.tags == ["D", "J", "V", "N"]
    two = "the old saw the fish".split()
    told = parser.parse(two, ["D", "J", "V", "D", "N"])
    assert repr(told) == "(S (NP (D the) (J old)) (VP (V saw) (NP (D the) (N fish))))"


@pytest.mark.parametrize("method", METHODS)
def test_tags_decide_between_trees(method: Any) -> None:
    """Both words have both tags; which phrase begins the sentence hangs on what is told."""
    text = "(S (NP (N fish)) (VP (V saw))) (S (VP (V fish)) (NP (N saw)))"
    text += "(S (NP (N saw)) (VP (V fish))) (S (VP (V saw)) (NP (N fish)))"
    parser = LPCFG(2, method=method).fit(list(parse_trees(text)) * 5)
    for words in (["fish", "saw"], ["saw", "fish"], ["fish", "fish"]):
        for tags, phrases in ((["N", "V"], ["NP", "VP"]), (["V", "N"], ["VP", "NP"])):
            tree = parser.parse(words, tags)
            assert [label for label, *_ in tree.spans()] == ["S", *phrases]
            shares = {(x.label, x.start, x.end): x.p for x in parser.marginals(words, tags)}
            assert shares[phrases[0], 0, 1] > 0.95
            free = {(x.label, x.start, x.end): x.p for x in parser.marginals(words)}
            assert 0.3 < free[phrases[0], 0, 1] < 0.7


@pytest.mark.parametrize("method", METHODS)
def test_tags_that_are_not_known_are_not_used(saws: list[Tree], method: Any) -> None:
    parser = LPCFG(2, method=method).fit(saws)
    words = "the man saw the fish".split()
    free, told = parser.n_best(words, 1)[0], parser.n_best(words, 1, ["D", "?", "?", "D", "N"])[0]
    assert told.tree.spans() == free.tree.spans()
    assert told.tree.tags == ["D", "?", "?", "D", "N"], "they are written all the same"
    assert told.found
    some = parser.parse(words, ["?"] * 5)
    assert some.spans() == free.tree.spans()


@pytest.mark.parametrize("method", METHODS)
def test_words_that_never_had_the_tag(saws: list[Tree], method: Any) -> None:
    """``the`` was never a verb, and is one here."""
    parser = LPCFG(2, method=method).fit(saws)
    [parse] = parser.n_best("the man the".split(), 1, ["D", "N", "V"])
    assert parse.found
    assert repr(parse.tree) == "(S (NP (D the) (N man)) (VP (V the)))"
    [unseen] = parser.n_best("zig zag zog".split(), 1, ["D", "N", "V"])
    assert unseen.found
    assert repr(unseen.tree) == "(S (NP (D zig) (N zag)) (VP (V zog)))"


def test_what_a_told_tag_is_worth() -> None:
    """Tags 2 and 3 have words 0 and 1; word 9 is not in the lexicon."""
    parser = open_parser(LatentGrammar.random(2, 3, 2, 2, 3, 0))
    [free] = parser.leaves([0])
    assert free.tags.tolist() == [2, 3, 4]
    assert free.p.tolist() == [0.5, 0.5, 0.5]
    [one] = parser.leaves([0], [np.array([3])])
    assert one.tags.tolist() == [2, 3, 4]
    np.testing.assert_allclose(one.p, [0.005, 0.5, 0.005])
    np.testing.assert_allclose(one.weights, [0.01, 1.0, 0.01])
    [new] = parser.leaves([0], [np.array([1, 3])])
    assert new.tags.tolist() == [2, 3, 4, 1]
    assert new.pairs.tolist() == [*free.pairs.tolist(), -1]
    np.testing.assert_allclose(new.p, [0.005, 0.5, 0.005, 0.3 * 0.5])
    [alone] = parser.leaves([0], [np.array([1])])
    np.testing.assert_allclose(alone.p, [0.005, 0.005, 0.005, 0.5])
    [unknown] = parser.leaves([9], [np.array([4])])
    assert (unknown.tags.tolist(), unknown.p.tolist(), unknown.pairs.tolist()) == ([4], [1.0], [-1])
    [silent] = parser.leaves([0], [None])
    np.testing.assert_array_equal(silent.p, free.p)
    fine = parser.fine[0]
    seen = fine.vectors[free.pairs] * np.array([[0.01], [1.0], [0.01]])
    np.testing.assert_allclose(new.vectors(fine)[:3] * new.scale, seen)
    np.testing.assert_allclose(new.vectors(fine)[3] * new.scale, 0.15 * fine.totals[1])


def test_lists_with_told_tags(saws: list[Tree]) -> None:
    parser = LPCFG(method="pcfg", threshold=1e-12).fit(saws)
    words, tags = "the old man saw".split(), ["D", "J", "N", "V"]
    for parse in parser.n_best(words, 10, tags):
        assert parse.tree.tags == tags


@pytest.mark.parametrize("tags", [["?", "?"], ["N", "V"]])
def test_no_tree_twice_with_told_tags(tags: list[str]) -> None:
    text = "(S (N saw) (V saw)) (S (V saw) (N saw)) (S (N saw) (N saw))"
    parser = LPCFG(method="pcfg", threshold=1e-12).fit(list(parse_trees(text)) * 3)
    found = [parse.tree for parse in parser.n_best(["saw", "saw"], 5, tags)]
    assert len(set(found)) == len(found)
