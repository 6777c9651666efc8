"""All kinds of input: compressed, in columns, in folders, damaged, or no text at all."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firth
from firth.errors import InputError
from tests.conftest import zipf_text

TEXT = "the cat sat\nthe dog sat\n"
SENTENCES = [["the", "cat", "sat"], ["the", "dog", "sat"]]
CONLLU = (
    "# sent_id = 1\n# text = I don't\n1\tI\t_\t_\t_\t_\t_\t_\t_\t_\n2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tdo\t_\t_\t_\t_\t_\t_\t_\t_\n3\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n3.1\tgone\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    "1\t10 000\t_\t_\t_\t_\t_\t_\t_\t_\n"
)


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd,
}


def read(*paths: Any, **options: Any) -> list[list[str]]:
    return list(firth.Corpus.from_files(*paths, **options).sentences())


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_read(suffix: str, text_file: Callable[..., Path]) -> None:
    assert read(text_file(COMPRESS[suffix](TEXT.encode()), "a.txt" + suffix)) == SENTENCES
    # told by what is in it, not by its name
    assert read(text_file(COMPRESS[suffix](TEXT.encode()), "misnamed")) == SENTENCES


@pytest.mark.parametrize("suffix", COMPRESS)
def test_two_compressed_files_in_one_are_read_to_the_end(
    suffix: str, text_file: Callable[..., Path]
) -> None:
    data = COMPRESS[suffix](b"the cat sat\n") + COMPRESS[suffix](b"the dog sat\n")
    assert read(text_file(data, "a" + suffix)) == SENTENCES


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.slow
def test_truncated_and_broken_compressed_files_are_refused(
    suffix: str, text_file: Callable[..., Path]
) -> None:
    data = COMPRESS[suffix](zipf_text(20_000).encode())
    with pytest.raises(InputError, match=r"is a damaged .* file: it ends too early"):
        read(text_file(data[: len(data) // 2], "half" + suffix))
    # Zstandard need not hold a checksum, so only a broken frame is sure to be noticed
    broken = (
        data[:6] + b"\xff" * 20 + data[26:]
        if suffix == ".zst"
        else data[:2000] + bytes(200) + data[2200:]
    )
    with pytest.raises(InputError, match=r"is a damaged .* file"):
        read(text_file(broken, "broken" + suffix))


def test_json_lines(text_file: Callable[..., Path]) -> None:
    records = [{"text": "the cat sat"}, {"text": None}, {"text": "the dog sat\nand ran", "id": 3}]
    data = "\n".join(map(json.dumps, records))
    assert read(text_file(data, "a.jsonl")) == [*SENTENCES, ["and", "ran"]]
    assert read(text_file(gzip.compress(data.encode()), "a.ndjson.gz")) == [
        *SENTENCES,
        ["and", "ran"],
    ]
    body = text_file(data.replace("text", "body"), "b.jsonl")
    assert len(read(body, column="body")) == 3
    with pytest.raises(InputError, match="line 1: there is no 'text'") as error:
        read(body)
    assert "It has: 'body'" in str(error.value.hint)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('{"text": "a"}\n{"text": ', "line 2: not valid JSON"),
        ("[1]", "no 'text'"),
        ('{"text": 3}', "is not a string"),
        ("[" * 100_000, "line 1: not valid JSON"),
    ],
)
def test_bad_json_lines_are_named(data: str, message: str, text_file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=message):
        read(text_file(data, "a.jsonl"))


def test_bytes_that_are_not_utf8_in_json_lines(text_file: Callable[..., Path]) -> None:
    path = text_file(b'{"text": "a"}\n{"text": "b\xff c"}\n', "a.jsonl")
    with pytest.raises(InputError, match="line 2, byte 25: not valid UTF-8"):
        read(path)
    assert read(path, errors="replace") == [["a"], ["b", "\ufffd", "c"]]


def test_lone_surrogates_in_json_become_the_replacement_sign(
    text_file: Callable[..., Path],
) -> None:
    assert read(text_file('{"text": "a \\ud800 b"}', "a.jsonl"), tokens="whitespace") == [
        ["a", "?", "b"]
    ]


def test_parquet_and_arrow(tmp_path: Path) -> None:
    table = pa.table({"text": ["the cat sat", None, "the dog sat"], "n": [1, 2, 3]})
    pq.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table, 1)
    assert read(tmp_path / "a.parquet") == SENTENCES
    assert read(tmp_path / "a.arrow") == SENTENCES
    with pytest.raises(InputError, match="has no column 'body'"):
        read(tmp_path / "a.parquet", column="body")
    with pytest.raises(InputError, match="contains int64, not text"):
        read(tmp_path / "a.arrow", column="n")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(InputError, match="not a readable Parquet"):
        read(tmp_path / "b.parquet")


def test_conllu_brings_its_own_words(text_file: Callable[..., Path]) -> None:
    corpus = firth.Corpus.from_files(text_file(CONLLU, "a.conllu"), lowercase=True)
    assert list(corpus.sentences()) == [["i", "do", "n't"], ["10 000"]]
    assert corpus.places.tolist() == [0, CONLLU.index("1\t10 000")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("1\tone\n", "line 1: .* 10 columns"),
        ("x\ta" + "\t_" * 8, "not a word number"),
        ("1\t" + "\t_" * 8, "FORM"),
    ],
)
def test_bad_conllu_is_named(data: str, message: str, text_file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=message):
        read(text_file(data, "a.conllu"))


def test_folders_patterns_and_order(text_file: Callable[..., Path], tmp_path: Path) -> None:
    text_file("b\n", "in/b.txt")
    text_file(gzip.compress(b"a\n"), "in/a.txt.gz")
    text_file("c\n", "in/deep/c.jsonl.txt")
    text_file("hidden\n", "in/.cache/d.txt")
    text_file("no text", "in/e.png")
    assert read(tmp_path / "in") == [["a"], ["b"], ["c"]]
    assert read(str(tmp_path / "in" / "*.txt")) == [["b"]]
    assert read(str(tmp_path / "in" / "**" / "*.txt*")) == [["a"], ["b"], ["c"]]
    text_file("bracket\n", "in/[x].txt")  # a file with such a name is no pattern
    assert read(tmp_path / "in" / "[x].txt") == [["bracket"]]


def test_models_in_a_folder_are_no_text(text_file: Callable[..., Path], tmp_path: Path) -> None:
    text_file("a b c\n" * 9, "in/a.txt")
    for _ in range(2):
        firth.learn(tmp_path / "in", tmp_path / "in" / "model")
        assert firth.load(tmp_path / "in" / "model").corpus.n_tokens == 27


@pytest.mark.skipif(os.name == "nt", reason="named pipes as on Unix")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(TEXT))
    writer.start()
    corpus = firth.Corpus.from_files(pipe)
    writer.join()
    assert list(corpus.sentences()) == SENTENCES
    assert corpus.sources[0]["path"] is None


def test_zeros_are_replaced_where_wanted(text_file: Callable[..., Path]) -> None:
    path = text_file(b"fine\n" * 2000 + b"ba\x00d\n")
    assert read(path, errors="replace", tokens="whitespace")[-1] == ["ba\ufffdd"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer, closed = io.BytesIO(TEXT.encode()), False

    monkeypatch.setattr(sys, "stdin", Stdin())
    corpus = firth.Corpus.from_files("-")
    assert list(corpus.sentences()) == SENTENCES
    assert corpus.sources[0]["path"] is None
    assert [hit.original for hit in corpus.find("cat")] == [False]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file .*missing.txt"):
        read(tmp_path / "missing.txt")
    with pytest.raises(InputError, match="No file matches the pattern"):
        read(str(tmp_path / "*.txt"))
    with pytest.raises(InputError, match="has no text files"):
        read(tmp_path)
    with pytest.raises(InputError, match="No text was given"):
        read()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user who can be refused")
def test_permission_denied_is_said(text_file: Callable[..., Path]) -> None:
    path = text_file(TEXT)
    path.chmod(0)
    with pytest.raises(InputError, match="No permission to read"):
        read(path)


def test_permission_denied_is_said_whoever_runs_this(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = text_file(TEXT)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("firth.store._system._File", refuse)
    with pytest.raises(InputError, match="No permission to read") as error:
        read(path)
    assert "chmod" in str(error.value.hint)


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF", "pdftotext"),
        (b"PK\x03\x04 docx", "zip archive", "pandoc"),
        ("text".encode("utf-16"), "text in UTF-16", "iconv -f UTF-16 "),
        ("hello there".encode("utf-16-le"), "UTF-16, it seems", "iconv -f UTF-16LE"),
        (b"\x7fELF\x00\x00\x01", "binary file", "plain text"),
        (b"fine\n" * 2000 + b"ba\x00d", "line 2001, byte 10002: a zero byte", "--errors replace"),
    ],
)
def test_binary_files_are_recognised(
    data: bytes, message: str, hint: str, text_file: Callable[..., Path]
) -> None:
    with pytest.raises(InputError, match=message) as error:
        read(text_file(data))
    assert hint in str(error.value.hint)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Le café était fermé, à côté de l'hôtel", "windows-1252"),
        ("Широка страна моя родная, много в ней лесов", "windows-1251"),
        ("Широка страна моя родная, много в ней лесов", "koi8-r"),
        ("吾輩は猫である。名前はまだ無い。", "shift_jis"),
        ("吾輩は猫である。名前はまだ無い。", "euc_jp"),
        ("我们今天去学校，明天不去。", "gb18030"),
        ("我們今天去學校，明天不去。", "big5"),
        ("안녕하세요 세계, 오늘은 날씨가 좋습니다", "euc-kr"),
    ],
)
def test_invalid_utf8_names_line_and_byte_and_suggests_an_encoding(
    text: str, encoding: str, text_file: Callable[..., Path]
) -> None:
    data = b"plain line\n" + text.encode(encoding) + b"\n"
    first = next(i for i in range(len(data)) if data[i] >= 0x80)
    with pytest.raises(
        InputError, match=rf"text.txt, line 2, byte {first}: not valid UTF-8"
    ) as error:
        read(text_file(data))
    assert f"iconv -f {encoding} " in str(error.value.hint)
    assert "--errors replace" in str(error.value.hint)
    assert len(read(text_file(data), errors="replace")) == 2
