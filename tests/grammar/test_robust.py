"""Odd treebanks, odd sentences, long sentences: every method learns, and every sentence gets a tree."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from firth.errors import FirthError, InputError, ParameterError
from firth.grammar import LPCFG, METHODS
from firth.trees import Tree, parse_trees
from tests.grammar.test_lpcfg import attachment
from tests.trees.samples import random_tree

pytestmark = pytest.mark.slow

PROPER = ("clustering", "em", "pcfg")
"""Methods whose numbers are probabilities."""


def chain(n: int, word: str = "a") -> Tree:
    tree = Tree("N", word)
    for k in range(n):
        tree = Tree(f"X{k % 3}", [tree])
    return tree


def read(text: str, times: int = 1) -> list[Tree]:
    return list(parse_trees(text)) * times


def mixed(n: int, seed: int = 0) -> list[Tree]:
    rng = random.Random(seed)
    words = [f"w{k}" for k in range(12)]
    return [random_tree(rng, rng.choices(words, k=rng.randint(1, 8))) for _ in range(n)]


TREEBANKS: dict[str, list[Tree]] = {
    "one tree": read("(S (NP (N cats)) (VP (V sleep)))"),
    "one tree of one word": read("(N cats)"),
    "one word in a phrase": read("(S (NP (N cats)))"),
    "trees of one word": read("(N a) (N a) (V b) (X (N a)) (X (Y (V b)))"),
    "the same tree again and again": read("(S (NP (D the) (N cat)) (VP (V sleeps)))", 30),
    "chains of 50": [chain(50), chain(49, "b"), Tree("S", [chain(50), chain(50, "b")])],
    "symbols that are seen once": read(" ".join(f"(S{k} (A{k} a) (B{k} b{k}) (C{k} c))" for k in range(20))),
    "a flat tree": [Tree("S", [Tree(f"T{k % 3}", f"w{k % 5}") for k in range(40)])],
    "Arabic": read("(ج (اسم القطة) (ف (فعل تنام) (حال طويلا))) (ج (اسم الكلب) (ف (فعل يركض) (حال سريعا)))", 3),
    "Chinese": read("(句 (名 猫) (动 (动词 睡) (了 了))) (句 (名 狗) (动 (动词 跑) (了 了)))", 3),
    "Devanagari": read("(वाक्य (संज्ञा बिल्ली) (क्रिया सोती)) (वाक्य (संज्ञा कुत्ता) (क्रिया दौड़ता))", 3),
    "emoji": read("(🌳 (🐾 🐈‍⬛) (💤 😴)) (🌳 (🐾 👩‍👩‍👧) (💤 😴))", 3),
    "brackets": read("(S (NP (N cats)) (PRN (-LRB- -LRB-) (N two) (-RRB- -RRB-)) (VP (V sleep)))", 3),
    "empty outer brackets": read("( (S (NP (N cats)) (VP (V sleep)))) ((S (NP (N dogs)) (VP (V bark)))) (TOP (N no))"),
    "outer brackets with two children": read("( (A (X x)) (B (Y y))) (TOP (A (X x)) (B (Y y)))"),
    "labels that are signs": [
        Tree("@", [Tree("^x~", "a"), Tree("›", [Tree("@", "b"), Tree("%40;", "c"), Tree("~", "d")])]),
    ],
    "one name for phrases and tags": read("(A (A a) (A (A a) (A b))) (A (A b) (A a))", 2),
    "words with blanks and brackets": [Tree("S", [Tree("N", "New York"), Tree("V", "(is)"), Tree("J", "\t")])] * 4,
    "traces and functions": read(
        "(S (NP-SBJ-1 (N cats)) (VP (V sleep) (NP=2 (-NONE- *T*-1)))) (S (NP-SBJ (-NONE- *)) (VP (V go)))"
    ),
    "words that are long": [Tree("S", [Tree("N", "a" * 10_000), Tree("V", "b" * 10_000)])],
    "one word for all": read("(S (A x) (S (B x) (C x))) (S (A x) (B x)) (C x)", 3),
    "all kinds": mixed(40),
}  # fmt: skip


def plain_words(tree: Tree) -> list[str]:
    return [str(leaf.word) for leaf in tree.leaves() if leaf.label != "-NONE-"]


@pytest.mark.parametrize("name", TREEBANKS)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_every_treebank(method: Any, name: str) -> None:
    trees = TREEBANKS[name]
    parser = LPCFG(3, method=method, rounds=3 if method == "em" else None).fit(trees)
    again = LPCFG(3, method=method, rounds=3 if method == "em" else None).fit(trees)
    assert parser.facts_["n_trees"] == len(trees)
    assert parser.describe() == again.describe()
    for tree in trees[:6]:
        words = plain_words(tree)
        log = parser.log_prob(tree)
        assert math.isfinite(log)
        assert again.log_prob(tree) == log, "the same seed, the same numbers"
        found = parser.n_best(words, 4)
        assert found == again.n_best(words, 4)
        assert len({parse.tree for parse in found}) == len(found)
        for parse in found:
            assert parse.found
            assert parse.tree.words == words
            assert parse.log_prob == pytest.approx(parser.log_prob(parse.tree), rel=1e-9)
        assert math.isfinite(parser.sentence_log_prob(words))
        begins = parser.prefix_log_probs(words)
        assert np.isfinite(begins).all()
        phrases = parser.marginals(words)
        assert phrases
        assert all(0 <= x.start < x.end <= len(words) for x in phrases)
        if method in PROPER:
            assert parser.sentence_log_prob(words) <= begins[-1] + 1e-9
            assert parser.sentence_log_prob(words) >= found[0].log_prob - 1e-9
            assert all(x.p >= 0 for x in phrases)
    drawn = parser.sample(5, longest=200)
    assert drawn == again.sample(5, longest=200)
    assert all(math.isfinite(parser.log_prob(tree)) for tree in drawn)
    assert all(parser.sample(1, seed)[0].words for seed in range(2))


@pytest.mark.parametrize("method", METHODS)
def test_what_was_learned_once_comes_back(method: Any) -> None:
    for name in (
        "one tree",
        "chains of 50",
        "Arabic",
        "Chinese",
        "Devanagari",
        "emoji",
        "brackets",
    ):
        trees = TREEBANKS[name]
        parser = LPCFG(3, method=method).fit(trees)
        for tree in trees[:2]:
            if len(tree) > 1:
                assert parser.parse(tree.words) == tree


def test_words_in_brackets_are_brackets() -> None:
    parser = LPCFG(2).fit(TREEBANKS["brackets"])
    tree = parser.parse(["cats", "(", "two", ")", "sleep"])
    assert tree == TREEBANKS["brackets"][0]
    assert "-LRB- -LRB-" in tree.brackets()


@pytest.mark.parametrize(
    "tree",
    [
        Tree("", "a"),
        Tree("S", [Tree("", "a"), Tree("N", "b")]),
        Tree("S", [Tree("", [Tree("N", "a"), Tree("N", "b")]), Tree("N", "c")]),
        Tree("", [Tree("", [Tree("N", "a"), Tree("", [Tree("N", "b")])]), Tree("N", "c")]),
    ],
)
def test_labels_that_are_empty_are_refused(tree: Tree) -> None:
    with pytest.raises(InputError, match="A node has no label in the tree of 'a"):
        LPCFG(method="pcfg").fit([*attachment(3, 0), tree])
    assert LPCFG(method="pcfg").fit(attachment(3, 0)).log_prob(tree) == -math.inf


def test_outer_brackets_do_not_count() -> None:
    parser = LPCFG(2).fit(TREEBANKS["empty outer brackets"])
    assert repr(parser.parse(["dogs", "sleep"])) == "(S (NP (N dogs)) (VP (V sleep)))"
    assert parser.parse(["no"]) == Tree("N", "no")


# Words and tags that were never seen --------------------------------------------------------------

STRANGE = [
    ["xyzzy"], ["猫", "قطة", "🐈"], ["the", "", "x"][:1], ["\u0000"], ["a" * 100_000], ["the"] * 50, ["\u202e"],
    ["--", "...", "?!", "3,000", "X-1"], [" "], ["[bold]"], ["the", "the", "the", "cat", "of"],
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_every_sentence_gets_a_tree(method: Any) -> None:
    parser = LPCFG(3, method=method).fit(attachment(40, 0))
    parses = list(parser.parses(STRANGE))
    for words, parse in zip(STRANGE, parses, strict=True):
        assert parse.tree.words == words
        assert parse.found == math.isfinite(parse.log_prob)
        assert parse == parser.n_best(words, 1)[0]
        told = parser.parse(words, ["ZZ"] * len(words))
        assert (told.words, told.tags) == (words, ["ZZ"] * len(words))
        assert parser.sentence_log_prob(words) <= 0
        assert len(parser.prefix_log_probs(words)) == len(words)
        parser.marginals(words)
    assert not all(parse.found for parse in parses)


@pytest.mark.parametrize("method", METHODS)
def test_trees_that_the_grammar_does_not_have(method: Any) -> None:
    parser = LPCFG(2, method=method).fit(attachment(40, 0))
    text = "(Q (N cat)) (NP (V the) (V cat)) (S (NP (N cat) (N cat)) (QQ q)) (-NONE- *) (S (S (S (N cat))))"
    for tree in parse_trees(text):
        assert parser.log_prob(tree) == -math.inf
    assert parser.log_prob(chain(5000)) == -math.inf


# Long sentences -----------------------------------------------------------------------------------


def long_sentence(n: int) -> list[str]:
    words = "the cat sees the dog".split() + "of the dog".split() * 98 + ["of"]
    return words[:n] if n <= 300 else [*words, *["the"] * (n - 300)]


@pytest.mark.parametrize("method", METHODS)
def test_sentences_of_200_words(method: Any) -> None:
    parser = LPCFG(2, method=method).fit(attachment(30, 0))
    words = long_sentence(200)
    [parse] = parser.n_best(words, 1)
    assert parse.found
    assert parse.tree.words == words
    assert math.isfinite(parse.log_prob)


@pytest.mark.parametrize(
    ("n", "found"),
    [(299, True), (300, False), (301, False), (2000, False)],
)
def test_sentences_of_300_words_and_more(n: int, found: bool) -> None:
    """The grammar has no tree for the one of 300, which ends in a preposition."""
    parser = LPCFG(2).fit(attachment(30, 0))
    words = long_sentence(n)
    [parse] = parser.n_best(words, 1)
    assert parse.tree.words == words
    assert parse.found == found
    if not found:
        assert parse.tree.label == "S"
        assert {leaf.label for leaf in parse.tree.leaves()} <= {"D", "N", "V", "I"}
        assert parser.sentence_log_prob(words) == -math.inf
        assert parser.marginals(words) == []


def test_300_words_are_not_too_many() -> None:
    parser = LPCFG(2, method="pcfg").fit(read("(S (N a) (S (N b) (N a))) (S (N b) (N b))", 5))
    words = ["a", "b"] * 150
    [parse] = parser.n_best(words, 1)
    assert parse.found
    assert parse.tree.words == words
    assert not parser.n_best([*words, "a"], 1)[0].found


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_of_long_trees(method: Any) -> None:
    parser = LPCFG(2, method=method).fit(attachment(30, 0))
    short, tall = (parser.log_prob(with_phrases(n)) for n in (10, 100))
    assert math.isfinite(short)
    assert math.isfinite(tall)
    assert tall < short - 50
    middle = parser.log_prob(with_phrases(55))
    assert middle == pytest.approx((short + tall) / 2, rel=0.1)


def with_phrases(n: int) -> Tree:
    """A tree of 2 + 3 + 3n words: a noun with a phrase, with a phrase, and so on."""
    noun = Tree("NP", [Tree("D", "the"), Tree("N", "dog")])
    for _ in range(n):
        of = Tree("PP", [Tree("I", "of"), Tree("NP", [Tree("D", "the"), Tree("N", "man")])])
        noun = Tree("NP", [noun, of])
    subject = Tree("NP", [Tree("D", "the"), Tree("N", "cat")])
    return Tree("S", [subject, Tree("VP", [Tree("V", "sees"), noun])])


def many_tags(n: int) -> LPCFG:
    """S → B_k S, or seldom A_k S, for n words: every rule is improbable."""
    text = [f"(S (B{k} w{k}) (S (B{n - 1 - k} w{n - 1 - k}) (E end)))" for k in range(n)] * 4
    text += [f"(S (A{k} w{k}) (E end))" for k in range(n)]
    return LPCFG(method="pcfg").fit(parse_trees("\n".join(text)))


@pytest.mark.parametrize("n", [50, 200])
def test_long_sentences_of_improbable_rules(n: int) -> None:
    parser = many_tags(100)
    words = [f"w{k % 100}" for k in range(n - 1)] + ["end"]
    [parse] = parser.n_best(words, 1)
    assert parse.found
    assert math.isfinite(parse.log_prob)
    assert parse.tree.tags == [f"B{k % 100}" for k in range(n - 1)] + ["E"], "the most probable"
    assert parser.sentence_log_prob(words) >= parse.log_prob
    assert parser.marginals(words)


def test_what_has_a_tree_has_a_probability() -> None:
    """Where all trees are improbable, too much is given up: all questions must then be asked again."""
    parser = LPCFG(method="pcfg", threshold=0.9).fit(mixed(100))
    asked = [tree.words for tree in mixed(60, 1) if len(tree) > 3]
    assert len(asked) > 20
    for words in asked:
        [parse] = parser.n_best(words, 1)
        if parse.found:
            assert parser.sentence_log_prob(words) > -math.inf
            assert parser.marginals(words, least=0.0)


# Trees that are held out --------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.9, 0.99])
def test_shares_that_are_held_out(share: float) -> None:
    trees = attachment(30, 0)
    parser = LPCFG(2, method="clustering", held_out=share).fit(trees)
    n = int(30 * share)
    assert parser.facts_["n_trees"] == 30 - n
    if not n:
        assert "held_out" not in parser.facts_
        return
    told = parser.facts_["held_out"]
    assert told["n_trees"] == n
    assert 0 <= told["n_found"] <= n
    held = [trees[(2 * k + 1) * 30 // (2 * n)] for k in range(n)]
    logs = [parser.log_prob(tree) for tree in held]
    there = [k for k in range(n) if math.isfinite(logs[k])]
    assert told["n_found"] == len(there)
    words = sum(len(held[k]) for k in there)
    bits = -sum(logs[k] for k in there) / math.log(2) / words
    assert told["bits_per_word"] == pytest.approx(bits, rel=1e-6)


def test_held_out_trees_are_not_learned_from() -> None:
    trees = [*attachment(9, 0), *read("(ODD (STRANGE q) (STRANGER r))")]
    order = [trees[k] for k in (0, 1, 2, 3, 4, 9, 5, 6, 7, 8)]
    parser = LPCFG(2, held_out=0.1).fit(order)
    assert "STRANGE" not in parser.symbols_.tags
    assert parser.facts_["held_out"] == {"n_trees": 1, "n_found": 0, "bits_per_word": None}
    assert parser.facts_["n_trees"] == 9
    alone = LPCFG(2, held_out=0.9).fit(read("(S (N a) (N b))"))
    assert alone.facts_["n_trees"] == 1, "one tree at least is learned from"


def test_em_ends_when_held_out_trees_say_so() -> None:
    trees = mixed(80)
    free = LPCFG(6, method="em", rounds=30).fit(trees)
    held = LPCFG(6, method="em", rounds=30, held_out=0.25).fit(trees)
    assert free.facts_["rounds"] == 30
    assert held.facts_["rounds"] < 30
    assert held.facts_["rounds"] % 5 == 0
    assert LPCFG(2, method="clustering").fit(trees).facts_["rounds"] == 0
    assert LPCFG(2, method="clustering", rounds=2).fit(trees).facts_["rounds"] == 2
    assert LPCFG(2, method="product").fit(trees).facts_["rounds"] == 5
    assert LPCFG(2, method="product", rounds=0).fit(trees).facts_["rounds"] == 0


def test_wide_trees_that_are_held_out() -> None:
    wide = Tree("S", [Tree("N", f"w{k % 5}") for k in range(1500)])
    parser = LPCFG(method="pcfg", held_out=0.5).fit([wide] * 4)
    assert parser.facts_["held_out"]["n_found"] == 2


def test_wide_trees() -> None:
    wide = Tree("S", [Tree("N", f"w{k % 5}") for k in range(1500)])
    for method in METHODS:
        parser = LPCFG(2, method=method, rounds=2 if method == "em" else None).fit([wide] * 2)
        assert math.isfinite(parser.log_prob(wide))


# Seeds, classes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_parser(method: Any) -> None:
    trees = mixed(60)
    sentences = [tree.words for tree in mixed(15, 1)]

    def parses(seed: int) -> Any:
        parser = LPCFG(4, method=method, seed=seed, rounds=5 if method == "em" else None).fit(trees)
        return [(parse.tree, parse.log_prob) for parse in parser.parses(sentences)]

    first = parses(0)
    assert first == parses(0)
    if method in ("em", "clustering"):
        assert [log for _, log in first] != [log for _, log in parses(1)]
    else:
        assert method == "product" or first == parses(1), "nothing is left to chance"


def test_classes_help_with_words_that_are_rare() -> None:
    """Words that end alike and differ in their class."""
    rng = random.Random(0)
    nouns, verbs = [f"n{k}x" for k in range(60)], [f"v{k}x" for k in range(60)]
    text = [f"(S (N {rng.choice(nouns)}) (P (V {rng.choice(verbs)}) (O o)))" for _ in range(60)]
    text += [f"(S (V {rng.choice(verbs)}) (P (N {rng.choice(nouns)}) (O o)))" for _ in range(60)]
    classes = {**dict.fromkeys(nouns, "0"), **dict.fromkeys(verbs, "1"), "new": "1", "old": "0"}
    parser = LPCFG(2, method="pcfg").fit(parse_trees("\n".join(text)), classes)
    assert parser.parse(["new", "old", "o"]).tags == ["V", "N", "O"]
    assert parser.parse(["old", "new", "o"]).tags == ["N", "V", "O"]


# Malformed input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["the cat", "", [], [""], ["the", 5], ["the", None], [b"the"], b"the", (), [["the"]]]
)
def test_what_is_not_a_sentence(words: Any) -> None:
    parser = LPCFG(method="pcfg").fit(attachment(5, 0))
    for ask in (
        parser.parse, parser.n_best, parser.marginals, parser.sentence_log_prob, parser.prefix_log_probs,
        lambda some: list(parser.parses([some])),
    ):  # fmt: skip
        with pytest.raises(InputError) as error:
            ask(words)
        assert "sentence" in error.value.message.lower()


def test_sentences_need_not_be_lists() -> None:
    parser = LPCFG(method="pcfg").fit(attachment(20, 0))
    words = "the cat sees the dog".split()
    expected = parser.parse(words)
    assert parser.parse(tuple(words)) == expected
    assert [parse.tree for parse in parser.parses(iter([words, words]))] == [expected, expected]


def test_what_is_not_fitted_says_so() -> None:
    parser = LPCFG()
    for ask in (parser.parse, parser.n_best, parser.marginals, parser.sentence_log_prob, parser.parses):  # fmt: skip
        with pytest.raises(ParameterError, match="is not fitted"):
            ask(["a"])
    with pytest.raises(ParameterError, match="is not fitted"):
        parser.log_prob(Tree("N", "a"))
    assert repr(parser) == "LPCFG()"


@pytest.mark.parametrize("trees", [[], read("(-NONE- *)"), read("(S (NP (-NONE- *)))")])
def test_treebanks_without_a_tree(trees: list[Tree]) -> None:
    for method in METHODS:
        with pytest.raises(InputError, match="no trees"):
            LPCFG(method=method).fit(trees)


@pytest.mark.parametrize(
    "trees", ["(S (N a))", ["(S (N a))"], [["a", "b"]], [None], Tree("N", "a")]
)
def test_what_is_not_a_tree(trees: Any) -> None:
    with pytest.raises(FirthError):
        LPCFG(method="pcfg").fit(trees)


@pytest.mark.parametrize(
    "how",
    [
        {"n_states": 0}, {"n_states": 1.5}, {"n_states": True}, {"method": "EM"}, {"method": None}, {"rounds": -1},
        {"method": "em", "rounds": 0}, {"method": "spectral", "rounds": 3}, {"method": "pcfg", "rounds": 3},
        {"threshold": -0.1}, {"threshold": 1.0}, {"threshold": math.nan}, {"threshold": "0"}, {"decode": "trees"},
        {"cut": 1}, {"held_out": 1.0}, {"held_out": -1}, {"held_out": True}, {"held_out": "100%"},
        {"held_out": "half"}, {"held_out": None}, {"seed": -1}, {"seed": 0.5}, {"vertical": 0},
        {"horizontal": -1}, {"horizontal": 0.5},
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused_by_fit(how: dict[str, Any]) -> None:
    parser = LPCFG(**how)
    with pytest.raises(ParameterError) as error:
        parser.fit(attachment(5, 0))
    assert error.value.name == list(how)[-1]


def test_a_share_can_be_written_as_people_write_it() -> None:
    trees = attachment(40, 0)
    for share in ("10%", "0.1", 0.1):
        assert LPCFG(method="pcfg", held_out=share).fit(trees).facts_["n_trees"] == 36


@pytest.mark.parametrize("method", METHODS)
def test_deep_trees_are_learned_from(method: Any) -> None:
    tree = Tree("N", "a")
    for _ in range(3000):
        tree = Tree("X", [tree, Tree("N", "b")])
    rounds = 1 if method in ("em", "product") else None
    parser = LPCFG(2, method=method, rounds=rounds).fit([tree, *attachment(5, 0)])
    assert parser.facts_["n_trees"] == 6
    assert math.isfinite(parser.log_prob(tree))


def test_a_failed_fit_leaves_what_was_learned() -> None:
    parser = LPCFG(method="pcfg").fit(attachment(20, 0))
    words = "the cat sees the dog".split()
    expected = parser.parse(words)
    with pytest.raises(InputError):
        parser.fit([])
    assert parser.parse(words) == expected


def test_more_states_than_there_are_nodes() -> None:
    trees = read("(S (N a) (V b)) (S (N c) (V b))")
    for method in METHODS:
        parser = LPCFG(40, method=method, rounds=2 if method == "em" else None).fit(trees)
        assert parser.parse(["a", "b"]) == trees[0]


def test_marginals_add_up() -> None:
    """Every word has one tag, and every sentence one root."""
    parser = LPCFG(3, method="clustering", threshold=1e-9).fit(attachment(60, 0))
    words = "the cat sees the dog with the hat of the man".split()
    found = parser.marginals(words, least=0.0)
    for k in range(len(words)):
        tags = [x.p for x in found if (x.start, x.end) == (k, k + 1) and x.label in "DNVI"]
        assert sum(tags) == pytest.approx(1, abs=1e-6)
    [root] = [x for x in found if x.label == "S" and (x.start, x.end) == (0, len(words))]
    assert root.p == pytest.approx(1, abs=1e-6)
    order = [(x.start, -x.end) for x in found]
    assert all(a <= b for a, b in pairwise(order))
    few = parser.marginals(words, least=0.5)
    assert few == [x for x in found if x.p >= 0.5]
