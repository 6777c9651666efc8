"""Rows of numbers from other people's files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.errors import InputError
from firth.formats import ObjectTable, read_objects

Write = Callable[..., Path]
ROWS = np.array([[1.0, 2.5], [-3.0, 0.0], [0.125, 1e300]])


def same(table: ObjectTable, names: list[str] | None = None, rows: Any = ROWS) -> None:
    found = table.rows if isinstance(table.rows, np.ndarray) else table.rows.toarray()
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, rows)
    assert table.names == names


def npy(array: Any, **how: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **how)
    return buffer.getvalue()


# text --------------------------------------------------------------------------------------------

LINES = "1,2.5\n-3,0\n.125,1e300\n"


@pytest.mark.parametrize(
    ("name", "text", "names", "columns"),
    [
        ("a.csv", LINES, None, None),
        ("a.csv", "\ufeff" + LINES.replace("\n", "\r\n"), None, None),
        ("a.csv", "x,y\n" + LINES, None, ["x", "y"]),
        ("a.csv", "a,1,2.5\nb,-3,0\n3,.125,1e300", ["a", "b", "3"], None),
        ("a.csv", "name,2019,2020\n7,1,2.5\n8,-3,0\n9,.125,1e300\n", ["7", "8", "9"], ["2019", "2020"]),
        ("a.csv", ",0,1\n0,1,2.5\n1,-3,0\n2,.125,1e300\n", ["0", "1", "2"], ["0", "1"]),
        ("a.csv", "town,x,y\na,1,2.5\n\nb,-3,0\n   \nc,.125,1e300\n", ["a", "b", "c"], ["x", "y"]),
        ("a.csv", '"a, b",1,2.5\n"say ""c""",-3,0\n"two\nlines",.125,1e300\n',
         ["a, b", 'say "c"', "two\nlines"], None),
        ("a.csv", LINES.replace(",", ";"), None, None),
        ("a.csv", LINES.replace(",", "\t"), None, None),
        ("a.tsv", "=1+1\t1\t2.5\n@b\t-3\t0\nc\t .125 \t1e300\n", ["=1+1", "@b", "c"], None),
        ("a", "n\tx\ty\na\t1\t2.5\nb\t-3\t0\nc\t.125\t1e300\n", ["a", "b", "c"], ["x", "y"]),
        ("a.txt", "x,y\n" + LINES, None, ["x", "y"]),
        ("a.txt", "1.0 2.5\n-3 0\n  .125   1e300\n", None, None),
    ],
)  # fmt: skip
def test_lines(
    text_file: Write, name: str, text: str, names: list[str] | None, columns: list[str] | None
) -> None:
    table = read_objects(text_file(text, name))
    same(table, names)
    assert table.columns == columns
    assert not table.words


def test_whether_there_are_headings_can_be_said(text_file: Write) -> None:
    file = text_file("2019,2020\n1,2\n", "a.csv")
    assert read_objects(file).rows.tolist() == [[2019, 2020], [1, 2]]
    table = read_objects(file, header=True)
    assert (table.columns, table.rows.tolist()) == (["2019", "2020"], [[1, 2]])
    wrong = text_file("name,1\nb,2\n", "b.csv")
    assert read_objects(wrong).names == ["b"]
    assert read_objects(wrong, header=False).names == ["name", "b"]


@pytest.mark.parametrize(
    ("name", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_compressed(text_file: Write, name: str, pack: Callable[[bytes], bytes]) -> None:
    same(read_objects(text_file(pack(LINES.encode()), f"a.csv.{name}")))
    same(read_objects(text_file(pack(npy(ROWS)), f"a.npy.{name}")))


WRONG_LINES: list[tuple[str | bytes, str]] = [
    ("", "a.csv is empty."),
    (" \n\n", "a.csv is empty."),
    ("name,x\n", "has only a line of headings."),
    ("x\n", "has only a line of headings."),
    ("1,2\n3\n", "Line 2 of a.csv: 1 columns where line 1 has 2."),
    ("x,y\n1,2\n\n1,2,3\n", "Line 4 of a.csv: 3 columns where line 1 has 2."),
    ("1,2\n3,x\n", "Line 2 of a.csv: 'x' in column 2 is not a number."),
    ("1,2\nx,3\n", "Line 2 of a.csv: 'x' in column 1 is not a number. (If the first column contains names"),
    ("1,2\n3,\n", "Line 2 of a.csv: column 2 is empty."),
    ("1,2\n3,1_000\n", "'1_000' in column 2 is not a number."),
    ("a;1,5\nb;2,5\n", "Line 2 of a.csv: '2,5' in column 2 is not a number. (Write decimals with a point: 0.5)"),
    ("x\nword\n", "Line 2 of a.csv: 'word' is not a number."),
    ("1,2\n3,nan\n", "Line 2 of a.csv: a value is not a finite number."),
    ("x,y\n\n1,2\n3,-inf\n", "Line 4 of a.csv: a value is not a finite number"),
    ("a,1\nb,2\na,3\n", "Line 3 of a.csv: the name 'a' is there already, in line 1."),
    ("a,1\n,2\n", "Line 2 of a.csv: there is no name."),
    ('a,1\n"b,2\n', "Line 2 of a.csv is not a line of a CSV file"),
    ("a,1\n" + "x" * 200_000 + ",2\n", "Line 2 of a.csv is not a line of a CSV file"),
    (b"a,1\n\xff,2\n", "Line 2 of a.csv is not in UTF-8."),
    (b"a,\x001\n", "is a binary file"),
    ("x,1\n".encode("utf-16"), "text in UTF-16"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG_LINES)))
def test_lines_that_are_wrong(
    text_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    text, said = WRONG_LINES[number]
    text_file(text, "a.csv")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as wrong:
        read_objects("a.csv")
    assert said in str(wrong.value)


def test_words_and_vectors(text_file: Write) -> None:
    for text in ("a 1 2.5\nb -3 0\nc 0.125 4\n", "3 2\na 1 2.5\nb -3 0\nc 0.125 4\n"):
        table = read_objects(text_file(text, "vectors.txt"))
        same(table, ["a", "b", "c"], [[1, 2.5], [-3, 0], [0.125, 4]])
        assert table.words
    with pytest.raises(InputError, match="a word and its numbers are expected"):
        read_objects(text_file("only words here\n", "words.txt"))


# NumPy and SciPy ---------------------------------------------------------------------------------


def test_arrays(text_file: Write) -> None:
    same(read_objects(text_file(npy(ROWS), "a.npy")))
    same(read_objects(text_file(npy(np.asfortranarray(ROWS)), "a")))
    same(read_objects(text_file(npy(np.eye(3, dtype=np.int8)), "a.npy")), rows=np.eye(3))
    same(read_objects(text_file(npy(np.eye(3) > 0), "a.npy")), rows=np.eye(3))


def test_archives(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, x=ROWS)
    same(read_objects(path))
    np.savez_compressed(
        path, words=np.array(["a", "b"]), vectors=np.eye(2), counts=np.array([9, 3])
    )
    table = read_objects(path)
    same(table, ["a", "b"], np.eye(2))
    assert table.counts == [9, 3]
    np.savez(path, x=ROWS, y=ROWS)
    with pytest.raises(InputError, match="has several arrays: x, y"):
        read_objects(path)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_matrices(tmp_path: Path, form: str) -> None:
    import scipy.sparse

    rows = np.array([[0, 2.0, 0], [1, 0, 0], [0, 0, 0], [0, 5, 1]])
    path = tmp_path / "a.npz"
    for make in (scipy.sparse.csr_matrix, scipy.sparse.csr_array):
        scipy.sparse.save_npz(path, make(rows).asformat(form))
        table = read_objects(path)
        assert table.rows.format == "csr"
        same(table, rows=rows)
    rows[3, 1] = np.nan
    scipy.sparse.save_npz(path, scipy.sparse.csr_array(rows).asformat(form))
    with pytest.raises(InputError, match=r"Row 4 of .*a\.npz: a value is not a finite number"):
        read_objects(path)


def test_arrays_that_are_wrong(text_file: Write, tmp_path: Path) -> None:
    import scipy.sparse

    class Evil:
        def __reduce__(self) -> Any:
            return (pytest.fail, ("unpickled",))

    bad = ROWS.copy()
    bad[1, 0] = np.inf
    cut = npy(ROWS)[:-8]
    for data, said in (
        (npy(np.array([Evil()], object), allow_pickle=True), "cannot be read safely"),
        (cut, "cannot be read safely"),
        (npy(ROWS).replace(b"(3, 2)", b"(9, 9)"), "cannot be read safely"),
        (b"\x93NUMPY\x01\x00garbage", "cannot be read safely"),
        (b"PK\x03\x04garbage", "cannot be read safely"),
        (npy(np.arange(3.0)), "has 1 dimensions; a matrix has two"),
        (npy(np.array([["a"]])), "contains <U1, not numbers"),
        (npy(ROWS + 1j), "contains complex128, not numbers"),
        (npy(np.zeros((0, 3))), "contains no numbers"),
        (npy(np.zeros((3, 0))), "contains no numbers"),
        (npy(bad), "Row 2 of"),
    ):
        with pytest.raises(InputError, match=said):
            read_objects(text_file(data, "a.npy"))
    path = tmp_path / "b.npz"
    for form in ("csr", "csc"):
        matrix = scipy.sparse.csr_matrix(np.eye(3)).asformat(form)
        matrix.indices[1] = 3  # a place outside of the matrix
        scipy.sparse.save_npz(path, matrix)
        with pytest.raises(InputError, match="cannot be read safely"):
            read_objects(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", npy(np.array([Evil()], object), allow_pickle=True))
    with pytest.raises(InputError, match="cannot be read safely"):
        read_objects(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_objects(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_objects(tmp_path)


# Parquet and Arrow -------------------------------------------------------------------------------


def save(path: Path, columns: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table(columns)
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    elif path.suffix == ".arrows":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        version = 1 if path.suffix == ".old" else 2
        pa.feather.write_feather(table, str(path), version=version, compression="uncompressed")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".arrows"])
def test_tables(tmp_path: Path, suffix: str) -> None:
    import pyarrow as pa

    path = tmp_path / f"a{suffix}"
    save(path, {"x": ROWS[:, 0], "y": ROWS[:, 1]})
    same(read_objects(path))
    save(path, {"x": [1, 2], "who": ["a", "b"], "y": [True, False], "__index_level_0__": [5, 6]})
    table = read_objects(path)
    same(table, ["a", "b"], [[1, 1], [2, 0]])
    assert table.columns == ["x", "y"]
    save(path, {"kind": ["k", "k"], "name": pa.array(["a", "b"]).dictionary_encode(), "x": [1, 2]})
    same(read_objects(path), ["a", "b"], [[1], [2]])
    vectors = pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float32(), 2))
    save(path, {"word": ["a", "b"], "count": [7, 5], "vector": vectors})
    table = read_objects(path)
    same(table, ["a", "b"], [[1, 2], [3, 4]])
    assert (table.counts, table.words) == ([7, 5], True)


def test_compressed_tables(tmp_path: Path) -> None:
    for suffix in (".parquet", ".arrow", ".arrows"):
        path = tmp_path / f"a{suffix}"
        save(path, {"x": [1.0, 2.0]})
        packed = tmp_path / f"a{suffix}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        same(read_objects(packed), rows=[[1], [2]])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": ["x"], "b": ["y"], "x": [1]}, "several columns of text: a, b"),
        ({"a": ["x"]}, "has no column of numbers"),
        ({"x": [1, None, 3]}, "Row 2 of .*: column 'x' is empty"),
        ({"x": [1.0, float("nan")]}, "Row 2 of .*: a value is not a finite number"),
        ({"v": [[1.0], [1.0, 2.0]]}, "Row 2 of .*: 2 numbers in the column 'v' where row 1 has 1"),
        ({"v": [[1.0], None]}, "Row 2 of .*: 0 numbers"),
        ({"v": [[1.0, 2.0], [3.0, None]]}, "Row 2 of .*: a value is not a finite number"),
        ({"v": [["a"]]}, "not lists of numbers"),
        ({"v": [[1]], "w": [[1]]}, "several columns of lists: v, w"),
        ({"v": [[1]], "count": [0.5]}, "whole numbers"),
        ({"x": [b"a"]}, "contains binary, not numbers"),
        ({"name": ["a", None], "x": [1, 2]}, "Row 2 of .*: there is no name"),
        ({"name": ["a", "a"], "x": [1, 2]}, "Row 2 of .*: the name 'a' is there already, in row 1"),
        ({"x": np.zeros(0)}, "contains no numbers"),
    ],
)
def test_tables_that_are_wrong(tmp_path: Path, columns: dict[str, Any], said: str) -> None:
    path = tmp_path / "a.parquet"
    save(path, columns)
    with pytest.raises(InputError, match=said):
        read_objects(path)


@pytest.mark.parametrize("magic", [b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"])
def test_tables_that_are_damaged(text_file: Write, magic: bytes) -> None:
    with pytest.raises(InputError, match="not a readable Parquet or Arrow file"):
        read_objects(text_file(magic + b"garbage" * 9, "a.parquet"))
