"""``tools/try_gpu.py`` writes a record of the tests and the benchmarks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "try_gpu.py"


def test_a_record_is_written(tmp_path: Path) -> None:
    some = "tests/gpu/test_pretended.py::test_memory_is_counted"
    how = ["--device", "torch-cpu", "--only", "k-means", "--scale", "0.001", "--tests", some]
    done = subprocess.run(
        [sys.executable, TOOL, *how, "--output", "gpu"], cwd=tmp_path, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done
    assert "| result | 1 passed in" in (tmp_path / "gpu" / "record.md").read_text()
    found = json.loads((tmp_path / "gpu" / "benchmarks.json").read_text())
    assert found["rows"]["k-means"]["quality"]["same labels"] > 0.9
