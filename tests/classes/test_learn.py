"""Learning classes as a stage of a model: every method, and going on after an interruption."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.classes import (
    ClassesParameters,
    ExchangeRefiner,
    Hierarchy,
    Merge,
    _learn,
    _merging,
    learn_hierarchy,
    mutual_information,
)  # fmt: skip
from firth.compute import Engine
from firth.errors import ParameterError
from firth.store import Checkpoint
from tests.conftest import zipf_text

METHODS = ("brown", "spectral", "seeds")


@cache
def counts() -> firth.Counts:
    lines = zipf_text(800, n_words=250).splitlines()
    corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    return firth.count(corpus, "LR2", 5)


def assert_same(one: Hierarchy, two: Hierarchy) -> None:
    assert one.paths == two.paths
    for name in ("class_of", "tokens", "follow"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert np.array_equal(one.tree.heights, two.tree.heights)
    assert one.made == two.made


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_is_refined(method: Any) -> None:
    parameters = ClassesParameters(10, method)
    trace: list[Merge] | None = [] if method == "brown" else None
    classes, facts = learn_hierarchy(counts(), parameters, Engine(2), trace=trace)
    assert classes.n_classes == 10
    assert classes.made["method"] == method
    assert classes.made["refine"] is True
    assert classes.follow is not None
    nats = mutual_information(classes.follow, classes.tokens)
    assert facts["mutual_information"] == {"bits": nats / np.log(2), "nats": nats}
    assert facts["passes"]
    assert ("gamma" in facts) == (method == "spectral")
    assert trace is None or len(trace) == len(counts().vocabulary)
    if method != "seeds":
        plain, plain_facts = learn_hierarchy(
            counts(), ClassesParameters(10, method, refine=False), Engine(1)
        )
        assert "passes" not in plain_facts
        assert plain.made["refine"] is False
        assert plain_facts["mutual_information"]["nats"] <= nats + 1e-12
        again = ExchangeRefiner().fit(plain, counts()).hierarchy_
        assert np.array_equal(again.class_of, classes.class_of)


def test_the_number_of_classes_suits_the_vocabulary() -> None:
    classes, _ = learn_hierarchy(counts(), ClassesParameters(method="seeds"), Engine(1))
    assert classes.n_classes == round(2 * (len(counts().vocabulary) + 1) ** 0.5)


class Stopped(Checkpoint):
    """Saves whenever it can, and stops the work at a given time."""

    left = 0

    @property
    def is_due(self) -> bool:
        return True

    def save(self, blocks: Any = (), **arrays: Any) -> None:
        super().save(blocks, **arrays)
        Stopped.left -= 1
        if Stopped.left == 0:
            raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_interrupted_anywhere_it_goes_on(
    method: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = ClassesParameters(10, method)
    expected, facts = learn_hierarchy(counts(), parameters, Engine(1))
    monkeypatch.setattr(_learn, "Checkpoint", Stopped)
    monkeypatch.setattr(_merging, "_SECONDS_PER_BATCH", 0.0)
    n_stops = 0
    for steps in (1, 2, 3, 5, 8, 13, 21, 10**9):
        Stopped.left = steps
        try:
            found, same_facts = learn_hierarchy(counts(), parameters, Engine(1), tmp_path)
        except KeyboardInterrupt:
            n_stops += 1
            continue
        assert_same(found, expected)
        assert same_facts == facts
    assert n_stops >= 5


@pytest.mark.parametrize("name", ["start", "brown", "exchange", "vectors"])
def test_checkpoints_that_are_damaged_do_no_harm(name: str, tmp_path: Path) -> None:
    for method in ("brown", "spectral"):
        (tmp_path / f"{name}.state").write_bytes(b'{"sha256": "", "arrays": {}} and then nothing')
        parameters = ClassesParameters(10, method)
        found, _ = learn_hierarchy(counts(), parameters, Engine(1), tmp_path)
        assert_same(found, learn_hierarchy(counts(), parameters, Engine(1))[0])
        for file in tmp_path.iterdir():
            file.unlink()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_classes": 1}, "'n_classes' parameter of learn_classes must be an int of at least 2"),
        ({"method": "magic"}, "'method' .* one of 'brown', 'spectral', 'seeds'"),
        ({"transform": "cube"}, "'transform'"),
        ({"clustering": "cube"}, "'clustering'"),
        ({"contexts": "bag5"}, "'contexts' .* other offsets that include 1"),
        ({"contexts": "L1"}, "'contexts'"),
        ({"contexts": "up"}, "must be like R1"),
        ({"method": "seeds", "refine": False}, "Seeds are only a starting point"),
    ],
)
def test_wrong_parameters_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ClassesParameters(**options)


def test_more_classes_than_words() -> None:
    with pytest.raises(ParameterError, match=r"between 2 and \d+ \(the vocabulary\). Got 5000"):
        learn_hierarchy(counts(), ClassesParameters(5000), Engine(1))


def test_only_what_decides_the_result_is_a_parameter() -> None:
    assert ClassesParameters(kappa=5.0).parameters() == {
        "n_classes": None, "method": "brown", "refine": True,
    }  # fmt: skip
    spectral = ClassesParameters(method="spectral", contexts="lr1")
    assert spectral.parameters()["contexts"] == spectral.contexts == "LR1"
    assert spectral.counted_contexts == "LR1"
    assert ClassesParameters(contexts="LR2").counted_contexts == "R1"
