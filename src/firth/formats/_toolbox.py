"""Standard format of SIL Toolbox, Shoebox and FLEx: a marker and a value a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from firth.errors import InputError
from firth.formats._limits import current_limits

__all__ = ["toolbox_lines"]

_MARKER = re.compile(r"\\(\S+)(?:\s+(.*))?$", re.DOTALL)
_DEFAULTS = ("text", "tx", "txt", "t")
"""Markers of text, the first that occurs is taken."""
_RECORDS = ("ref", "rf", "id", "lx")
"""Markers that begin a record."""
_TEXTS = ("id", "idno")
"""Markers that hold for all records until the next one."""
_MOST_MARKERS = 10_000

Field = tuple[str, str, int]
"""A marker, its value, and the number of its line."""


def toolbox_lines(
    lines: Iterable[tuple[int, str]], column: str, name: str
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The text of each record, with its other markers.

    A record begins with ``\\ref``, or else with ``\\id``, with ``\\lx`` or with the marker of the text.
    Lines of the same marker are joined: Toolbox wraps interlinear text. What follows the ``\\id`` of a
    text, up to its first record, holds for all its records.

    Parameters
    ----------
    lines : iterable of (int, str)
        Numbered lines.
    column : str
        The marker of the text; ``text`` stands for ``\\text``, ``\\tx``, ``\\txt`` or ``\\t``.
    name : str
        The name of the file, for messages.
    """
    wanted = (column.removeprefix("\\"),) if column != _DEFAULTS[0] else _DEFAULTS
    seen: Counter[str] = Counter()
    marker = ""
    of_text: dict[str, str] = {}
    for record in _records(_fields(lines, name), seen, wanted, name):
        values = _joined(record)
        if not marker:
            marker = next((one for one in wanted if one in values), "")
        if record[0][0] in _TEXTS:
            of_text = {key: value for key, value in values.items() if key != marker}
        if values.get(marker):
            text = values.pop(marker)
            yield {**of_text, **values}, text
    if not marker:
        there = ", ".join(f"\\{one} ({n:,})" for one, n in seen.most_common(20))
        raise InputError(
            f"{name} has no marker \\{wanted[0] if len(wanted) == 1 else 'tx'}.",
            f"Choose the marker of the text with --column. It has: {there or 'no markers at all'}.",
        )


def _fields(lines: Iterable[tuple[int, str]], name: str) -> Iterator[Field]:
    """The markers and their values; lines without a marker continue the one before."""
    limits = current_limits()
    marker, values, first, size = "", [""], 0, 0
    for number, line in lines:
        found = _MARKER.match(line)
        if found is None:
            if line.strip() and marker:
                values.append(line)
                size += len(line)
                limits.check_line(size, f"The field that begins in line {first:,} of {name}")
            elif line.strip():
                raise InputError(
                    f"{name}, line {number:,}: there is no marker, such as \\tx, before this.",
                    "If it is plain text, say so: --read-as text",
                )
            continue
        if marker:
            yield marker, " ".join(" ".join(values).split()), first
        marker, values, first = found[1], [found[2] or ""], number
        size = len(values[0])
    if marker:
        yield marker, " ".join(" ".join(values).split()), first


def _records(
    fields: Iterable[Field], seen: Counter[str], texts: tuple[str, ...], name: str
) -> Iterator[list[Field]]:
    """Fields of one record at a time; those of the header of the file, ``\\_sh`` and the like, are left out."""
    record: list[Field] = []
    begins = ""
    size, limits = 0, current_limits()
    for marker, value, number in fields:
        if marker.startswith("_"):
            continue
        seen[marker] += 1
        if len(seen) > _MOST_MARKERS:
            raise InputError(
                f"{name}, line {number:,}: there are more than {_MOST_MARKERS:,} different markers.",
                "Is this standard format? If it is plain text, say so: --read-as text",
            )
        is_first = marker in _RECORDS or (not begins and marker in texts)
        if marker in _RECORDS and (not begins or _RECORDS.index(marker) < _RECORDS.index(begins)):
            begins = marker  # \ref is better than \id
        if record and (
            marker == begins
            or marker in _TEXTS
            or (not begins and is_first and any(one[0] == marker for one in record))
        ):
            yield record
            record, size = [], 0
        record.append((marker, value, number))
        size += len(value)
        limits.check_line(size, f"The record that ends in line {number:,} of {name}")
    if record:
        yield record


def _joined(record: Iterable[Field]) -> dict[str, str]:
    """The values of each marker, one after the other."""
    values: dict[str, list[str]] = {}
    for marker, value, _ in record:
        if value:
            values.setdefault(marker, []).append(value)
    return {marker: " ".join(found) for marker, found in values.items()}
