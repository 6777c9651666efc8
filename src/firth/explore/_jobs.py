"""Answers that take a while: computed in the background, one at a time, and kept for some time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from firth import progress
from firth.errors import FirthError
from firth.explore._background import give_way, in_background, is_leaving, result_of

__all__ = ["CrowdedError", "Jobs", "Pending"]

Answer = TypeVar("Answer")
_KEPT = 100
_MOST = 1_000
"""Maximum number of answers that are waited for; each waiting one takes little memory."""
_LONGEST_PAUSE = 6
_PATIENCE = 10.0
"""Work ends when nobody has asked for its answer for this many seconds."""


class CrowdedError(FirthError):
    """Too many answers are waited for."""


@dataclass(frozen=True)
class Pending:
    """An answer that is not ready. The same request, sent again, returns the answer when it is."""

    progress: float
    """The share of the work that is done, from 0 to 1."""
    ahead: int
    """Number of other answers that are computed first."""

    @property
    def seconds(self) -> int:
        """After how many seconds to ask again, at the latest; the more others wait, the later."""
        return min(1 + self.ahead // 10, _LONGEST_PAUSE)


class _Job(Generic[Answer]):
    def __init__(self, make: Callable[[], Answer]) -> None:
        self._make = make
        self.asked = time.monotonic()
        self.progress = 0.0

    def is_wanted(self) -> bool:
        return time.monotonic() - self.asked < _PATIENCE and not is_leaving()

    def _goes_on(self) -> bool:
        give_way()  # requests that are answered at once go first
        return self.is_wanted()

    def run(self) -> Future[Answer] | None:
        """The outcome, which may be an error; None if it is no longer wanted."""
        outcome: Future[Answer] = Future()
        try:
            with progress.while_wanted(self._goes_on), progress.watched(self._note):
                outcome.set_result(self._make())
        except progress.CancelledError:
            return None
        except Exception as error:  # noqa: BLE001  raised where it is asked for
            outcome.set_exception(error)
        return outcome

    def _note(self, done: float) -> None:
        self.progress = done


class Jobs(Generic[Answer]):
    """Computes answers in the background, in the order in which they were first asked for.

    An answer is computed only as long as somebody asks for it again and again. The most recent answers
    are kept.

    Parameters
    ----------
    kept : int
        Maximum number of answers to keep.
    most : int
        Maximum number of answers that are waited for.
    """

    def __init__(self, kept: int = _KEPT, most: int = _MOST) -> None:
        self._n_kept, self._most = kept, most
        self._kept: OrderedDict[Hashable, Future[Answer]] = OrderedDict()
        self._jobs: dict[Hashable, _Job[Answer]] = {}
        self._working = False
        self._lock = threading.Lock()

    def ask(self, key: Hashable, make: Callable[[], Answer]) -> Answer | Pending:
        """The answer, or how far it is; ``make`` computes it, and calls ``progress.check_interrupted``."""
        with self._lock:
            outcome = self._kept.get(key)
            if outcome is None:
                return self._pending(key, make)
            self._kept.move_to_end(key)
        return result_of(outcome)

    def _pending(self, key: Hashable, make: Callable[[], Answer]) -> Pending:
        if key not in self._jobs:
            if len(self._jobs) >= self._most:
                raise CrowdedError("Too many answers are being computed.", "Try again later.")
            self._jobs[key] = _Job(make)
            if not self._working:
                self._working = True
                in_background(self._work)
        job = self._jobs[key]
        job.asked = time.monotonic()
        return Pending(round(job.progress, 4), list(self._jobs).index(key))

    def _work(self) -> None:
        while (found := self._next()) is not None:
            key, job = found
            outcome = job.run()
            with self._lock:
                del self._jobs[key]
                if outcome is not None:
                    self._kept[key] = outcome
                    while len(self._kept) > self._n_kept:
                        self._kept.popitem(last=False)

    def _next(self) -> tuple[Hashable, _Job[Answer]] | None:
        """The first job that is still wanted; without one, the thread ends."""
        with self._lock:
            for key, job in list(self._jobs.items()):
                if job.is_wanted():
                    return key, job
                del self._jobs[key]
            self._working = False
            return None
