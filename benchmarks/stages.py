"""The stages of ``firth learn``, each as a command of its own: time, memory and disk space.

The whole process of a command is measured. Memory is anonymous memory (``RssAnon``); mapped files do not count, because
the system can drop them. Disk space is what the model folder and the temporary folder take beyond what was there, and
mapped files that have no name any more. Both are looked at a hundred times a second, or as often as the system allows;
what is there for a moment only may be missed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.common import Facts, anonymous

STAGES = ("corpus", "counts", "vectors", "classes")
_PAUSE = 0.01
"""Seconds between looks at memory and disk."""


def command(stage: str, texts: Iterable[Path], model: Path, options: Iterable[str]) -> list[str]:
    """The command line of a stage, after ``firth``."""
    read = [*map(str, texts), "-o", str(model)] if stage == "corpus" else [str(model)]
    return [stage, "learn", *read, *options]


def measured(arguments: list[str], model: Path, part: str, out: Path | None = None) -> Facts:
    """Run a command of Firth: seconds, CPU seconds, peaks of memory and disk space, size of what was made.

    What it prints is written to ``out``.
    """
    scratch = model.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    folders = (model, scratch)
    before = sum(map(on_disk, folders))
    began = time.perf_counter()
    with (out or Path(os.devnull)).open("wb") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "firth", *arguments, "--quiet"],
            env={**os.environ, "TMPDIR": str(scratch)},
            stdout=printed,
        )
    memory = disk = 0
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        memory = max(memory, anonymous(process.pid))
        now = sum(map(on_disk, folders)) + _nameless(process.pid, model.parent)
        disk = max(disk, now - before)
        time.sleep(_PAUSE)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"error: firth {' '.join(arguments)} failed.")
    made = on_disk(model / part)
    return {
        "seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "memory": memory,
        "disk": max(disk, made), "made": made,
    }  # fmt: skip


def _nameless(pid: int, folder: Path) -> int:
    """The bytes of mapped files in a folder whose names were removed."""
    try:
        maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    total = 0
    for line in maps.splitlines():
        if line.endswith("(deleted)") and str(folder) in line:
            first, last = line.split(" ", 1)[0].split("-")
            total += int(last, 16) - int(first, 16)
    return total


def on_disk(folder: Path) -> int:
    """The bytes of the files in a folder."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(root, name)).st_size  # noqa: PTH116, PTH118
            except OSError:
                continue  # removed just now
    return total


class Rows:
    """What was measured, a row at a time in a file of JSON Lines, so that a long run can be continued."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.all: list[Facts] = []
        if path is not None and path.exists():
            self.all = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def find(self, **key: Any) -> list[Facts]:
        """The rows that have these values."""
        return [row for row in self.all if key.items() <= row.items()]

    def add(self, row: Facts) -> None:
        self.all.append(row)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
