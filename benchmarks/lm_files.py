"""Compact files of language models beside KenLM's binary files of the same model (job ``files`` of ``benchmarks.lm``).

A file is opened and asked in this process, sentence by sentence, from text; the fastest round counts, and all files
take turns. KenLM's files are made from the ARPA file that Firth writes, by its program ``build_binary``.
"""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import peer_program, print_table
from firth.lm import LanguageModel

KINDS = {
    "KenLM, probing": ["probing"],
    "KenLM, trie": ["trie"],
    "KenLM, trie of eight bits": ["-q", "8", "-b", "8", "trie"],
}
"""KenLM's files, and how ``build_binary`` is asked for them."""
NOTE = "In brackets: opened without comparing the checksum. KenLM has none. All files were in the page cache."
Open = Callable[[], Any]


def compact_files(
    model: LanguageModel, lines: list[str], n: int, folder: Path, rounds: int
) -> None:
    """Print size, perplexity, time to open and time for a word of each kind of file; ``n`` words in all."""
    compact, arpa = folder / "model.firthlm", folder / "model.arpa"
    with compact.open("wb") as file:
        model.write_compact(file)
    with arpa.open("w", encoding="utf-8") as text:
        model.write_arpa(text)
    files: dict[str, tuple[Path, Open]] = {
        "Firth, compact": (compact, lambda: LanguageModel.open(compact))
    }
    program = peer_program("build_binary")
    for number, (name, options) in enumerate(KINDS.items() if program else ()):
        path = folder / f"kenlm{number}"
        command = [str(program), "-T", str(folder / "sort"), *options, str(arpa), str(path)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        files[name] = path, lambda path=path: import_module("kenlm").Model(str(path))  # type: ignore[misc]
    opened = {name: opener() for name, (_, opener) in files.items()}
    opening, scoring = dict.fromkeys(files, math.inf), dict.fromkeys(files, math.inf)
    log10 = {}
    for _ in range(rounds):  # in turn, because the machine may be busy for a while
        for name, (_, opener) in files.items():
            opening[name] = min(opening[name], seconds(opener))
            found, took = scored(opened[name], lines)
            scoring[name], log10[name] = min(scoring[name], took), found
    unverified = min(
        seconds(lambda: LanguageModel.open(compact, verify=False)) for _ in range(rounds)
    )
    rows = [
        [
            name, f"{path.stat().st_size / 1e6:.1f}", f"{10 ** (-log10[name] / n):.2f}",
            f"{opening[name] * 1e3:.1f}" + (f" ({unverified * 1e3:.1f})" if path == compact else ""),
            f"{scoring[name] / n * 1e9:.0f}",
        ]
        for name, (path, _) in files.items()
    ]  # fmt: skip
    print_table("Files", "file; MB; perplexity; opened in ms; ns a word", rows, NOTE)


def scored(model: Any, lines: list[str]) -> tuple[float, float]:
    """The sum of the scores of sentences (log10), and the CPU seconds."""
    ours = hasattr(model, "log_prob")
    ask = model.log_prob if ours else model.score
    began = time.process_time()
    found = [ask(line) for line in lines]
    took = time.process_time() - began
    return float(np.sum(found)) / (math.log(10) if ours else 1), took


def seconds(work: Callable[[], Any]) -> float:
    """Wall seconds."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
