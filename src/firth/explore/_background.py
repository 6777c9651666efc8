"""Background threads that are given some time to finish when the program ends."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import TypeVar

from firth import progress

__all__ = ["end_within", "give_way", "in_background", "in_foreground", "is_leaving", "result_of"]

Answer = TypeVar("Answer")
_threads: set[threading.Thread] = set()
_leaving = threading.Event()
_PATIENCE = 5.0
"""Maximum number of seconds to wait for all threads."""
_LONGEST_PAUSE = 0.02
"""Maximum number of seconds that work in the background pauses, so that it goes on under any load."""
_foreground: set[object] = set()
_idle = threading.Event()
_idle.set()
_POLLED = 0.1
"""Seconds between two checks whether a result is still wanted."""


def in_background(work: Callable[[], None]) -> None:
    """Run a function in a daemon thread; when the program ends, it is cancelled and joined with a timeout.

    Without the join, a thread that is importing a package while Python shuts down would crash.
    """

    def run() -> None:
        try:
            with progress.while_wanted(_is_staying), suppress(progress.CancelledError):
                work()
        finally:
            _threads.discard(thread)

    thread = threading.Thread(target=run, daemon=True)
    _threads.add(thread)
    thread.start()


@contextmanager
def in_foreground() -> Iterator[None]:
    """Let work in the background give way to what is done inside a ``with`` block."""
    mine = object()
    _foreground.add(mine)
    _idle.clear()
    try:
        yield
    finally:
        _foreground.discard(mine)
        if not _foreground:
            _idle.set()


def give_way() -> None:
    """Pause while something is done in the foreground, but not for long."""
    _idle.wait(_LONGEST_PAUSE)


@atexit.register
def _wait_for_threads() -> None:
    _leaving.set()
    deadline = time.monotonic() + _PATIENCE
    for thread in list(_threads):
        thread.join(max(0.0, deadline - time.monotonic()))


def _is_staying() -> bool:
    return not is_leaving()


def is_leaving() -> bool:
    """Whether the program is about to end."""
    return _leaving.is_set()


def end_within(seconds: float, status: int) -> None:
    """End the program after some seconds, whatever its threads do, unless it has ended by then."""
    timer = threading.Timer(seconds, os._exit, [status])
    timer.daemon = True
    timer.start()


def result_of(future: Future[Answer]) -> Answer:
    """The result of a future; waiting for it can be interrupted.

    An error is raised without the traceback that it has: it may be raised many times, and would get longer
    each time.
    """
    while not future.done():
        progress.check_interrupted()
        wait([future], _POLLED)
    error = future.exception()
    if error is not None:
        raise error.with_traceback(None)
    return future.result()
