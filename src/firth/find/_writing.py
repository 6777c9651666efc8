"""Lines of a search as files for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from firth import progress
from firth.errors import ParameterError, shown
from firth.store import replacing

if TYPE_CHECKING:
    from firth.corpus import Hit

__all__ = ["LINE_FILES", "check_output", "write_lines"]

LINE_FILES = (".csv", ".tsv", ".json")


def check_output(path: str | Path) -> None:
    """Raise ParameterError unless lines can be written in the format that a name stands for."""
    if Path(path).suffix.lower() not in LINE_FILES:
        raise ParameterError(
            f"The format of {shown(Path(path).name)} is unknown.",
            f"Use a name that ends with {', '.join(LINE_FILES[:-1])} or {LINE_FILES[-1]}.",
        )


def write_lines(path: str | Path, lines: Iterable[Hit], count: int, n: int) -> int:
    """Write ``n`` lines of ``count`` matches in the format of the file; returns their number."""
    suffix = Path(path).suffix.lower()
    with replacing(path) as file, progress.stage("writing lines", n, "lines", brief=1.0) as stage:
        if suffix == ".json":
            _write_json(file, lines, count, stage)
        else:
            _write_table(file, lines, "," if suffix == ".csv" else "\t", stage)
    return n


def _write_table(
    file: BinaryIO, lines: Iterable[Hit], delimiter: str, stage: progress.Stage
) -> None:
    from firth.corpus import Hit

    row = io.StringIO()
    writer = csv.writer(row, delimiter=delimiter, lineterminator="\n")
    writer.writerow(field.name for field in fields(Hit))
    for hit in lines:
        writer.writerow(
            value if delimiter == "," or not isinstance(value, str) else " ".join(value.split("\t"))
            for value in asdict(hit).values()
        )
        stage.advance(1)
        if row.tell() > 1 << 16:
            file.write(row.getvalue().encode(errors="replace"))
            row.seek(0)
            row.truncate()
    file.write(row.getvalue().encode(errors="replace"))


def _write_json(file: BinaryIO, lines: Iterable[Hit], count: int, stage: progress.Stage) -> None:
    file.write(f'{{"count": {count}, "hits": ['.encode())
    for i, hit in enumerate(lines):
        text = json.dumps(asdict(hit), ensure_ascii=False)
        file.write((",\n" * (i > 0) + text).encode(errors="replace"))
        stage.advance(1)
    file.write(b"]}\n")
