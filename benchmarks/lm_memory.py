"""Memory of learning 5-grams within a limit, beside KenLM's ``lmplz -S`` (job ``memory`` of ``benchmarks.lm``).

Each program learns in a process of its own. Its memory is RssAnon, asked every 10 ms: what is not a page of a file.
Firth starts from a corpus that was read before, and ``--memory`` counts what learning takes beyond the start of the
program, which is measured with six words of text; lmplz starts from the text, and its ARPA file is thrown away.
"""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import anonymous, data_file, peer_program, print_table, unpack

FIRTH = [sys.executable, "-m", "firth"]
TINY = "a b c\nb c a\n"


def memory(limits: Sequence[str], n_bytes: int | None) -> None:
    """Print peak memory, CPU time and the checksum of the files, for each limit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, tiny = folder / "text.txt", folder / "tiny.txt"
        unpack(data_file("text/wiki.txt.xz"), text, n_bytes)
        tiny.write_text(TINY)
        learn = ["lm", "learn", "--classes", "0", "--quiet"]
        start, _ = measured(
            [*FIRTH, *learn, str(tiny), "-o", str(folder / "tiny"), "--min-count", "1"]
        )
        rows = []
        for limit in limits:
            model = str(folder / f"model{limit}")
            read = [
                *FIRTH,
                "corpus",
                "learn",
                str(text),
                "-o",
                model,
                "--tokens",
                "whitespace",
                "-q",
            ]
            subprocess.run(read, check=True)
            peak, cpu = measured([*FIRTH, *learn, model, "--memory", limit])
            rows.append(
                ["Firth", limit, mib(peak), mib(peak - start), f"{cpu:.0f}", checksum(Path(model))]
            )
        program = peer_program("lmplz")
        for limit in limits if program else ():
            command = [str(program), "-o", "5", "-S", limit, "-T", str(folder / "sort")]
            peak, cpu = measured(command, text)
            rows.append(["KenLM, `lmplz`", limit, mib(peak), "", f"{cpu:.0f}", ""])
    columns = "program; limit; peak, MiB; beyond the start, MiB; CPU s; files (SHA-256)"
    print_table("Memory of learning 5-grams", columns, rows)


def measured(command: list[str], text: Path | None = None) -> tuple[int, float]:
    """Peak anonymous memory of a program in bytes, and its CPU seconds; it may read a text."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    source = subprocess.DEVNULL if text is None else text.open("rb")
    process = subprocess.Popen(
        command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, anonymous(process.pid))
        time.sleep(0.01)
    if process.returncode:
        sys.exit(f"error: {' '.join(command)} failed.")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return peak, used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime


def checksum(model: Path) -> str:
    """The beginning of the SHA-256 of all files of a language model."""
    found = hashlib.sha256()
    for path in sorted(path for path in (model / "lm").rglob("*") if path.is_file()):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:12]


def mib(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:,.0f}"
