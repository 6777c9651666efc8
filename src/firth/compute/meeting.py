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

_BETTER = 1.03
"""Another number of threads is kept if it is this many times as fast."""
_TELLING = 0.01
"""Seconds from which on the speed of a run says something."""
_RUNS = 3
"""Runs of either number in a trial. They take turns, because the work may become easier or harder."""
_REST, _LONGEST_REST = 32, 128
"""Runs before another number of threads is tried; twice as many after each vain trial."""


def new_board(n_parts: int) -> npt.NDArray[np.int64]:
    """A board for so many parts; the last row tells them to stop."""
    return np.zeros((n_parts + 1, WIDTH), np.int64)


class Crew:
    """Threads that run one kernel together, as many as are fastest.

    How many that are depends on the work, on the machine and on what else it does: a thread without a
    core holds up all others. So the crew begins with all threads, tries half or twice as many from time
    to time, and keeps what is faster.

    Attributes
    ----------
    size : int
        How many threads take part in the next run.
    """

    def __init__(self, at_once: AtOnce, most: int) -> None:
        self.size, self._most = most, most
        self._at_once = at_once
        self._trial: dict[int, list[float]] = {}
        """Amount, seconds and runs of two numbers of threads, while they are compared."""
        self._up, self._rest, self._next_rest = False, 0, _REST

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
            self._adapt(amount, seconds)
        return result

    def _adapt(self, amount: float, seconds: float) -> None:
        """Choose the size for the next run, after one of some amount that took some seconds."""
        if self._trial:
            done = self._trial[self.size]
            self._trial[self.size] = [done[0] + amount, done[1] + seconds, done[2] + 1]
            [self.size] = self._trial.keys() - {self.size}
            if self._trial[self.size][2] == _RUNS:
                self._decide()
            return
        self._rest -= 1
        if self._rest < 0:
            other = min(2 * self.size, self._most) if self._up else max(1, self.size // 2)
            if other == self.size:
                self._up, self._rest = not self._up, _REST
            else:
                self._trial = {self.size: [0.0, 0.0, 0], other: [0.0, 0.0, 0]}

    def _decide(self) -> None:
        """End a trial: keep the number of threads that was faster."""
        (size, before), (other, after) = self._trial.items()
        self._trial = {}
        if after[0] / after[1] > _BETTER * before[0] / before[1]:
            self.size, self._rest = other, 0  # the same step again may help more
        else:
            self.size, self._up = size, not self._up
            self._rest = self._next_rest
            self._next_rest = min(2 * self._next_rest, _LONGEST_REST)


@contextmanager
def crew(engine: Engine, most: int) -> Iterator[Crew]:
    """A crew of at most so many threads, which stay alive inside a ``with`` block."""
    with engine.at_once(most) as at_once:
        yield Crew(at_once, most)
