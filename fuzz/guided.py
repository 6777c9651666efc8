"""A process that runs cases of a reader with Atheris: what reaches new code is changed further.

Files that reached something new stay in a folder, and the next process begins with them. Numba cannot
compile kernels that are instrumented, so these are left out.
"""

from __future__ import annotations

import faulthandler
import logging
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import firth
from fuzz.target import Finding, check
from fuzz.worker import Journal

FINDINGS = "findings.jsonl"
EXITS = {70: "hang", 71: "memory"}
"""What libFuzzer means by the status of a process that it ends."""


def is_available() -> bool:
    """Whether Atheris is installed."""
    return find_spec("atheris") is not None


def main(work: str, name: str, seconds: str, hang: str, corpus: str) -> None:
    """Run for some time; the process ends here."""
    import atheris

    faulthandler.enable()
    logging.disable()
    folder, kept = Path(work), Path(corpus)
    tempfile.tempdir = work
    with atheris.instrument_imports(include=["firth"], exclude=_kernels()):
        from fuzz import readers

        target: Any = next(one for one in readers.targets() if one.name == name)
        target.prepare(folder, folder)
        for case in target.plain():  # imports what is imported late
            check(target, case)
    kept.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.seeds()):
        (kept / f"sample-{number}").write_bytes(data)
    journal, number = Journal(folder / "journal"), 0
    seen: set[tuple[str, ...]] = set()

    def one(data: bytes) -> None:
        nonlocal number
        number += 1
        case = target.from_bytes(data)
        journal.write(number, case)
        outcome = check(target, case)
        if isinstance(outcome, Finding) and outcome.signature not in seen:
            seen.add(outcome.signature)
            with (folder / FINDINGS).open("a", encoding="utf-8") as file:
                file.write(outcome.line())

    limits = [
        f"-max_total_time={seconds}",
        f"-timeout={hang}",
        "-rss_limit_mb=4096",
        "-max_len=65536",
    ]
    atheris.Setup(["fuzz", str(kept), *limits, f"-artifact_prefix={work}/"], one)
    atheris.Fuzz()


def _kernels() -> list[str]:
    """The modules with kernels."""
    source = Path(firth.__file__).parent
    files = source.rglob("*kernels.py")
    return [".".join(file.relative_to(source.parent).with_suffix("").parts) for file in files]


if __name__ == "__main__":
    main(*sys.argv[1:])
