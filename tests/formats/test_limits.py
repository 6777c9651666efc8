"""Limits of what a file may ask for, each with an option that raises it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse

import firth
from firth import formats
from firth.errors import InputError, ParameterError
from firth.evaluate import read_questions
from firth.formats import _limits, limits
from firth.pipeline import learn_corpus, learn_grammar
from firth.store import MANIFEST

Write = Callable[..., Path]
LONG = "a" * 2000
CONLLU = "1\t{}\t_\tX\t_\t_\t_\t_\t_\t_\n\n"


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("a.jsonl", f'{{"text": "a"}}\n{{"text": "{LONG}"}}\n', firth.Corpus.from_files),
        ("a.conllu", CONLLU.format("a")[:-1] + CONLLU.format(LONG), firth.Corpus.from_files),
        ("a.conllu", "# a\n" + CONLLU.format(LONG), lambda path: list(formats.read_conllu(path))),
        ("a.txt", f"a O\n{LONG} O\n", formats.read_labelled),
        ("a.txt", f"a A\n{LONG} B\n", formats.read_tagged),
        ("a.txt", f"a\t1\n{LONG}\t2\n", formats.read_classes),
        ("a.txt", f"a 1 2\n{LONG} 2 1\n", formats.read_vectors),
        ("a.txt", f"a b\n{LONG} b\n", formats.read_pairs),
        ("a.csv", f"a,1\n{LONG},2\n", formats.read_objects),
        ("a.txt", f"a b 1\n{LONG} b 2\n", read_questions),
        ("a.mrg", f"(A a)\n(A {LONG})\n", lambda path: list(firth.read_trees(path))),
    ],
)
def test_long_lines(name: str, text: str, read: Callable[[Path], Any], text_file: Write) -> None:
    path = text_file(text, name)
    read(path)
    with limits(max_line=1000), pytest.raises(InputError) as error:
        read(path)
    assert f"Line 2 of {path} is longer than 1 kB, the limit of --max-line." in str(error.value)
    with limits(max_line="3k"):
        read(path)


def test_lines_of_plain_text_have_any_length(text_file: Write) -> None:
    path = text_file("a b " * 100_000 + "\n")
    with limits(max_line=1000):
        assert firth.Corpus.from_files(path).n_tokens == 200_000


def test_a_small_file_of_one_long_line_takes_little_memory(text_file: Write) -> None:
    a_million = gzip.compress(b"a" * (1 << 20))
    path = text_file(gzip.compress(b'{"text": "') + 140 * a_million, "a.jsonl.gz")
    firth.Corpus.from_sentences([["a"]])  # imports and compiles
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="Line 1 of .* is longer than 134 MB"):
            firth.Corpus.from_files(path)
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()


def test_lines_of_standard_input(
    fails: Callable[..., Any], say: Callable[[str], None], text_file: Write
) -> None:
    say(f"(A a)\n(A {LONG})\n")
    gold = text_file("(A a)\n", "gold.mrg")
    failed = fails("grammar", "evaluate", "-", gold, "--max-line", "1000")
    assert "Line 2 of standard input is longer than 1 kB, the limit of --max-line." in failed.err


@pytest.fixture
def few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Content of more than 100 kB is compared with the size of its file."""
    monkeypatch.setattr(_limits, "_UNCHECKED", 100_000)


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


@pytest.mark.usefixtures("few_bytes")
@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.slow
def test_files_that_grow_too_much(suffix: str, text_file: Write) -> None:
    data = COMPRESS[suffix](b"a b\n" * 250_000)
    path = text_file(data, "a.txt" + suffix)
    ratio = 1_000_000 // len(data)
    with limits(max_ratio=ratio + 1):
        assert firth.Corpus.from_files(path).n_tokens == 500_000
    with limits(max_ratio=ratio - 1), pytest.raises(InputError) as error:
        firth.Corpus.from_files(path)
    assert error.value.message == (
        f"The content of {path} is more than {ratio - 1:,} times as large as the file, "
        "the limit of --max-ratio."
    )
    with limits(max_ratio=5 * ratio), pytest.raises(InputError, match=r"a tenth of --max-ratio"):
        formats.read_pairs(path)  # this one is kept in memory
    with limits(max_ratio=11 * ratio):
        formats.read_pairs(path)


def test_text_that_repeats_itself_is_accepted(text_file: Write) -> None:
    data = gzip.compress(b"GET / HTTP/1.1 200\n" * 100_000, 9)
    assert len(data) * 200 < 1_900_000
    firth.Corpus.from_files(text_file(data, "log.txt.gz"))


@pytest.mark.usefixtures("few_bytes")
def test_archives_that_grow_too_much(text_file: Write) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, a=np.zeros((1000, 1000)))
    path = text_file(buffer.getvalue(), "a.npz")
    with pytest.raises(InputError, match=r"a\.npz is more than 100 times as large"):
        formats.read_objects(path)
    with limits(max_ratio=100_000):
        assert formats.read_objects(path).rows.shape == (1000, 1000)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, words=np.array(["a"]), vectors=np.ones((1, 100_000), np.float32))
    with pytest.raises(InputError, match="is more than 100 times as large"):
        formats.read_vectors(text_file(buffer.getvalue(), "b.npz"))


def test_a_sparse_matrix_of_a_few_numbers_and_billions_of_rows(text_file: Write) -> None:
    buffer = io.BytesIO()
    rows = scipy.sparse.coo_array(([1.0], ([0], [0])), shape=(2_000_000_000, 2))
    scipy.sparse.save_npz(buffer, rows)
    with pytest.raises(InputError, match="is more than 100 times as large as the file"):
        formats.read_objects(text_file(buffer.getvalue(), "a.npz"))


def test_arrays_larger_than_what_their_archive_says(text_file: Write) -> None:
    """The sizes in the list of an archive are believed, so no more than that may be read."""
    buffer = io.BytesIO()
    np.savez(buffer, a=np.ones((10, 10)))
    data = bytearray(buffer.getvalue())
    with zipfile.ZipFile(buffer) as archive:
        n_bytes = archive.infolist()[0].file_size
    data = data.replace(n_bytes.to_bytes(4, "little"), (n_bytes - 400).to_bytes(4, "little"))
    with pytest.raises(InputError, match="cannot be read safely"):
        formats.read_objects(text_file(bytes(data), "a.npz"))


def test_xz_that_asks_for_four_gigabytes(text_file: Write) -> None:
    data = bytearray(lzma.compress(b"the cat sat\n", preset=0))
    header = slice(12, 12 + 4 * (data[12] + 1))
    assert data[14] == 0x21  # LZMA2; the size of its dictionary follows
    data[16] = 40
    data[header.stop - 4 : header.stop] = zlib.crc32(data[header][:-4]).to_bytes(4, "little")
    with pytest.raises(InputError, match="needs more than 512 MiB of memory to be decompressed"):
        firth.Corpus.from_files(text_file(bytes(data), "a.txt.xz"))


def test_levels_of_xz(text_file: Write) -> None:
    data = lzma.compress(b"the cat sat\n", preset=9 | lzma.PRESET_EXTREME) * 2 + bytes(4)
    assert firth.Corpus.from_files(text_file(data, "a.txt.xz")).n_tokens == 6


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_of_types(
    threads: int, text_file: Write, monkeypatch: pytest.MonkeyPatch, fails: Callable[..., Any]
) -> None:
    monkeypatch.setattr("firth.corpus._blocks.BLOCK", 100)
    path = text_file("".join(f"w{i} w{i} a\n" for i in range(100)))
    with limits(max_types=101):
        assert firth.Corpus.from_files(path, threads=threads).n_types == 101
    with limits(max_types=100), pytest.raises(InputError, match="more than 100 different words"):
        firth.Corpus.from_files(path, threads=threads)
    how = ("corpus", "learn", path, "-o", path.parent / "m", "--threads", threads)
    failed = fails(*how, "--max-types", 9)
    assert ", line " in failed.err
    assert "more than 9 different words, the limit of --max-types" in failed.err


def test_numbers_of_labels(text_file: Write, tmp_path: Path) -> None:
    many = text_file("".join(f"a B-T{i}\nb O\n\n" for i in range(30)), "a.ner")
    assert len(formats.read_labelled(many).documents[0]) == 30
    with limits(max_labels=120), pytest.raises(InputError, match="121 .*the 120 of --max-labels"):
        formats.read_labelled(many)
    tags = text_file("".join(f"a{i} T{i % 30}\n\n" for i in range(90)), "a.tsv")
    assert len(formats.read_tagged(tags)) == 90
    with limits(max_labels=29), pytest.raises(InputError, match="30 .*the 29 of --max-labels"):
        formats.read_tagged(tags)
    trees = text_file("".join(f"(S (A{i} a))\n" for i in range(30)), "a.mrg")
    with limits(max_labels=30), pytest.raises(InputError, match="31 .*the 30 of --max-labels"):
        learn_grammar(tmp_path / "model", trees)


def test_thousands_of_types_of_entities_are_refused_at_once(text_file: Write) -> None:
    with pytest.raises(InputError, match="has 48,001 different labels, more than the 5,000"):
        formats.read_labelled(text_file("".join(f"a B-T{i}\n" for i in range(12_000))))


@pytest.mark.slow
def test_sentences_of_conllu_are_no_files(text_file: Write) -> None:
    path = text_file(CONLLU.format("a")[:-1] * 100_001, "a.conllu")
    for read in (firth.Corpus.from_files, lambda path: list(formats.read_conllu(path))):
        with pytest.raises(InputError, match="line 100,001 of .* has more than 100,000 lines"):
            read(path)


def test_limits_change_no_model(text_file: Write, tmp_path: Path) -> None:
    path, model = text_file("the cat sat\n"), tmp_path / "model"
    learn_corpus(model, path)
    manifest = (model / MANIFEST).read_bytes()
    with limits(max_line="1k", max_ratio=5, max_types=10, max_labels=7):
        assert not learn_corpus(model, path).changed
        learn_corpus(tmp_path / "other", path)
    assert (tmp_path / "other" / MANIFEST).read_bytes() == manifest


def test_limits_hold_inside_their_block() -> None:
    now = formats.current_limits()
    with limits(max_line=10):
        with limits(max_ratio=7) as inner:
            assert (inner.line_bytes, inner.max_ratio) == (10, 7)
        assert formats.current_limits().max_ratio == now.max_ratio
    assert formats.current_limits() == now
    for wrong in ({"max_line": "long"}, {"max_line": 0}, {"max_ratio": 0}, {"max_types": 1.5}):
        with pytest.raises(ParameterError), limits(**wrong):
            pass


def test_options_of_limits(fails: Callable[..., Any], text_file: Write, tmp_path: Path) -> None:
    path = text_file(f'{{"text": "{LONG}"}}\n', "a.jsonl")
    failed = fails("learn", path, "-o", tmp_path / "m", "--max-line", "1k")
    assert f"Line 1 of {path} is longer than 1.02 kB, the limit of --max-line." in failed.err
    assert "hint: If the file is sound, raise the limit, for example: --max-line 1G" in failed.err
    failed = fails("import", path, "-o", tmp_path / "m", "--max-line", "long", status=2)
    assert "--max-line must be a size such as 500M or 4G. Got 'long'." in failed.err
    failed = fails("ner", "learn", path, "-o", tmp_path / "m", "--max-labels", "0", status=2)
    assert "--max-labels must be an int of at least 1. Got 0." in failed.err
