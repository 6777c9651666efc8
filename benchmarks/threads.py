"""``python -m benchmarks.threads``: every stage from text to classes, by the number of threads.

The text is wiki.txt or its beginning, with marked copies of it if wanted; see ``benchmarks.scale``. Each number of
threads learns a model in a process of its own, and all models must have the same bytes. Numbers of threads take turns;
for each, the fastest of several rounds counts.

CPU time is the time that all threads spend on a processor, and *alone* what the main thread does of it, while most
others wait. On a machine with other work, these tell more than the time on the clock: however many threads there are, a
stage takes at least the second.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import firth
from benchmarks.common import data_file, print_table, processor, unpack
from benchmarks.scale import copies
from firth import progress

_WARM = 1 << 21
"""Bytes of text for the first run, in which kernels are compiled."""
_SHORTEST = 0.1
"""Stages of fewer CPU seconds with the first number of threads are not listed."""
REST = "start, checks, saving"
ALL = "all"


class _Timed(progress._Silent):
    """Adds up seconds, CPU seconds and those of the main thread by stages; of nested ones, the outer counts."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self._open: list[tuple[float, float]] = []

    def begin(self, stage: progress.Stage) -> None:  # noqa: ARG002
        self._open.append((time.process_time(), time.thread_time()))

    def end(self, stage: progress.Stage, finished: bool) -> None:  # noqa: ARG002
        cpu, alone = self._open.pop()
        if not self._open:
            times = self.times.setdefault(stage.name, [0.0, 0.0, 0.0])
            times[0] += stage.seconds
            times[1] += time.process_time() - cpu
            times[2] += time.thread_time() - alone


def job(texts: list[str], model: Path, threads: int, dim: int, memory: str) -> None:
    """Learn a model, and print the times of its stages as JSON."""
    timed = _Timed()
    with progress._shown_by(timed):
        firth.learn(texts, model, threads=threads, dim=dim, memory=memory, replace=True)
    print(json.dumps({**timed.times, ALL: [0.0, 0.0, time.thread_time()]}))


def measured(
    texts: list[Path], model: Path, threads: int, options: argparse.Namespace
) -> dict[str, Any]:
    """Times of all stages and of the whole process, and the checksum of the manifest, which has those of all files."""
    shutil.rmtree(model, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "benchmarks.threads",
        "--job",
        str(model),
        "--threads",
        str(threads),
    ]
    command += ["--dim", str(options.dim), "--memory", options.memory, *map(str, texts)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"error: {' '.join(command)} failed.\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    stages = json.loads(done.stdout)
    whole = [wall, cpu, stages.pop(ALL)[2]]
    named = [sum(times) for times in zip(*stages.values(), strict=True)]
    stages[REST] = [total - part for total, part in zip(whole, named, strict=True)]
    stages[ALL] = whole
    manifest = hashlib.sha256((model / "firth.json").read_bytes()).hexdigest()
    return {"stages": stages, "manifest": manifest}


def best_of(
    texts: list[Path], model: Path, numbers: list[int], options: argparse.Namespace
) -> dict[int, dict[str, Any]]:
    """The fastest round of each number of threads."""
    best: dict[int, dict[str, Any]] = {}
    manifests = set()
    for k in range(options.rounds):
        for threads in numbers:
            found = measured(texts, model, threads, options)
            wall, cpu, _ = found["stages"][ALL]
            print(
                f"round {k + 1}, {threads} threads: {wall:.1f} s, CPU {cpu:.1f} s",
                file=sys.stderr,
                flush=True,
            )
            manifests.add(found["manifest"])
            if len(manifests) > 1:
                sys.exit(
                    f"error: the model of {threads} threads has other bytes than those before it."
                )
            if threads not in best or wall < best[threads]["stages"][ALL][0]:
                best[threads] = found
    return best


def rows(best: dict[int, dict[str, Any]]) -> list[list[str]]:
    """The times of each stage, and how many times as fast each number of threads is as the first."""
    first, *others = [found["stages"] for found in best.values()]
    shown = []
    for name, times in first.items():
        if times[1] >= _SHORTEST:
            compared = [
                f"{_cell(o[name])}, × {times[0] / o[name][0]:.2f}" for o in others if name in o
            ]
            shown.append([name, _cell(times), *compared])
    return shown


def _cell(times: list[float]) -> str:
    return f"{times[0]:.1f} s (CPU {times[1]:.1f}, alone {times[2]:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="*", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    cores = os.cpu_count() or 1
    powers = ",".join(str(1 << k) for k in range(cores.bit_length()))
    parser.add_argument("--threads", default=powers, help="numbers of threads, with commas between")
    parser.add_argument("--copies", type=int, default=1, help="how often the text is taken")
    parser.add_argument("--bytes", type=int, help="use only the beginning of the original")
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--memory", default="4G", help="as for the commands")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="for texts and models; a temporary one if none")
    options = parser.parse_args()
    if options.job is not None:
        job(
            list(map(str, options.texts)),
            options.job,
            int(options.threads),
            options.dim,
            options.memory,
        )
        return
    numbers = [int(n) for n in options.threads.split(",")]
    source = data_file("text/wiki.txt.xz")
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = Path(temporary)
        warm = folder / "warm.txt"
        unpack(source, warm, _WARM)
        for threads in {1, numbers[-1]}:
            measured([warm], folder / "model", threads, options)
        texts = copies(folder, options.copies, options.bytes)
        best = best_of(texts, folder / "model", numbers, options)
        facts = {name: part.facts for name, part in firth.load(folder / "model").parts.items()}
    print(f"{processor()}, {datetime.now(UTC):%Y-%m-%d}")
    print(
        f"{facts['corpus']['n_tokens']:,} tokens, {facts['corpus']['n_types']:,} types, "
        f"{facts['vectors']['n_entries']:,} entries, {options.dim} dimensions; "
        "the same bytes for all numbers of threads"
    )
    names = [progress.count_of(n, "thread") for n in numbers]
    print_table("From text to classes", "; ".join(["stage", *names]), rows(best))


if __name__ == "__main__":
    main()
