"""Figures of word classes together."""

from __future__ import annotations

import math

import pytest

import firth
from firth.classes import Hierarchy
from firth.corpus import Reading
from firth.evaluate import evaluate_classes, matching, perplexity

LINES = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 6


def test_classes_of_a_text() -> None:
    classes = firth.BrownClasses(3, min_count=1).fit(LINES).hierarchy_
    new = firth.Corpus.of(["a cat sat", "the dog ran"])
    tagged = [[("the", "D"), ("cat", "N")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
    facts = evaluate_classes(classes, new, tagged)
    assert (facts["n_words"], facts["n_classes"]) == (6, 3)
    assert (facts["smallest"], facts["median"], facts["largest"]) == (2, 2, 2)
    found = facts["mutual_information"]
    assert found["bits"] == pytest.approx(found["nats"] / math.log(2))
    assert facts["held_out"] == perplexity(classes, new).to_dict()
    tags = facts["tags"]
    assert (tags["n_tags"], tags["n_tokens"], tags["n_outside"]) == (3, 5, 1)
    labels = [classes.path(word) for word in ("the", "cat", "a", "dog")]
    expected = matching(["D", "N", "D", "N", "V"], [*labels, "?"]).to_dict()
    assert tags["rows"] == [{"classes": 3, **expected}]


def test_imported_classes_have_no_mutual_information() -> None:
    classes = Hierarchy.from_paths(["a", "b", "c"], ["0", "10", "11"], [3, 2, 1])
    facts = evaluate_classes(classes)
    assert facts["mutual_information"] is None
    assert facts["deepest"] == 2
    assert set(facts) & {"held_out", "tags"} == set()
    tagged = [[("A", "X"), ("b", "Y"), ("c", "Y")]]
    rows = evaluate_classes(classes, tagged=tagged, reading=Reading(lowercase=True))["tags"]["rows"]
    assert [row["classes"] for row in rows] == [2, 3], "as many classes as tags, and all"
    assert rows[0]["many_to_one"] == 1
