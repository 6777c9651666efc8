"""``python -m fuzz``: run random cases, or a case that was found before."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fuzz import all_targets, sample
from fuzz.driver import CRASHES, Driver, Plan
from fuzz.guided import is_available


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="for how long (default: 60)")
    parser.add_argument("--cases", type=int, help="how many cases, of all targets together")
    parser.add_argument(
        "--target", action="append", default=[], metavar="NAME", help="only this one"
    )
    parser.add_argument("--seed", type=int, help="another seed gives other cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--guided", type=int, help="how many of them use Atheris (default: half)")
    parser.add_argument("--hang", type=float, default=60.0, help="seconds that a case may take")
    parser.add_argument("--crashes", type=Path, default=CRASHES, help="folder for findings")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="write a summary as JSON")
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="run a case again, in this process"
    )
    parser.add_argument("--list", action="store_true", help="list the targets")
    options = parser.parse_args()
    if options.list:
        print("\n".join(target.name for target in all_targets()))
        return 0
    if options.replay:
        replay(options.replay)
        return 0
    seconds = options.seconds if options.cases else options.seconds or 60.0
    seed = int(time.time()) if options.seed is None else options.seed
    guided = options.guided
    if (
        guided is None
    ):  # half of the processes, where Atheris is installed and cases are not counted
        guided = options.jobs // 2 if is_available() and options.cases is None else 0
    plan = Plan(
        seconds, options.cases, options.target, seed, max(options.jobs - guided, 1), options.hang,
        options.crashes, guided=guided,
    )  # fmt: skip
    summary = Driver(plan).run()
    if options.summary:
        text = json.dumps(summary, indent=1) + "\n"
        options.summary.write_text(text, encoding="utf-8")
    _print(summary)
    return 1 if summary["findings"] else 0


def _print(summary: dict[str, Any]) -> None:
    columns = ("cases", "accepted", "refused", "guided")
    print(f"{'target':<20}", *(f"{name:>10}" for name in (*columns, "per second")))
    for target, row in summary["targets"].items():
        rate = row["cases"] / row["seconds"] if row["seconds"] else 0
        print(f"{target:<20}", *(f"{row[name]:10,}" for name in columns), f"{rate:10,.0f}")
    for name, module in summary["skipped"].items():
        print(f"{name}: skipped, because {module} is not installed")
    for found in summary["findings"]:
        print(f"{found['file']}: {found['kind']}: {found['what']} ({found['where']})")
    print(
        f"{summary['cases']:,} cases in {summary['seconds']:,.0f} s with seed {summary['seed']}: "
        f"{len(summary['findings'])} findings"
    )


def replay(file: Path) -> None:
    """Run a case without catching anything, to see the traceback."""
    found = json.loads(file.read_bytes())
    target = next(target for target in all_targets() if target.name == found["target"])
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        sample.make(Path(folder) / "samples")
        work = Path(folder) / "work"
        work.mkdir()
        target.prepare(Path(folder) / "samples", work)
        target.run(found["case"])
    print("nothing happened")


if __name__ == "__main__":
    sys.exit(main())
