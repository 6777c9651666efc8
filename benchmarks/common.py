"""What all benchmarks need: the data, and a name for the machine."""

from __future__ import annotations

import lzma
import os
import platform
import shutil
import sys
from pathlib import Path


def data_file(name: str) -> Path:
    folder = os.environ.get("FIRTH_DATA")
    if not folder:
        sys.exit(
            "error: FIRTH_DATA is not set.\nhint: export FIRTH_DATA=/path/to/data, a folder with text/wiki.txt.xz in it"
        )
    path = Path(folder) / name
    if not path.exists():
        sys.exit(
            f"error: there is no {path}.\nhint: FIRTH_DATA must name a folder that holds {name}"
        )
    return path


def unpack(path: Path, out: Path, n_bytes: int | None) -> None:
    """The text, unpacked; its first so many bytes, to the end of a line, where wanted."""
    with lzma.open(path) as source, out.open("wb") as target:
        if n_bytes is None:
            shutil.copyfileobj(source, target, 1 << 20)
        else:
            target.write(source.read(n_bytes))
            target.write(source.readline())


def processor() -> str:
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} cores"
