"""Checkpoints: interrupted work continues from the last one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Checkpoint"]

_SECONDS_PER_CHECKPOINT = 15.0


class Checkpoint:
    """A file with the state of unfinished work; without a path, nothing is saved."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._saved = time.monotonic()

    def load(self) -> dict[str, Any]:
        """The arrays that were saved last; none if the file is missing or damaged."""
        if self._path is None or not self._path.is_file():
            return {}
        try:
            with self._path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
                return {name: saved[name] for name in saved.files}
        except Exception:  # noqa: BLE001  a damaged zip file fails in many ways
            return {}

    def save(self, **arrays: Any) -> None:
        """Replace the file atomically."""
        self._saved = time.monotonic()
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            with new.open("wb") as file:
                np.savez(file, **arrays)
            new.replace(self._path)

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed since the last save."""
        return self._path is not None and time.monotonic() - self._saved > _SECONDS_PER_CHECKPOINT
