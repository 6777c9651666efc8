"""A process that runs cases: requests come in as lines of JSON, and answers go out in the same way.

Before a case is run, it is written to the journal, a small mapped file, so that it is known which case
was running if the process ends.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import logging
import mmap
import os
import resource
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fuzz import all_targets
from fuzz.target import Finding, Target, check, smallest

_HEADER = struct.Struct("<qd")
_JOURNAL_BYTES = 1 << 20
_MOST_MEMORY = 512 << 20
"""A case that takes this much memory is a finding."""
_ADDRESS_SPACE = 6 << 30
"""What a process may take beyond what it has when it starts."""


class Journal:
    """The case that is running, and since when; shared with another process."""

    def __init__(self, path: Path) -> None:
        with path.open("a+b") as file:
            file.truncate(_JOURNAL_BYTES)
            self._map = mmap.mmap(file.fileno(), _JOURNAL_BYTES)

    def write(self, number: int, case: Any) -> None:
        """Keep a case that begins to run now."""
        text = json.dumps([number, case]).encode()[: _JOURNAL_BYTES - _HEADER.size]
        self._map[_HEADER.size : _HEADER.size + len(text)] = text
        self._map[: _HEADER.size] = _HEADER.pack(len(text), time.time())

    def clear(self) -> None:
        """No case is running."""
        self._map[: _HEADER.size] = _HEADER.pack(0, 0.0)

    def seconds(self) -> float:
        """For how long a case has been running."""
        n, started = _HEADER.unpack(self._map[: _HEADER.size])
        return time.time() - started if n else 0.0

    def read(self) -> tuple[int, Any] | None:
        """The number of the case that is running, and the case."""
        n, _ = _HEADER.unpack(self._map[: _HEADER.size])
        if not n:
            return None
        number, case = json.loads(self._map[_HEADER.size : _HEADER.size + n])
        return number, case


class Worker:
    """Runs cases of all targets."""

    def __init__(self, samples: Path, work: Path, seed: int) -> None:
        self._samples, self._work, self._seed = samples, work, seed
        self._targets = {target.name: target for target in all_targets()}
        self._ready: dict[str, Target] = {}
        self.journal = Journal(work / "journal")

    def target(self, name: str) -> Target:
        """A target that is prepared."""
        if name not in self._ready:
            target = self._targets[name]
            folder = self._work / "targets" / name
            folder.mkdir(parents=True)
            target.prepare(self._samples, folder)
            for case in target.plain()[:20]:  # compiles kernels
                check(target, case)
            self._ready[name] = target
        return self._ready[name]

    def batch(self, name: str, first: int, n: int, seconds: float) -> dict[str, Any]:
        """Run some cases of a target, for some time at most."""
        target = self.target(name)
        counts = {"accepted": 0, "refused": 0}
        findings: list[Finding] = []
        started, number = time.monotonic(), first
        while number < first + n and time.monotonic() - started < seconds:
            case = target.case(self._seed, number)
            self.journal.write(number, case)
            number += 1
            before = _memory()
            outcome = check(target, case)
            if isinstance(outcome, str):
                counts[outcome] += 1
            elif outcome.signature not in {found.signature for found in findings}:
                findings.append(smallest(target, outcome))
            if (more := _memory() - before) > _MOST_MEMORY:
                findings.append(Finding(name, "memory", f"{more >> 20} MB", "", case))
        self.journal.clear()
        gc.collect()
        return {
            "target": name,
            "cases": number - first,
            **counts,
            "seconds": time.monotonic() - started,
            "findings": [vars(found) for found in findings],
        }


def _memory() -> int:
    """The largest memory that the process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + _ADDRESS_SPACE,) * 2)


def main(samples: str, work: str, seed: str) -> None:
    """Answer requests until there are no more."""
    faulthandler.enable()
    logging.disable()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # whatever prints does not disturb the answers
    folder = Path(work)
    tempfile.tempdir = str(folder)
    _limit_memory()
    worker = Worker(Path(samples), folder, int(seed))
    for line in sys.stdin:
        print(json.dumps(worker.batch(**json.loads(line))), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
