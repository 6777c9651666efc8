"""Runs many cases in several processes, and keeps what they find."""

from __future__ import annotations

import json
import os
import platform
import random
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz import all_targets
from fuzz.guide import Guide
from fuzz.readers import ReaderTarget
from fuzz.target import Finding
from fuzz.worker import Journal

ROOT = Path(__file__).parent.parent
CRASHES = ROOT / "fuzz" / "crashes"
CACHE = ROOT / ".fuzz-cache"
"""Kernels that check bounds: the cache of the others must not contain them."""
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA")
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}
_CHECKED = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(CACHE)}
_BATCH_SECONDS = 2.0
_BATCH_CASES = 500
_SECONDS_BETWEEN_LINES = 10.0


@dataclass
class Plan:
    """What to run."""

    seconds: float | None = 60.0
    """For how long; None for no limit."""
    cases: int | None = None
    """How many cases of all targets together; None for no limit."""
    targets: list[str] = field(default_factory=list)
    """All if empty."""
    seed: int = 0
    jobs: int = 1
    hang: float = 60.0
    """A case that takes longer is a finding."""
    crashes: Path = CRASHES
    samples: Path | None = None
    """A sample that was made before."""
    guided: int = 0
    """Processes that run readers with Atheris, beside the others."""


@dataclass
class Tally:
    """What has been done of a target."""

    cases: int = 0
    accepted: int = 0
    refused: int = 0
    seconds: float = 0.0
    given: int = 0
    """The number of the next case."""
    guided: int = 0
    """Cases that were run with Atheris; their outcomes are not counted."""


def _environment(**more: str) -> dict[str, str]:
    """The environment of a process in which Firth and this package can be imported."""
    paths = [str(ROOT), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(paths), **more}


class _Process:
    """A process that runs cases, and the answer that it is about to give."""

    def __init__(self, samples: Path, work: Path, seed: int) -> None:
        work.mkdir(parents=True)
        self.work = work
        self.batch: dict[str, Any] | None = None
        self.journal = Journal(work / "journal")
        self._rest = b""
        with (work / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker", str(samples), str(work), str(seed)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=_environment(**_CHECKED),
            )  # fmt: skip
        self._requests: Any = self.process.stdin
        self.answers: Any = self.process.stdout

    def ask(self, batch: dict[str, Any]) -> None:
        self.batch = batch
        with suppress(BrokenPipeError):  # its end is noticed soon
            self._requests.write(json.dumps(batch).encode() + b"\n")
            self._requests.flush()

    def answer(self) -> dict[str, Any] | None:
        """What has been answered; an EOFError if the process has ended."""
        data = os.read(self.answers.fileno(), 1 << 20)
        if not data:
            raise EOFError
        self._rest += data
        if not self._rest.endswith(b"\n"):
            return None
        whole, self._rest = self._rest, b""
        found: dict[str, Any] = json.loads(whole)
        return found

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self._requests, self.answers):
            with suppress(OSError):
                pipe.close()


class Driver:
    """Gives out work, counts cases, and keeps findings."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        found = {target.name: target for target in all_targets()}
        self.skipped = {n: why for n, t in found.items() if (why := t.missing())}
        wanted = plan.targets or list(found)
        if unknown := [name for name in wanted if name not in found]:
            raise SystemExit(f"There is no target {unknown[0]!r}. Targets: {', '.join(found)}")
        self.tallies = {name: Tally() for name in wanted if name not in self.skipped}
        self.findings: dict[tuple[str, str, str, str], Finding] = {}
        readers = [name for name in self.tallies if isinstance(found[name], ReaderTarget)]
        random.Random(plan.seed).shuffle(readers)
        self._readers, self._guide = readers, Guide([], 0, 0.0, CACHE, CACHE, {})
        self.repeats = 0
        self._number = 0
        self._unprepared = list(self.tallies)
        self._again: list[dict[str, Any]] = []
        """What lost processes have not done."""
        self._started: float | None = None

    def run(self) -> dict[str, Any]:
        """Run until the time is over or all cases have been run; returns a summary."""
        memory = Path("/dev/shm")  # files in memory are quick
        folder = Path(
            tempfile.mkdtemp(prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None)
        )
        processes: list[_Process] = []
        try:
            samples = self.plan.samples or self._sample(folder / "samples")
            self._selector = selectors.DefaultSelector()
            processes += [self._start(samples, folder) for _ in range(self.plan.jobs)]
            self._guide = Guide(
                self._readers, self.plan.guided, self.plan.hang, folder, CACHE / "inputs", _environment(**_CHECKED)
            )  # fmt: skip
            self._loop(processes, samples, folder)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
        finally:
            self._guide.end()
            for process in processes:
                process.end()
            shutil.rmtree(folder, ignore_errors=True)
        return self.summary()

    def _sample(self, folder: Path) -> Path:
        """Make the sample in another process, with the kernels that everyone uses."""
        subprocess.run(
            [sys.executable, "-m", "fuzz.sample", str(folder)], check=True, env=_environment()
        )
        return folder

    def _start(self, samples: Path, folder: Path) -> _Process:
        self._number += 1
        process = _Process(samples, folder / str(self._number), self.plan.seed)
        self._selector.register(process.answers, selectors.EVENT_READ, process)
        return process

    def _loop(self, processes: list[_Process], samples: Path, folder: Path) -> None:
        told = time.monotonic()
        while True:
            for process in processes:
                if process.batch is None and (batch := self._next()):
                    process.ask(batch)
            self._guided()
            if all(process.batch is None for process in processes) and not self._guide.is_busy:
                return
            ended: dict[_Process, str] = {}
            for key, _ in self._selector.select(0.5):
                process = key.data
                try:
                    if answer := process.answer():
                        self._count(answer)
                        process.batch = None
                except EOFError:
                    ended[process] = "crash"
            for process in processes:
                if process.batch and process.journal.seconds() > self.plan.hang:
                    ended.setdefault(process, "hang")
            for process, kind in ended.items():
                self._selector.unregister(process.answers)
                self._lost(process, kind)
                processes[processes.index(process)] = self._start(samples, folder)
            if time.monotonic() - told > _SECONDS_BETWEEN_LINES:
                told = time.monotonic()
                self._tell()

    def _guided(self) -> None:
        """Keep the processes with Atheris going, once all kernels are compiled."""
        left = 0.0
        if self._started is not None and self.plan.seconds is not None:
            left = self.plan.seconds - (time.monotonic() - self._started)
        for done in self._guide.step(left):
            self.tallies[done.target].guided += done.cases
            for found in done.findings:
                self._keep(found)

    def _next(self) -> dict[str, Any] | None:
        """The next cases: of the target that has had the least time, or the fewest cases."""
        plan = self.plan
        if self._unprepared:  # each target once, which compiles its kernels; then the clock starts
            return {"name": self._unprepared.pop(), "first": 0, "n": 0, "seconds": 0.0}
        if self._started is None:
            self._started = time.monotonic()
        if plan.seconds is not None and time.monotonic() - self._started > plan.seconds:
            return None
        if self._again:
            return self._again.pop()
        n = _BATCH_CASES
        if plan.cases is None:
            name = min(
                self.tallies,
                key=lambda name: (self.tallies[name].seconds, self.tallies[name].given),
            )
            self.tallies[name].seconds += 1e-3  # so that it is not given to all at once
        else:
            name = min(self.tallies, key=lambda name: self.tallies[name].given)
            each = -(-plan.cases // len(self.tallies))
            n = min(n, each - self.tallies[name].given)
            if n <= 0:
                return None
        first = self.tallies[name].given
        self.tallies[name].given += n
        return {
            "name": name,
            "first": first,
            "n": n,
            "seconds": _BATCH_SECONDS if plan.cases is None else 1e9,
        }

    def _count(self, answer: dict[str, Any]) -> None:
        tally = self.tallies[answer["target"]]
        for name in ("cases", "accepted", "refused", "seconds"):
            setattr(tally, name, getattr(tally, name) + answer[name])
        for found in answer["findings"]:
            self._keep(Finding(**found))

    def _lost(self, process: _Process, kind: str) -> None:
        """A process has ended, or does not go on."""
        running = process.journal.read()
        process.end()
        status = process.process.returncode
        log = (process.work / "log").read_text(encoding="utf-8", errors="replace")
        shutil.rmtree(process.work, ignore_errors=True)
        if running is None or process.batch is None:
            raise SystemExit(f"A process could not do its work:\n{log[-3000:]}")
        number, case = running
        batch = process.batch
        target, first = batch["name"], batch["first"]
        done = number + 1 - first
        self.tallies[target].cases += done
        if batch["n"] > done:
            self._again.append({**batch, "first": number + 1, "n": batch["n"] - done})
        what = (
            "no end"
            if kind == "hang"
            else signal.Signals(-status).name
            if status < 0
            else str(status)
        )
        lines = [line.strip() for line in log.splitlines() if "/firth/" in line]
        where = lines[0].rpartition("/firth/")[2] if lines else ""
        self._keep(Finding(target, kind, what, where, case))

    def _keep(self, found: Finding) -> None:
        if found.signature in self.findings:
            self.repeats += 1
            return
        self.findings[found.signature] = found
        self.plan.crashes.mkdir(parents=True, exist_ok=True)
        (self.plan.crashes / found.name).write_text(found.text(), encoding="utf-8")
        print(
            f"{found.target}: {found.kind}: {found.what} ({found.where}) -> {found.name}",
            file=sys.stderr,
        )

    def _tell(self) -> None:
        if self._started is None:
            print(f"preparing: {len(self._unprepared)} targets are left", file=sys.stderr)
            return
        seconds = time.monotonic() - self._started
        cases = sum(tally.cases + tally.guided for tally in self.tallies.values())
        print(
            f"{seconds:7.0f} s {cases:10,} cases {len(self.findings):4} findings", file=sys.stderr
        )

    def summary(self) -> dict[str, Any]:
        """What was done, as data."""
        return {
            "cases": sum(tally.cases + tally.guided for tally in self.tallies.values()),
            "seconds": round(time.monotonic() - (self._started or time.monotonic()), 1),
            "jobs": self.plan.jobs,
            "seed": self.plan.seed,
            "python": platform.python_version(),
            "machine": platform.platform(),
            "skipped": self.skipped,
            "findings": [
                {"file": found.name, "kind": found.kind, "what": found.what, "where": found.where}
                for found in self.findings.values()
            ],
            "repeats": self.repeats,
            "targets": {
                name: {
                    "cases": tally.cases, "accepted": tally.accepted, "refused": tally.refused,
                    "guided": tally.guided, "seconds": round(tally.seconds, 1),
                }
                for name, tally in self.tallies.items()
            },
        }  # fmt: skip
