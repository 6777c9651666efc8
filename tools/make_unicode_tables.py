"""Write ``src/firth/unicode/tables.json``: the properties of characters that Firth uses.

They are facts of the Unicode Standard (Unicode License v3), taken from two packages that are needed
for this script only::

    pip install unicodedata2==18.0.0 regex==2026.11.9
    python tools/make_unicode_tables.py            # write the file
    python tools/make_unicode_tables.py --check    # compare it with the packages, character by character

``unicodedata2`` has categories, decompositions, combining classes, digits and widths. ``regex`` has
the derived properties that ``unicodedata2`` lacks (Lowercase, Uppercase, Case_Ignorable,
Indic_Conjunct_Break). Lower-case
letters are those of the interpreter; for letters that it does not know yet, they follow from the names
(CAPITAL, SMALL). Both are checked against the case folding of ``regex``. Any Python writes the same
bytes.
"""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import regex
import unicodedata2

UNICODE, SOURCES = "18.0.0", ("unicodedata2 18.0.0", "regex 2026.11.9")
PATH = Path(__file__).parent.parent / "src/firth/unicode/tables.json"
POINTS = range(0x110000)
HANGUL = range(0xAC00, 0xD7A4)
IGNORABLE = ("Mn", "Me", "Cf", "Lm", "Sk")


def has(name: str) -> Callable[[int], bool]:
    """Whether a character has a property, according to ``regex``."""
    pattern = regex.compile(rf"\p{{{name}}}")
    return lambda point: pattern.match(chr(point)) is not None


def category(point: int) -> str:
    return str(unicodedata2.category(chr(point)))


def ranges(points: Iterable[int]) -> list[list[int]]:
    """First and last of each run of adjacent numbers."""
    runs: list[list[int]] = []
    for point in points:
        if runs and runs[-1][1] == point - 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return runs


def lower_case(point: int) -> list[int]:
    """The lower case of one character (final sigma apart), as code points."""
    character = chr(point)
    if unicodedata.category(character) != "Cn":
        return [ord(c) for c in character.lower()]
    if category(point) != "Lu":
        return [point]
    name = unicodedata2.name(character)
    return [ord(unicodedata2.lookup(name.replace(" CAPITAL ", " SMALL ", 1)))]


def lower_cases() -> list[list[int]]:
    """Rows of first, last, step and shift: letters a step apart with lower case at one distance."""
    changes = has("Changes_When_Lowercased")
    shifts: dict[int, int] = {}
    for point in POINTS:
        small = lower_case(point)
        if (small != [point]) != changes(point):
            raise SystemExit(f"U+{point:04X}: the packages disagree about lower case.")
        if small != [point] and len(small) == 1:
            if not regex.fullmatch(regex.escape(chr(small[0])), chr(point), regex.IGNORECASE):
                raise SystemExit(f"U+{point:04X}: another lower case in regex.")
            shifts[point] = small[0] - point
    rows: list[list[int]] = []
    for point, shift in shifts.items():
        if rows and rows[-1][3] == shift:
            first, last, step, _ = rows[-1]
            if point - last <= 2 and (first == last or step == point - last):
                rows[-1][1:3] = [point, point - last]
                continue
        rows.append([point, point, 1, shift])
    return rows


def tables() -> dict[str, Any]:
    if unicodedata2.unidata_version != UNICODE:
        raise SystemExit(f"This needs {' and '.join(SOURCES)}.")
    pairs, excluded = [], []
    for point in POINTS:
        parts = unicodedata2.decomposition(chr(point))
        if parts and not parts.startswith("<") and point not in HANGUL:  # those are computed
            pairs.append([point, *(int(part, 16) for part in parts.split())])
            if unicodedata2.normalize("NFC", chr(point)) != chr(point) and " " in parts:
                excluded.append(point)
    classes = ((unicodedata2.combining(chr(point)), point) for point in POINTS)
    lower, upper, ignorable = has("Lowercase"), has("Uppercase"), has("Case_Ignorable")
    return {
        "unicode": UNICODE,
        "made_from": SOURCES,
        "licence": "Unicode License v3, https://www.unicode.org/license.txt",
        "categories": " ".join(
            f"{name}{len(list(group))}" for name, group in groupby(POINTS, category)
        ),
        "combining": [
            [*run, number]
            for number, group in groupby(classes, lambda item: item[0])
            if number
            for run in ranges(point for _, point in group)
        ],
        "decompositions": pairs,
        "excluded": excluded,
        "lower": lower_cases(),
        "other_lower": ranges(p for p in POINTS if lower(p) and category(p) != "Ll"),
        "other_upper": ranges(p for p in POINTS if upper(p) and category(p) != "Lu"),
        "other_ignorable": ranges(
            p for p in POINTS if ignorable(p) and category(p) not in IGNORABLE
        ),
        "other_digits": ranges(
            p
            for p in POINTS
            if unicodedata2.digit(chr(p), None) is not None and category(p) != "Nd"
        ),
        "linkers": ranges(filter(has("InCB=Linker"), POINTS)),
        "consonants": ranges(filter(has("InCB=Consonant"), POINTS)),
        "wide": ranges(p for p in POINTS if unicodedata2.east_asian_width(chr(p)) in "WF"),
    }


def check() -> None:
    """Compare what Firth makes of the file with the packages, for all characters and random strings."""
    from firth import unicode

    lower, upper = has("Lowercase"), has("Uppercase")
    linker, consonant = has("InCB=Linker"), has("InCB=Consonant")
    for point in POINTS:
        c, kind = chr(point), category(point)
        digit = unicodedata2.digit(c, None) is not None
        number = unicodedata2.numeric(c, None) is not None
        expected = {
            unicode.category: kind,
            unicode.is_lower: lower(point),
            unicode.is_upper: upper(point),
            unicode.is_alpha: kind.startswith("L"),
            unicode.is_digit: digit,
            unicode.is_alnum: kind.startswith("L") or digit or number,
            unicode.is_printable: c == " " or kind[0] not in "CZ",
            unicode.is_wide: unicodedata2.east_asian_width(c) in "WF",
            unicode.is_linker: linker(point),
            unicode.is_consonant: consonant(point),
            unicode.zero_digits: "0" if kind == "Nd" else c,
            unicode.lower: "".join(map(chr, lower_case(point))),
        }
        for function, value in expected.items():
            if function(c) != value:
                raise SystemExit(
                    f"U+{point:04X}: {function.__name__} is {function(c)!r}, not {value!r}."
                )
        if not 0xD800 <= point < 0xE000 and unicode.nfc(c) != unicodedata2.normalize("NFC", c):
            raise SystemExit(f"U+{point:04X}: the normal form differs.")
    draw = random.Random(0)
    unsure = [
        p for p in POINTS if unicodedata2.combining(chr(p)) or unicodedata2.decomposition(chr(p))
    ]
    choices = [unsure, range(0x1100, 0x1200), HANGUL, range(0x250), range(0x10000, 0x20000)]
    for _ in range(200_000):
        text = "".join(chr(draw.choice(draw.choice(choices))) for _ in range(draw.randint(1, 8)))
        for form in (text, unicodedata2.normalize("NFD", text)):
            if unicode.nfc(form) != unicodedata2.normalize("NFC", text):
                raise SystemExit(f"The normal form of {form!a} differs.")
    print("All characters and 400,000 strings agree.")


def main() -> None:
    found = tables()
    lines = [
        f" {json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in found.items()
    ]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if "--check" not in sys.argv:
        PATH.write_text(text, encoding="ascii")
    elif PATH.read_text(encoding="ascii") != text:
        raise SystemExit(f"{PATH.name} is not what the packages give.")
    else:
        check()


if __name__ == "__main__":
    main()
