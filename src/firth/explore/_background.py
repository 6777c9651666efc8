"""Background threads that are given some time to finish when the program ends."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable

__all__ = ["in_background", "is_leaving"]

_threads: set[threading.Thread] = set()
_leaving = threading.Event()
_PATIENCE = 5.0
"""Maximum number of seconds to wait for each thread."""


def in_background(work: Callable[[], None]) -> None:
    """Run a function in a daemon thread; when the program ends, it is joined with a timeout.

    Without the join, a thread that is importing a package while Python shuts down would crash.
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
