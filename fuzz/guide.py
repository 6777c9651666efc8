"""Runs readers with Atheris, one process after the other, beside the processes of the driver."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fuzz.guided import EXITS, FINDINGS
from fuzz.target import Finding
from fuzz.worker import Journal

_SLICE = 20.0
"""Seconds for a target, before it is the turn of the next."""


class Guided(NamedTuple):
    """What was done in a process."""

    target: str
    cases: int
    seconds: float
    findings: list[Finding]


@dataclass
class _Running:
    target: str
    process: subprocess.Popen[bytes]
    work: Path
    started: float


class Guide:
    """Keeps some processes busy with targets in turn."""

    def __init__(
        self, targets: list[str], jobs: int, hang: float, work: Path, kept: Path, environment: Mapping[str, str]
    ) -> None:  # fmt: skip
        self._targets, self._jobs, self._hang = targets, jobs, hang
        self._work, self._kept, self._environment = work, kept, environment
        self._running: list[_Running] = []
        self._number = 0

    def step(self, seconds: float) -> Iterator[Guided]:
        """What ended since the last step; starts other processes if there are ``seconds`` left."""
        for one in [one for one in self._running if one.process.poll() is not None]:
            self._running.remove(one)
            yield self._result(one)
        while len(self._running) < self._jobs and seconds > 1 and self._targets:
            self._running.append(self._start(min(_SLICE, seconds)))

    @property
    def is_busy(self) -> bool:
        return bool(self._running)

    def _start(self, seconds: float) -> _Running:
        target = self._targets[self._number % len(self._targets)]
        self._number += 1
        work = self._work / f"guided-{self._number}"
        work.mkdir(parents=True)
        command = [
            sys.executable,
            "-m",
            "fuzz.guided",
            str(work),
            target,
            str(round(seconds)),
            str(round(self._hang)),
        ]
        with (work / "log").open("wb") as log:
            process = subprocess.Popen(
                [*command, str(self._kept / target)], stdout=log, stderr=log, env=self._environment
            )
        return _Running(target, process, work, time.monotonic())

    def _result(self, one: _Running) -> Guided:
        running, status = Journal(one.work / "journal").read(), one.process.returncode
        findings: list[Finding] = []
        if (one.work / FINDINGS).exists():
            lines = (one.work / FINDINGS).read_text(encoding="utf-8").splitlines()
            findings = [Finding(**json.loads(line)) for line in lines]
        if status:
            log = (one.work / "log").read_text(encoding="utf-8", errors="replace")
            if running is None:
                raise SystemExit(f"A process with Atheris could not do its work:\n{log[-3000:]}")
            where = next(
                (
                    line.strip()
                    for line in log.splitlines()
                    if "/firth/" in line and "INFO" not in line
                ),
                "",
            )
            kind = EXITS.get(status, "crash")
            findings.append(
                Finding(
                    one.target, kind, f"status {status}", where.rpartition("/firth/")[2], running[1]
                )
            )
        shutil.rmtree(one.work, ignore_errors=True)
        return Guided(
            one.target, running[0] if running else 0, time.monotonic() - one.started, findings
        )

    def end(self) -> None:
        """End all processes."""
        for one in self._running:
            one.process.kill()
            one.process.wait()
