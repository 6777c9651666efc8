"""The engine: results in the order of the items, and the same bytes from any other engine."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

import firth
from firth import corpus as corpora
from firth import counts as counting
from firth.compute import Engine, engine_for, interruptible
from firth.corpus import Reading, _blocks, find_sources
from firth.counts import CountsParameters, _count
from firth.errors import ParameterError
from tests.conftest import zipf_text


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads: int) -> None:
    def work(i: int) -> int:
        time.sleep(0.001 * (i % 3))
        return i * i

    expected = [i * i for i in range(50)]
    assert list(Engine(threads).map(work, range(50))) == expected
    with Engine(threads).team() as run:
        for _ in range(3):
            assert list(run(work, range(50))) == expected


def test_no_more_is_taken_ahead_than_agreed() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for i in range(1000):
            taken += 1
            yield i

    results = Engine(2).map(str, items())
    next(results)
    assert taken <= 6
    results.close()  # type: ignore[attr-defined]


def test_an_error_reaches_the_caller_and_ends_the_work() -> None:
    before = threading.active_count()

    def work(i: int) -> int:
        if i == 3:
            raise KeyError(i)
        return i

    with pytest.raises(KeyError):
        list(Engine(2).map(work, range(100)))
    assert threading.active_count() == before
    with pytest.raises(KeyError), Engine(2).team() as run:
        list(run(work, range(100)))
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_that_last(threads: int) -> None:
    before, seen = threading.active_count(), set()

    def work(i: int) -> int:
        seen.add(threading.get_ident())
        if i == 30:
            raise KeyError(i)
        return -i

    with Engine(threads).lasting() as engine:
        for _ in range(5):
            assert list(engine.map(work, range(20))) == [-i for i in range(20)]
        assert len(seen) <= threads, "the threads are the same in all calls"
        with pytest.raises(KeyError):
            list(engine.map(work, range(100)))
        assert next(engine.map(work, range(20))) == 0, "not all results are asked for"
        assert list(engine.map(work, range(20))) == [-i for i in range(20)]
        assert engine == Engine(threads)
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 2])
def test_items_are_taken_ahead(threads: int) -> None:
    variable: ContextVar[int] = ContextVar("variable", default=1)
    variable.set(2)
    taken, closed = list[int](), list[int]()

    def items(n: int) -> Iterator[int]:
        try:
            for i in range(n):
                taken.append(i)
                yield i * variable.get()
        finally:
            closed.append(n)
        raise KeyError(n)

    engine, found = Engine(threads), list[int]()
    with pytest.raises(KeyError, match="50"):
        found.extend(engine.ahead(items(50)))
    assert found == list(range(0, 100, 2))
    before = set(threading.enumerate())
    some: Any = engine.ahead(items(1000))
    assert [next(some) for _ in range(3)] == [0, 2, 4]
    started = set(threading.enumerate()) - before
    assert len(started) == threads - 1
    some.close()
    for thread in started:
        thread.join(60)
        assert not thread.is_alive()
    assert len(taken) < 50 + 20, "the rest is not taken"
    assert closed == [50, 1000]


def test_threads_are_checked() -> None:
    assert engine_for("x", None).threads >= 1
    assert engine_for("x", 3) == Engine(3)
    for wrong in (0, -1, True, "2"):
        with pytest.raises(
            ParameterError, match="'threads' parameter of x must be an int of at least 1"
        ):
            engine_for("x", wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"must be at most 1024\. Got 100000"):
        engine_for("x", 100_000)


@pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")
def test_work_in_a_library_can_be_interrupted() -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    go_on, started = threading.Event(), time.monotonic()
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            interruptible(lambda: go_on.wait(60))
    finally:
        signal.signal(signal.SIGALRM, before)
        go_on.set()
    assert time.monotonic() - started < 30


def test_work_in_a_library_has_a_result_an_error_and_a_context() -> None:
    variable: ContextVar[int] = ContextVar("variable", default=1)
    variable.set(2)
    assert interruptible(variable.get) == 2
    with pytest.raises(KeyError, match="mine"):
        interruptible(lambda: dict[str, int]()["mine"])
    here = threading.current_thread()
    assert interruptible(threading.current_thread) is not here
    inside = list(Engine(2).map(lambda _: interruptible(threading.current_thread), range(2)))
    assert all(thread.name.startswith("firth_") for thread in inside), "no thread for a thread"


# Another engine -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shuffled(Engine):
    """Runs items in a random order, a few at a time, and records what it was asked to do."""

    done: list[int] = field(default_factory=list)
    """The number of items of each call of ``map``."""

    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        todo, random = iter(items), Random(len(self.done))
        self.done.append(0)
        call = len(self.done) - 1
        while some := list(islice(todo, 4)):
            order = random.sample(range(len(some)), len(some))
            results = {k: work(some[k]) for k in order}
            self.done[call] += len(some)
            yield from (results[k] for k in range(len(some)))


def test_an_engine_is_used_as_it_is() -> None:
    engine = Shuffled(3)
    assert engine_for("x", engine) is engine
    fewer = engine.at_most(2)
    assert isinstance(fewer, Shuffled)
    assert fewer.threads == 2
    assert fewer.done is engine.done
    assert engine.at_most(8) == engine


def learned(path: Path, folder: Path, engine: Engine) -> dict[str, bytes]:
    """The files of a corpus and of its counts."""
    places = [folder / "corpus", folder / "counts"]
    for place in places:
        place.mkdir(parents=True)
    corpora.build(find_sources([path]), Reading(), places[0], engine)
    corpus = firth.Corpus.from_files(path, threads=engine)
    parameters = CountsParameters("LR2", min_count=1)
    counting.build_counts(corpus, parameters, places[1], "64M", engine)
    return {file.name: file.read_bytes() for place in places for file in place.iterdir()}


def test_reading_and_counting_on_another_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_blocks, "BLOCK", 1000)
    monkeypatch.setattr(_count, "_ENTRIES_AT_ONCE", 1000)
    path = tmp_path / "text.txt"
    path.write_text(zipf_text(1000))
    engine = Shuffled(2)
    expected = learned(path, tmp_path / "threads", Engine(2))
    assert learned(path, tmp_path / "shuffled", engine) == expected
    assert len(expected) > 5
    blocks, *others = engine.done
    assert blocks > 10
    assert blocks in others, "the text is read in blocks, both times"
    assert max(set(others) - {blocks}) > 4, "rows are counted in pieces"


def test_public_functions_take_an_engine(tmp_path: Path) -> None:
    path, engine = tmp_path / "text.txt", Shuffled(2)
    path.write_text(zipf_text(300))
    corpus = firth.Corpus.from_files(path, threads=engine)
    read = len(engine.done)
    assert read >= 2, "blocks are numbered, and words get their ids"
    counts = firth.count(corpus, "LR2", 1, threads=engine)
    assert len(engine.done) >= read + 3, "text is laid out, positions are sorted, rows counted"
    assert (counts.matrix != firth.count(corpus, "LR2", 1).matrix).nnz == 0
