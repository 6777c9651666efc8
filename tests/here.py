"""A cluster for tests that need no workers."""

from __future__ import annotations

import pickle
from typing import Any

from firth.compute import Device, OneWorker


class Here(OneWorker):
    """What is submitted is computed at once, as often as ``left`` says.

    Parameters
    ----------
    watch : bool
        Whether work may not change its arguments.
    """

    def __init__(
        self, left: int = 10**9, watch: bool = False, device: Device | None = None
    ) -> None:
        super().__init__(device)
        self.left, self.watch = left, watch

    def submit(self, work: Any, *args: Any, at: str | None = None) -> Any:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        before = pickle.dumps(args) if self.watch else b""
        found = super().submit(work, *args, at=at)
        if self.watch:
            assert pickle.dumps(args) == before, f"{work.__name__} changes its arguments"
        return found
