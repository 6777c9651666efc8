"""The engine: the one object that decides where work runs."""

from __future__ import annotations

import contextvars
import dataclasses
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

from firth.compute._device import CPU, Device, open_device
from firth.errors import wrong_parameter

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

    from firth.compute._cluster import Cluster

Item = TypeVar("Item")
Result = TypeVar("Result")
_MOST_THREADS = 1024
"""Each thread takes memory, and no machine of today has more use for them."""
_PATIENCE = 0.5
_AHEAD = 4
"""How many items ``Engine.ahead`` takes ahead."""
Run = Callable[..., Iterator[Any]]
"""Calls a function on every item, like the built-in ``map``; results in the order of the items."""
AtOnce = Callable[[Callable[[int], Any], int], list[Any]]
"""Calls a function with 0, 1, ... up to a number at the same time; results in this order."""


@dataclass(frozen=True)
class Engine:
    """Where work runs: threads of this process.

    Everything that runs in parallel goes through ``map`` or ``team``, or ``at_once`` if calls wait for
    each other. A subclass that overrides ``map`` and ``team`` runs the same work elsewhere; pass it as
    ``threads`` to any estimator or function. It must return results in the order of the items, and run
    at most ``threads`` calls at a time: callers allocate scratch memory for that many. Calls read and
    write arrays of the caller.

    Parameters
    ----------
    threads : int
        How many calls may run at a time.
    cluster : Cluster, optional
        Other machines, for stages that can divide their work among them.
    device : Device, optional
        A GPU, for stages that can use one.

    Examples
    --------
    >>> list(Engine(2).map(lambda x: x * x, [3, 1, 2]))
    [9, 1, 4]
    """

    threads: int
    cluster: Cluster | None = None
    device: Device | None = None
    _pool: ThreadPoolExecutor | None = field(default=None, repr=False, compare=False)
    """Threads that outlive a call of ``map``; see ``lasting``."""

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
        pool = self._pool or self._new_pool()
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) > 2 * self.threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            if pool is self._pool:
                wait([future for future in pending if not future.cancel()])
            else:
                pool.shutdown(wait=True, cancel_futures=True)

    def each(self, work: Callable[[Item], object], items: Iterable[Item]) -> None:
        """Call a function on every item, for its effects alone."""
        for _ in self.map(work, items):
            pass

    def ahead(self, items: Iterable[Item]) -> Generator[Item, None, None]:
        """The items, taken a few ahead in a thread of their own if there is more than one thread."""
        yield from items if self.threads == 1 else _ahead(items)

    @contextmanager
    def team(self) -> Iterator[Run]:
        """A function like ``map`` whose threads stay alive inside a ``with`` block.

        For many short steps with few items each. All items are taken at once.
        """
        if self.threads == 1:
            yield map
            return
        pool = self._new_pool()
        try:
            yield pool.map
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    @contextmanager
    def lasting(self) -> Iterator[Self]:
        """This engine with threads that stay alive inside a ``with`` block.

        For many calls of ``map`` that take a few milliseconds each, as long as it takes to start the
        threads. Work must not call ``map`` of this engine itself.
        """
        pool = self._new_pool()
        try:
            yield dataclasses.replace(self, _pool=pool)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _new_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads, thread_name_prefix="firth")

    @contextmanager
    def at_once(self, most: int) -> Iterator[AtOnce]:
        """A function that calls another one with 0, 1, ..., up to ``most`` calls at the same time.

        The calls may wait for each other: each has a thread of its own, the first one that of the
        caller. The threads stay alive inside a ``with`` block.
        """
        if most == 1:
            yield lambda work, _: [work(0)]
            return
        pool = ThreadPoolExecutor(most - 1, thread_name_prefix="firth")

        def at_once(work: Callable[[int], Any], size: int) -> list[Any]:
            others = [pool.submit(work, number) for number in range(1, size)]
            first = work(0)
            return [first, *(other.result() for other in others)]

        try:
            yield at_once
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def at_most(self, threads: int) -> Self:
        """This engine with at most ``threads`` threads."""
        return dataclasses.replace(self, threads=min(self.threads, threads), _pool=None)

    @property
    def facts(self) -> dict[str, str]:
        """What the facts about a result say about where it was made: the GPU, if it was one."""
        return {"device": self.device.title} if self.device else {}


def _ahead(items: Iterable[Item]) -> Generator[Item, None, None]:
    """Take items in another thread, a few ahead of the consumer.

    When the consumer stops early, the thread ends with the item that it is waiting for.
    """
    taken: queue.Queue[Any] = queue.Queue(_AHEAD)
    stopped, end = threading.Event(), object()
    context = contextvars.copy_context()

    def take() -> None:
        last: Any = end
        try:
            for item in items:
                taken.put(item)
                if stopped.is_set():
                    break
            if isinstance(items, Generator):
                items.close()  # here, since only this thread uses it
        except BaseException as error:  # noqa: BLE001  raised where the items are used
            last = _Failed(error)
        taken.put(last)

    thread = threading.Thread(target=context.run, args=(take,), name="firth", daemon=True)
    thread.start()
    try:
        while True:
            try:
                item = taken.get(timeout=_PATIENCE)  # Windows interrupts only waits that end
            except queue.Empty:
                continue
            if item is end:
                break
            if isinstance(item, _Failed):
                raise item.error
            yield item
    finally:
        stopped.set()
        with suppress(queue.Empty):
            while True:  # the thread may be waiting for room
                taken.get_nowait()


@dataclass(frozen=True)
class _Failed:
    error: BaseException


ONE_THREAD = Engine(1)
"""Runs everything in the caller."""


def engine_for(owner: str, threads: int | Engine | None, device: str = CPU) -> Engine:
    """The engine for the parameters ``threads`` and ``device``.

    An engine is returned as it is, unless a device is named. None stands for every core this process
    may use.
    """
    engine, opened = _engine_of(owner, threads), open_device(owner, device)
    return dataclasses.replace(engine, device=opened) if opened else engine


def _engine_of(owner: str, threads: int | Engine | None) -> Engine:
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
    with _blas().limit(limits=threads):
        yield


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries; finding them takes milliseconds."""
    import scipy.linalg  # only libraries that are loaded are found
    from threadpoolctl import ThreadpoolController

    del scipy
    return ThreadpoolController()
