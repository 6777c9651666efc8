"""What several benchmarks share: data, programs to compare with, measuring, tables."""

from __future__ import annotations

import lzma
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Facts = dict[str, Any]
SOURCES = {
    "wcluster": "https://github.com/percyliang/brown-cluster",
    "clustercat": "https://github.com/jonsafari/clustercat",
    "lmplz": "https://github.com/kpu/kenlm",
    "build_binary": "https://github.com/kpu/kenlm",
}
"""Programs that are not Python packages, and where their sources are."""


def data_file(name: str) -> Path:
    folder = os.environ.get("FIRTH_DATA")
    if not folder:
        sys.exit(
            "error: FIRTH_DATA is not set.\n"
            f"hint: export FIRTH_DATA=/path/to/data, a folder that contains {name}"
        )
    path = Path(folder) / name
    if not path.exists():
        sys.exit(f"error: {path} not found.\nhint: FIRTH_DATA must name a folder with {name} in it")
    return path


def peer_program(name: str) -> Path | None:
    """The path of an executable in the folder FIRTH_PEERS; None, with a message, if it is missing."""
    path = Path(os.environ.get("FIRTH_PEERS", "."), name)
    if "FIRTH_PEERS" in os.environ and path.is_file() and os.access(path, os.X_OK):
        return path.resolve()
    print(
        f"{name} is missing and was skipped. Build it from {SOURCES[name]} and set FIRTH_PEERS to the folder "
        f"that contains the executable {name}.",
        file=sys.stderr,
    )
    return None


def unpack(path: Path, out: Path, n_bytes: int | None) -> None:
    """Decompress a text; with ``n_bytes``, stop at the end of the line that reaches that size."""
    with lzma.open(path) as source, out.open("wb") as target:
        if n_bytes is None:
            shutil.copyfileobj(source, target, 1 << 20)
        else:
            target.write(source.read(n_bytes))
            target.write(source.readline())


def first_tokens(text: Path, n_tokens: int) -> Any:
    """The corpus of a text, to the end of the line that holds token ``n_tokens``; all of it for 0."""
    from firth import Corpus

    whole = Corpus.from_files(text)
    if not n_tokens:
        return whole
    part = text.with_name("part.txt")
    with text.open("rb") as source:
        part.write_bytes(source.read(int(whole.places[np.searchsorted(whole.ends, n_tokens) + 1])))
    return Corpus.from_files(part)


def run_program(
    command: Sequence[str],
    limit: int | None,
    env: Mapping[str, str] | None = None,
    watch: Callable[[float], None] | None = None,
) -> Facts:
    """Run a program to its end or to a limit of CPU seconds: wall and CPU seconds, peak memory.

    All of the process counts: starting it, reading its input, writing its output. The peak is at least the memory of
    this process when it starts the program. ``watch`` is called every second with the CPU seconds so far.
    """
    import psutil

    def set_limits() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile() as messages:
        started = time.perf_counter()
        process = psutil.Popen(
            command, stdout=subprocess.DEVNULL, stderr=messages, env=env, preexec_fn=set_limits
        )
        usage = None
        while usage is None:
            time.sleep(0.01 if time.perf_counter() - started < 10 else 1)
            if watch is not None:
                so_far = process.cpu_times()
                watch(so_far.user + so_far.system)
            pid, status, found = os.wait4(process.pid, os.WNOHANG)
            usage = found if pid else None
        wall = time.perf_counter() - started
        code = os.waitstatus_to_exitcode(status)
        stopped = limit is not None and code in (-signal.SIGXCPU, -signal.SIGKILL)
        if code and not stopped:
            messages.seek(0)
            sys.exit(f"error: {command[0]} failed.\n{messages.read().decode(errors='replace')}")
    return {
        "wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024,
        "finished": not stopped,
    }  # fmt: skip


def anonymous(pid: int) -> int:
    """The anonymous memory of a process in bytes; 0 if it has just ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def print_table(title: str, columns: str, rows: list[list[str]], note: str = "") -> None:
    """Print a Markdown table; ``columns`` are separated by semicolons."""
    names = columns.split("; ")
    print(f"\n### {title}\n\n| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(f"\n{note}" if note else "", flush=True)


def processor() -> str:
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} cores"
