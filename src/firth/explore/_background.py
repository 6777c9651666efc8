"""Threads that neither keep the program from ending, nor are torn off when it ends."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable

__all__ = ["in_background", "is_leaving"]

_threads: set[threading.Thread] = set()
_leaving = threading.Event()
_PATIENCE = 5.0
"""The most seconds to wait for each thread."""


def in_background(work: Callable[[], None]) -> None:
    """Do something in a thread that is waited for, for a while, when the program ends.

    A thread that is just importing a package when Python goes down would take all of it along.
    """

    def run() -> None:
        try:
            work()
        finally:
            _threads.discard(thread)

    thread = threading.Thread(target=run, daemon=True)
    _threads.add(thread)
    thread.start()


@atexit.register
def _wait_for_threads() -> None:
    _leaving.set()
    for thread in list(_threads):
        thread.join(_PATIENCE)


def is_leaving() -> bool:
    """Whether the program is about to end."""
    return _leaving.is_set()
