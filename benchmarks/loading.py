"""``python -m benchmarks.loading MODEL``: what it costs not to trust a model.

Opening a part reads every file twice: once for its checksum, and once to check that what it contains is what kernels
assume (ranges, order, sums, ids counted again). This shows the seconds of both for every part, the fastest of some
rounds, with the files in the page cache.
"""

from __future__ import annotations

import argparse
import math
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import firth
from benchmarks.common import processor
from firth.parts import PARTS, load_part


def best(work: Callable[[], Any], rounds: int) -> float:
    """The fewest seconds."""
    seconds = math.inf
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        seconds = min(seconds, time.perf_counter() - began)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    model = firth.load(args.model)
    print(f"{processor()}, Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}")
    print("| part | MB | checksum, s | checks, s | checks / checksum |")
    print("| --- | ---: | ---: | ---: | ---: |")
    sums = [0.0, 0.0, 0.0]
    for name, kind in PARTS.items():
        if name not in model.parts:
            continue
        part = model.parts[name]
        needs = {other: getattr(model, other) for other in kind.needs}
        load_part(part, needs)  # kernels are compiled
        found = (
            part.n_bytes / 1e6,
            best(part.verify, args.rounds),
            best(lambda part=part, needs=needs: load_part(part, needs), args.rounds),  # type: ignore[misc]
        )
        sums = [a + b for a, b in zip(sums, found, strict=True)]
        print(_row(name, *found))
    print(_row("all", *sums))


def _row(name: str, megabytes: float, checksum: float, checks: float) -> str:
    ratio = checks / max(checksum, 1e-9)
    return f"| {name} | {megabytes:,.1f} | {checksum:.3f} | {checks:.3f} | {ratio:.2f} |"


if __name__ == "__main__":
    main()
