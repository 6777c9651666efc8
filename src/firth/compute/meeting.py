"""Threads that run one kernel together; see ``meeting_kernels``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute._engine import AtOnce, Engine
from firth.compute.meeting_kernels import WIDTH

__all__ = ["Crew", "crew", "new_board"]

_BETTER = 1.05
"""Another number of threads is kept if it is this many times as fast."""
_TELLING = 0.01
"""Seconds from which on the speed of a run says something."""
_REST, _LONGEST_REST = 4, 64
"""Runs before another number of threads is tried; twice as many after each vain trial."""


def new_board(n_parts: int) -> npt.NDArray[np.int64]:
    """A board for so many parts; the last row tells them to stop."""
    return np.zeros((n_parts + 1, WIDTH), np.int64)


class Crew:
    """Threads that run one kernel together, as many as are fastest.

    How many that are depends on the work, on the machine and on what else it does: a thread without a
    core holds up all others. So the crew begins with one thread, tries twice or half as many from time
    to time, and keeps what is faster.

    Attributes
    ----------
    size : int
        How many threads take part in the next run.
    """

    def __init__(self, at_once: AtOnce, most: int) -> None:
        self.size, self._most = 1, most
        self._at_once = at_once
        self._before: tuple[int, float] | None = None
        self._up, self._rest, self._next_rest = True, 0, _REST

    def run(self, work: Callable[[Any, int], Any], amount: int) -> Any:
        """Call ``work(board, part)`` for every part at the same time; returns the result of part 0.

        ``amount`` is how much work that is, in any unit.
        """
        board = new_board(self.size)

        def run(part: int) -> Any:
            try:
                return work(board, part)
            except BaseException:
                board[-1, 0] = 1
                raise

        began = time.perf_counter()
        try:
            result = self._at_once(run, self.size)[0]
        except BaseException:  # of Ctrl-C, or of a thread that cannot start, the parts know nothing
            board[-1, 0] = 1
            raise
        seconds = time.perf_counter() - began
        if seconds > _TELLING:
            self._adapt(amount / seconds)
        return result

    def _adapt(self, speed: float) -> None:
        """Choose the size for the next run, given the speed of the last one."""
        if self._before:
            (size, speed_before), self._before = self._before, None
            if speed > _BETTER * speed_before:
                self._rest = 0 if self._up else _REST
            else:
                self.size, self._up = size, not self._up
                self._rest = self._next_rest
                self._next_rest = min(2 * self._next_rest, _LONGEST_REST)
                return
        self._rest -= 1
        if self._rest < 0:
            other = min(2 * self.size, self._most) if self._up else max(1, self.size // 2)
            if other == self.size:
                self._up = not self._up
            else:
                self._before, self.size = (self.size, speed), other


@contextmanager
def crew(engine: Engine, most: int) -> Iterator[Crew]:
    """A crew of at most so many threads, which stay alive inside a ``with`` block."""
    with engine.at_once(most) as at_once:
        yield Crew(at_once, most)
