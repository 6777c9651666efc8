"""The table of characters: ``tables.json``, spread out over all code points."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "ALPHA", "DIGIT", "HANGUL", "IGNORABLE", "LOWER", "NUMBER", "TITLE", "UPPER", "WIDE",
    "Forms", "Properties", "conjuncts", "forms", "properties", "runs", "unicode_version",
]  # fmt: skip

N_POINTS = 0x110000
UPPER, LOWER, TITLE, IGNORABLE, DIGIT, ALPHA, NUMBER, WIDE = (1 << i for i in range(8))
"""Flags of a character, as in Python's ``str`` methods; IGNORABLE is the property Case_Ignorable."""
_OF_CATEGORY = {
    "Lu": ALPHA | UPPER, "Ll": ALPHA | LOWER, "Lt": ALPHA | TITLE, "Lm": ALPHA | IGNORABLE, "Lo": ALPHA,
    "Nd": NUMBER | DIGIT, "Nl": NUMBER, "No": NUMBER,
    "Mn": IGNORABLE, "Me": IGNORABLE, "Cf": IGNORABLE, "Sk": IGNORABLE,
}  # fmt: skip
HANGUL = range(0xAC00, 0xD7A4)
"""The syllables, whose decompositions are computed."""


@cache
def _file() -> dict[str, Any]:
    text = Path(__file__).with_name("tables.json").read_text(encoding="ascii")
    tables: dict[str, Any] = json.loads(text)
    return tables


@cache
def unicode_version() -> str:
    """The version of the standard, such as ``18.0``."""
    major, minor = str(_file()["unicode"]).split(".")[:2]
    return f"{major}.{minor}"


@cache
def runs() -> list[tuple[str, int, int]]:
    """Categories of adjacent code points: name, first code point, and the one after the last."""
    found, point = [], 0
    for run in _file()["categories"].split():
        end = point + int(run[2:])
        found.append((run[:2], point, end))
        point = end
    return found


class Properties(NamedTuple):
    """Properties of all code points."""

    names: list[str]
    """The names of the categories."""
    categories: bytes
    """The number of the category of each code point."""
    flags: bytes
    """Its flags."""


@cache
def properties() -> Properties:
    """The properties of all code points."""
    tables = _file()
    numbers, flags, names = bytearray(N_POINTS), bytearray(N_POINTS), dict[str, int]()
    for name, point, end in runs():
        numbers[point:end] = bytes([names.setdefault(name, len(names))]) * (end - point)
        flags[point:end] = bytes([_OF_CATEGORY.get(name, 0)]) * (end - point)
    for key, flag in (
        ("other_upper", UPPER),
        ("other_lower", LOWER),
        ("other_ignorable", IGNORABLE),
        ("other_digits", DIGIT),
        ("wide", WIDE),
    ):
        for first, last in tables[key]:
            old = flags[first : last + 1]
            flags[first : last + 1] = old.translate(bytes(byte | flag for byte in range(256)))
    return Properties(list(names), bytes(numbers), bytes(flags))


@cache
def conjuncts(kind: str) -> frozenset[str]:
    """The characters of Indic conjuncts: ``linkers`` (viramas that join) or ``consonants``."""
    return frozenset(
        chr(point) for first, last in _file()[kind] for point in range(first, last + 1)
    )


class Forms(NamedTuple):
    """Lower case and normal forms, as arrays; the last code point of them, and all after it, have none."""

    lower: Any
    """uint32: the lower case of each code point."""
    flags: Any
    """uint8: the flags of each code point."""
    combining: Any
    """uint8: the combining class."""
    unsure: Any
    """bool: may change in normal form C, or may combine with the character before."""
    starts: Any
    """int32: where the full decomposition of each code point begins in ``parts``; empty if it has none."""
    parts: Any
    """uint32."""
    pairs: Any
    """int64, ascending: pairs of code points that combine, the first one times 2**21."""
    composites: Any
    """uint32: what they combine to."""


@cache
def forms() -> Forms:
    """Lower case and normal forms."""
    import numpy as np

    tables = _file()
    size = 2 + max(row[0] for row in tables["decompositions"])
    small = np.arange(size, dtype=np.uint32)
    for first, last, step, shift in tables["lower"]:
        small[first : last + 1 : step] += np.uint32(shift % (1 << 32))
    combining = np.zeros(size, np.uint8)
    for first, last, number in tables["combining"]:
        combining[first : last + 1] = number
    apart = {point: parts for point, *parts in tables["decompositions"]}
    excluded = set(tables["excluded"])
    composites = {
        tuple(parts): point
        for point, parts in apart.items()
        if len(parts) == 2 and point not in excluded
    }
    unsure = combining > 0
    unsure[[point for point, parts in apart.items() if tuple(parts) not in composites]] = True
    unsure[[second for _, second in composites]] = True
    unsure[0x1161:0x1176] = unsure[0x11A8:0x11C3] = True  # Hangul vowels and finals
    starts, parts = _in_full(apart, size)
    ordered = sorted(composites)
    return Forms(
        small,
        np.frombuffer(properties().flags, np.uint8, size),
        combining,
        unsure,
        starts,
        parts,
        np.array([first << 21 | second for first, second in ordered], np.int64),
        np.array([composites[pair] for pair in ordered], np.uint32),
    )


def _in_full(
    apart: dict[int, list[int]], size: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint32]]:
    """Decompositions of decompositions, joined into one array, and where each begins."""
    import numpy as np

    def full(point: int) -> list[int]:
        parts = apart.get(point)
        return [point] if parts is None else [end for part in parts for end in full(part)]

    whole = {point: full(point) for point in sorted(apart)}
    lengths = np.zeros(size + 1, np.int32)
    lengths[[point + 1 for point in whole]] = [len(parts) for parts in whole.values()]
    starts = np.cumsum(lengths, dtype=np.int32)
    return starts, np.array([part for parts in whole.values() for part in parts], np.uint32)
