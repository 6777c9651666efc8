"""``python -m benchmarks.scale``: time, memory and disk space of each stage as the text grows, to a billion tokens.

The text is copies of wiki.txt. In each copy the words that are rare in the original are marked, so that the number of
types grows as it does in real text. Copies have no new pairs of frequent words, however, so counts grow less than
those of as much real text: the table states the number of entries.

Each stage is a command of its own, and its whole process is measured. Memory is anonymous memory (``RssAnon``), sampled
a hundred times a second; mapped files do not count, because the system can drop them.
"""

from __future__ import annotations

import argparse
import math
import os
import re
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
from firth.progress import size

_RARE = 2
"""Words with at most this many occurrences in the original are marked."""
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
STAGES = ("corpus", "counts", "vectors", "classes")


def copies(original: Path, folder: Path, n: int) -> list[Path]:
    """``n`` copies of a text, of which the first is the original."""
    corpus = firth.Corpus.from_files(original)
    n_frequent = corpus.vocabulary.n_kept(_RARE + 1)
    rare = set(corpus.vocabulary.words[n_frequent:].to_pylist())
    text = original.read_text(encoding="utf-8")
    ends = [m.end() for m in re.finditer(r"\w{2,}", text) if m[0] in rare]
    pieces = [text[a:b].encode() for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    paths = [original]
    for k in range(1, n):
        paths.append(folder / f"copy{k}.txt")
        mark = f"q{_ALPHABET[k // 26]}{_ALPHABET[k % 26]}".encode()
        paths[-1].write_bytes(mark.join(pieces))
    return paths


def measured(command: list[str], model: Path, part: str) -> dict[str, float]:
    """Seconds, peak of anonymous memory and of disk space in use, and the size of what was made."""
    before = _disk(model)
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "firth", *command, "--quiet"])
    memory = disk = n = 0
    while process.poll() is None:
        memory = max(memory, _anonymous(process.pid))
        if n % 50 == 0:
            disk = max(disk, _disk(model) - before)
        n += 1
        time.sleep(0.01)
    if process.returncode:
        sys.exit(f"error: firth {' '.join(command)} failed.")
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "memory": memory, "disk": disk, "made": _disk(model / part)}


def _anonymous(pid: int) -> int:
    """The anonymous memory of a process in bytes; 0 if it has just ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def _disk(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(root, name)).st_size  # noqa: PTH116, PTH118
            except OSError:
                continue  # removed just now
    return total


def run(texts: list[Path], model: Path, memory: str, options: argparse.Namespace) -> dict[str, Any]:
    """All stages on some copies."""
    common = ["--memory", memory, "--threads", str(options.threads)]
    files = [str(text) for text in texts]
    commands = {
        "corpus": ["corpus", "learn", *files, "-o", str(model), *common],
        "counts": ["counts", "learn", str(model), *common],
        "vectors": ["vectors", "learn", str(model), "--dim", str(options.dim), *common],
        "classes": ["classes", "learn", str(model), *common],
    }
    found: dict[str, Any] = {}
    for stage in options.stages:
        found[stage] = measured(commands[stage], model, stage)
        print(f"{len(texts)} copies, {stage}: {_row(found[stage])}", file=sys.stderr, flush=True)
    facts = {name: part.facts for name, part in firth.load(model).parts.items()}
    return {"stages": found, "facts": facts}


def _row(one: dict[str, float]) -> str:
    return f"{one['seconds']:.1f} s, {size(one['memory'])}, {size(one['disk'])} on disk"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", default="1,2,4,8,16,23", help="numbers of copies")
    parser.add_argument("--memory", default="4G", help="as for the commands")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--stages", default=",".join(STAGES), help="some of them, in this order")
    parser.add_argument("--folder", type=Path, help="for texts and models; a temporary one if none")
    parser.add_argument("--bytes", type=int, help="use only the beginning of the original")
    options = parser.parse_args()
    options.stages = options.stages.split(",")
    numbers = [int(n) for n in options.copies.split(",")]
    source = data_file("text/wiki.txt.xz")
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = Path(temporary)
        original = folder / "wiki.txt"
        unpack(source, original, options.bytes)
        texts = copies(original, folder, max(numbers))
        results = []
        for n in numbers:
            results.append(run(texts[:n], folder / "model", options.memory, options))
            shutil.rmtree(folder / "model")
    tokens = [one["facts"]["corpus"]["n_tokens"] for one in results]
    rows = []
    for stage in options.stages:
        stages = [one["stages"][stage] for one in results]
        grown = math.log(stages[-1]["seconds"] / stages[0]["seconds"])
        exponent = grown / math.log(tokens[-1] / tokens[0]) if len(results) > 1 else math.nan
        rows += [
            [
                stage, str(n), f"{t / 1e6:,.0f}", f"{one['seconds']:,.1f}", size(one["memory"]),
                size(one["disk"]), size(one["made"]), f"{exponent:.2f}" if n == numbers[-1] else "",
            ]
            for n, t, one in zip(numbers, tokens, stages, strict=True)
        ]  # fmt: skip
    print(f"{processor()}, {options.threads} threads, {datetime.now(UTC):%Y-%m-%d}")
    for n, one in zip(numbers, results, strict=True):
        corpus, counts = one["facts"]["corpus"], one["facts"].get("counts", {})
        print(
            f"{n} copies: {corpus['n_tokens']:,} tokens, {corpus['n_types']:,} types, "
            f"{counts.get('n_entries', 0):,} entries"
        )
    print_table(
        f"Stages with --memory {options.memory}",
        "stage; copies; million tokens; s; memory; disk while it runs; result; exponent of time",
        rows,
    )


if __name__ == "__main__":
    main()
