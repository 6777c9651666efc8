"""Word vectors in safetensors files.

A file has a header in JSON, which describes the tensors, and then their bytes. The tensors are
``vectors`` (float32, a row for each word) and ``counts`` (int64); the words are a JSON list in the
metadata, under ``words``. Nothing in such a file is executed.
"""

from __future__ import annotations

import json
import math
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import InputError

__all__ = ["is_safetensors", "read_safetensors", "write_safetensors"]

_LONGEST_HEADER = 100_000_000
"""That of the library, in bytes."""
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}
_ROWS_AT_ONCE = 10_000


def is_safetensors(head: bytes) -> bool:
    """Whether a file begins like safetensors: with the size of the header, and the header."""
    return 2 <= int.from_bytes(head[:8], "little") <= _LONGEST_HEADER and head[8:9] == b"{"


def write_safetensors(
    file: BinaryIO, words: Any, matrix: npt.NDArray[np.float32], counts: npt.NDArray[np.int64]
) -> None:
    """Write vectors; ``words`` is an Arrow array."""
    n_bytes = 4 * matrix.size
    header = {
        "__metadata__": {
            "format": "firth word vectors",
            "words": json.dumps(words.to_pylist(), ensure_ascii=False),
        },
        "counts": {"dtype": "I64", "shape": [len(matrix)], "data_offsets": [0, 8 * len(matrix)]},
        "vectors": {
            "dtype": "F32",
            "shape": list(matrix.shape),
            "data_offsets": [8 * len(matrix), 8 * len(matrix) + n_bytes],
        },
    }
    data = json.dumps(header, ensure_ascii=False).encode()
    data += b" " * (-len(data) % 8)  # so that tensors are aligned
    if len(data) > _LONGEST_HEADER:
        raise InputError(
            "There are too many words for safetensors, which allows 100 MB for them.",
            "Write fewer: --top 1000000; or use another format, such as parquet.",
        )
    file.write(len(data).to_bytes(8, "little") + data)
    file.write(np.ascontiguousarray(counts, "<i8").tobytes())
    for a in range(0, len(matrix), _ROWS_AT_ONCE):
        file.write(np.ascontiguousarray(matrix[a : a + _ROWS_AT_ONCE], "<f4").tobytes())


def read_safetensors(file: BinaryIO, name: str) -> tuple[list[Any], Any, list[int] | None]:
    """Words, a matrix of numbers, and counts if there are any."""
    data = file.read()
    size = int.from_bytes(data[:8], "little")
    tensors = memoryview(data)[8 + size :]
    header = json.loads(data[8 : 8 + size])
    metadata = header.get("__metadata__") if isinstance(header, dict) else None
    text = metadata.get("words") if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise InputError(
            f"{name} has no list of words.", "The metadata need 'words', a list of words in JSON."
        )
    words = json.loads(text)
    matrix = _tensor(header, "vectors", tensors, name)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"The words of {name} are not a list of texts.")
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise InputError(f"{name} needs 'vectors' as a matrix of numbers.")
    if len(words) != len(matrix):
        raise InputError(f"{name} has {len(words):,} words and {len(matrix):,} vectors.")
    counts = _tensor(header, "counts", tensors, name) if "counts" in header else None
    return words, matrix, None if counts is None else counts.ravel().tolist()


def _tensor(header: Any, key: str, data: memoryview, name: str) -> Any:
    """A tensor, after its description was checked."""
    entry = header.get(key)
    if not isinstance(entry, dict):
        others = ", ".join(k for k in list(header)[:20] if k != "__metadata__")
        raise InputError(f"{name} has no tensor {key!r}.", f"It has: {others or 'none'}.")
    kind: Any = entry.get("dtype")
    shape: Any = entry.get("shape")
    place: Any = entry.get("data_offsets")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise InputError(f"The tensor {key!r} of {name} has type {kind!r}.", "Save it as float32.")
    dtype = np.dtype(_TYPES[kind])
    sound = _are_sizes(shape, len(data)) and _are_sizes(place, len(data)) and len(place) == 2
    if sound and place[1] - place[0] == math.prod(shape) * dtype.itemsize:
        return np.frombuffer(data[place[0] : place[1]], dtype).reshape(shape)
    raise InputError(f"The tensor {key!r} of {name} is not where its description says.")


def _are_sizes(numbers: Any, most: int) -> bool:
    few = isinstance(numbers, list) and len(numbers) <= 2
    return few and all(type(n) is int and 0 <= n <= most for n in numbers)
