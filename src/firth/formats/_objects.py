"""Objects to be grouped, as rows of numbers, in other people's files.

============== =====================================================================================
npy             a matrix, as NumPy writes it; never with pickled objects
npz             a sparse matrix, as SciPy writes it; or one matrix; or ``words`` and ``vectors``
csv, tsv        an object a line, perhaps with a first line of headings and a first column of names
parquet, arrow  columns of numbers, or one column of lists; perhaps a column of names
vectors         word2vec (text and binary) and GloVe
============== =====================================================================================
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.formats._arrow import ARROW_MAGIC
from firth.formats._compression import Stream, open_stream
from firth.formats._limits import current_limits
from firth.formats._object_lines import Lines, read_object_lines
from firth.formats._reading import reading
from firth.formats._vectors import UNSAFE, check_archive, looks_like_vectors, read_vectors
from firth.store import open_file

__all__ = ["ObjectTable", "read_objects"]

_HEAD = 1 << 16
_MARK = b"\xef\xbb\xbf"
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_KINDS = ".npy .npz .csv .tsv .parquet .arrow, word2vec and GloVe"
_SPARSE = {"format", "shape", "data"}


@dataclass(frozen=True, eq=False)
class ObjectTable:
    """Objects, a row of numbers each.

    Attributes
    ----------
    rows : array of float64, or sparse matrix in CSR form, of shape (n, dim)
        All numbers are finite.
    names : list of str or None
        All different and not empty; None where the file has none.
    counts : list of int or None
        How frequent the objects are, where that is known.
    columns : list of str or None
        Headings of the columns of numbers, where there are any.
    words : bool
        Whether these are words and their vectors.
    """

    rows: Any
    names: list[str] | None = None
    counts: list[int] | None = None
    columns: list[str] | None = None
    words: bool = False


def read_objects(path: str | Path, *, header: bool | None = None) -> ObjectTable:
    """Read rows of numbers; the format is told by what is in the file, else by its name.

    Parameters
    ----------
    path : str or Path
        Compressed by ``.gz .bz2 .xz .zst`` or not.
    header : bool, optional
        Whether the first line of a csv or tsv file has headings; told by how it looks by default.

    Raises
    ------
    InputError
        With the line or row where something is wrong: another number of columns, what is no number or is not
        finite, a name twice.

    Examples
    --------
    >>> import tempfile
    >>> from firth.formats import read_objects
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "towns.csv"
    ...     _ = file.write_text("name,x,y\\nOslo,1,2\\nRome,3,4.5\\n")
    ...     table = read_objects(file)
    >>> table.names, table.columns, table.rows.tolist()
    (['Oslo', 'Rome'], ['x', 'y'], [[1.0, 2.0], [3.0, 4.5]])
    """
    path = Path(path)
    with reading(path):
        return _objects(path, header)


def _objects(path: Path, header: bool | None) -> ObjectTable:
    with open_stream(path) as stream:
        head = stream.read(_HEAD)
        if head.startswith(b"\x93NUMPY"):
            with reading(path, UNSAFE), _whole(path, stream, head) as file:
                return _plain(path, np.load(file, allow_pickle=False))
        if head.startswith(b"PK\x03\x04"):
            with reading(path, UNSAFE), _whole(path, stream, head) as file:
                return _archive(path, file, stream.compression)
        if head.startswith(ARROW_MAGIC):
            from firth.formats._object_tables import read_object_table

            with _whole(path, stream, head) as file:
                table = read_object_table(path, file)
            return _checked(path, table, "row", None)
    if not head.removeprefix(_MARK).strip():
        raise InputError(f"{path} is empty.", f"Formats that can be read: {_KINDS}.")
    delimiter = _delimiter(path, head.removeprefix(_MARK))
    if delimiter is None:
        return _of_vectors(path)
    found = read_object_lines(path, delimiter, header)
    table = ObjectTable(found.rows(), found.names, None, found.columns)
    return _checked(path, table, "line", found)


def _delimiter(path: Path, head: bytes) -> str | None:
    """What stands between the columns of a text file; None for vectors of words."""
    first = next((line for line in head.split(b"\n") if line.strip()), b"")
    suffix = Path(_uncompressed(path.name)).suffix.lower()
    if suffix in _DELIMITERS:
        usual = _DELIMITERS[suffix]
        if suffix == ".csv" and b";" in first and first.count(b";") >= first.count(b","):
            return ";"
        return "\t" if usual.encode() not in first and b"\t" in first else usual
    if _all_numbers(head):
        return " "
    if looks_like_vectors(path):
        return None
    return next((d for d in "\t;," if d.encode() in first), None)


def _uncompressed(name: str) -> str:
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    return name


def _all_numbers(head: bytes) -> bool:
    """Whether lines are numbers between blanks and nothing else, as NumPy's savetxt writes them."""
    lines = [line.split() for line in head.split(b"\n")[:10] if line.strip()]
    if len(head) == _HEAD and len(lines) > 1:
        lines.pop()  # it may be cut
    try:
        [[float(field) for field in line] for line in lines]
    except ValueError:
        return False
    return len({len(line) for line in lines}) == 1


def _whole(path: Path, stream: Stream, head: bytes) -> Any:
    """What NumPy and Arrow can read: the file itself, or the bytes of a compressed one."""
    if stream.compression is None:
        return open_file(path)
    pieces = [head]
    while piece := stream.read(1 << 24):
        pieces.append(piece)
    return io.BytesIO(b"".join(pieces))


def _plain(path: Path, array: Any) -> ObjectTable:
    """Objects of a matrix as it is."""
    if array.dtype.kind not in "fiub":
        raise InputError(f"{path} contains {array.dtype}, not numbers.")
    if array.ndim != 2:
        raise InputError(
            f"{path} has {array.ndim} dimensions; a matrix has two: objects and their numbers.",
            "Reshape it, or, for distances of pairs, use scipy.spatial.distance.squareform.",
        )
    return _checked(path, ObjectTable(array.astype(np.float64)), "row", None)


def _archive(path: Path, file: BinaryIO, compression: str | None) -> ObjectTable:
    """Objects of an npz file."""
    check_archive(file, str(path))
    with np.load(file, allow_pickle=False) as arrays:
        names = list(arrays.files)
        if len(names) == 1:
            return _plain(path, arrays[names[0]])
        if set(names) >= _SPARSE:
            return _checked(path, ObjectTable(_sparse(path, file)), "row", None)
    if {"words", "vectors"} <= set(names):
        if compression:
            raise InputError(f"{path} is compressed twice.", "Decompress it first.")
        return _of_vectors(path)
    raise InputError(
        f"{path} has several arrays: {', '.join(names[:10])}.",
        "Write the matrix alone with numpy.save, or a sparse one with scipy.sparse.save_npz.",
    )


def _of_vectors(path: Path) -> ObjectTable:
    """Words and vectors, as ``firth export`` writes them."""
    table = read_vectors(path)
    rows = table.matrix.astype(np.float64)
    return ObjectTable(rows, table.words, table.counts, words=True)


def _sparse(path: Path, file: BinaryIO) -> Any:
    """A sparse matrix whose places have all been checked, in CSR form."""
    import scipy.sparse

    file.seek(0)
    matrix = scipy.sparse.load_npz(file)
    current_limits().check_growth(8 * matrix.shape[0], file.seek(0, 2), str(path))
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":
        raise ValueError("it contains no matrix of numbers")
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)
    rows = scipy.sparse.csr_array(matrix).astype(np.float64)
    rows.sum_duplicates()
    rows.check_format(full_check=True)
    return rows


def _checked(path: Path, table: ObjectTable, unit: str, lines: Lines | None) -> ObjectTable:
    """Objects with finite numbers and different names; says where there are none."""

    def place(row: int) -> int:
        return lines.line_of(row) if lines else row + 1

    rows: Any = table.rows
    if not rows.shape[0] or not rows.shape[1]:
        raise InputError(f"{path} contains no numbers.", f"Formats that can be read: {_KINDS}.")
    dense = isinstance(rows, np.ndarray)
    finite: npt.NDArray[np.bool_] = np.isfinite(rows if dense else rows.data)
    if not finite.all():
        bad = int(np.argmin(finite.ravel()))
        row = bad // rows.shape[1] if dense else int(np.searchsorted(rows.indptr, bad, "right")) - 1
        raise InputError(
            f"{unit.capitalize()} {place(row):,} of {path}: a value is not a finite number.",
            "Leave such objects out, or put a number in.",
        )
    seen: dict[str, int] = {}
    for row, name in enumerate(table.names or ()):
        if not name:
            raise InputError(f"{unit.capitalize()} {place(row):,} of {path}: there is no name.")
        if name in seen:
            raise InputError(
                f"{unit.capitalize()} {place(row):,} of {path}: the name {name[:60]!r} is there already, "
                f"in {unit} {place(seen[name]):,}.",
                "Give every object a name of its own.",
            )
        seen[name] = row
    return table
