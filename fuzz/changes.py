"""Changes to files: drawn at random, written as JSON, applied exactly.

A change is a list: what is done, the name of the file, and numbers or texts. Numbers of elements are
taken modulo the size of the file, so that a change can be applied to any file of the same kind.
"""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from firth.store._contents import TYPES

Change = list[Any]
Files = dict[str, Any]
"""Contents by name; a str instead of bytes says that it is not a plain file."""

KINDS = ("link", "fifo", "folder", "missing")
_PLACEHOLDER = "\ue000value\ue000"
_LONGEST = 1 << 16
"""Files do not grow beyond this size, so that cases stay quick."""

TEXTS = (
    "", " ", "\0", "\n", "\t", "\r\n", "\ufeff", "a\u0300", "\u00e5", "A\u030a", "\u2028", "\U0010ffff", "..",
    "/", "<s>", "<unk>", "-DOCSTART-", "(", ")", "|", "0", "1", "01", "\u0660", "nan", "the", "x" * 300,
    "/dev/zero", "/dev/null", "\u202e", "\x1b[2J", "B-PER", "_", "*", "@", "words", "characters", "text",
    "bag10", "LR2", "R1", "-1,1", "distance",
)  # fmt: skip
"""Texts that programs stumble over, and some that have a meaning."""

NUMBERS = (
    0, 1, 2, 3, 7, 8, 255, 256, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 53) + 1,
    (1 << 62) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1,
)  # fmt: skip
FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1 + 1e-7, 1e-45, 5e-324, 1e-300, 1e30, 3.4e38, 1e154, 1e300,
    1.7976931348623157e308, "nan", "inf", "-inf", 1e-100, 1e-6, -1e-6, 2.0, 100.0, -745.0, 250.0,
)  # fmt: skip
VALUES = (
    "null", "true", "false", "0", "1", "-1", "2", "3", "12", "0.5", "-0.0", "1e308", "-1e308", "1e999", "NaN",
    "Infinity", "1e-320", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "1" + "0" * 400, '""', '"\\ud800"', '"\\u0000"', '"\\ud83d\\ude00"', "[]", "{}", "[[]]", "[null]",
    '{"":null}', "[" * 60 + "]" * 60, "[" * 20000 + "]" * 20000, "1" * 5000, '"/dev/zero"', '["a","a"]',
    "[0,0]", "[-1]", "[1e400]", '{"a":{"a":{}}}',
)  # fmt: skip
"""JSON texts for the place of any value."""


def is_array(name: str) -> bool:
    return name[-3:] in TYPES and name[-4] == "."


# Drawing -------------------------------------------------------------------------------------------


def draw(chance: random.Random, files: Mapping[str, bytes], name: str) -> Change:
    """A random change of a file."""
    if chance.random() < 0.04:
        return ["kind", name, chance.choice(KINDS)]
    data = files[name]
    if chance.random() < 0.1:
        return _draw_bytes(chance, name, data)
    if is_array(name):
        return _draw_array(chance, name, data, files)
    if name.endswith(".arrow"):
        return _draw_table(chance, name)
    if name.endswith(".json"):
        return draw_json(chance, name, json.loads(data))
    return _draw_bytes(chance, name, data)


def _draw_bytes(chance: random.Random, name: str, data: bytes) -> Change:
    at = chance.randrange(len(data) + 1)
    kind = chance.randrange(5)
    if kind == 0:
        return ["flip", name, at, chance.randrange(8)]
    if kind == 1:
        return ["write", name, at, _encoded(chance.randbytes(chance.choice((1, 1, 2, 4, 8))))]
    if kind == 2:
        return ["delete", name, at, chance.choice((1, 4, 8, 64))]
    if kind == 3:
        return ["insert", name, at, _encoded(chance.randbytes(chance.choice((1, 4, 8))))]
    return ["truncate", name, at if chance.random() < 0.7 else 0]


def _draw_array(chance: random.Random, name: str, data: bytes, files: Mapping[str, Any]) -> Change:
    size = int(TYPES[name[-3:]][2])
    n = max(len(data) // size, 1)
    i, j, length = chance.randrange(n), chance.randrange(n), chance.choice((1, 1, 2, 3, n))
    kind = chance.randrange(14)
    if kind < 4:
        return ["set", name, i, number(chance, name, files)]
    if kind < 6:
        return ["add", name, i, _step(chance, name)]
    if kind < 8:
        return ["move", name, i, j, _step(chance, name)]
    if kind == 8:
        return ["swap", name, i, j]
    if kind == 9:
        return ["fill", name, i, length, number(chance, name, files)]
    if kind == 10:
        return [chance.choice(("sort", "reverse", "negate")), name, i, length]
    if kind == 11:
        return [chance.choice(("repeat", "cut")), name, i, length]
    if kind == 12:
        return ["copy", name, i, j, length]
    return ["append", name, number(chance, name, files)]


def number(chance: random.Random, name: str, files: Mapping[str, Any]) -> Any:
    """A number that may be at an edge: of the type, or of the size of another file."""
    if name[-3] == "f":
        return chance.choice(FLOATS) if chance.random() < 0.8 else chance.gauss(0, 1)
    if chance.random() < 0.4:
        return chance.choice(NUMBERS) * chance.choice((1, 1, -1)) + chance.choice((-1, 0, 0, 1))
    other = chance.choice(list(files))
    size = int(TYPES[other[-3:]][2]) if is_array(other) else 1
    return (
        len(files[other]) // size + chance.choice((-2, -1, 0, 1))
        if chance.random() < 0.5
        else (chance.randrange(20))
    )


def _step(chance: random.Random, name: str) -> Any:
    if name[-3] == "f":
        return chance.choice((1e-9, 1e-6, 1e-3, 0.1, 0.5, 1.0)) * chance.choice((1, -1))
    return chance.choice((1, 1, 1, 2, 5, 100, 1 << 31, 1 << 40)) * chance.choice((1, -1))


def _draw_table(chance: random.Random, name: str) -> Change:
    i, j = chance.randrange(1 << 16), chance.randrange(1 << 16)
    kind = chance.randrange(9)
    if kind < 2:
        return ["word", name, i, chance.choice(TEXTS)]
    if kind < 5:
        count = chance.choice(NUMBERS) * chance.choice((1, 1, -1))
        return ["count", name, i, count if chance.random() < 0.4 else chance.randrange(1, 40)]
    if kind == 5:
        return ["row", name, i, j, chance.choice(("swap", "copy", "drop", "same word"))]
    if kind == 6:
        return ["moved count", name, i, j, chance.choice((1, 2, 10))]
    return ["layout", name, chance.choice(LAYOUTS)]


LAYOUTS = (
    "zstd", "lz4", "batches", "no batches", "empty batch", "string", "dictionary", "null word", "null count",
    "int32", "uint64", "renamed", "more columns", "fewer columns", "stream", "metadata", "swapped columns",
    "binary", "view",
)  # fmt: skip
"""Ways to write a table of words and counts."""


def draw_json(chance: random.Random, name: str, value: Any) -> Change:
    """A change of a random place in a structure: replace, delete, rename, add."""
    path: list[Any] = []
    while isinstance(value, dict | list) and value and chance.random() < 0.85:
        key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        path.append(key)
        value = value[key]
    kind = chance.randrange(10)
    if kind == 0 and path:
        return ["json", name, path, "delete"]
    if kind == 1 and path:
        return ["json", name, path, "rename", chance.choice(TEXTS)]
    if kind == 2:
        return ["json", name, path, "add", chance.choice(TEXTS), chance.choice(VALUES)]
    if kind < 6 and isinstance(value, int | float) and not isinstance(value, bool):
        near = (value + 1, value - 1, -value, 2 * value, value * 1000, value + 0.5, value / 3)
        return ["json", name, path, "replace", json.dumps(chance.choice(near))]
    if kind < 6 and isinstance(value, str):
        return ["json", name, path, "replace", json.dumps(chance.choice(TEXTS))]
    return ["json", name, path, "replace", chance.choice(VALUES)]


# Applying ------------------------------------------------------------------------------------------


def apply(files: Files, change: Change) -> None:
    """Change a file, if it is there, of the right kind, and not too damaged already."""
    with suppress(ValueError, LookupError, ArithmeticError, TypeError, OSError):
        _apply(files, *change)


def _apply(files: Files, what: str, name: str, *rest: Any) -> None:
    data = files.get(name)
    if not isinstance(data, bytes):
        return
    if what == "kind":
        files[name] = rest[0]
    elif what in _BYTES:
        files[name] = _BYTES[what](data, *rest)[:_LONGEST]
    elif what in _ARRAYS and is_array(name):
        files[name] = _changed_array(data, name, what, rest)[:_LONGEST]
    elif what in _TABLES and name.endswith(".arrow"):
        files[name] = _changed_table(data, what, rest)
    elif what == "json":
        files[name] = changed_json(data, *rest)


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _flip(data: bytes, at: int, bit: int) -> bytes:
    if not data:
        return data
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def _write(data: bytes, at: int, text: str) -> bytes:
    new = base64.b64decode(text)
    return data[:at] + new + data[at + len(new) :]


def _insert(data: bytes, at: int, text: str) -> bytes:
    return data[:at] + base64.b64decode(text) + data[at:]


_BYTES: Mapping[str, Callable[..., bytes]] = {
    "flip": _flip,
    "write": _write,
    "insert": _insert,
    "delete": lambda data, at, n: data[:at] + data[at + n :],
    "truncate": lambda data, at: data[:at],
}


def _value(value: Any, kind: np.dtype[Any]) -> Any:
    """A number of a type, wrapped around like in memory."""
    if kind.kind == "f":
        with np.errstate(all="ignore"):
            return np.float64(value).astype(kind)
    bits = 8 * kind.itemsize
    wrapped = int(value) & (1 << bits) - 1
    return np.frombuffer(wrapped.to_bytes(kind.itemsize, "little"), kind)[0]


def _changed_array(data: bytes, name: str, what: str, rest: Sequence[Any]) -> bytes:
    kind = np.dtype(TYPES[name[-3:]])
    array = np.frombuffer(data[: len(data) - len(data) % kind.itemsize], kind).copy()
    if what == "append":
        return data + bytes(_value(rest[0], kind).tobytes())
    if not len(array):
        return data
    with np.errstate(all="ignore"):
        i = rest[0] % len(array)
        return bytes(_ARRAYS[what](array, i, *rest[1:]).tobytes())


def _set(array: Any, i: int, value: Any) -> Any:
    array[i] = _value(value, array.dtype)
    return array


def _add(array: Any, i: int, step: Any) -> Any:
    array[i : i + 1] += _value(step, array.dtype)
    return array


def _move(array: Any, i: int, j: int, step: Any) -> Any:
    """More here, less there: the sum stays the same."""
    j %= len(array)
    array[i : i + 1] += _value(step, array.dtype)
    array[j : j + 1] -= _value(step, array.dtype)
    return array


def _swap(array: Any, i: int, j: int) -> Any:
    j %= len(array)
    array[[i, j]] = array[[j, i]]
    return array


def _fill(array: Any, i: int, n: int, value: Any) -> Any:
    array[i : i + n] = _value(value, array.dtype)
    return array


def _sort(array: Any, i: int, n: int) -> Any:
    array[i : i + n] = np.sort(array[i : i + n])
    return array


def _reverse(array: Any, i: int, n: int) -> Any:
    array[i : i + n] = array[i : i + n][::-1].copy()
    return array


def _negate(array: Any, i: int, n: int) -> Any:
    array[i : i + n] = -array[i : i + n]
    return array


def _copy(array: Any, i: int, j: int, n: int) -> Any:
    some = array[j % len(array) :][:n].copy()
    some = some[: len(array) - i]
    array[i : i + len(some)] = some
    return array


_ARRAYS: Mapping[str, Callable[..., Any]] = {
    "set": _set,
    "add": _add,
    "move": _move,
    "swap": _swap,
    "fill": _fill,
    "sort": _sort,
    "reverse": _reverse,
    "negate": _negate,
    "copy": _copy,
    "repeat": lambda array, i, n: np.concatenate([array[: i + n], array[i:]]),
    "cut": lambda array, i, n: np.delete(array, np.s_[i : i + n]),
    "append": lambda array: array,
}


# Tables of words and counts ------------------------------------------------------------------------


def read_words(data: bytes) -> tuple[list[str], list[int]]:
    """The words and counts of an Arrow file."""
    import pyarrow as pa

    try:
        table = pa.ipc.open_file(pa.py_buffer(data)).read_all()
        table.validate(full=True)
    except pa.ArrowException as error:
        raise ValueError from error
    words, counts = table.column(0).to_pylist(), table.column(1).to_pylist()
    if not (all(isinstance(w, str) for w in words) and all(isinstance(n, int) for n in counts)):
        raise ValueError  # after an earlier change
    return words, counts


def write_words(words: Sequence[str], counts: Sequence[int], layout: str = "") -> bytes:
    """An Arrow file with words and counts, written in one of ``LAYOUTS``."""
    import pyarrow as pa

    kinds: list[Any] = [pa.large_string(), pa.int64()]
    spelled: list[Any] = list(words)
    numbers: list[Any] = [(count + (1 << 63)) % (1 << 64) - (1 << 63) for count in counts]
    names = ["word", "count"]
    if layout in ("string", "binary", "view"):
        kinds[0] = {"string": pa.string(), "binary": pa.large_binary(), "view": pa.string_view()}[
            layout
        ]
        spelled = [word.encode() for word in words] if layout == "binary" else spelled
    if layout in ("int32", "uint64"):
        kinds[1] = pa.int32() if layout == "int32" else pa.uint64()
        numbers = [abs(count) % (1 << 31) for count in counts]
    if layout == "null word" and spelled:
        spelled[len(spelled) // 2] = None
    if layout == "null count" and numbers:
        numbers[len(numbers) // 2] = None
    if layout == "renamed":
        names = ["count", "word"]
    columns = [pa.array(spelled, kinds[0]), pa.array(numbers, kinds[1])]
    if layout == "dictionary":
        columns[0] = columns[0].dictionary_encode()
    if layout == "more columns":
        names, columns = [*names, "more"], [*columns, columns[0]]
    if layout == "fewer columns":
        names, columns = names[:1], columns[:1]
    if layout == "swapped columns":
        names, columns = names[::-1], columns[::-1]
    table = pa.table(dict(zip(names, columns, strict=True)))
    if layout == "metadata":
        table = table.replace_schema_metadata({"pandas": "{" * 1000, "ARROW:schema": "x"})
    sink, compression = io.BytesIO(), layout if layout in ("zstd", "lz4") else None
    options = pa.ipc.IpcWriteOptions(compression=compression)
    make = pa.ipc.new_stream if layout == "stream" else pa.ipc.new_file
    with make(sink, table.schema, options=options) as writer:
        if layout != "no batches":
            writer.write_table(table, max_chunksize=2 if layout == "batches" else None)
        if layout == "empty batch":
            writer.write_table(table.slice(0, 0))
    return sink.getvalue()


def _changed_table(data: bytes, what: str, rest: Sequence[Any]) -> bytes:
    words, counts = read_words(data)
    n = len(words)
    if what == "layout":
        return write_words(words, counts, *rest)
    if not n:
        return data
    i = rest[0] % n
    _TABLES[what](words, counts, i, *rest[1:])
    return write_words(words, counts)


def _set_word(words: list[str], _: list[int], i: int, word: str) -> None:
    words[i] = word


def _set_count(_: list[str], counts: list[int], i: int, count: int) -> None:
    counts[i] = count


def _move_count(_: list[str], counts: list[int], i: int, j: int, step: int) -> None:
    counts[i] += step
    counts[j % len(counts)] -= step


def _row(words: list[str], counts: list[int], i: int, j: int, how: str) -> None:
    j %= len(words)
    if how == "same word":
        words[i] = words[j]
        return
    for column in (words, counts):
        values: list[Any] = column
        if how == "swap":
            values[i], values[j] = values[j], values[i]
        elif how == "copy":
            values.insert(i, values[j])
        else:
            del values[i]


_TABLES: Mapping[str, Callable[..., None]] = {
    "word": _set_word,
    "count": _set_count,
    "moved count": _move_count,
    "row": _row,
    "layout": lambda *_: None,
}


# JSON ----------------------------------------------------------------------------------------------


def changed_json(data: bytes, path: Sequence[Any], what: str, *rest: str) -> bytes:
    """A JSON text with a change at a place; values are given as JSON texts, which may be invalid."""
    try:
        whole: Any = [json.loads(data)]
    except (ValueError, RecursionError):
        return data
    at, key = whole, 0
    for step in path:
        inner = at[key]
        if isinstance(inner, list) and inner and isinstance(step, int):
            at, key = inner, step % len(inner)
        elif isinstance(inner, dict) and step in inner:
            at, key = inner, step
        else:
            return data
    text = ""
    if what == "delete" and at is not whole:
        del at[key]
    elif what == "rename" and isinstance(at, dict):
        at[rest[0]] = at.pop(key)
    elif what == "replace":
        at[key], text = _PLACEHOLDER, rest[0]
    elif what == "add":
        inner, text = at[key], rest[1]
        if isinstance(inner, dict):
            inner[rest[0]] = _PLACEHOLDER
        elif isinstance(inner, list):
            inner.append(_PLACEHOLDER)
    return json.dumps(whole[0]).replace(json.dumps(_PLACEHOLDER), text).encode()
