"""Models, words and classes as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import firth
from firth import describe
from firth.classes import Hierarchy
from firth.errors import InputError, WordError
from firth.pipeline import learn_corpus

TEXT = "the cat sat on the mat\nthe dog sat on the rug\na cat saw a dog\na dog saw a cat\n" * 6
CLASSES = Hierarchy.from_paths(
    ["the", "a", "cat", "dog", "sat"], ["00", "00", "010", "010", "1"], [9, 5, 4, 3, 6]
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> firth.Model:
    folder = tmp_path_factory.mktemp("describe")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    return firth.learn(folder / "text.txt", folder / "model", dim=4, classes=4, threads=1)


def test_a_class() -> None:
    facts = describe.class_facts(CLASSES, "0", 3)
    assert (facts["path"], facts["n_classes"], facts["n_words"], facts["tokens"]) == ("0", 2, 4, 21)
    assert [member["word"] for member in facts["members"]] == ["the", "a", "cat"]
    assert facts["rare"] == 0
    assert "before" not in facts, "contexts of imported classes are unknown"
    with pytest.raises(InputError, match="begins with '11'"):
        describe.class_facts(CLASSES, "11", 3)


def test_siblings_are_nodes_the_nearest_first() -> None:
    assert describe.siblings(CLASSES, "010") == ["00", "1"]
    assert describe.siblings(CLASSES, "1") == ["0"]
    assert describe.siblings(CLASSES, "") == []


def test_a_node_and_what_is_below_it() -> None:
    whole = describe.node_facts(CLASSES, "", None, 2)
    assert [row["path"] for row in whole["below"]] == ["00", "010", "1"]
    assert [row["path"] for row in describe.node_facts(CLASSES, "", 1, 2)["below"]] == ["0", "1"]
    assert describe.node_facts(CLASSES, "00", None, 2)["below"] == [], "a class"


def test_contexts_are_those_of_the_node_not_of_what_is_below(model: firth.Model) -> None:
    facts = describe.node_facts(model.classes, "", None, 5)
    assert facts["below"]
    assert all("before" not in row and "after" not in row for row in facts["below"])
    found = describe.word_class(model.classes, "cat", 5)
    assert found is not None
    assert {context["word"] for context in found["before"]} == {"the", "a"}
    assert found["siblings"]
    assert describe.word_class(model.classes, "zebra", 5) is None


def test_typical_classes_have_many_words_of_similar_frequency() -> None:
    words = [f"w{i}" for i in range(24)]
    counts = [5] * 8 + [100] + [5] * 7 + [9] * 7 + [8]
    classes = Hierarchy.from_paths(words, ["0"] * 8 + ["10"] * 8 + ["11"] * 8, counts)
    assert [row["path"] for row in describe.typical_classes(classes, 5, 2)] == ["11", "0"]
    assert len(describe.typical_classes(classes, 1, 2)) == 1


def test_words_are_assigned(model: firth.Model) -> None:
    other = firth.Corpus.of(["the cow sat on the mat", "a cow saw a horse"])
    rows = describe.assigned_words(model.classes, other)
    assert [(row["word"], row["count"]) for row in rows] == [("cow", 2), ("horse", 1)]
    assert (rows[0]["path"], rows[0]["source"]) == (model.classes.path("cat"), "contexts")
    assert [r["word"] for r in describe.assigned_words(model.classes, other, min_count=2)] == [
        "cow"
    ]
    assert len(describe.assigned_words(model.classes, other, known=True)) == other.n_types
    given = describe.assigned_words(model.classes, None, ["cat", "zebra"])
    assert [(row["source"], row["count"]) for row in given] == [("vocabulary", 18), ("unknown", 0)]
    assert describe.assigned_words(CLASSES, other, ["cow"])[0]["source"] == "unknown"


def test_a_word(model: firth.Model) -> None:
    facts = describe.word_facts(model, "cat", 3)
    assert list(facts) == [
        "word", "similar", "class", "count", "rank", "per_million", "before", "after",
    ]  # fmt: skip
    assert (facts["count"], facts["rank"]) == (18, model.corpus.vocabulary.id("cat") + 1)
    assert len(facts["similar"]) == 3
    assert {entry["word"] for entry in facts["before"]} <= {"the", "a"}
    json.dumps(facts)
    with pytest.raises(WordError):
        describe.word_facts(model, "zebra", 3)


def test_contexts_without_sides() -> None:
    counts = firth.count(firth.Corpus.of(TEXT.splitlines()), "bag2", 1)
    assert list(describe.word_contexts(counts, "cat", 3)) == ["contexts"]
    counts = firth.count(firth.Corpus.of(TEXT.splitlines()), "R1", 1)
    assert list(describe.word_contexts(counts, "cat", 3)) == ["after"]


def test_a_model(model: firth.Model, text_file: Callable[..., Path]) -> None:
    facts = describe.model_facts(model)
    assert list(facts["parts"]) == ["classes", "corpus", "counts", "grammar_vectors", "vectors"]
    assert facts["bytes"] == sum(part["bytes"] for part in facts["parts"].values())
    assert facts["parts"]["classes"]["n_classes"] == 4
    assert not any(part["stale"] for part in facts["parts"].values())
    rows = describe.summary_rows(model)
    assert [row.name for row in rows] == [
        "corpus",
        "counts",
        "vectors",
        "grammar_vectors",
        "classes",
    ]
    assert rows[4].what == "9 words in 4 classes"
    learn_corpus(model.path, text_file(TEXT * 2), replace=True)
    stale = {row.name: row for row in describe.summary_rows(firth.load(model.path))}
    assert not stale["corpus"].stale
    assert stale["classes"].stale
    assert "firth classes learn" in stale["classes"].what
