"""Agreement of classes with known labels, against literal loops and scikit-learn."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError
from firth.evaluate import confusion, matching
from tests.oracles import classes as oracle

PAIRS = st.lists(st.tuples(st.sampled_from("NVADP"), st.integers(-2, 3)), min_size=1, max_size=40)


@given(PAIRS)
def test_all_figures_are_those_of_literal_loops(pairs: list[tuple[str, int]]) -> None:
    gold, found = [g for g, _ in pairs], [k for _, k in pairs]
    result = matching(gold, found)
    assert result.many_to_one == oracle.many_to_one(gold, found)
    assert result.one_to_one == oracle.one_to_one(gold, found)
    expected = oracle.v_measure(gold, found)
    assert (result.homogeneity, result.completeness, result.v_measure) == pytest.approx(expected)
    assert (result.n_tokens, result.n_gold, result.n_found) == (
        len(pairs), len(set(gold)), len(set(found)),
    )  # fmt: skip
    for figure in (result.many_to_one, result.one_to_one, result.v_measure):
        assert 0 <= figure <= 1


@given(PAIRS)
def test_counts_are_those_of_literal_loops(pairs: list[tuple[str, int]]) -> None:
    gold, found = [g for g, _ in pairs], [k for _, k in pairs]
    labels, classes, counts = confusion(gold, found)
    assert (labels, classes) == (sorted(set(gold)), sorted(set(found)))
    assert counts.tolist() == [
        [oracle.together(gold, found, g, k) for k in classes] for g in labels
    ]


@given(PAIRS)
def test_names_and_kinds_of_labels_do_not_matter(pairs: list[tuple[str, int]]) -> None:
    gold, found = [g for g, _ in pairs], [k for _, k in pairs]
    expected = matching(gold, found)
    for other in (
        np.array(found),
        np.array(found, np.int8),
        np.array(found, np.float64),
        tuple(found),
    ):
        assert matching(gold, other) == expected
    renamed = matching(np.array(gold), [("class", k) for k in found]).to_dict()
    assert renamed == pytest.approx(expected.to_dict())
    mixed: list[Any] = [None if k == 0 else str(k) if k == 1 else k for k in found]
    assert matching(gold, mixed).to_dict() == pytest.approx(expected.to_dict())


def test_labels_without_an_order_stand_as_they_come() -> None:
    labels, classes, counts = confusion(["b", None, "a"], [1, 0, 1])
    assert (labels, classes) == (["b", None, "a"], [0, 1])
    assert counts.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_v_measure_is_scikit_learns() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = np.random.default_rng(0)
    gold = chance.integers(0, 12, 5000)
    found = (gold * chance.integers(1, 3, 5000)) % 30
    result = matching(gold, found)
    expected = metrics.homogeneity_completeness_v_measure(gold, found)
    assert (result.homogeneity, result.completeness, result.v_measure) == pytest.approx(expected)
    assert metrics.confusion_matrix(gold, gold).tolist() == confusion(gold, gold)[2].tolist()


@pytest.mark.parametrize(
    ("gold", "found", "expected"),
    [
        ("NNVV", "ccdd", (1.0, 1.0, 1.0, 1.0, 1.0)),
        ("NNVV", "cccc", (0.5, 0.5, 0.0, 1.0, 0.0)),
        ("NNNN", "ccdd", (1.0, 0.5, 1.0, 0.0, 0.0)),
        ("NVNV", "ccdd", (0.5, 0.5, 0.0, 0.0, 0.0)),
        ("N", "c", (1.0, 1.0, 1.0, 1.0, 1.0)),
    ],
)
def test_plain_cases(gold: str, found: str, expected: tuple[float, ...]) -> None:
    result = matching(gold, found)
    assert tuple(result.to_dict().values())[:5] == expected


def test_figures_go_into_json() -> None:
    figures = json.loads(json.dumps(matching(["N", "V"], [0, 1]).to_dict()))
    assert figures["v_measure"] == 1.0
    assert figures["n_tokens"] == 2


def test_many_tokens_are_quickly_compared() -> None:
    chance = np.random.default_rng(0)
    found = chance.integers(0, 1000, 2_000_000)
    gold = found % 17
    started = time.perf_counter()
    assert matching(gold, found).many_to_one == 1.0
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    ("gold", "found", "message"),
    [
        ([], [], "no tokens to compare"),
        (["N"], [], "1 labels and 0 classes"),
        ([["N"]], [1], "A label must be text or a number: unhashable"),
        (["N"], np.array([[1]]), "A label must be text or a number: unhashable"),
        (np.arange(12_000), np.arange(12_000), "12,000 labels and 12,000 classes are too many"),
    ],
)
def test_what_cannot_be_compared(gold: Any, found: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        matching(gold, found)
