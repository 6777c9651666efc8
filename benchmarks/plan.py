"""``python -m benchmarks.plan``: what ``firth learn --plan`` says, compared with what is measured.

For several texts, limits of memory and numbers of threads, a plan is made, then each stage is run as a command of its
own. The tables have ratios, plan to measurement, of every stage and quantity. Every command starts the program and
loads kernels, which a plan has once for all stages: this is measured with the same commands on a few words, and added
to the planned times.

Time is wall-clock time for the threads given, on a machine that does nothing else; where others use the machine, CPU
time says more. With ``--rows FILE``, what was measured is kept: another run measures only what is missing, and makes
all plans again. This is the way to recalibrate the formulas in ``firth/planning/_costs.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from benchmarks.common import Facts, data_file, print_table, processor, unpack
from benchmarks.stages import STAGES, Rows, command, measured
from firth.progress import size

N_TAGS = 12
NOTHING = "nothing"
"""The name of a text of a few words."""
TEXTS = ("treebank", "wikinews", "wiki/8", "wiki/2", "wiki")
QUANTITIES = {
    "seconds": "time", "cpu": "CPU time", "memory": "memory", "disk": "disk while it runs", "made": "result",
}  # fmt: skip
_PLANNED = {
    "seconds": "seconds",
    "cpu": "cpu_seconds",
    "memory": "memory",
    "disk": "disk",
    "made": "stays",
}
_SMALL = {"seconds": 0.0, "cpu": 0.0, "memory": 0.0, "disk": 1e6, "made": 1e6}
"""Less than this is not compared: a ratio of two small numbers says nothing."""


def text_file(name: str, folder: Path) -> Path:
    """A text: a few words, the words of a treebank, Wikinews, or a part of Wikipedia, such as wiki/8."""
    path = folder / f"{name.replace('/', '-')}.txt"
    if path.exists():
        return path
    if name == NOTHING:
        path.write_text("the cat sees a dog\na dog hears the cat\nthe dog sees the cat\n" * 8)
        return path
    if name == "treebank":
        path.write_text("\n".join(_sentences(data_file("tags/en_ewt-train.conllu"))) + "\n")
        return path
    base, _, part = name.partition("/")
    source = data_file(f"text/{base}.txt.xz")
    whole = folder / f"{base}.txt"
    if not whole.exists():
        unpack(source, whole, None)
    if part:
        with whole.open("rb") as file:
            path.write_bytes(file.read(whole.stat().st_size // int(part)) + file.readline())
    return path


def _sentences(treebank: Path) -> Iterator[str]:
    words: list[str] = []
    for line in treebank.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if not line and words:
            yield " ".join(words)
            words = []
        elif fields[0].isdecimal():
            words.append(fields[1])


def measure(text: Path, case: Facts, stages: list[str], folder: Path, rows: Rows) -> None:
    """Run all stages, unless they are among the rows already."""
    if all(rows.find(**case, stage=stage) for stage in stages):
        return
    model = folder / "model"
    for stage in stages:  # each needs those before it
        options = [*_options(case), *(["--tags", str(_n_tags(case))] if stage == "tags" else [])]
        found = measured(command(stage, [text], model, options), model, stage)
        rows.add({**case, "stage": stage, **found})
        print(f"{case}, {stage}: {found}", file=sys.stderr, flush=True)
    shutil.rmtree(model)


def _n_tags(case: Facts) -> int:
    return 2 if case["text"] == NOTHING else N_TAGS


def _options(case: Facts) -> list[str]:
    return ["--memory", case["limit"], "--threads", str(case["threads"])]


def planned(text: Path, case: Facts, stages: list[str], folder: Path) -> Facts:
    """The plan, and what it takes to make it."""
    out = folder / "plan.json"
    more = ["--morphs"] if "morphs" in stages else []
    more += ["--tags", str(N_TAGS)] if "tags" in stages else []
    arguments = ["learn", str(text), "--plan", "--json", *more, *_options(case)]
    took = measured(arguments, folder / "none", "none", out)
    return {**json.loads(out.read_text()), "took": took}


def compare(plan: Facts, case: Facts, stages: list[str], rows: Rows) -> dict[str, Facts]:
    """For each stage and quantity: what was planned, what was measured (the least of several), and their ratio."""
    found: dict[str, Facts] = {}
    for stage in stages:
        start = _least(rows.find(text=NOTHING, stage=stage))
        of = next(one for one in plan["stages"] if one["name"] == stage)
        real = _least(rows.find(**case, stage=stage))
        found[stage] = {}
        for name, key in _PLANNED.items():
            said = of[key] + (start["cpu"] if name in ("seconds", "cpu") else 0.0)
            ratio = said / real[name] if real[name] > _SMALL[name] else 1.0
            found[stage][name] = (said, real[name], ratio)
    return found


def _least(rows: list[Facts]) -> Facts:
    return {name: min(row[name] for row in rows) for name in _PLANNED}


def _shown(name: str, value: float) -> str:
    return f"{value:.1f} s" if name in ("seconds", "cpu") else size(value)


def report(plans: list[tuple[Facts, Facts]], stages: list[str], rows: Rows) -> None:
    table, worst = [], dict.fromkeys(_PLANNED, (1.0, ""))
    for case, plan in plans:
        name = f"{case['text']}, {case['limit']}, {case['threads']}"
        for stage, found in compare(plan, case, stages, rows).items():
            cells = []
            for key, (said, real, ratio) in found.items():
                cells.append(f"{_shown(key, said)} : {_shown(key, real)} = {ratio:.2f}")
                worst[key] = max(worst[key], (max(ratio, 1 / ratio), f"{stage}, {name}"))
            table.append([name, stage, *cells])
    title = "Planned : measured = ratio"
    print_table(title, f"text, memory, threads; stage; {'; '.join(QUANTITIES.values())}", table)
    print_table(
        "The worst ratios",
        "quantity; factor; where",
        [[QUANTITIES[key], f"{ratio:.2f}", where] for key, (ratio, where) in worst.items()],
    )
    print_table(
        "What it takes to make a plan",
        "text, memory, threads; time; CPU time; memory; disk",
        [
            [f"{case['text']}, {case['limit']}, {case['threads']}"]
            + [_shown(key, plan["took"][key]) for key in ("seconds", "cpu", "memory", "disk")]
            for case, plan in plans
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--texts", default=",".join(TEXTS), help="as in the default; wiki/8: an eighth"
    )
    parser.add_argument("--memory", default="4G,300M", help="as for the commands")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--stages", default=",".join((*STAGES, "morphs", "tags")))
    parser.add_argument(
        "--rounds", type=int, default=1, help="measure so many times, and take the least"
    )
    parser.add_argument("--rows", type=Path, help="a file for what is measured, to go on with")
    parser.add_argument("--folder", type=Path, help="for texts and models; a temporary one if none")
    options = parser.parse_args()
    stages, rows = options.stages.split(","), Rows(options.rows)
    cases = product(options.texts.split(","), options.memory.split(","), options.threads.split(","))
    plans = []
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = Path(temporary)
        for number in range(3):
            case = {"text": NOTHING, "limit": "4G", "threads": 1, "round": number}
            measure(text_file(NOTHING, folder), case, stages, folder, rows)
        for name, limit, threads in cases:
            text = text_file(name, options.folder or folder)
            case = {"text": name, "limit": limit, "threads": int(threads)}
            for number in range(options.rounds):
                measure(text, {**case, "round": number}, stages, folder, rows)
            plans.append((case, planned(text, case, stages, folder)))
            print(f"{case}, planned", file=sys.stderr, flush=True)
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    print(f"{processor()}, load {load}, {datetime.now(UTC):%Y-%m-%d}")
    report(plans, stages, rows)


if __name__ == "__main__":
    main()
