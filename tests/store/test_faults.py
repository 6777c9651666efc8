"""A few failures of each stage; ``make torture`` tries all of them."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from firth.errors import InputError
from firth.store import open_file
from tests.faults import OUTSIDE, STAGES, Workshop
from tests.torture import kill_processes

QUICK = (
    "corpus", "counts in runs", "brown", "names", "index", "new model", "export vectors", "plot", "temporary",
)  # fmt: skip


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with Workshop.temporary() as workshop:
        yield workshop


def some(n: int, how_many: int = 4) -> list[int]:
    """A few numbers below ``n``, spread evenly; the last one among them."""
    return sorted({(n - 1) * (k + 1) // how_many for k in range(how_many)} - {-1})


@pytest.mark.parametrize("stage", QUICK)
def test_a_failure_leaves_the_old_or_the_new(stage: str, workshop: Workshop) -> None:
    _, calls, allocations = workshop.clean(stage)
    assert calls > 3, "the stage goes through the store"
    for at in some(calls):
        workshop.fail(stage, at)
    for at in some(allocations, 2):
        workshop.fail(stage, at, memory=True)


@pytest.mark.slow
@pytest.mark.parametrize("stage", sorted(STAGES.keys() - set(QUICK)))
def test_a_failure_of_other_stages_leaves_the_old_or_the_new(
    stage: str, workshop: Workshop
) -> None:
    test_a_failure_leaves_the_old_or_the_new(stage, workshop)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_processes_are_killed_and_nothing_is_lost(workshop: Workshop) -> None:
    assert (
        kill_processes(workshop, ["learn", "corpus", "brown", "lm"], 12, random.Random(2), 60) > 3
    )


def test_a_stage_that_writes_in_place_is_found_out(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_in_place(inputs: Path, work: Path) -> None:
        try:
            with open_file(work / "vectors.vec", "wb") as file:
                file.write(b"something new")
        except OSError as error:
            raise InputError("Cannot write.") from error

    stage = "export vectors"
    assert stage in OUTSIDE
    monkeypatch.setitem(STAGES, stage, write_in_place)
    monkeypatch.delitem(workshop._clean, stage, raising=False)
    with pytest.raises(AssertionError, match="neither old nor new"):
        for at in range(workshop.clean(stage)[1]):
            workshop.fail(stage, at)
    del workshop._clean[stage]
