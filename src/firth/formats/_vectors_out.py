"""Writing vectors into other people's files; see ``_vectors`` for the formats."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import InputError, check_choice
from firth.formats._safetensors import write_safetensors
from firth.formats._vectors import FASTTEXT, VECTOR_FORMATS

__all__ = [
    "BINARY_FORMATS",
    "WRITTEN_FORMATS",
    "vector_format_of",
    "write_fasttext",
    "write_vectors",
]

WRITTEN_FORMATS = (*VECTOR_FORMATS, "fasttext", "spacy")
"""Formats that vectors can be written in."""
BINARY_FORMATS = ("word2vec-binary", "parquet", "npz", "safetensors", "fasttext")

_BY_SUFFIX = {
    ".parquet": "parquet", ".npz": "npz", ".bin": "word2vec-binary", ".vec": "word2vec", ".txt": "word2vec",
    ".safetensors": "safetensors",
}  # fmt: skip
_LONGEST_WORD = 1000
"""In characters, where every word takes the room of the longest."""
_ROWS_AT_ONCE = 1000

Floats32 = npt.NDArray[np.float32]


class Ngrams(Protocol):
    """The character n-grams of a fastText model."""

    least: int
    most: int

    @property
    def n_buckets(self) -> int: ...
    def table(self) -> Iterator[Floats32]:
        """The rows of all buckets, some at a time."""

    def own_rows(self, words: Any, matrix: Floats32) -> Iterator[Floats32]:
        """The rows of words themselves, some at a time, that with their n-grams make their vectors."""


def vector_format_of(name: str) -> str | None:
    """The format that the name of a file stands for.

    >>> vector_format_of("news.parquet"), vector_format_of("news")
    ('parquet', None)
    """
    return _BY_SUFFIX.get(Path(name).suffix.lower())


def write_vectors(
    file: BinaryIO, form: str, words: Any, matrix: Floats32, counts: npt.NDArray[np.int64]
) -> None:
    """Write vectors in one of ``VECTOR_FORMATS``; ``words`` is an Arrow array.

    Raises
    ------
    InputError
        A word cannot be written in this format.
    """
    import pyarrow as pa

    check_choice("export", "format", form, VECTOR_FORMATS)
    if form == "parquet":
        import pyarrow.parquet as pq

        vectors = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])
        pq.write_table(pa.table({"word": words, "count": counts, "vector": vectors}), file)
        return
    if form == "safetensors":
        write_safetensors(file, words, matrix, counts)
        return
    if form == "npz":
        _check_words(
            words, form, lambda word: len(word) <= _LONGEST_WORD and not word.endswith("\0")
        )
        np.savez(
            file, words=np.array(words.to_pylist(), "U"), vectors=np.asarray(matrix), counts=counts
        )  # fmt: skip
        return
    _check_words(words, form, lambda word: not any(map(str.isspace, word)))
    if form != "glove":
        file.write(b"%d %d\n" % matrix.shape)
    with progress.stage("writing", len(matrix), "words", brief=1.0) as stage:
        for a in range(0, len(matrix), _ROWS_AT_ONCE):
            some = np.ascontiguousarray(matrix[a : a + _ROWS_AT_ONCE], "<f4")
            names = words[a : a + _ROWS_AT_ONCE].to_pylist()
            lines = _binary_rows(some) if form == "word2vec-binary" else _text_rows(some)
            for name, line in zip(names, lines, strict=True):
                file.write(name.encode() + b" " + line + b"\n")
            stage.advance(len(some))


def write_fasttext(
    file: BinaryIO, words: Any, matrix: Floats32, counts: npt.NDArray[np.int64], ngrams: Ngrams,
) -> None:  # fmt: skip
    """Write a model as fastText saves it (``.bin``, version 12); ``words`` is an Arrow array.

    fastText's vector of a word is the mean of its own row and of the rows of its n-grams, so its own row
    is what makes this mean the vector given.
    """
    _check_words(
        words, "fasttext", lambda word: not any(map(str.isspace, word)) and "\0" not in word
    )
    (n_words, dim), n_buckets = matrix.shape, ngrams.n_buckets
    at_least_1 = np.maximum(counts, 1).tolist()
    file.write(FASTTEXT)
    # dimensions, window, epochs, least count, negative samples, n-grams of words, loss, model (negative
    # sampling and skip-gram, which are not used here), buckets, lengths of n-grams, rate of updates
    shape = (dim, 5, 5, 1, 5, 1, 2, 2, n_buckets, ngrams.least, ngrams.most, 100)
    file.write(struct.pack("<12id", *shape, 1e-4))
    file.write(struct.pack("<3i2q", n_words, n_words, 0, sum(at_least_1), -1))
    for name, count in zip(words.to_pylist(), at_least_1, strict=True):
        file.write(name.encode() + struct.pack("<bqb", 0, count, 0))
    file.write(struct.pack("<?2q", False, n_words + n_buckets, dim))
    steps = 2 * n_words + n_buckets
    with progress.stage("writing", steps, "rows", brief=1.0) as stage:
        for rows in chain(ngrams.own_rows(words, matrix), ngrams.table()):
            file.write(np.ascontiguousarray(rows, "<f4").tobytes())
            stage.advance(len(rows))
        file.write(struct.pack("<?2q", False, n_words, dim))  # weights of its training, which are 0
        for a in range(0, n_words, _ROWS_AT_ONCE):
            some = len(matrix[a : a + _ROWS_AT_ONCE])
            file.write(bytes(4 * dim * some))
            stage.advance(some)


def _binary_rows(some: Floats32) -> Iterator[bytes]:
    return (row.tobytes() for row in some)


def _text_rows(some: Floats32) -> Iterator[bytes]:
    """Numbers in as few digits as tell them apart from all others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pa.array(some.ravel()).cast(pa.string())
    offsets = np.arange(0, some.size + 1, some.shape[1], dtype=np.int32)
    rows = pc.binary_join(pa.ListArray.from_arrays(offsets, numbers), " ")
    return (row.encode() for row in rows.to_pylist())


def _check_words(words: Any, form: str, fits: Any) -> None:
    for word in words.to_pylist():
        if not word or not fits(word):
            shown = word if len(word) < 60 else word[:50] + "..."
            raise InputError(
                f"The format {form} cannot hold the word {shown!r}.",
                "Parquet supports any word: --format parquet",
            )
