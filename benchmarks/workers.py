"""``python -m benchmarks.workers``: the same text on threads, and on the worker processes of a Dask cluster.

Scheduler, workers and the program itself are processes of their own. Workers have started and compiled their kernels
before anything is measured. Each stage is timed with as many threads and as many workers of one thread each. Memory is
anonymous memory (``RssAnon``), sampled while the stage runs; bytes are those that went over the loopback interface,
between workers, scheduler and program. CPU time is that of all these processes together. Vectors are learned without
what guesses those of unseen words.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import firth
from benchmarks.common import anonymous, data_file, print_table, processor, unpack
from firth import pipeline
from firth.progress import size

_PORT = 28790


@contextmanager
def cluster(n_workers: int, folder: Path) -> Iterator[tuple[Any, dict[str, int]]]:
    """A client of a scheduler and some workers, and the numbers of their processes."""
    from distributed import Client

    address = f"tcp://127.0.0.1:{_PORT}"
    host = ("--host", "127.0.0.1", "--no-dashboard")
    commands = [["distributed.cli.dask_scheduler", *host, "--port", str(_PORT)]]
    commands += [
        ["distributed.cli.dask_worker", address, *host, "--nworkers", "1", "--nthreads", "1",
         "--local-directory", str(folder), "--no-nanny"]
        for _ in range(n_workers)
    ]  # fmt: skip
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    programs = [subprocess.Popen([sys.executable, "-m", *command], **quiet) for command in commands]
    try:
        with Client(address, timeout=30, set_as_default=False) as client:
            client.wait_for_workers(n_workers, timeout=60)
            names = ["scheduler", *(f"worker {k + 1}" for k in range(n_workers))]
            yield client, dict(zip(names, (program.pid for program in programs), strict=True))
    finally:
        for program in programs:
            program.kill()
            program.wait()


class Watch:
    """Samples the memory of processes while a ``with`` block runs."""

    def __init__(self, processes: dict[str, int]) -> None:
        self.peaks = dict.fromkeys(processes, 0)
        self._processes, self._done = processes, threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def _sample(self) -> None:
        while not self._done.wait(0.02):
            for name, pid in self._processes.items():
                self.peaks[name] = max(self.peaks[name], anonymous(pid))

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


def cpu(processes: dict[str, int]) -> float:
    """The CPU time of processes so far, in seconds."""
    import psutil

    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in processes.values())


def sent() -> int:
    """Bytes that have been sent over the loopback interface so far."""
    import psutil

    return int(psutil.net_io_counters(pernic=True)["lo"].bytes_sent)


Work = Callable[[Path, dict[str, Any]], object]


def stages(text: Path, dim: int) -> dict[str, Work]:
    def learn_vectors(model: Path, how: dict[str, Any]) -> None:
        # guesses are learned in this program, with and without workers
        with patch("firth.vectors._decomposition.learn_guesser", lambda *_: None):
            pipeline.learn_vectors(model, dim=dim, **how)

    return {
        "reading": lambda model, how: pipeline.learn_corpus(model, text, **how),
        "counting": lambda model, how: pipeline.learn_counts(model, contexts="bag5", **how),
        "vectors": learn_vectors,
    }


def timed(
    work: Work, model: Path, how: dict[str, Any], processes: dict[str, int]
) -> tuple[float, float]:
    """Seconds, and CPU time."""
    began, used = time.perf_counter(), cpu(processes)
    work(model, how)
    return time.perf_counter() - began, cpu(processes) - used


def compare(one: Path, other: Path) -> None:
    """Stop unless corpus and counts are the same bytes, and the singular values agree."""
    a, b = firth.load(one), firth.load(other)
    for part in ("corpus", "counts"):
        if a.parts[part].content != b.parts[part].content:
            sys.exit(f"error: the {part} of the cluster has other bytes.")
    values = [np.asarray(model.vectors.singular_values) for model in (a, b)]
    difference = np.abs(values[0] / values[1] - 1).max()
    print(f"Corpus and counts: the same bytes. Singular values differ by at most {difference:.1e}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--bytes", type=int, help="use only the beginning of the text")
    parser.add_argument("--repeat", type=int, default=3, help="the fastest run of each counts")
    options = parser.parse_args()
    found: dict[str, list[Any]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        text, short = folder / "wiki.txt", folder / "short.txt"
        source = data_file("text/wiki.txt.xz")
        unpack(source, text, options.bytes)
        unpack(source, short, 4 << 20)
        here, there = folder / "here", folder / "there"
        with cluster(options.workers, folder) as (client, processes):
            for name, work in stages(short, 50).items():  # compiles kernels
                work(folder / "warm", {"cluster": client})
                work(folder / "cold", {"threads": options.workers})
                print(f"warm: {name}", file=sys.stderr, flush=True)
            for _ in range(options.repeat):
                for model in (here, there):
                    shutil.rmtree(model, ignore_errors=True)
                for name, work in stages(text, options.dim).items():
                    mine = {"program": os.getpid()}
                    one = timed(work, here, {"threads": options.workers}, mine)
                    before, how = sent(), {"cluster": client, "threads": options.workers}
                    with Watch(mine | processes) as watch:
                        other = timed(work, there, how, mine | processes)
                    row = (one, other, sent() - before, watch.peaks)
                    found.setdefault(name, []).append(row)
                    print(f"{name}: {row}", file=sys.stderr, flush=True)
        compare(here, there)
        facts = firth.load(there).parts["corpus"].facts
    print(f"{processor()}, {datetime.now(UTC):%Y-%m-%d}; {facts['n_tokens']:,} tokens")
    table, total = [], [0.0] * 4
    for name, rows in found.items():
        (threads, used), (workers, used_there) = (min(row[k] for row in rows) for k in (0, 1))
        total = [a + b for a, b in zip(total, (threads, workers, used, used_there), strict=True)]
        peaks = rows[-1][3]
        most = max(v for k, v in peaks.items() if k.startswith("worker"))
        table.append(
            [name, f"{threads:.1f}", f"{workers:.1f}", f"{workers / threads:.2f}", f"{used:.1f}",
             f"{used_there:.1f}", size(rows[-1][2]), size(most), size(peaks["scheduler"]), size(peaks["program"])]
        )  # fmt: skip
    table.append(
        [
            "all",
            f"{total[0]:.1f}",
            f"{total[1]:.1f}",
            f"{total[1] / total[0]:.2f}",
            f"{total[2]:.1f}",
            f"{total[3]:.1f}",
            "",
            "",
            "",
            "",
        ]
    )
    print_table(
        f"{options.workers} threads and {options.workers} workers",
        "stage; threads, s; workers, s; ratio; threads, CPU s; workers, CPU s; bytes sent; largest worker; scheduler; "
        "program",
        table,
    )


if __name__ == "__main__":
    main()
