"""The engine: the one object that decides where work runs."""

from __future__ import annotations

import contextvars
import dataclasses
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from firth.errors import wrong_parameter

Item = TypeVar("Item")
Result = TypeVar("Result")
_MOST_THREADS = 1024
"""Each thread takes memory, and no machine of today has more use for them."""
_PATIENCE = 0.5
Run = Callable[..., Iterator[Any]]
"""Calls a function on every item, like the built-in ``map``; results in the order of the items."""


@dataclass(frozen=True)
class Engine:
    """Where work runs: threads of this process.

    Everything that runs in parallel goes through ``map`` or ``team``. A subclass that overrides them
    runs the same work elsewhere; pass it as ``threads`` to any estimator or function. It must return
    results in the order of the items, and run at most ``threads`` calls at a time: callers allocate
    scratch memory for that many. Calls read and write arrays of the caller.

    Parameters
    ----------
    threads : int
        How many calls may run at a time.

    Examples
    --------
    >>> list(Engine(2).map(lambda x: x * x, [3, 1, 2]))
    [9, 1, 4]
    """

    threads: int

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """``map(work, items)`` on all threads, results in the order of the items.

        At most two items per thread are taken ahead, so memory stays bounded however slow the
        consumer is. ``work`` should spend its time in kernels that release the interpreter lock. With
        one thread everything happens in the caller. When the consumer stops early, or an error or
        Ctrl-C arrives, work that has not begun is dropped.
        """
        if self.threads == 1:
            yield from map(work, items)
            return
        pending: deque[Future[Result]] = deque()
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="firth")
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) > 2 * self.threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    @contextmanager
    def team(self) -> Iterator[Run]:
        """A function like ``map`` whose threads stay alive inside a ``with`` block.

        For many short steps with few items each. All items are taken at once.
        """
        if self.threads == 1:
            yield map
            return
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="firth")
        try:
            yield pool.map
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def at_most(self, threads: int) -> Self:
        """This engine with at most ``threads`` threads."""
        return dataclasses.replace(self, threads=min(self.threads, threads))


ONE_THREAD = Engine(1)
"""Runs everything in the caller."""


def engine_for(owner: str, threads: int | Engine | None) -> Engine:
    """The engine for a ``threads`` parameter.

    An engine is returned as it is. None stands for every core this process may use.
    """
    if isinstance(threads, Engine):
        return threads
    if threads is None:
        cores = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
        return Engine(min(cores, _MOST_THREADS))
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise wrong_parameter(owner, "threads", "an int of at least 1", threads)
    if threads > _MOST_THREADS:
        raise wrong_parameter(owner, "threads", f"at most {_MOST_THREADS}", threads)
    return Engine(threads)


def interruptible(work: Callable[[], Result]) -> Result:
    """Call a function that may spend seconds in a library, so that Ctrl-C takes effect at once.

    Python handles signals in the main thread, and only between calls. So the main thread waits, and the
    work runs in a thread of its own. If the main thread is interrupted, the thread ends with the call
    that it is in, or with the program, and its result is dropped. Kernels of Firth need no such help:
    they are called for a bounded piece of work at a time.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: Future[Result] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001  raised where the result is asked for
            result.set_exception(error)

    threading.Thread(target=run, name="firth", daemon=True).start()
    while not wait([result], timeout=_PATIENCE).done:  # Windows interrupts only waits that end
        pass
    return result.result()


@contextmanager
def limit_blas(threads: int) -> Iterator[None]:
    """Limit the BLAS libraries of NumPy and SciPy to some threads inside a ``with`` block."""
    import scipy.linalg  # limits apply only to libraries that are loaded
    from threadpoolctl import threadpool_limits

    del scipy
    with threadpool_limits(threads):
        yield
