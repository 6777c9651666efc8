"""``python -m benchmarks.morphs``: time and memory of learning a morphology, by the number of words.

The words are the types of ``wiki.txt`` and ``wikinews.txt`` that consist of letters; a sample has those
with the smallest hashes of their spelling. Each size is learned in a process of its own. Reading the list
and compilation are not included in the time; memory is the peak of the process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from datetime import UTC, datetime
from pathlib import Path

import firth
from benchmarks.common import Facts, data_file, print_table, processor, unpack
from firth.morphs import has_parts

_TEXTS = ("wiki", "wikinews")


def types(folder: Path) -> list[str]:
    """The words of the texts, each once, in the order of their hashes."""
    found: set[str] = set()
    for name in _TEXTS:
        text = folder / f"{name}.txt"
        unpack(data_file(f"text/{name}.txt.xz"), text, None)
        found.update(word for word in firth.Corpus.from_files(text).vocabulary if has_parts(word))
    return sorted(found, key=lambda word: (zlib.crc32(word.encode()), word))


def job(path: Path) -> None:
    """Learn from a list of words, and print what it took as JSON."""
    words = path.read_text(encoding="utf-8").split("\n")
    firth.Morphology(rounds=2).fit(["walk", "walked", "talk", "talked"])
    began = time.process_time()
    learned = firth.Morphology().fit(words)
    cpu = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    n_letters = sum(map(len, learned.words_))
    print(
        json.dumps({"words": len(learned.words_), "letters": n_letters, "cpu": cpu, "peak": peak})
    )


def measure(words: list[str], path: Path) -> Facts:
    path.write_text("\n".join(words), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.morphs", "--job", str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: Facts = json.loads(done.stdout)
    print(f"{result['words']:,} words: {result['cpu']:.1f} s", file=sys.stderr, flush=True)
    return result


def row(found: Facts) -> list[str]:
    n = found["words"]
    return [
        f"{n:,}", f"{found['letters'] / n:.2f}", f"{found['cpu']:.1f} s",
        f"{1e6 * found['cpu'] / n:.1f} µs", f"{found['peak'] / 2**30:.2f} GiB",
        f"{found['peak'] / n / 1024:.2f} KiB",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--sizes", default="125000,250000,500000", help="and all words, always")
    options = parser.parse_args()
    if options.job is not None:
        job(options.job)
        return
    with tempfile.TemporaryDirectory(prefix="firth-bench-") as temporary:
        folder = Path(temporary)
        words = types(folder)
        sizes = [n for n in map(int, options.sizes.split(",")) if n < len(words)]
        found = [measure(words[:n], folder / "words.txt") for n in (*sizes, len(words))]
    print(f"{processor()}, {datetime.now(UTC):%Y-%m-%d}")
    columns = "words; letters in a word; CPU time; for each word; peak memory; for each word"
    print_table("Morphology", columns, list(map(row, found)))


if __name__ == "__main__":
    main()
