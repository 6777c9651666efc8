"""Grammars from sentences: brackets of trees, a language that is found again, and what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import firth
from firth.errors import InputError, ParameterError
from firth.grammar import LPCFG
from firth.grammar._sentence_learning import bracketed, split_evenly
from firth.trees import parse_trees

TEXT = [
    "the cat sees a dog", "a dog sees the cat", "the bird sleeps", "a cat sleeps", "the dog hears the bird",
    "a bird hears a cat", "the owl sees the bird", "an owl sleeps",
]  # fmt: skip
SENTENCES = [sentence.split() for sentence in TEXT]


def learned(examples: Any = SENTENCES, **how: Any) -> LPCFG:
    settings: dict[str, Any] = {"n_phrases": 3, "n_tags": 3, "seed": 0, "rounds": 30, **how}
    return LPCFG(method="inside-outside", **settings).fit(examples)


def test_sentences_and_trees_are_sentences_with_brackets() -> None:
    [tree] = parse_trees("(S (NP (D the) (J old) (N cat)) (VP (V sees) (NP (N dogs))) (-NONE- *))")
    found = bracketed([["a", "b"], tree])
    assert found[0] == (["a", "b"], [])
    assert found[1] == ("the old cat sees dogs".split(), [(0, 2), (0, 4), (3, 4)])


def test_a_small_language_is_found_again() -> None:
    grammar = learned()
    [parse] = grammar.parses(["the cat hears a dog".split()])
    assert parse.found
    tree = parse.tree
    assert grammar.facts_["n_trees"] == 8
    known = grammar.sentence_log_prob("a dog hears the cat".split())
    assert known > grammar.sentence_log_prob("dog a the hears cat".split()) + 2
    assert sum(p for _, _, p in grammar.rules("S")) == pytest.approx(1)
    assert learned().log_prob(tree) == grammar.log_prob(tree)
    assert {states.n_states for states in grammar.states_} == {1}


def test_brackets_are_heeded_and_labels_are_not() -> None:
    shapes = {}
    for name, shape in {
        "left": "(X (X (X (Q {}) (Q {})) (Q {})) (Q {}))",
        "right": "(Y (Q {}) (Y (Q {}) (Y (Q {}) (Q {}))))",
    }.items():
        text = "".join(
            shape.format(a, b, c, d) for a in "ab" for b in "ab" for c in "ab" for d in "ab"
        )
        tree = learned(parse_trees(text), n_phrases=2, n_tags=2).parse(list("abab"))
        shapes[name] = [len(child.words) for child in tree.children]
        assert {node.label for node in tree.nodes()} <= {"S", "X1", "T0", "T1"}
    assert shapes == {"left": [3, 1], "right": [1, 3]}


def test_every_word_has_a_tree_and_a_model_keeps_the_grammar(tmp_path: Path) -> None:
    grammar = learned(held_out=0.25)
    assert grammar.facts_["held_out"]["n_trees"] == 2
    assert grammar.facts_["held_out"]["bits_per_word"] > 0
    for words in (["the", "Unheard-of", "sleeps"], ["sleeps"] * 4, ["1", "2"]):
        [parse] = grammar.parses([words])
        assert parse.found
    grammar.write(tmp_path / "m")
    again = firth.load(tmp_path / "m").grammar
    for sentence in SENTENCES:
        assert again.parse(sentence) == grammar.parse(sentence)
    assert again.summary()[1][-1] == "trained on 6 sentences"
    assert again.method == "inside-outside"
    assert len(again.sample(3)) == 3


def test_input_that_cannot_be_learned_from() -> None:
    for wrong, said in (
        ([], "no sentences"), ([["one"]], "no sentences"), ("a text", "list of words"),
        ([["a", ""]], "none of them empty"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            learned(wrong)
    for how in ({"rounds": 0}, {"n_phrases": 0}, {"n_tags": 101}, {"decode": "x"}):
        with pytest.raises(ParameterError, match=next(iter(how))):
            learned(**how)


def test_held_out_examples_are_spread_evenly() -> None:
    assert split_evenly(list(range(10)), 0.2) == ([0, 1, 3, 4, 5, 6, 8, 9], [2, 7])
    assert split_evenly([1, 2], 0.0) == ([1, 2], [])
