"""Word classes in other people's files: there and back, and what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firth.errors import InputError, ParameterError
from firth.formats import (
    CLASS_FORMATS,
    VECTOR_FORMATS,
    looks_like_classes,
    read_classes,
    write_classes,
    write_vectors,
)

HOSTILE = [
    "\ufeffx", "BZh", "PK\x03\x04", "PAR1", "%PDF", "0", "01", "nan", "#", "a b", " ", "\xa0", "\x85", "a\u2028b",
    "\u2029", "\x0b", "\x0c", "\x1c", "\0", "🦜", "ligne\u0301", "x" * 30_000, '"', "\\t", "a\u202eb", "</s>",
]  # fmt: skip

word = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), min_size=1)
name = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0"), min_size=1)
count = st.integers(0, 2**63 - 1)


@st.composite
def trees(draw: st.DrawFn) -> list[str]:
    """The paths to the leaves of a binary tree, which may be deep."""
    leaves = ["0", "1"]
    for at in draw(st.lists(st.integers(0, 1000), max_size=12)):
        leaf = leaves.pop(at % len(leaves))
        leaves += [leaf + "0", leaf + "1"]
    return leaves


def lines_of(words: Any, labels: Any, counts: Any, form: str) -> bytes:
    file = io.BytesIO()
    assert write_classes(file, words, labels, counts, form) == len(words)
    return file.getvalue()


@given(data=st.data(), words=st.lists(word, min_size=1, max_size=20, unique=True))
@pytest.mark.slow
def test_paths_there_and_back(data: st.DataObject, words: list[str]) -> None:
    n = len(words)
    labels = data.draw(st.lists(st.sampled_from(data.draw(trees())), min_size=n, max_size=n))
    counts = data.draw(st.lists(count, min_size=n, max_size=n))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "paths")
        write_classes(path, words, labels, counts, "paths")
        table = read_classes(path)
        assert table == read_classes(path, "paths")
        assert looks_like_classes(path)
    rows = sorted(zip(labels, counts, words, strict=True), key=lambda row: (row[0], -row[1]))
    assert list(zip(table.labels, table.counts or [], table.words, strict=True)) == rows


@given(rows=st.lists(st.tuples(word, name), min_size=1, max_size=20, unique_by=lambda row: row[0]))
@example(rows=[("\ufeff", "1"), ("b", "2")])
@example(rows=[("BZh", "1")])
@example(rows=[("\0\0\0", "1")])
@pytest.mark.slow
def test_clustercat_there_and_back(rows: list[tuple[str, str]]) -> None:
    words, labels = map(list, zip(*rows, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "classes")
        assert write_classes(str(path), words, labels, None, "clustercat") == len(words)
        table = read_classes(str(path), "clustercat")
        assert (table.words, table.labels, table.counts) == (words, labels, None)
        if not all(set(word) <= {"0", "1"} for word in words):
            assert read_classes(path) == table, "the format is told by the file"


@given(junk=st.binary(max_size=300), form=st.sampled_from([None, *CLASS_FORMATS]))
@example(junk=b"a\t\0", form=None)
@example(junk=b"\xffa\t1\nb\t2", form=None)
@example(junk=b"\x1f\x8b\t1", form=None)
def test_junk_is_refused_or_can_be_written_again(junk: bytes, form: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "junk")
        path.write_bytes(junk)
        looks_like_classes(path)
        try:
            table = read_classes(path, form)
        except InputError:
            return
        again = "clustercat" if table.counts is None else "paths"
        write_classes(path, table.words, table.labels, table.counts, again)
        assert sorted(read_classes(path, again).words) == sorted(table.words)


@pytest.mark.parametrize("form", CLASS_FORMATS)
@pytest.mark.parametrize("turn", range(0, len(HOSTILE), 3))
def test_hostile_words(form: str, turn: int, tmp_path: Path) -> None:
    words = HOSTILE[turn:] + HOSTILE[:turn]
    labels = ["0", "1"] * (len(words) // 2)
    path = tmp_path / "classes"
    write_classes(path, words, labels, range(len(words), 0, -1), form)
    table = read_classes(path)
    assert dict(zip(table.words, table.labels, strict=True)) == dict(
        zip(words, labels, strict=True)
    )
    assert looks_like_classes(path)


def test_the_order_of_lines() -> None:
    words, labels = ["d", "c", "b", "a", "e"], ["10", "0", "10", "0", "11"]
    assert lines_of(words, labels, [2, 5, 7, 5, 0], "paths") == (
        b"0\tc\t5\n0\ta\t5\n10\tb\t7\n10\td\t2\n11\te\t0\n"
    )
    assert lines_of(words, labels, None, "clustercat") == b"d\t10\nc\t0\nb\t10\na\t0\ne\t11\n"


def test_iterators_and_numbers_of_numpy() -> None:
    file = io.BytesIO()
    n = write_classes(file, iter("ab"), iter("01"), iter(np.array([1, 2**40])), "paths")
    assert (n, file.getvalue()) == (2, b"0\ta\t1\n1\tb\t%d\n" % 2**40)


def test_big_counts(text_file: Callable[..., Path]) -> None:
    most = 2**63 - 1
    path = text_file(f"0\ta\t{most}\n10\tb\t0\n11\tc\t{'0' * 6000}7\n")
    assert read_classes(path).counts == [most, 0, 7]
    for digits in (str(most + 1), "9" * 20, "1" + "0" * 10_000):
        with pytest.raises(InputError, match="Line 1 of .*: the count of 'a' is too large"):
            read_classes(text_file(f"0\ta\t{digits}\n"))


@pytest.mark.parametrize("start", ["", "\ufeff", "\n", "\ufeff \r\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", "\r\n \n"])
def test_line_ends_and_marks(start: str, end: str, text_file: Callable[..., Path]) -> None:
    for last in ("", end):
        path = text_file(f"{start}0\tthe\t3{end}10\ta b\x85\t2{end}11\tof\t1{last}")
        table = read_classes(path)
        assert looks_like_classes(path)
        assert table.words == ["the", "a b\x85", "of"]
        assert (table.labels, table.counts) == (["0", "10", "11"], [3, 2, 1])
        table = read_classes(text_file(f"{start}the\t3{end}a b\x85\tx y{last}"))
        assert (table.words, table.labels) == (["the", "a b\x85"], ["3", "x y"])


def zstandard(data: bytes) -> bytes:
    return bytes(pa.compress(data, "zstd", asbytes=True))


@pytest.mark.parametrize(
    "compress",
    [gzip.compress, bz2.compress, lzma.compress, zstandard],
    ids=["gz", "bz2", "xz", "zst"],
)
def test_compressed_files(
    compress: Callable[[bytes], bytes], text_file: Callable[..., Path]
) -> None:
    data = compress("\ufeff0\tthe\t3\n1\té\t2\n".encode())
    path = text_file(data)
    assert looks_like_classes(path)
    table = read_classes(path)
    assert (table.words, table.labels, table.counts) == (["the", "é"], ["0", "1"], [3, 2])
    path = text_file(data[:-9])
    looks_like_classes(path)
    with pytest.raises(InputError, match="damaged"):
        read_classes(path)


WRONG = [
    ("paths", "", "is empty"),
    ("paths", "\ufeff\n \r\n", "is empty"),
    ("paths", "0\ta\t1\n1\tb\n", "Line 2 of .*: the count is missing"),
    ("paths", "0\ta\t1\n1\tb\t\n", "Line 2 of .*: the count is missing"),
    ("paths", "0\ta\t1\n1\tb\tx\t2\n", "Line 2 of .*: 4 columns where a path, a word and a count"),
    ("paths", "0\ta\t1\n1 b 2\n", "Line 2 of .*: 1 column where a path, a word and a count.*not by spaces"),
    ("paths", "0\ta\t1\n12\tb\t2\n", "Line 2 of .*: the path '12' is not made of 0 and 1"),
    ("paths", "0\ta\t1\n1 \tb\t2\n", "Line 2 of .*: the path '1 ' is not"),
    ("paths", "0\ta\t1\n0a1\tb\t2\n", "Line 2 of .*: the path '0a1' is not"),
    ("paths", "0\ta\t1\n１\tb\t2\n", "Line 2 of .*: the path '１' is not"),
    ("paths", "0\ta\t1\n\tb\t2\n", "Line 2 of .*: there is no path"),
    ("paths", "0\ta\t1\n1\t\t2\n", "Line 2 of .*: there is no word"),
    ("paths", "0\ta\t1\n1\tb\t-2\n", "Line 2 of .*: the count of 'b' is '-2'.*whole number of at least 0"),
    ("paths", "0\ta\t1\n1\tb\t2.0\n", "Line 2 of .*: the count of 'b' is '2.0'"),
    ("paths", "0\ta\t1\n1\tb\t1_000\n", "Line 2 of .*: the count of 'b' is '1_000'"),
    ("paths", "0\ta\t1\n1\tb\t٣\n", "Line 2 of .*: the count of 'b' is '٣'"),
    ("paths", "0\ta\t1\n1\tb\t 3\n", "Line 2 of .*: the count of 'b' is ' 3'"),
    ("paths", "0\ta\t1\n\n1\tb\t2\n1\ta\t3\n", "Line 4 of .*: the word 'a' is there already, in line 1"),
    ("paths", "01\ta\t1\n010\tb\t2\n", "Line 2 of .*: the path '010' of line 2 continues the path '01' of line 1"),
    ("paths", "010\ta\t1\n01\tb\t2\n", "Line 2 of .*: the path '010' of line 1 continues the path '01' of line 2"),
    ("paths", "0\ta\t1\n000000001\tb\t2\n", "'000000001' of line 2 continues the path '0' of line 1"),
    ("paths", b"0\ta\t1\n1\t\xe9t\xe9\t2\n", "Line 2 of .* is not in UTF-8.*onvert"),
    ("paths", b"0\ta\t1\n1\t\xed\xa0\x80\t2\n", "Line 2 of .* is not in UTF-8"),
    ("paths", "0\ta\t1\r1\tb\t2\r", "Line 1 of .*: there is a carriage return inside"),
    ("paths", "0\ta\t1\n1\tb\t2\r\r\n", "Line 2 of .*: there is a carriage return inside"),
    ("clustercat", "", "is empty"),
    ("clustercat", "a\t1\nb\n", "Line 2 of .*: 1 column where a word and its class"),
    ("clustercat", "a\t1\nb\t2\nc\t2\t3\n", "Line 3 of .*: 3 columns where a word and its class.*first two"),
    ("clustercat", "a\t1\nb\t2\n\t3\n", "Line 3 of .*: there is no word"),
    ("clustercat", "a\t1\nb\t\n", "Line 2 of .*: there is no class"),
    ("clustercat", "a\t1\n\t\n", "Line 2 of .*: there is no class"),
    ("clustercat", "a\t1\r\nb\t2\r\na\t1\r\n", "Line 3 of .*: the word 'a' is there already, in line 1"),
    ("clustercat", b"a\t1\n\xe9t\xe9\t2\n", "Line 2 of .* is not in UTF-8"),
    ("clustercat", "a\t1\rb\t2\r", "Line 1 of .*: there is a carriage return inside"),
    ("clustercat", "a\t1\nb\t2\r\r\n", "Line 2 of .*: there is a carriage return inside"),
    ("clustercat", "a\t1\nb\t2\n".encode("utf-16"), "is text in UTF-16.*iconv"),
    ("clustercat", "a\t1\nb\t2\n".encode("utf-16-le"), "is text in UTF-16, it seems"),
    ("clustercat", "a\t1\nb\t2\n".encode("utf-16-be"), "is text in UTF-16, it seems"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "message"), WRONG)
@pytest.mark.parametrize("told", [False, True])
def test_what_is_wrong_is_said_with_its_line(
    form: str, text: str | bytes, message: str, told: bool, text_file: Callable[..., Path]
) -> None:
    path = text_file(text)
    with pytest.raises(InputError, match=message) as caught:
        read_classes(path, None if told else form)
    assert str(path) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("this is no table\n", "Line 1 of .*: a path, a word and a count are .* or a word and its class"),
        ("0 the 5\n1 of 3\n", "Line 1 of .*by tabs, not by spaces"),
        ("the\t0\t5\nof\t1\t3\n", "Line 1 of .*: a path, a word and a count .*paths, clustercat"),
        ("0\ta\t1\na b\nc d\ne f\n", "Line 2 of .*: a path, a word"),
        ("\n" * 70_000, "is empty"),
        ("\n" * 70_000 + "a\t1\n", "The beginning of .* does not match any known format"),
        (b"%PDF-1.7\n%\xb5\xb6\x00 and so on", "is a PDF, not a file of word classes.*pdftotext"),
        (b"\x93\xff\x00\x01\x02\tx\n\xfe", "is a binary file"),
        (b"\xe9 \x01", "is a binary file"),
        ("0\tété\n10\tvu\n10\tlu\n".encode("latin-1"), "Line 1 of .* is not in UTF-8"),
    ],
)  # fmt: skip
def test_files_that_do_not_tell_their_format(
    text: str | bytes, message: str, text_file: Callable[..., Path]
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_classes(text_file(text))
    assert caught.value.hint


@pytest.mark.slow
def test_damage_far_from_the_beginning(text_file: Callable[..., Path]) -> None:
    lines = [f"{i}\t{i % 7}\n".encode() for i in range(300_000)]
    lines[250_000] = "café\t3\n".encode("latin-1")
    with pytest.raises(InputError, match=r"Line 250,001 of .* is not in UTF-8"):
        read_classes(text_file(b"".join(lines)))
    lines[250_000] = b"17\t3\n"
    with pytest.raises(InputError, match=r"Line 250,001 .* '17' is there already, in line 18"):
        read_classes(text_file(b"".join(lines)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0\tthe\t5\n10\tof\t3\n", "^counts"),
        ("0\t1984\t5\n10\t12\t3\n", "^counts"),
        ("0\tthe\t5\n10\tof\n", "Line 2 of .*: the count is missing"),
        ("0\tthe\t5\noops\n", "Line 2 of .*: 1 column where a path"),
        ("0110\tthe\n0110\tof\n", "Line 1 of .*: the count is missing"),
        ("0110\tthe\n10\tof\n", "Line 1 of .*: the count is missing"),
        ("the\t5\nof\t3\n", "^no counts"),
        ("the\tDET\nof\tADP\n", "^no counts"),
        ("0\t5\n1\t3\n", "^no counts"),
        ("0\tthe\nof\t3\n", "^no counts"),
        ("the\t5\nof\t3\n0\tof\t3\n", "Line 3 of .*: 3 columns where a word and its class"),
    ],
)
def test_formats_are_told_apart(text: str, told: str, text_file: Callable[..., Path]) -> None:
    path = text_file(text)
    assert looks_like_classes(path)
    assert looks_like_classes(str(path))
    try:
        kind = "counts" if read_classes(path).counts else "no counts"
    except InputError as error:
        kind = str(error)
    assert re.search(told, kind)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "\ufeff",
        "just words\nand more of them\n",
        "2 3\nthe 1 2 3\nof 4 5 6\n",
        "2\t3\nthe\t1\t2\t3\nof\t4\t5\t6\n",
        "the 0.5 0.25\nof 1 2\n",
        "the\t0.5\t0.25\nof\t1\t2\n",
        "the\t0.5 0.25\nof\t1 2\n",
        "1\t0.5 0.25\n",
        "the\t0.5\nof\t-1e-3\n",
        "old\tnew\t1.58\nsmart\tclever\t9.2\n",
        "a,1\nb,2\n",
        b"\x1f\x8b is no gzip",
        b"\x1f\x8b",
        b"BZh",
        b"\0" * 100_000,
        b"\xff\xfea\0\t\0001\0\n\0",
        "é".encode() * 70_000,
        "1" * 70_000,
    ],
)
def test_what_does_not_look_like_classes(text: str | bytes, text_file: Callable[..., Path]) -> None:
    assert not looks_like_classes(text_file(text))


def test_looking_at_what_is_no_file(tmp_path: Path) -> None:
    assert not looks_like_classes(tmp_path)
    assert not looks_like_classes(tmp_path / "nothing")


@pytest.mark.parametrize("form", VECTOR_FORMATS)
@pytest.mark.parametrize("dim", [2, 50])
def test_vectors_do_not_look_like_classes(form: str, dim: int, tmp_path: Path) -> None:
    matrix = np.random.default_rng(dim).standard_normal((500, dim)).astype(np.float32)
    words = pa.array([f"{i:b}" for i in range(500)], pa.large_string())
    path = tmp_path / "vectors"
    with path.open("wb") as file:
        write_vectors(file, form, words, matrix, np.arange(500, 0, -1))
    assert not looks_like_classes(path)


def test_random_bytes_do_not_look_like_classes(text_file: Callable[..., Path]) -> None:
    chance = random.Random(0)
    for size in [*range(20, 400, 7), 5000, 1 << 17]:
        assert not looks_like_classes(text_file(chance.randbytes(size)))


def test_a_long_file_is_looked_at_only_in_its_beginning(text_file: Callable[..., Path]) -> None:
    start = "".join(f"wörd{i}\t{i % 9}\n" for i in range(20_000))
    assert looks_like_classes(text_file(start.encode() + b"\xff\0\n" * 10))


def refused(message: str, words: Any, labels: Any, counts: Any, form: str, path: Path) -> None:
    path.write_bytes(b"as it was")
    with pytest.raises(InputError, match=message) as caught:
        write_classes(path, words, labels, counts, form)
    assert caught.value.hint
    assert path.read_bytes() == b"as it was"
    file = io.BytesIO()
    with pytest.raises(InputError, match=message):
        write_classes(file, words, labels, counts, form)
    assert file.getvalue() == b""


@pytest.mark.parametrize("form", CLASS_FORMATS)
@pytest.mark.parametrize("bad", ["", "\t", "a\tb", "a\n", "a\r", "\rb", "a\ud800", "x" * 99 + "\n"])
def test_words_that_cannot_be_held(bad: str, form: str, tmp_path: Path) -> None:
    shown = repr(bad[:20])[:-1].replace("\\", "\\\\")
    message = f"The format {form} cannot hold the word {shown}"
    refused(message, ["good", bad], ["0", "1"], [2, 1], form, tmp_path / "x")


@pytest.mark.parametrize(
    ("form", "labels", "message"),
    [
        ("paths", ["", "", ""], "The path of the word 'a' is empty: a single class has no path"),
        ("paths", ["0", "", "1"], "The path of the word 'b' is empty"),
        ("paths", ["0", "12", "1"], "The path '12' of the word 'b' is not made of 0 and 1"),
        ("paths", ["0", "1\n", "1"], r"The path '1\\n' of the word 'b' is not made of 0 and 1"),
        ("paths", ["01", "010", "1"], "The path '010' of the word 'b' continues the path '01' of the word 'a'"),
        ("clustercat", ["0", "", "1"], "cannot hold the class '' of the word 'b'"),
        ("clustercat", ["0", "1", "x\ty"], r"cannot hold the class 'x\\ty' of the word 'c'"),
        ("clustercat", ["0", "1", "x\r"], r"cannot hold the class 'x\\r' of the word 'c'"),
        ("clustercat", ["0", "1", "x\0"], r"cannot hold the class 'x\\x00' of the word 'c'"),
        ("clustercat", ["0", "1", "\udcff"], r"cannot hold the class '\\udcff' of the word 'c'"),
    ],
)  # fmt: skip
def test_classes_that_cannot_be_held(
    form: str, labels: list[str], message: str, tmp_path: Path
) -> None:
    refused(message, ["a", "b", "c"], labels, [3, 2, 1], form, tmp_path / "x")


@pytest.mark.parametrize("form", CLASS_FORMATS)
def test_a_file_that_could_not_be_read_is_not_written(form: str, tmp_path: Path) -> None:
    refused("'a' is there twice", ["a", "b", "a"], ["0", "1", "0"], [3, 2, 1], form, tmp_path / "x")
    refused("no words", [], [], [], form, tmp_path / "x")


def test_wrong_parameters(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(ParameterError, match="'format' parameter of write_classes"):
        write_classes(path, ["a"], ["0"], [1], "mkcls")
    with pytest.raises(ParameterError, match="'counts' parameter of write_classes must be given"):
        write_classes(path, ["a"], ["0"], None, "paths")
    with pytest.raises(ParameterError, match="1 words and 2 classes"):
        write_classes(path, ["a"], ["0", "1"], [1], "paths")
    with pytest.raises(ParameterError, match="1 words and 2 counts"):
        write_classes(path, ["a"], ["0"], [1, 2], "paths")
    for wrong in (-1, 2**63):
        with pytest.raises(ParameterError, match=f"'counts' parameter .* Got {wrong}"):
            write_classes(path, ["a"], ["0"], [wrong], "paths")
    assert not path.exists()
    with pytest.raises(ParameterError, match="'format' parameter of read_classes"):
        read_classes(path, "mkcls")
    with pytest.raises(InputError, match="There is no file"):
        read_classes(path)


def test_words_of_a_class_share_one_string(tmp_path: Path) -> None:
    n, path = 50_000, tmp_path / "paths"
    labels = [f"{i % 100:07b}" for i in range(n)]
    write_classes(path, [f"wörd{i}" for i in range(n)], labels, range(n), "paths")
    table = read_classes(path)
    assert len(table.words) == n
    assert len(set(map(id, table.labels))) == 100
