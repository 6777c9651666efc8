"""Threads that wait for each other inside a kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from firth.compute import Engine
from firth.compute.kernels import kernel
from firth.compute.meeting import Crew, crew, new_board
from firth.compute.meeting_kernels import leave, left_by, meet, share


@kernel
def _step_by_step(n: int, sums: Any, board: Any, part: int) -> Any:
    """Each part has a row; every step adds to it what all parts found in the step before."""
    n_parts = len(board) - 1
    for step in range(n):
        leave(sums[part, 0] + part, step, part * step, part, board)
        if not meet(part, board):
            return step
        for other in range(n_parts):
            a, b, c = left_by(other, part, board)
            sums[part, 0] = (31 * sums[part, 0] + 7 * a + 3 * b + c) % 1_000_003
    return n


def step_by_step(n: int, n_parts: int) -> list[int]:
    """The same, one part after the other."""
    sums = [0] * n_parts
    for step in range(n):
        left = [(sums[part] + part, step, part * step) for part in range(n_parts)]
        for part in range(n_parts):
            for a, b, c in left:
                sums[part] = (31 * sums[part] + 7 * a + 3 * b + c) % 1_000_003
    return sums


@pytest.mark.parametrize("n_parts", [1, 2, 3, 5])
def test_every_part_sees_what_all_have_left(n_parts: int) -> None:
    before = threading.active_count()
    kernel: Any = _step_by_step
    with crew(Engine(n_parts), n_parts) as threads:
        for n in (0, 1, 50, 151):
            sums = np.zeros((n_parts, 16), np.int64)
            threads.size = n_parts
            assert threads.run(partial(kernel, n, sums), 1) == n
            assert sums[:, 0].tolist() == step_by_step(n, n_parts)
    assert threading.active_count() == before


def test_shares_have_everything_once() -> None:
    kernel: Any = share
    for n_parts in (1, 2, 3, 7):
        for n in (0, 1, 5, 100):
            ranges = [kernel(part, n, new_board(n_parts)) for part in range(n_parts)]
            assert [i for begin, end in ranges for i in range(begin, end)] == list(range(n))
            sizes = [end - begin for begin, end in ranges]
            assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("wrong", [0, 2])
def test_an_error_of_one_part_ends_the_others(wrong: int) -> None:
    """As out of bounds with NUMBA_BOUNDSCHECK=1: the other parts must not wait forever."""
    kernel: Any = _step_by_step
    sums, done = np.zeros((3, 16), np.int64), {}

    def work(board: Any, part: int) -> None:
        if part == wrong:
            raise IndexError(part)
        done[part] = kernel(5, sums, board, part)

    with pytest.raises(IndexError, match=str(wrong)), crew(Engine(3), 3) as threads:
        threads.size = 3
        threads.run(work, 1)
    assert done == {part: 0 for part in range(3) if part != wrong}


def test_threads_that_cannot_start_end_the_others() -> None:
    kernel: Any = _step_by_step
    sums, started = np.zeros((3, 16), np.int64), []

    def at_once(work: Callable[[int], Any], size: int) -> list[Any]:
        assert size == 3
        started.append(threading.Thread(target=work, args=(1,)))
        started[0].start()
        raise RuntimeError("can't start new thread")

    threads = Crew(at_once, 3)
    threads.size = 3
    with pytest.raises(RuntimeError, match="new thread"):
        threads.run(partial(kernel, 5, sums), 1)
    started[0].join(60)
    assert not started[0].is_alive()


def sizes(speed: Callable[[int], float], n: int, most: int) -> list[int]:
    """The sizes of a crew whose speed depends on its size, in n runs of work that becomes harder."""
    threads, found = Crew(lambda work, _: [work(0)], most), []
    for k in range(n):
        found.append(threads.size)
        threads._adapt(1.0, 0.99**-k / speed(threads.size))
    return found


def test_a_crew_finds_its_best_size() -> None:
    assert sizes(lambda size: size, 8, 2) == [2, 2, 1, 2, 1, 2, 1, 2]
    assert sizes(lambda size: 1 / size, 15, 4) == [4, 4, 2, 4, 2, 4, 2, 2, 2, 1, 2, 1, 2, 1, 1]
    assert set(sizes(lambda size: size, 400, 1)) == {1}
    for best in (1, 2, 4, 8, 12):
        found = sizes(lambda size, best=best: -abs(size - best) + 20, 2000, 12)  # type: ignore[misc]
        near = {12: 12, 8: 6, 4: 3, 2: 3, 1: 1}[best]  # 12, 6, 3 and 1 are tried
        assert found.count(near) > 1900, "vain trials become rare"
        assert len(set(found[-800:])) > 1, "but do not end"


def test_a_crew_becomes_smaller_when_the_machine_is_busy() -> None:
    chance = Random(0)
    threads = Crew(lambda work, _: [work(0)], 8)
    for _ in range(200):
        threads._adapt(1.0, 1 / (threads.size * chance.uniform(0.98, 1.02)))
    assert threads.size == 8
    for _ in range(400):
        threads._adapt(1.0, threads.size)
    assert threads.size == 1
    for _ in range(400):
        threads._adapt(1.0, 1 / threads.size)
    assert threads.size == 8
