"""``python -m benchmarks``: reading, counting and starting, compared with other ways to do the same.

Runs the jobs in turn, several rounds of each, and prints tables of the fastest rounds. The environment variable
FIRTH_DATA names the data folder, which must contain ``text/wiki.txt.xz``.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.common import data_file, processor, unpack
from benchmarks.jobs import N_WORDS, WINDOW


def measure(job: str, path: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.jobs", job, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def best_of(jobs: list[str], path: Path, rounds: int) -> dict[str, dict[str, Any]]:
    """The fastest round of each job. Jobs take turns, so that a busy moment of the machine affects all of them."""
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for job in jobs:
            result = measure(job, path)
            print(f"  {job}: {result['seconds']:.2f} s", file=sys.stderr, flush=True)
            if job not in best or result["seconds"] < best[job]["seconds"]:
                best[job] = result
    return best


def table(title: str, best: dict[str, dict[str, Any]], n_bytes: int, ours: str) -> None:
    print(f"\n### {title}\n")
    print(f"| job | MB/s | memory | time, relative to `{ours}` | result |")
    print("|---|---|---|---|---|")
    for job, result in best.items():
        facts = ", ".join(
            f"{result[key]:,} {key}" for key in ("tokens", "types", "entries") if key in result
        )
        ratio = result["seconds"] / best[ours]["seconds"]
        memory = result["memory"] / 1e6
        print(
            f"| `{job}` | {n_bytes / 1e6 / result['seconds']:.1f} | {memory:,.0f} MB "
            f"| {ratio:.2f} | {facts} |"
        )


def start_up(rounds: int) -> None:
    print("\n### Starting\n\n| command | best, seconds | limit, seconds |\n|---|---|---|")
    commands = {
        "python -c pass": ([sys.executable, "-c", "pass"], ""),
        "import firth": ([sys.executable, "-c", "import firth"], "0.5"),
        "firth --help": ([str(Path(sys.executable).with_name("firth")), "--help"], "0.7"),
    }
    for name, (command, limit) in commands.items():
        seconds = []
        for _ in range(2 * rounds):
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - started)
        print(f"| `{name}` | {min(seconds):.2f} | {limit} |")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the first 30 MB only, one round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rounds = 1 if options.quick else options.rounds
    source = data_file("text/wiki.txt.xz")
    with tempfile.TemporaryDirectory(prefix="firth-bench-") as folder:
        text, model = Path(folder, "wiki.txt"), Path(folder, "model")
        unpack(source, text, 30_000_000 if options.quick else None)
        n_bytes = text.stat().st_size
        print(
            f"wiki.txt, {n_bytes / 1e6:.0f} MB; {datetime.now(UTC):%Y-%m-%d}; {processor()}; "
            f"Python {platform.python_version()}"
        )
        print(
            f"command: python -m benchmarks{' --quick' if options.quick else f' --rounds {rounds}'}"
        )
        table(
            "Text to ids, white space, one thread",
            best_of(
                [
                    "ids_firth",
                    "ids_pyarrow",
                    "ids_counter",
                    "ids_counter_at_once",
                    "corpus_whitespace_1",
                ],
                text,
                rounds,
            ),
            n_bytes,
            "ids_firth",
        )
        table(
            "Text to ids, words, one thread",
            best_of(["words_firth", "words_regex", "corpus_words_1"], text, rounds),
            n_bytes,
            "words_firth",
        )
        table(
            "The whole corpus stage, two threads against one",
            best_of(
                ["corpus_whitespace_2", "corpus_whitespace_1", "corpus_words_2", "corpus_words_1"],
                text,
                rounds,
            ),
            n_bytes,
            "corpus_words_2",
        )
        subprocess.run(
            [
                sys.executable,
                "-m",
                "firth",
                "corpus",
                "learn",
                text,
                "-o",
                model,
                "--tokens",
                "whitespace",
                "-q",
            ],
            check=True,
        )
        table(
            f"Counting, bag of {WINDOW}, {N_WORDS:,} words",
            best_of(["count_firth_1", "count_scipy", "count_firth_2"], model, rounds),
            n_bytes,
            "count_firth_1",
        )
    start_up(rounds)


if __name__ == "__main__":
    main()
