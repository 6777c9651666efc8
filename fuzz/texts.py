"""Random changes of whole files: bytes, characters, numbers, tokens and lines."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from fuzz.changes import TEXTS

_LONGEST = 1 << 16
_TOKENS = re.compile(rb"[^\s,;()|:]+")
_NUMBERS = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
NUMBERS = (
    b"0", b"1", b"-1", b"2", b"3", b"0.5", b"-0.0", b"1e308", b"1e309", b"-1e309", b"nan", b"inf", b"-inf",
    b"1e-320", b"NaN", b"4294967296", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616",
    b"1" + b"0" * 400, b"00", b"0x10", b"1_000", "٣".encode(), "²".encode(), "1\u00a0000".encode(), b"+1",
    b"1.", b".5", b"1" * 5000,
)  # fmt: skip
SPECIAL = (
    b"\0", b"\xff", b"\xfe", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf",
    b"\xff\xfe", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x1a", b"\x1f\x8b",
    b"PK\x03\x04", b"PAR1", b"ARROW1\0\0", b"\x93NUMPY", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh9", b"#",
    b'"', b"\\", b"{", b"[", b"(" * 3000, b"[" * 3000, b"-DOCSTART-", b"\xc2\x85", "\u2028".encode(),
    "\u3000".encode(), "a\u0301".encode() * 40, "\U0001f468\u200d\U0001f469".encode(), "\u202e".encode(),
    b"/dev/zero",
)  # fmt: skip
"""Bytes with a meaning: of encodings, of formats, of lines."""


def mutate(chance: random.Random, data: bytes, *others: bytes) -> bytes:
    """A file with one random change; ``others`` can be spliced into it."""
    change = chance.choice(_CHANGES)
    if change is _splice:
        return _splice(chance, data, *others)[:_LONGEST]
    return change(chance, data)[:_LONGEST]


def _place(chance: random.Random, data: bytes) -> int:
    return chance.randrange(len(data) + 1)


def _flip(chance: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _overwrite(chance: random.Random, data: bytes) -> bytes:
    at = _place(chance, data)
    n = chance.choice((1, 1, 2, 4, 8))
    new = chance.choice((bytes(n), b"\xff" * n, b"\x7f" + b"\xff" * (n - 1), chance.randbytes(n)))
    return data[:at] + new + data[at + n :]


def _delete(chance: random.Random, data: bytes) -> bytes:
    at = _place(chance, data)
    return data[:at] + data[at + chance.choice((1, 1, 2, 8, 100)) :]


def _repeat(chance: random.Random, data: bytes) -> bytes:
    at = _place(chance, data)
    some = data[at : at + chance.choice((1, 2, 8, 50))]
    return data[:at] + some * chance.choice((2, 2, 3, 50, 1000)) + data[at:]


def _truncate(chance: random.Random, data: bytes) -> bytes:
    return data[: _place(chance, data)]


def _insert(chance: random.Random, data: bytes) -> bytes:
    at = _place(chance, data)
    return data[:at] + chance.choice(SPECIAL) + data[at:]


def _number(chance: random.Random, data: bytes) -> bytes:
    return _replaced(chance, data, _NUMBERS, chance.choice(NUMBERS))


def _token(chance: random.Random, data: bytes) -> bytes:
    new = chance.choice(TEXTS).encode() if chance.random() < 0.5 else chance.choice(SPECIAL)
    return _replaced(chance, data, _TOKENS, new)


def _same_token(chance: random.Random, data: bytes) -> bytes:
    found = _TOKENS.findall(data)
    return _replaced(chance, data, _TOKENS, chance.choice(found)) if found else data


def _replaced(chance: random.Random, data: bytes, what: re.Pattern[bytes], new: bytes) -> bytes:
    found = list(what.finditer(data))
    if not found:
        return data
    one = chance.choice(found)
    return data[: one.start()] + new + data[one.end() :]


def _lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(5)
    if kind == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 1:
        del lines[i]
    elif kind == 2:
        lines.insert(i, lines[j])
    elif kind == 3:
        lines[i] = chance.choice((b"", b" ", b"#", b"\t\t", b"\r", chance.choice(SPECIAL)))
    else:
        lines[i] = (
            lines[i].replace(b"\t", b" ") if b"\t" in lines[i] else lines[i].replace(b" ", b"\t")
        )
    return b"\n".join(lines)


def _splice(chance: random.Random, data: bytes, *others: bytes) -> bytes:
    other = chance.choice(others) if others else data
    a, b = sorted((_place(chance, other), _place(chance, other)))
    at = _place(chance, data)
    return data[:at] + other[a:b] + data[at + (b - a) * chance.randrange(2) :]


_CHANGES: tuple[Callable[..., bytes], ...] = (
    _flip, _flip, _overwrite, _overwrite, _delete, _repeat, _truncate, _insert, _insert, _number, _number, _token,
    _token, _same_token, _lines, _lines, _splice,
)  # fmt: skip
