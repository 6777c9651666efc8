"""Entities found, against seqeval and cases worked out by hand."""

from __future__ import annotations

import json
import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firth.errors import InputError
from firth.evaluate import EntityResult, EntityRow, evaluate_entities
from firth.formats import SCHEMES, convert_labels

seqeval: Any = import_module("seqeval.metrics.sequence_labeling")  # it has no types

Sentences = list[list[str]]
IOB = ["O", *(f"{p}-{t}" for p in "BI" for t in ("X", "Y", "a-b"))]
ANY = ["O", *(f"{p}-{t}" for p in "BIES" for t in ("X", "Y"))]


def both_sides(labels: list[str]) -> st.SearchStrategy[tuple[Sentences, Sentences]]:
    """Labels of the same words from two sides, valid or not, often the same."""
    label = st.sampled_from(labels)
    pair = st.one_of(label.map(lambda one: (one, one)), st.tuples(label, label))
    sentences = st.lists(st.lists(pair, max_size=8), min_size=1, max_size=5)
    return sentences.filter(any).map(
        lambda rows: ([[g for g, _ in row] for row in rows], [[f for _, f in row] for row in rows])
    )


def check_against_seqeval(gold: Sentences, found: Sentences) -> EntityResult:
    result = evaluate_entities(gold, found)
    per_type = seqeval.precision_recall_fscore_support(gold, found, average=None, zero_division=0)
    rows = [(row.precision, row.recall, row.f1, row.n_gold) for row in result.rows]
    assert rows == list(zip(*(column.tolist() for column in per_type), strict=True))
    micro = seqeval.precision_recall_fscore_support(gold, found, average="micro", zero_division=0)
    overall = result.overall
    assert (overall.precision, overall.recall, overall.f1, overall.n_gold) == micro
    assert result.accuracy == seqeval.accuracy_score(gold, found)
    return result


@given(both_sides(IOB))
@example(([["I-X", "I-Y", "B-Y", "I-X"]], [["B-X", "I-Y", "I-Y", "I-X"]]))
def test_figures_are_seqevals(sides: tuple[Sentences, Sentences]) -> None:
    check_against_seqeval(*sides)


@given(both_sides(ANY))
@example(([["E-X", "B-X", "E-X"]], [["S-X", "I-X", "E-X"]]))
def test_figures_are_seqevals_with_ends_too(sides: tuple[Sentences, Sentences]) -> None:
    result = check_against_seqeval(*sides)
    # seqeval knows L- and U- in its strict mode only
    as_bilou = [
        [[label.replace("E-", "L-").replace("S-", "U-") for label in labels] for labels in side]
        for side in sides
    ]
    assert evaluate_entities(*as_bilou).to_dict() == result.to_dict()


@given(both_sides(IOB), st.sampled_from(SCHEMES), st.sampled_from(SCHEMES))
def test_the_notation_does_not_matter(
    sides: tuple[Sentences, Sentences], one: str, other: str
) -> None:
    gold, found = sides
    expected = evaluate_entities(gold, found)
    result = evaluate_entities(
        [convert_labels(labels, None, one) for labels in gold],
        [convert_labels(labels, None, other) for labels in found],
    )
    assert (result.rows, result.overall) == (expected.rows, expected.overall)


def test_a_case_by_hand() -> None:
    gold = ["B-PER I-PER O B-LOC", "O B-ORG I-ORG I-ORG", "B-LOC B-LOC O"]
    found = ["B-PER I-PER O B-ORG", "O B-ORG I-ORG O", "B-LOC I-LOC O"]
    result = evaluate_entities([s.split() for s in gold], [s.split() for s in found])
    assert result.rows == (
        EntityRow("LOC", 3, 1, 0), EntityRow("ORG", 1, 2, 0), EntityRow("PER", 1, 1, 1),
    )  # fmt: skip
    assert result.overall == EntityRow("all", 5, 4, 1)
    assert (result.overall.precision, result.overall.recall) == (0.25, 0.2)
    assert result.overall.f1 == pytest.approx(2 / 9)
    assert result.accuracy == 8 / 11
    assert (result.n_sentences, result.n_words) == (3, 11)
    assert all(math.isnan(end) for end in result.interval)


@pytest.mark.parametrize(
    ("gold", "found", "counts"),
    [("O O", "O O", (0, 0, 0)), ("B-X O", "O O", (1, 0, 0)), ("O O", "O B-X", (0, 1, 0))],
)
def test_no_entities_on_one_side_or_both(
    gold: str, found: str, counts: tuple[int, int, int]
) -> None:
    result = evaluate_entities([gold.split()] * 12, [found.split()] * 12)
    expected = EntityRow("all", *(12 * n for n in counts))
    assert result.overall == expected
    assert (expected.precision, expected.recall, expected.f1) == (0.0, 0.0, 0.0)
    assert len(result.rows) == any(counts)
    assert result.interval == (0.0, 0.0)


def test_a_sentence_ends_an_entity() -> None:
    result = evaluate_entities([["B-X"], ["I-X"]], [["B-X"], ["O"]])
    assert result.overall == EntityRow("all", 2, 1, 1)


@pytest.mark.slow
def test_the_interval_is_that_of_a_plain_bootstrap() -> None:
    chance = np.random.default_rng(0)
    gold = [["B-X", "O", "B-Y"][: chance.integers(1, 4)] for _ in range(150)]
    found = [[g if chance.random() < 0.8 else "O" for g in labels] for labels in gold]
    result = evaluate_entities(gold, found)
    figures = []
    for _ in range(300):
        rows = chance.integers(0, 150, 150)
        sample = evaluate_entities([gold[i] for i in rows], [found[i] for i in rows])
        figures.append(sample.overall.f1)
    assert result.interval == pytest.approx(np.quantile(figures, [0.025, 0.975]), abs=0.02)
    assert result.interval[0] < result.overall.f1 < result.interval[1]
    assert evaluate_entities(gold, found) == result


@pytest.mark.parametrize("n", [1, 20])
def test_figures_go_into_json(n: int) -> None:
    result = evaluate_entities([["B-X", "O"]] * n, [["B-X", "B-Y"]] * n)
    figures = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert figures["overall"]["precision"] == 0.5
    assert [row["type"] for row in figures["types"]] == ["X", "Y"]
    assert (figures["interval"] is None) == (n == 1)


@pytest.mark.parametrize(
    ("gold", "found", "message"),
    [
        ([], [], "no words to compare"),
        ([[]], [[]], "no words to compare"),
        ([["O"]], [], "1 sentences with gold labels and 0 with found"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "Sentence 2 has 2 gold labels and 1 found"),
        ([["O"], ["O", "NNP"]], [["O"], ["O", "O"]], "Sentence 2 of the gold labels: Word 2: 'NNP' is not"),
        ([["O"]], [[None]], "Sentence 1 of the found labels: Word 1: None is not an entity label"),
        (["O"], ["O"], "labels of a sentence must be a list"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(gold: Any, found: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate_entities(gold, found)
