"""Lines of a search as rows, and as files for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from firth import progress
from firth.formats import write_separated
from firth.store import replacing

if TYPE_CHECKING:
    from firth.corpus import Documents, Hit

__all__ = ["line_rows", "write_lines"]


def line_rows(lines: Iterable[Hit], documents: Documents | None) -> Iterator[dict[str, Any]]:
    """Lines as plain data, each with what is known about its document."""
    names = _columns(documents)

    @lru_cache(maxsize=1 << 12)
    def known(row: int) -> dict[str, Any]:
        (values,) = documents.table.slice(row, 1).to_pylist() if documents is not None else ({},)
        return {heading: values[name] for name, heading in names.items()}

    starts = np.zeros(1, np.int64) if documents is None else documents.starts
    for line in lines:
        row = int(np.searchsorted(starts, line.sentence, side="right")) - 1
        yield asdict(line) | known(row)


def _columns(documents: Documents | None) -> dict[str, str]:
    """The columns of documents, and what they are called beside a line, which has columns of its own."""
    from firth.corpus import Hit

    of_line = {field.name for field in fields(Hit)}
    names = [] if documents is None else documents.table.schema.names
    found: dict[str, str] = {}
    for name in (name for name in names if name != "file"):
        heading = name
        while heading in of_line or (heading != name and heading in names):
            heading = f"document_{heading}"
        found[name] = heading
    return found


def write_lines(
    path: str | Path, lines: Iterable[Hit], count: int, n: int, documents: Documents | None = None
) -> int:
    """Write ``n`` lines of ``count`` matches in the format of the file; returns their number."""
    from firth.corpus import Hit

    suffix = Path(path).suffix.lower()
    rows = line_rows(lines, documents)
    with replacing(path) as file, progress.stage("writing lines", n, "lines", brief=1.0) as stage:
        if suffix == ".json":
            _write_json(file, rows, count, stage)
        else:
            headings = [*(field.name for field in fields(Hit)), *_columns(documents).values()]
            write_separated(file, headings, _counted(rows, stage), suffix)
    return n


def _counted(rows: Iterable[dict[str, Any]], stage: progress.Stage) -> Iterator[Iterable[Any]]:
    for row in rows:
        yield row.values()
        stage.advance(1)


def _write_json(
    file: BinaryIO, rows: Iterable[dict[str, Any]], count: int, stage: progress.Stage
) -> None:
    file.write(f'{{"count": {count}, "hits": ['.encode())
    for i, row in enumerate(rows):
        text = json.dumps(row, ensure_ascii=False)
        file.write((",\n" * (i > 0) + text).encode(errors="replace"))
        stage.advance(1)
    file.write(b"]}\n")
