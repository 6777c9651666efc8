"""Vectors in other people's files: there and back, and what is wrong with them."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError, ParameterError
from firth.formats import VECTOR_FORMATS, looks_like_vectors, read_vectors, write_vectors

HOSTILE = [
    "</s>", "<script>alert(1)</script>", "1", "12 34".replace(" ", "_"), "-0.5", "nan", "#", "a\u202eb", "\ufeffx",
    "ligne\u0301", "🦜", "x" * 900, '"quoted"', "a,b;c", "\u200d", "%d", "\\n", "'", "a\x1bb",
]  # fmt: skip


def written(form: str, words: list[str], matrix: Any, path: Path, counts: Any = None) -> Path:
    with path.open("wb") as file:
        numbers = np.arange(len(words), 0, -1) if counts is None else counts
        write_vectors(
            file, form, pa.array(words, pa.large_string()), np.asarray(matrix, np.float32), numbers
        )
    return path


@pytest.mark.parametrize("form", VECTOR_FORMATS)
@pytest.mark.parametrize("dim", [2, 3, 50])
def test_there_and_back_with_hostile_words(form: str, dim: int, tmp_path: Path) -> None:
    matrix = np.random.default_rng(dim).standard_normal((len(HOSTILE), dim)).astype(np.float32)
    matrix[0] = np.float32(1e-38)
    matrix[1, 0] = np.float32(3.4e38)
    path = written(form, HOSTILE, matrix, tmp_path / "vectors")
    table = read_vectors(path)
    assert table.words == HOSTILE
    assert np.array_equal(table.matrix, matrix), "every bit"
    assert table.counts == (
        list(range(len(HOSTILE), 0, -1)) if form in ("parquet", "npz", "safetensors") else None
    )
    assert looks_like_vectors(path)


word = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(
    words=st.lists(word, min_size=1, max_size=6, unique=True), form=st.sampled_from(VECTOR_FORMATS)
)
def test_a_word_survives_or_is_refused(words: list[str], form: str) -> None:
    matrix = np.arange(1, 1 + 3 * len(words), dtype=np.float32).reshape(-1, 3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors")
        try:
            written(form, words, matrix, path)
        except InputError:
            assert form not in ("parquet", "safetensors")
            assert any(word[-1] == "\0" or any(map(str.isspace, word)) for word in words)
            return
        table = read_vectors(path)
    assert table.words == words
    assert np.array_equal(table.matrix, matrix)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_word2vec_binary_with_and_without_line_ends(end: bytes, tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    # among the bytes of the numbers are spaces and line ends
    matrix = np.frombuffer(
        chance.choice(np.array([0x0A, 0x20, 0x3F, 0x80], np.uint8), 40 * 16).tobytes(), "<f4"
    ).reshape(40, 4)
    words = [f"word{i}" for i in range(40)]
    data = b"40 4\n" + b"".join(
        w.encode() + b" " + row.tobytes() + end for w, row in zip(words, matrix, strict=True)
    )
    path = tmp_path / "vectors.bin"
    path.write_bytes(data)
    table = read_vectors(path)
    assert table.words == words
    assert np.array_equal(table.matrix, matrix)


def test_files_larger_than_a_block(tmp_path: Path) -> None:
    n = 3000
    matrix = np.random.default_rng(0).standard_normal((n, 120)).astype(np.float32)
    words = [f"wörd{i}" for i in range(n)]
    for form in ("word2vec-binary", "word2vec", "glove"):
        table = read_vectors(written(form, words, matrix, tmp_path / form))
        assert table.words == words
        assert np.array_equal(table.matrix, matrix)


def test_compressed_and_oddly_spaced_files(tmp_path: Path) -> None:
    path = tmp_path / "v.gz"
    for start in ("", "\ufeff", "2 2\n", "\ufeff2 2 \r\n\n"):
        path.write_bytes(gzip.compress(f"{start}the  1.5   -2e-1 \r\n\r\nof\t3\t4\r\n".encode()))
        table = read_vectors(path)
        assert table.words == ["the", "of"]
        np.testing.assert_allclose(table.matrix, np.array([[1.5, -0.2], [3.0, 4.0]]))


def test_a_line_end_among_the_first_numbers_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    for byte in (0x0A, 0x20, 0x00, 0x09):
        vector = np.frombuffer(bytes([byte, 0x80, 0x80, 0x3F] * 4), "<f4")
        path.write_bytes(b"2 4\nthe " + vector.tobytes() + b"of " + vector.tobytes())
        assert read_vectors(path).words == ["the", "of"]


def test_words_with_spaces_are_read_where_the_first_line_tells_the_dimensions(
    tmp_path: Path,
) -> None:
    path = tmp_path / "v.txt"
    path.write_text("2 3\nNew York 1 2 3\nparis 4 5 6\n")
    assert read_vectors(path).words == ["New York", "paris"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("3 2\na 1 2\nb 3 4\n", "promises 3 words; there are 2"),
        ("1 2\na 1 2\nb 3 4\n", "promises 1 words; there are 2"),
        ("2 3\na 1 2\nb 3 4\n", "Line 2 of .*: 2 numbers where 3 are expected"),
        ("a 1 2\nb 3\n", "Line 2 of .*: 1 numbers where 2 are expected"),
        ("a 1 2\nb 3 4 5\n", "Line 2 of .*: 3 numbers where 2 are expected"),
        ("2 2\na 1 2\nb 3 4 5\n", "Line 3 of .*: 3 numbers where 2 are expected"),
        ("1,000 2\na 1 2\n", "Line 2 of .*: 2 numbers where 1 are expected"),
        ("a 1 2\nb 3 x\n", "Line 2 of .*: 'x' is not a number"),
        ("a 1 2\nb 3 nan\n", "Line 2 of .*: the vector of 'b' is not finite"),
        ("a 1 2\nb 3 inf\n", "Line 2 of .*: the vector of 'b' is not finite"),
        ("a 1 2\nb 3 1e40\n", "Line 2 of .*: the vector of 'b' is not finite"),
        ("a 1 2\nb 0 0\n", "Line 2 of .*: the vector of 'b' is zero"),
        ("a 1 2\nb 3 4\na 5 6\n", "Line 3 of .*: the word 'a' is there already, in line 1"),
        ("a 1 2\n\xff 3 4\n".encode("latin-1"), "Line 2 of .*: the word is not in UTF-8"),
        ("this is no file of vectors\n", "Line 1 of .*: a word and its numbers are expected"),
        ("a,1,2\nb,3,4\n", "Line 1 of .*: a word and its numbers are expected"),
        (b"2 2\na " + np.ones(2, "<f4").tobytes() + b"b \x00", "ends after 1 words; its first line promises 2"),
        (b"1 2\na " + np.ones(2, "<f4").tobytes() + b"more", "continues after the 1 words"),
        (b"1 2\na " + np.array([np.nan, 1], "<f4").tobytes(), "Word 1 of .*: the vector of 'a' is not finite"),
        (b"2 1\na " + np.ones(1, "<f4").tobytes() + b"a " + np.ones(1, "<f4").tobytes(), "Word 2 .* in word 1"),
        (b"1 0\na \x00\x01\x02", "promises 0 dimensions"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(
    text: str | bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message):
        read_vectors(path)


def test_wrong_parquet_files(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"

    def put(**columns: Any) -> None:
        pq.write_table(pa.table(columns), path)

    put(token=["a"], vector=[[1.0]])
    with pytest.raises(InputError, match="no column 'word'"):
        read_vectors(path)
    put(word=["a", "b"], vector=[[1.0], [1.0, 2.0]])
    with pytest.raises(InputError, match="not all of one length"):
        read_vectors(path)
    put(word=["a", "b"], vector=[[1.0], None])
    with pytest.raises(InputError, match="not all of one length"):
        read_vectors(path)
    put(word=["a", None], vector=[[1.0], [2.0]])
    with pytest.raises(InputError, match="Row 2 of .*no word"):
        read_vectors(path)
    put(word=["a"], vector=[1.0])
    with pytest.raises(InputError, match="lists of numbers"):
        read_vectors(path)
    put(word=["a"], vector=[[1.0]], count=[-3])
    with pytest.raises(InputError, match="counts"):
        read_vectors(path)
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="damaged"):
        read_vectors(path)


def test_safetensors_with_its_own_library(tmp_path: Path) -> None:
    numpy_files = pytest.importorskip("safetensors.numpy")
    words, matrix = ["a", "b c", "🫨\n"], np.arange(6, dtype=np.float32).reshape(3, 2) + 1
    path = written("safetensors", words, matrix, tmp_path / "v.safetensors")
    tensors = numpy_files.load_file(path)
    assert tensors["vectors"].tolist() == matrix.tolist()
    assert tensors["counts"].tolist() == [3, 2, 1]
    with pytest.importorskip("safetensors").safe_open(path, "numpy") as opened:
        assert json.loads(opened.metadata()["words"]) == words
    other = tmp_path / "other.safetensors"
    metadata = {"words": json.dumps(words)}
    numpy_files.save_file({"vectors": matrix.astype(np.float16)}, other, metadata)
    table = read_vectors(other)
    assert (table.words, table.matrix.tolist(), table.counts) == (words, matrix.tolist(), None)
    for some, facts, message in (
        ({"vectors": matrix}, {}, "has no list of words"),
        ({"vectors": matrix}, {"words": "[1, 2, 3]"}, "not a list of texts"),
        ({"vectors": matrix}, {"words": '["a"]'}, "1 words and 3 vectors"),
        ({"rows": matrix}, metadata, "no tensor 'vectors'.*It has: rows"),
        ({"vectors": matrix[0]}, metadata, "matrix of numbers"),
        ({"vectors": matrix.astype(np.int64)}, metadata, "matrix of numbers"),
        ({"vectors": matrix.astype(np.int8)}, metadata, "has type 'I8'"),
        ({"vectors": matrix * np.nan}, metadata, "not finite"),
        ({"vectors": matrix, "counts": np.array([1, -1, 2])}, metadata, "not whole numbers"),
        ({"vectors": matrix}, {"words": '["a", "a", "b"]'}, "there already"),
    ):
        numpy_files.save_file(some, other, facts)
        with pytest.raises(InputError, match=message):
            read_vectors(other)
    whole = path.read_bytes()
    for cut in (9, 40, len(whole) - 1):
        other.write_bytes(whole[:cut])
        with pytest.raises(InputError):
            read_vectors(other)


def test_npz_files_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, words=np.array(["a", "b"], dtype=object), vectors=np.eye(2))
    with pytest.raises(InputError, match="cannot be read safely"):
        read_vectors(path)
    np.savez(path, words=np.array(["a"]), vectors=np.eye(2))
    with pytest.raises(InputError, match="1 words and 2 vectors"):
        read_vectors(path)
    np.savez(path, words=np.array(["a", "b"]), matrix=np.eye(2))
    with pytest.raises(InputError, match="no array 'vectors'"):
        read_vectors(path)
    np.savez(path, words=np.array(["a", "b"]), vectors=np.array(["x", "y"]))
    with pytest.raises(InputError, match="matrix of numbers"):
        read_vectors(path)
    np.savez(path, words=np.array(["a", "b"]), vectors=np.array([[1.0], [1e40]]))
    with pytest.raises(InputError, match="Row 2 of .*: the vector of 'b' is not finite"):
        read_vectors(path)
    np.savez(path, words=np.array(["a", "\ud800"]), vectors=np.eye(2))
    with pytest.raises(InputError, match="Row 2 of .*: the word is not in UTF-8"):
        read_vectors(path)
    np.savez(path, words=np.array(["a", "b"]), vectors=np.eye(2), counts=np.array(3))
    with pytest.raises(InputError, match="counts"):
        read_vectors(path)
    path.write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(InputError, match="cannot be read safely"):
        read_vectors(path)


def test_pairs_with_many_scores_are_no_vectors(tmp_path: Path) -> None:
    path = tmp_path / "rw.txt"
    path.write_text("squishing squirt 5.88 7 7 6 1 4 8 9 6 10 0\n")
    assert not looks_like_vectors(path)
    path.write_text("squishing 5.88 7 7\n")
    assert looks_like_vectors(path)


def test_a_number_without_end_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "v.gz"
    path.write_bytes(gzip.compress(b"a 1 2\nb 1 " + b"0" * 1_000_000 + b"2\n"))
    assert read_vectors(path).matrix.tolist() == [[1, 2], [1, 2]]


def test_unknown_formats_and_files(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'format' parameter of export"):
        written("word3vec", ["a"], [[1.0]], tmp_path / "x")
    with pytest.raises(InputError, match="There is no file"):
        read_vectors(tmp_path / "nothing")


def test_gensim_reads_what_is_written_and_is_read(tmp_path: Path) -> None:
    gensim = pytest.importorskip("gensim", reason="gensim is not installed")
    matrix = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    words = ["a", "été", "</s>", "12", "🦜"]
    for form, binary in (("word2vec", False), ("word2vec-binary", True)):
        path = written(form, words, matrix, tmp_path / form)
        vectors = gensim.models.KeyedVectors.load_word2vec_format(path, binary=binary)
        assert vectors.index_to_key == words
        np.testing.assert_allclose(vectors.vectors, matrix)
        vectors.save_word2vec_format(str(path), binary=binary)
        assert read_vectors(path).words == words
