"""Rows of a table as files for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth.store import replacing

__all__ = ["write_rows"]


def write_rows(path: str | Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as ``.csv``, ``.tsv`` or ``.json``; the names of the first row are the headings."""
    suffix = Path(path).suffix.lower()
    with replacing(path) as file:
        if suffix == ".json":
            text = json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n"
        else:
            text = _separated(rows, "," if suffix == ".csv" else "\t")
        file.write(text.encode(errors="replace"))


def _separated(rows: Sequence[Mapping[str, Any]], separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
    for row in rows:
        writer.writerow("" if value is None else value for value in row.values())
    return text.getvalue()
