"""Vectors in other people's files: word2vec (text and binary), GloVe, Parquet, NumPy.

============== =====================================================================================
word2vec        a line with the numbers of words and dimensions, then a word and its numbers a line
word2vec-binary the same first line; then a word, a space, and 32-bit numbers; often a line end
glove           as word2vec, without the first line
parquet         columns ``word``, ``vector`` (lists of one length) and perhaps ``count``
npz             arrays ``words``, ``vectors`` and perhaps ``counts``
safetensors     a tensor ``vectors``, perhaps ``counts``, and ``words`` in the metadata
============== =====================================================================================
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import InputError
from firth.formats._arrow import TableFile
from firth.formats._compression import Stream, open_stream
from firth.formats._limits import current_limits
from firth.formats._lines import byte_lines
from firth.formats._reading import reading
from firth.formats._safetensors import is_safetensors, read_safetensors
from firth.store import open_file

__all__ = [
    "VECTOR_FORMATS",
    "VectorTable",
    "looks_like_vectors",
    "read_vectors",
]

VECTOR_FORMATS = ("word2vec", "word2vec-binary", "glove", "parquet", "npz", "safetensors")
_MOST = 1 << 40
_BOM = b"\xef\xbb\xbf"
FASTTEXT = struct.pack("<2i", 793712314, 12)
"""How models of fastText begin: a number, and the version of the format."""
UNSAFE = "cannot be read safely"

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class VectorTable:
    """Words, their vectors, and their counts where these are known."""

    words: list[str]
    matrix: Floats32
    counts: list[int] | None = None


def read_vectors(path: str | Path) -> VectorTable:
    """Read vectors; the format is told by what is in the file, ``.gz .bz2 .xz .zst`` included.

    Raises
    ------
    InputError
        With the line, or the number of the word, where something is wrong: another number of
        columns, what is not a number or not finite, a word twice, a vector of zeros, a first line
        that does not tell the truth.
    """
    path = Path(path)
    with reading(path), open_stream(path) as stream:
        head = stream.read(1 << 16).removeprefix(_BOM)
        if head.startswith(b"PAR1"):
            table = _read_parquet(path)
        elif head.startswith(b"PK\x03\x04"):
            table = _read_npz(path)
        elif is_safetensors(head):
            with reading(path, "is damaged"), open_file(path) as file:
                table = _checked(path, *read_safetensors(file, str(path)))
        elif not head.strip():
            raise InputError(f"{path} is empty.")
        elif head.startswith(FASTTEXT):
            raise InputError(
                f"{path} is a binary model of fastText, which cannot be read.",
                "Take the text file of its vectors, whose name ends in .vec.",
            )
        else:
            shape = _header(head)
            if shape and not _is_text(head, shape[1]):
                table = _read_binary(stream, head, *shape)
            else:
                table = _read_text(stream, head, shape)
    return table


def looks_like_vectors(path: Path) -> bool:
    """Whether a file begins like vectors rather than like any other table."""
    with open_stream(path) as stream:
        head = stream.read(1 << 16)
    if head.startswith((b"PAR1", b"PK\x03\x04")) or is_safetensors(head) or _header(head):
        return True
    return _is_row(head.removeprefix(_BOM).split(b"\n")[0].split())


def _is_row(columns: Sequence[bytes], dim: int | None = None) -> bool:
    """A word and then nothing but numbers, as many as there are dimensions where that is known."""
    expected = len(columns) == dim + 1 if dim is not None else len(columns) > 1
    return expected and all(map(_is_number, columns[1:]))


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _header(head: bytes) -> tuple[int, int] | None:
    """Numbers of words and dimensions, where the first line is just that."""
    columns = head.split(b"\n", 1)[0].split()
    if len(columns) != 2 or not all(column.isdigit() and len(column) < 13 for column in columns):
        return None
    return int(columns[0]), int(columns[1])


def _is_text(head: bytes, dim: int) -> bool:
    """Whether what follows the first line is text rather than numbers in 32 bits."""
    rest = head.split(b"\n", 1)[1]
    first = next((line for line in rest.split(b"\n") if line.strip()), b"")
    if _is_row(first.split(), dim):
        return True
    sample = rest[:4096]
    if any(byte < 9 or 13 < byte < 32 for byte in sample):
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4  # a character cut at the end
    return True


class _Rows:
    """Words and vectors as they come, checked."""

    def __init__(self, name: str, unit: str) -> None:
        self.name, self.unit = name, unit
        self.words: dict[str, int] = {}
        self.vectors: list[Floats32] = []

    def wrong(self, number: int, what: str, hint: str | None = None) -> InputError:
        return InputError(f"{self.unit.capitalize()} {number:,} of {self.name}: {what}.", hint)

    def add(self, number: int, word: bytes, vector: Floats32) -> None:
        try:
            text = word.decode()
        except UnicodeDecodeError:
            raise self.wrong(number, "the word is not in UTF-8") from None
        if not text:
            raise self.wrong(number, "there is no word before the numbers")
        if text in self.words:
            first = self.words[text]
            raise self.wrong(
                number, f"the word {text!r} is there already, in {self.unit} {first:,}",
                "Remove one of the two.",
            )  # fmt: skip
        if not np.isfinite(vector).all():
            raise self.wrong(number, f"the vector of {text!r} is not finite (NaN or infinity)")
        if not vector.any():
            raise self.wrong(
                number, f"the vector of {text!r} is zero and has no direction", "Remove it."
            )
        self.words[text] = number
        self.vectors.append(vector)

    def table(self, stated: int | None) -> VectorTable:
        if not self.words:
            raise InputError(f"{self.name} contains no vectors.")
        if stated is not None and stated != len(self.words):
            raise InputError(
                f"The first line of {self.name} promises {stated:,} words; there are {len(self.words):,}.",
                "The file may have been cut; copy it again, or correct its first line.",
            )
        return VectorTable(list(self.words), np.stack(self.vectors))


def _read_text(stream: Stream, head: bytes, shape: tuple[int, int] | None) -> VectorTable:
    rows = _Rows(stream.name, "line")
    dim = shape[1] if shape else 0
    with (
        progress.stage("reading vectors", shape[0] if shape else None, "words") as stage,
        np.errstate(over="ignore"),  # too large a number becomes infinite, which is refused
    ):
        for number, line in byte_lines(stream, head):
            if (shape and number == 1) or not line.strip():
                continue
            if not dim:
                dim = _dimensions(rows, number, line)
            word, *columns = line.strip().rsplit(None, dim)
            over = len(word.split()) > 1 and _is_number(word.split()[-1])
            if len(columns) != dim or over:
                n = len(line.split()) - 1
                raise rows.wrong(number, f"{n:,} numbers where {dim:,} are expected")
            try:
                vector = np.array([float(column) for column in columns], np.float32)
            except ValueError:
                bad = next(column for column in columns if not _is_number(column))
                shown = bad.decode(errors="backslashreplace")[:40]
                raise rows.wrong(number, f"{shown!r} is not a number") from None
            rows.add(number, word, vector)
            stage.advance(1)
    return rows.table(shape[0] if shape else None)


def _dimensions(rows: _Rows, number: int, line: bytes) -> int:
    """How many numbers follow the word in the first line."""
    columns = line.split()
    n = next(
        (k for k, column in enumerate(reversed(columns)) if not _is_number(column)),
        len(columns) - 1,
    )
    if n < 1:
        raise rows.wrong(
            number, "a word and its numbers are expected, separated by spaces",
            "Formats that can be read: " + ", ".join(VECTOR_FORMATS) + ".",
        )  # fmt: skip
    return n


def _read_binary(stream: Stream, head: bytes, n_words: int, dim: int) -> VectorTable:
    rows = _Rows(stream.name, "word")
    if not 0 < dim < 1 << 20:
        raise InputError(f"The first line of {stream.name} promises {dim:,} dimensions.")
    rest, at, n_bytes = head.split(b"\n", 1)[1], 0, 4 * dim
    with progress.stage("reading vectors", n_words, "words") as stage:
        for number in range(1, n_words + 1):
            end = rest.find(b" ", at)
            while end < 0 or len(rest) < end + 1 + n_bytes:
                more = stream.read(1 << 20)
                if not more:
                    raise InputError(
                        f"{stream.name} ends after {number - 1:,} words; its first line promises {n_words:,}.",
                        "The file may have been cut; copy it again.",
                    )
                if end < 0 and len(rest) - at > 1 << 22:
                    raise rows.wrong(number, "the end of the word cannot be found")
                rest, at = rest[at:] + more, 0
                end = rest.find(b" ")
            vector = np.frombuffer(rest, "<f4", dim, end + 1).astype(np.float32)
            # some programs end a vector with a line end, which then stands before the next word
            rows.add(number, rest[at:end].removeprefix(b"\n"), vector)
            at = end + 1 + n_bytes
            stage.advance(1)
    if (rest[at:] + stream.read(1 << 10)).strip(b"\n"):
        raise InputError(
            f"{stream.name} continues after the {n_words:,} words that its first line promises.",
            "Its first line may be wrong.",
        )
    return rows.table(n_words)


def _read_parquet(path: Path) -> VectorTable:
    import pyarrow as pa

    with reading(path, "is damaged"), open_file(path) as file:
        source = TableFile(file, str(path))
        for name in ("word", "vector"):
            if name not in source.schema.names:
                raise InputError(
                    f"{path} has no column {name!r}.",
                    f"It has: {', '.join(source.schema.names[:20])}.",
                )
        counted = ["count"] if "count" in source.schema.names else []
        table = source.table(["word", "vector", *counted]).combine_chunks()
    with reading(path, "needs words as text and vectors as lists of numbers"):
        words = table.column("word").cast(pa.string()).to_pylist()
        lists = pa.concat_arrays(table.column("vector").cast(pa.list_(pa.float32())).chunks)
    lengths = set(lists.value_lengths().to_pylist())
    if len(lengths) != 1 or None in lengths:
        raise InputError(f"The vectors of {path} are not all of one length.")
    matrix = lists.flatten().to_numpy(zero_copy_only=False).reshape(len(words), -1)
    return _checked(path, words, matrix, table.column("count").to_pylist() if counted else None)


def _read_npz(path: Path) -> VectorTable:
    with reading(path, UNSAFE), open_file(path) as file:
        check_archive(file, str(path))
        with np.load(file, allow_pickle=False) as arrays:
            missing = {"words", "vectors"} - set(arrays.files)
            if missing:
                raise InputError(
                    f"{path} has no array {sorted(missing)[0]!r}.",
                    f"It has: {', '.join(arrays.files)}.",
                )
            words, matrix = arrays["words"], arrays["vectors"]
            counts = arrays["counts"] if "counts" in arrays.files else None
    if words.dtype.kind != "U" or matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise InputError(f"{path} needs 'words' as text and 'vectors' as a matrix of numbers.")
    if words.ndim != 1 or len(words) != len(matrix):
        raise InputError(f"{path} has {words.size:,} words and {len(matrix):,} vectors.")
    numbers = None if counts is None else counts.ravel().tolist()
    return _checked(path, words.tolist(), matrix, numbers)


def check_archive(file: BinaryIO, name: str) -> None:
    """Raise InputError for an npz file whose arrays are far larger than the file."""
    with zipfile.ZipFile(file) as archive:
        n_bytes = sum(entry.file_size for entry in archive.infolist())
    current_limits().check_growth(n_bytes, file.seek(0, 2), name)
    file.seek(0)


def _checked(path: Path, words: Sequence[Any], matrix: Any, counts: Any) -> VectorTable:
    rows = _Rows(str(path), "row")
    with np.errstate(over="ignore"):  # too large a number becomes infinite, which is refused
        matrix = matrix.astype(np.float32)
    for number, (word, vector) in enumerate(zip(words, matrix, strict=True), 1):
        rows.add(number, (word or "").encode(errors="surrogatepass"), vector)
    if counts is not None and not (
        len(counts) == len(words) and all(isinstance(n, int) and 0 <= n < _MOST for n in counts)
    ):
        raise InputError(f"The counts of {path} are not whole numbers, one for each word.")
    return VectorTable(rows.table(None).words, np.stack(rows.vectors), counts)
