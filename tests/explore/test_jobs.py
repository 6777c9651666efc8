"""Answers that are computed in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from firth import progress
from firth.errors import InputError
from firth.explore import _background, _jobs
from firth.explore._jobs import CrowdedError, Jobs, Pending
from tests.explore.test_limits import until


class Work:
    """Work that goes on until it is let go."""

    def __init__(self) -> None:
        self.go_on, self.begun = threading.Event(), threading.Event()
        self.cancelled = False

    def __call__(self) -> str:
        self.begun.set()
        with progress.stage("work", 4) as stage:
            stage.advance(1)
            while not self.go_on.wait(0.01):
                try:
                    progress.check_interrupted()
                except progress.CancelledError:
                    self.cancelled = True
                    raise
        return "done"


def answer(jobs: Jobs[Any], key: str, make: Callable[[], Any]) -> Any:
    """The answer, when it is ready."""
    assert until(lambda: not isinstance(jobs.ask(key, make), Pending))
    return jobs.ask(key, make)


def test_an_answer_comes_when_it_is_ready() -> None:
    jobs, work = Jobs[str](), Work()
    assert jobs.ask("a", work) == Pending(0.0, 0)
    assert work.begun.wait(10)
    assert until(lambda: jobs.ask("a", work) == Pending(0.25, 0)), "the share that is done"
    assert jobs.ask("b", lambda: "b") == Pending(0.0, 1), "one at a time"
    work.go_on.set()
    assert answer(jobs, "a", work) == "done"
    assert answer(jobs, "b", lambda: "b") == "b"


def test_answers_are_kept_but_not_for_ever() -> None:
    jobs, made = Jobs[int](kept=2), []

    def make(k: int) -> int:
        made.append(k)
        return k

    for k in (1, 2, 1, 3, 1, 2):
        assert answer(jobs, str(k), lambda k=k: make(k)) == k  # type: ignore[misc]
    assert made == [1, 2, 3, 2], "2 was asked for least lately when 3 came"


def test_an_error_is_the_answer() -> None:
    jobs, tries = Jobs[str](), []

    def fail() -> str:
        tries.append(1)
        raise InputError("no contexts")

    jobs.ask("a", fail)
    for _ in range(3):
        with pytest.raises(InputError, match="no contexts"):
            answer(jobs, "a", fail)
    assert len(tries) == 1


def test_work_that_nobody_asks_for_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jobs, "_PATIENCE", 0.3)
    jobs, work, never = Jobs[str](), Work(), Work()
    jobs.ask("a", work)
    jobs.ask("b", never)
    begun = time.monotonic()
    while time.monotonic() - begun < 0.6:
        jobs.ask("a", work)
        time.sleep(0.02)
    assert not work.cancelled, "somebody asks for it"
    assert until(lambda: work.cancelled)
    assert until(lambda: not jobs._jobs)
    assert not never.begun.is_set(), "and nobody for that one"
    again = Work()
    again.go_on.set()
    assert answer(jobs, "a", again) == "done", "it is begun again when it is asked for again"


def test_not_too_many_wait() -> None:
    jobs, work = Jobs[str](most=3), Work()
    for key in "abc":
        assert isinstance(jobs.ask(key, work), Pending)
    with pytest.raises(CrowdedError, match="Too many"):
        jobs.ask("d", work)
    assert isinstance(jobs.ask("a", work), Pending)
    work.go_on.set()
    assert answer(jobs, "c", work) == "done"
    assert answer(jobs, "d", work) == "done"


def test_work_gives_way_to_requests_but_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_background, "_LONGEST_PAUSE", 0.1)

    def seconds() -> float:
        begun = time.monotonic()
        _background.give_way()
        return time.monotonic() - begun

    with _background.in_foreground(), _background.in_foreground():
        assert seconds() >= 0.09
        work = Work()
        jobs = Jobs[str]()
        jobs.ask("a", work)
        assert work.begun.wait(10), "under any load"
        work.go_on.set()
        assert answer(jobs, "a", work) == "done"
    assert seconds() < 0.09
