"""Grammars: what the server says of a sentence is what the library says; bounds; models of a grammar alone."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.errors import InputError
from firth.explore import ModelWatcher, export_page, prepare
from firth.explore._parsing import _nodes, example, known_words, parsed
from firth.grammar import Grammar, Parse, Phrase
from firth.store import writing
from firth.trees import Tree
from tests.explore.models import HOSTILE, Client, serving, write_grammar
from tests.explore.test_openapi import n_asked, n_tested, run

SENTENCE = "the cat sees a dog by the river near the cow ."
SENTENCES = [SENTENCE, "a dog likes the cow .", "the blorp sees a Zebra near the cat ."]
NO_TREE = "sees sees the"


def tree_of(told: dict[str, Any]) -> Tree:
    """A tree, from the list of its nodes."""
    made: list[Any] = [[] for _ in told["nodes"]]
    for k in range(len(made) - 1, -1, -1):
        node = told["nodes"][k]
        made[k] = Tree(node["label"], node["word"] if node["word"] is not None else made[k][::-1])
        if node["parent"] >= 0:
            made[node["parent"]].append(made[k])
    return made[0]  # type: ignore[no-any-return]


def words_of(told: dict[str, Any]) -> list[str]:
    return [word["word"] for word in told["words"]]


# A sentence -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("n", [1, 3, 10])
def test_a_sentence_is_told_as_the_grammar_parses_it(
    grammar_client: Client, grammar: Grammar, sentence: str, n: int
) -> None:
    told, words = grammar_client.ask("parse", text=sentence, n=n), sentence.split()
    assert (told["text"], words_of(told), told["found"]) == (sentence, words, True)
    best = grammar.n_best(words, n)
    assert [tree["brackets"] for tree in told["trees"]] == [one.tree.brackets() for one in best]
    assert [tree_of(tree) for tree in told["trees"]] == [one.tree for one in best]
    assert [tree["log_prob"] for tree in told["trees"]] == pytest.approx([b.log_prob for b in best])
    for tree, one in zip(told["trees"], best, strict=True):
        inner = [node for node in tree["nodes"] if node["word"] is None]
        assert [(node["label"], node["start"], node["end"]) for node in inner] == one.tree.spans()
        tags = [node for node in tree["nodes"] if node["word"] is not None]
        assert [(node["start"], node["end"]) for node in tags] == [(i, i + 1) for i in range(len(words))]  # fmt: skip
    likely = grammar.marginals(words)
    assert [(one["label"], one["start"], one["end"]) for one in told["phrases"]] == [
        (one.label, one.start, one.end) for one in likely
    ]
    for one, phrase in zip(told["phrases"], likely, strict=True):
        assert 0.01 <= one["p"] <= 1
        assert one["p"] == pytest.approx(min(phrase.p, 1), abs=1e-5)


def test_words_that_were_not_seen_are_told(grammar_client: Client) -> None:
    told = grammar_client.ask("parse", text=SENTENCES[2])
    assert [word["word"] for word in told["words"] if not word["known"]] == ["blorp", "Zebra"]


def test_a_sentence_without_a_tree_is_held_together(
    grammar_client: Client, grammar: Grammar
) -> None:
    told = grammar_client.ask("parse", text=NO_TREE)
    assert (told["found"], told["phrases"]) == (False, [])
    assert [tree["log_prob"] for tree in told["trees"]] == [None]
    assert tree_of(told["trees"][0]) == grammar.parse(NO_TREE.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat sees a dog.", "the cat sees a dog ."), ("the cat\nsees\n\n a\tdog .", "the cat sees a dog ."),
        ("the cat. the dog.", "the cat . the dog ."), (" \n ", ""), ("don't", "do n't"),
    ],
)  # fmt: skip
def test_all_that_is_typed_is_one_sentence(grammar_client: Client, text: str, words: str) -> None:
    told = grammar_client.ask("parse", text=text)
    assert (told["text"], words_of(told)) == (text, words.split())
    assert bool(told["trees"]) == bool(words)


def test_what_is_asked_is_bounded(grammar_client: Client) -> None:
    told = grammar_client.ask("parse", text="the " * 60)
    assert len(told["words"]) == 60
    problem = grammar_client.problem(422, "parse", text="the " * 61)
    assert problem["error"] == "This sentence has 61 words; the maximum is 60."
    assert problem["hint"] == "Enter a shorter one."
    assert words_of(grammar_client.ask("parse", text="é" * 2_000)) == ["é" * 2_000]
    grammar_client.problem(422, "parse", text="x" * 2_001)
    for n in ("0", "11", "-1", "x", "1.5"):
        grammar_client.problem(422, "parse", text="the", n=n)


def test_several_sentences_at_once(grammar_client: Client) -> None:
    grammar_client.ask_at_once("parse", SENTENCES)


class Estimates:
    """Stands for a grammar whose estimates lie about 0 and 1."""

    def trees_and_phrases(
        self, words: list[str], n: int, least: float
    ) -> tuple[list[Parse], list[Phrase]]:
        assert least == 0.01
        tree = Tree("S", [Tree("X", word) for word in words])
        phrases = [Phrase("S", 0, 2, 1.37), Phrase("X", 0, 1, 0.25)]
        return [Parse(tree, True, -math.inf)] * n, phrases


def test_probabilities_are_within_their_bounds() -> None:
    found, trees, phrases = parsed(Estimates(), ["a", "b"], 2)  # type: ignore[arg-type]
    assert (found, [tree.log_prob for tree in trees]) == (True, [None, None])
    assert [phrase.p for phrase in phrases] == [1.0, 0.25]


def test_a_tree_may_be_deep() -> None:
    tree = Tree("N", "cat")
    for depth in range(5_000):
        tree = Tree(f"X{depth}", [tree])
    nodes = _nodes(tree)
    assert [node.parent for node in nodes] == list(range(-1, 5_000))
    assert {(node.start, node.end) for node in nodes} == {(0, 1)}


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_and_labels_are_told_as_they_are(
    hostile_grammar_address: str, word: str
) -> None:
    told = Client(hostile_grammar_address).ask("parse", text=f"{word[:1_000]} is")
    assert tree_of(told["trees"][0]).words == words_of(told)


# A sentence to begin with -----------------------------------------------------------------------------


def test_without_a_text_a_sentence_of_known_words_is_parsed(
    grammar_client: Client, grammar: Grammar
) -> None:
    told = grammar_client.ask("parse")
    assert words_of(told) == told["text"].split()
    assert 7 <= len(words_of(told)) <= 12
    assert told["found"]
    assert all(word["known"] for word in told["words"])
    assert set(words_of(told)) <= known_words(grammar)
    assert grammar_client.ask("parse", n=1)["text"] == told["text"]


def test_a_sentence_of_the_corpus_comes_first(grammar: Grammar) -> None:
    unknown = "a dog likes the cow near London .".split()
    corpus = firth.Corpus.from_sentences([unknown, SENTENCE.split(), ["the", "cow"]])
    known = known_words(grammar)
    assert example(grammar, known, corpus, lambda _: True) == SENTENCE.split()
    drawn = example(grammar, known, None, lambda _: True)
    assert example(grammar, known, corpus, lambda words: words != SENTENCE.split()) == drawn
    assert example(grammar, known, corpus, lambda _: False) == []


def test_a_grammar_without_short_sentences_has_no_example(
    grammar: Grammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: Any, **__: Any) -> Any:
        raise InputError("In 1,000 tries no sentence was drawn.")

    monkeypatch.setattr(type(grammar), "sample", none)
    assert example(grammar, known_words(grammar), None, lambda _: True) == []


# Models -------------------------------------------------------------------------------------------


def test_a_model_of_a_grammar_alone(grammar_client: Client) -> None:
    facts = grammar_client.ask("model")
    assert (facts["parts"], facts["n_words"], facts["examples"]) == (["grammar"], 0, [])
    assert grammar_client.ask("about")["parts"][0]["name"] == "grammar"
    for name, asked in (("complete", {"q": "ca"}), ("word", {"word": "cat"})):
        problem = grammar_client.problem(404, name, **asked)
        assert problem["error"]
    assert grammar_client.problem(404, "tags")["error"] == "This model has no tags."


@pytest.mark.slow
def test_a_grammar_beside_other_parts(own_model: Path) -> None:
    write_grammar(own_model)
    with serving(own_model) as address:
        client = Client(address)
        assert {"corpus", "grammar", "tags"} < set(client.ask("model")["parts"])
        assert client.ask("parse", text=SENTENCE)["found"]
        assert client.ask("word", word="cat")["count"] == 33
        told = client.ask("parse")
        assert all(word["known"] for word in told["words"])
        # a grammar that is learned anew is shown as it is now
        before = client.get("parse", text=SENTENCE)
        write_grammar(own_model, n=40, seed=5)
        after = client.get("parse", text=SENTENCE)
        assert after.headers["x-firth-model"] != before.headers["x-firth-model"]
        new = firth.load(own_model).grammar.n_best(SENTENCE.split(), 10)
        assert [t["log_prob"] for t in after.json["trees"]] == pytest.approx([b.log_prob for b in new])  # fmt: skip


def test_a_model_without_a_grammar_says_how_to_learn_one(client: Client) -> None:
    problem = client.problem(404, "parse", text="the cat")
    assert problem["error"] == "This model has no grammar."
    assert problem["hint"] == "Learn it: firth grammar learn TREES -o MODEL"


@pytest.mark.slow
def test_characters_are_parsed_as_characters(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("abc\nbab\n" * 9, "utf-8")
    firth.learn(text, tmp_path / "m", tokens="characters", dim=0, classes=0, threads=1)
    trees = [Tree("S", [Tree(c.upper(), c) for c in line]) for line in ("abc", "bab")]
    firth.LPCFG(1).fit(trees * 5).write(tmp_path / "m")
    with serving(tmp_path / "m") as address:
        told = Client(address).ask("parse", text="abc")
        assert (words_of(told), told["found"]) == (list("abc"), True)
        assert Client(address).ask("parse")["text"] in ("abc", "bab")


def test_a_grammar_that_is_damaged_is_not_waited_for(tmp_path: Path) -> None:
    model = write_grammar(tmp_path / "m", 20)
    part = firth.load(model).parts["grammar"]
    file = part.path(max(part.files))
    file.write_bytes(file.read_bytes()[::-1] + b"x")
    with pytest.raises(firth.ModelError):
        ModelWatcher(model).wait()


def test_nothing_else_is_made_for_a_grammar(tmp_path: Path) -> None:
    assert prepare(write_grammar(tmp_path / "m", 20), threads=1) == []
    with writing(tmp_path / "empty"):
        assert not ModelWatcher(tmp_path / "empty").snapshot().has_words


def test_a_grammar_alone_in_one_file(grammar_path: Path, grammar_client: Client, tmp_path: Path) -> None:  # fmt: skip
    export_page(ModelWatcher(grammar_path).snapshot(), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    packed = re.search(r'id="answers">([^<]*)<', page)
    assert packed is not None
    answers = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert answers["words"] == {"words": [], "counts": []}
    assert answers["parse"] == grammar_client.ask("parse")
    assert answers["model"]["parts"] == ["grammar"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("schemathesis") is None, reason="needs schemathesis")
def test_whatever_is_asked_of_a_grammar_is_answered_as_described(
    grammar_address: str, tmp_path: Path
) -> None:
    told = run(grammar_address, tmp_path, "--include-path", "/api/parse", "--max-examples", "60")
    assert n_tested(told) == 1
    assert n_asked(told) > 40
