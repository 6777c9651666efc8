"""Threads that work ahead and hand results back in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from firth.compute import check_threads, in_order
from firth.errors import ParameterError


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads: int) -> None:
    def work(i: int) -> int:
        time.sleep(0.001 * (i % 3))
        return i * i

    assert list(in_order(work, range(50), threads)) == [i * i for i in range(50)]


def test_no_more_is_taken_ahead_than_agreed() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for i in range(1000):
            taken += 1
            yield i

    results = in_order(str, items(), threads=2)
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
        list(in_order(work, range(100), 2))
    assert threading.active_count() == before


def test_threads_are_checked() -> None:
    assert check_threads("x", None) >= 1
    assert check_threads("x", 3) == 3
    for wrong in (0, -1, True, "2"):
        with pytest.raises(
            ParameterError, match="'threads' parameter of x must be an int of at least 1"
        ):
            check_threads("x", wrong)  # type: ignore[arg-type]
