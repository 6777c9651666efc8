"""Lines of a search as files for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from firth import progress
from firth.formats import write_separated
from firth.store import replacing

if TYPE_CHECKING:
    from firth.corpus import Hit

__all__ = ["write_lines"]


def write_lines(path: str | Path, lines: Iterable[Hit], count: int, n: int) -> int:
    """Write ``n`` lines of ``count`` matches in the format of the file; returns their number."""
    suffix = Path(path).suffix.lower()
    with replacing(path) as file, progress.stage("writing lines", n, "lines", brief=1.0) as stage:
        if suffix == ".json":
            _write_json(file, lines, count, stage)
        else:
            _write_table(file, lines, suffix, stage)
    return n


def _write_table(file: BinaryIO, lines: Iterable[Hit], suffix: str, stage: progress.Stage) -> None:
    from firth.corpus import Hit

    def rows() -> Iterator[Iterable[Any]]:
        for hit in lines:
            yield asdict(hit).values()
            stage.advance(1)

    write_separated(file, [field.name for field in fields(Hit)], rows(), suffix)


def _write_json(file: BinaryIO, lines: Iterable[Hit], count: int, stage: progress.Stage) -> None:
    file.write(f'{{"count": {count}, "hits": ['.encode())
    for i, hit in enumerate(lines):
        text = json.dumps(asdict(hit), ensure_ascii=False)
        file.write((",\n" * (i > 0) + text).encode(errors="replace"))
        stage.advance(1)
    file.write(b"]}\n")
