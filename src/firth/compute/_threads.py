"""Threads that work ahead and hand results back in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from firth.errors import wrong_parameter

Item = TypeVar("Item")
Result = TypeVar("Result")


def check_threads(owner: str, threads: int | None) -> int:
    """The number of threads to use: ``threads``, or every core this process may use."""
    if threads is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise wrong_parameter(owner, "threads", "an int of at least 1", threads)
    return threads


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """``map(work, items)`` on ``threads`` threads, results in the order of the items.

    At most two items per thread are taken ahead, so memory stays bounded however slow the consumer
    is. ``work`` should spend its time in kernels that release the interpreter lock. With one thread
    everything happens in the caller. When the consumer stops early, or an error or Ctrl-C arrives,
    work that has not begun is dropped.

    Examples
    --------
    >>> list(in_order(lambda x: x * x, [3, 1, 2], threads=2))
    [9, 1, 4]
    """
    if threads == 1:
        yield from map(work, items)
        return
    pending: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="firth")
    try:
        for item in items:
            pending.append(pool.submit(work, item))
            if len(pending) > 2 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def limit_blas(threads: int) -> Iterator[None]:
    """Let the linear algebra under NumPy and SciPy use so many threads inside a ``with`` block."""
    import scipy.linalg  # a limit holds only for libraries that are loaded
    from threadpoolctl import threadpool_limits

    del scipy
    with threadpool_limits(threads):
        yield
