"""The tests for GPUs and ``benchmarks.gpu`` in ten minutes: ``python tools/try_gpu.py --text FILE --trees TRAIN,DEV``.

Firth need not be installed: PyTorch, pytest and the packages that Firth builds on are enough. What is printed, the
figures and the lines for ``docs/gpu.md`` are files of the folder ``--output``. Without ``--text`` or ``--trees``, the
rows of the benchmarks that need them are left out. When time is up, what was measured until then is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROWS = (
    "baum-welch",
    "states",
    "viterbi",
    "k-means",
    "k-means-double",
    "windowed-ward",
    "group-average",
)
OF_TREES = ("parsing",)
OF_TEXT = ("decomposition", "neighbours", "analogies", "map")
TESTS = "python -m pytest -c /dev/null --rootdir . -q tests/gpu"


def ran(arguments: list[str], output: Path, until: float) -> tuple[bool, str]:
    """Run a module of Python; whether it succeeded, and its last line."""
    paths = [str(ROOT / "src"), str(ROOT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
    with output.open("w") as file:
        try:
            done = subprocess.run(
                [sys.executable, "-m", *arguments], cwd=ROOT, env=environment, stdout=file,
                stderr=subprocess.STDOUT, timeout=max(1.0, until - time.monotonic()), check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False, "the time was up"
    lines = output.read_text().strip().splitlines()
    return done.returncode == 0, lines[-1] if lines else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", help="a text, for word vectors")
    parser.add_argument("--trees", help="treebanks to learn from and to parse")
    parser.add_argument("--output", type=Path, default=Path("gpu"), metavar="FOLDER")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1; torch-cpu to try this tool")
    parser.add_argument("--minutes", type=float, default=9.5, help="after this time, it ends")
    parser.add_argument("--scale", default="1.0", help="as for benchmarks.gpu")
    parser.add_argument("--only", help="as for benchmarks.gpu")
    parser.add_argument("--tests", default="tests/gpu", help="what pytest runs")
    options = parser.parse_args()
    until, folder = time.monotonic() + 60 * options.minutes, options.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    device = ["--device", options.device]

    ok, line = ran(["benchmarks.gpu", "--record", *device], folder / "record.json", until)
    if not ok:
        print(f"error: {line.removeprefix('firth.errors.FirthError: ')}", file=sys.stderr)
        return 1
    about = json.loads(line)
    pytest = ["pytest", "-c", os.devnull, "--rootdir", ".", "-q", "-p", "no:cacheprovider"]
    passed, result = ran([*pytest, options.tests], folder / "tests.txt", until)
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    table = [
        "| | |", "|---|---|", f"| date | {about['date']} |",
        f"| device | {about['device']}, driver {about['driver']}, CUDA {about['cuda']} |",
        f"| versions | {versions} |", f"| command | `{TESTS}` |", f"| result | {result} |",
    ]  # fmt: skip
    (folder / "record.md").write_text("\n".join(table) + "\n")
    print("\n".join(table), flush=True)

    data = []
    for name, files in (("--text", options.text), ("--trees", options.trees)):
        if files:
            data += [name, ",".join(str(Path(file).resolve()) for file in files.split(","))]
    rows = [*ROWS, *(OF_TREES if options.trees else ()), *(OF_TEXT if options.text else ())]
    how = ["--only", options.only or ",".join(rows), "--scale", options.scale, *device]
    kept = ["--output", str(folder / "benchmarks.json")]
    measured, last = ran(["benchmarks.gpu", *how, *data, *kept], folder / "benchmarks.txt", until)
    print(f"benchmarks: {last if not measured else 'done'}; see {folder}")
    return int(not (passed and measured))


if __name__ == "__main__":
    sys.exit(main())
