"""Text at network addresses gives the same models as text in files, and no model opens one by itself."""

from __future__ import annotations

import bz2
import gzip
import json
import logging
import lzma
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz.annotated import EAF, TEI

import firth
from firth.corpus import Reading, find_sources, pieces_of_sources
from firth.errors import InputError, ModelError
from firth.formats import RemoteFile, _remote
from firth.pipeline import learn_corpus, plan
from tests.conftest import Result, zipf_text
from tests.corpus.test_pieces import data_of
from tests.corpus.test_sources import CONLLU, zstd
from tests.remote import Web, bucket, web_server

TEXT = "The  cat sat, didn't it?\r\nthe dog sat\n"
LINES = [f"line {i} has  a cat{i}, here" for i in range(40)]


def write_samples(folder: Path) -> None:
    """A file of every format."""
    text, records = TEXT.encode(), "".join(json.dumps({"text": line}) + "\n" for line in LINES)
    table = pa.table({"text": LINES, "n": range(len(LINES))})
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_bytes(text)
    (folder / "a-b.txt").write_bytes(b"hyphens come before slashes\n")
    (folder / "c.txt.gz").write_bytes(gzip.compress(text))
    (folder / "d.txt.bz2").write_bytes(bz2.compress(text))
    (folder / "e.txt.xz").write_bytes(lzma.compress(text))
    (folder / "f.jsonl.zst").write_bytes(zstd(records.encode()))
    (folder / "deep" / "g.jsonl").write_text(records)
    (folder / "h.conllu").write_text(CONLLU, "utf-8")
    pq.write_table(table, folder / "i.parquet", row_group_size=7)
    with pa.ipc.new_file(folder / "j.arrow", table.schema) as writer:
        writer.write_table(table, 9)
    (folder / "empty.txt").write_bytes(b"")
    (folder / "no-text.png").write_bytes(b"png")
    (folder / ".hidden.txt").write_bytes(b"hidden")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    write_samples(folder)
    return folder


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with web_server(tmp_path / "web") as server:
        (server.folder / "a.txt").write_text(TEXT, newline="")
        yield server


@pytest.fixture(scope="module")
def box(samples: Path) -> Iterator[Any]:
    """A bucket with the samples."""
    with pytest.MonkeyPatch.context() as patch, bucket(patch) as system:
        for path in samples.rglob("*"):
            if path.is_file():
                system.pipe_file(f"box/in/{path.relative_to(samples)}", path.read_bytes())
        yield system


def files_of(corpus: firth.Corpus) -> dict[str, bytes]:
    folder = corpus._part.folder
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "sources.json"}


def check_same(corpus: firth.Corpus, local: firth.Corpus) -> None:
    assert files_of(corpus) == files_of(local)
    for found, expected in zip(corpus.sources, local.sources, strict=True):
        for key in ("kind", "column", "n_bytes", "extent"):
            assert found[key] == expected[key]
        assert found["sha256"] == ("" if found["kind"] == "table" else expected["sha256"])
        assert found["name"] == found["path"]


def test_s3_gives_the_same_corpus_as_a_folder(box: Any, samples: Path) -> None:
    check_same(firth.Corpus.from_files("s3://box/in"), firth.Corpus.from_files(samples))
    corpus = firth.Corpus.from_files(
        "s3://box/in/*.txt*", samples / "a.txt", "s3://box/in/deep/g.jsonl"
    )
    check_names = [Path(source["name"]).name for source in corpus.sources]
    assert check_names == [
        "a-b.txt", "a.txt", "c.txt.gz", "d.txt.bz2", "e.txt.xz", "empty.txt", "a.txt", "g.jsonl",
    ]  # fmt: skip
    assert len(find_sources(["s3://box/in/**/*.jsonl*"])) == 2


@pytest.mark.parametrize("ranges", [False, True])
def test_a_web_server_gives_the_same_corpus(
    ranges: bool, web: Web, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.ranges = ranges
    for module in (_remote, firth.formats._read_ahead):
        monkeypatch.setattr(module, "AT_ONCE", 500)
    shutil.copytree(samples, web.folder / "in")
    check_same(firth.Corpus.from_files(f"{web.url}/in/"), firth.Corpus.from_files(samples))
    check_same(
        firth.Corpus.from_files(f"{web.url}/in/*.gz"), firth.Corpus.from_files(samples / "c.txt.gz")
    )


def test_other_file_systems_of_fsspec(samples: Path, tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/here/a.txt", TEXT.encode())
    local = firth.Corpus.from_files(samples / "a.txt")
    try:
        for url in ("memory://here/a.txt", "memory://here", "memory://here/*.txt"):
            check_same(firth.Corpus.from_files(url), local)
        cached = firth.Corpus.from_files("simplecache::memory://here/*.txt")
        assert files_of(cached) == files_of(local)
        assert cached.sources[0]["name"] == "simplecache::memory:///here/a.txt"
    finally:
        memory.rm("/here", recursive=True)
    for url in (f"file://{samples}/a.txt", f"local://{samples}/a.t*"):
        corpus = firth.Corpus.from_files(url)
        assert corpus.sources == local.sources
    archive = shutil.make_archive(str(tmp_path / "z"), "zip", samples, "deep")
    corpus = firth.Corpus.from_files(f"zip://deep/*.jsonl::{archive}")
    assert files_of(corpus) == files_of(firth.Corpus.from_files(samples / "deep"))


def test_what_is_not_there_is_said(box: Any, web: Web) -> None:
    for url, message in {
        "s3://nobody/a.txt": r"There is no file s3://nobody/a.txt: The specified bucket does not exist",
        "s3://nobody/*.txt": r"There is no file .*: The specified bucket does not exist",
        "s3://nobody": r"There is no file s3://nobody",
        "s3://box/in/nothing.txt": r"There is no file s3://box/in/nothing.txt\.",
        "s3://box/in/*.nothing": r"No file matches the pattern s3://box/in/\*.nothing",
        f"{web.url}/nothing.txt": r"There is no file http://.*/nothing.txt\.",
        f"{web.url}/*.nothing": r"No file matches the pattern",
    }.items():
        with pytest.raises(InputError, match=message):
            find_sources([url])
    (web.folder / "none").mkdir()
    with pytest.raises(InputError, match=r"The folder http://.*/none/ has no text files"):
        find_sources([f"{web.url}/none/"])
    with pytest.raises(InputError, match="There is no file") as error:
        find_sources([Path("s3://box/in/a.txt")])
    assert "as str, not as Path" in str(error.value.hint)


def test_what_is_no_text_is_said(web: Web) -> None:
    for name, data, message in (
        ("a.pdf", b"%PDF-1.7", "a.pdf is a PDF"),
        ("latin.txt", "\n\nLe café était fermé".encode("latin-1"), "latin.txt, line 3, byte 8: not valid UTF-8"),
        ("half.txt.gz", gzip.compress(os.urandom(999))[:500], "half.txt.gz is a damaged gzip file: it ends too early"),
        ("a.parquet", b"PAR1 but no more", "a.parquet is not a readable Parquet"),
        ("b.jsonl", b'{"text": 1}', "b.jsonl, line 1: 'text' is not a string"),
        ("none.txt", b"", "There are no words in http"),
    ):  # fmt: skip
        (web.folder / name).write_bytes(data)
        with pytest.raises(InputError, match=message) as error:
            firth.Corpus.from_files(f"{web.url}/{name}")
        assert "chmod" not in str(error.value.hint)


def test_secrets_are_stored_nowhere(
    web: Web, tmp_path: Path, caplog: pytest.LogCaptureFixture, firth: Callable[..., Result]
) -> None:
    caplog.set_level(logging.DEBUG, "firth")
    url = web.url.replace("//", "//anna:hunter2@") + "/a.txt?X-Amz-Signature=hunter2"
    done = firth("learn", url, "-o", tmp_path / "m", "--min-count", 1, "--dim", 0, "--classes", 0)
    assert done.status == 0, done
    found = firth("find", tmp_path / "m", "cat", "--json")
    assert json.loads(found.out)["hits"][0]["source"] == f"{web.url}/a.txt"
    (web.folder / "none").mkdir()
    wrong = [firth("learn", f"{url}{more}", "-o", tmp_path / "n") for more in ("&x=1#", "/b")]
    (web.folder / "a.txt").write_bytes(b"\xff\xff")
    wrong.append(firth("learn", url, "-o", tmp_path / "n"))
    with pytest.raises(InputError, match="has no text files") as error:
        find_sources([web.url.replace("//", "//anna:hunter2@") + "/none/"])
    said = [done, error.value, found, *wrong, caplog.text, *find_sources([url])]
    assert "hunter2" not in repr(said)
    for path in (tmp_path / "m").rglob("*"):
        assert not path.is_file() or b"hunter2" not in path.read_bytes(), path
    assert any("hunter2" in asked for asked in web.asked)  # but the server was given them


@pytest.mark.parametrize("marks", [True, False])
def test_a_second_time_there_is_nothing_to_do(marks: bool, web: Web, tmp_path: Path) -> None:
    web.marks = marks
    url, model = f"{web.url}/a.txt", tmp_path / "m"
    assert learn_corpus(model, url, threads=1).changed == ["corpus"]
    web.asked.clear()
    assert learn_corpus(model, url, threads=1).changed == []
    assert any(asked.startswith("GET") for asked in web.asked) == (not marks)
    os.utime(web.folder / "a.txt", (1, 1))  # the same content: this is seen when it is read
    assert learn_corpus(model, url, threads=1).changed == []
    (web.folder / "a.txt").write_text("other words\n")
    assert learn_corpus(model, url, threads=1).changed == ["corpus"]
    (web.folder / "b.txt").write_text("more words\n")
    with pytest.raises(ModelError, match=r"other text: http.*/a.txt"):
        learn_corpus(model, f"{web.url}/b.txt", threads=1)
    (web.folder / "b.txt").write_text("other words\n")
    learn_corpus(model, f"{web.url}/b.txt", threads=1)  # the same text, moved
    merged = firth.merge([model], tmp_path / "merged")
    assert merged.corpus.sources == firth.load(model).corpus.sources


def test_a_remote_table_is_known_by_its_token(box: Any, tmp_path: Path) -> None:
    model = tmp_path / "m"
    for changed in (["corpus", "documents"], []):
        assert learn_corpus(model, "s3://box/in/i.parquet", threads=1).changed == changed
    source = firth.load(model).corpus.sources[0]
    assert source["sha256"] == ""
    assert len(source["token"]) == 64
    data = box.cat_file("box/in/i.parquet")
    box.pipe_file("box/in/i.parquet", data.replace(b"line 0", b"line 9"))
    try:
        again = learn_corpus(model, "s3://box/in/i.parquet", threads=1)
        assert again.changed == ["corpus", "documents"]
    finally:
        box.pipe_file("box/in/i.parquet", data)


def test_only_some_columns_of_a_remote_table_are_read(web: Web) -> None:
    web.ranges = True
    waste = [os.urandom(1 << 17).hex() for _ in LINES]
    pq.write_table(
        pa.table({"waste": waste, "text": LINES}), web.folder / "a.parquet", compression="none"
    )
    (file,) = find_sources([f"{web.url}/a.parquet"])
    assert firth.Corpus.from_files(f"{web.url}/a.parquet").n_sentences == len(LINES)
    assert sum(sent for _, sent in web.sent) < file.disk_size() / 2


def test_metadata_of_remote_files_is_read(web: Web, tmp_path: Path) -> None:
    web.ranges = True
    table = pa.table(
        {"text": [f"{line} {os.urandom(1 << 17).hex()}" for line in LINES], "n": range(len(LINES))}
    )
    pq.write_table(table, web.folder / "a.parquet", compression="none")
    small = table.set_column(0, "text", pa.array(LINES))
    with pa.ipc.new_file(str(web.folder / "a.arrow"), small.schema) as writer:
        writer.write_table(small)
    rows = [f"{n},{line.replace(',', '')}" for n, line in enumerate(LINES)]
    (web.folder / "a.csv").write_text("\n".join(["n,text", *rows]))
    (web.folder / "a.jsonl").write_text("\n".join(map(json.dumps, small.to_pylist())))
    (web.folder / "a.eaf").write_text(EAF)
    (web.folder / "a.xml").write_text(TEI)
    expected: dict[str, tuple[str, list[Any]]] = {
        **{
            f"a.{kind}": ("n", list(range(len(LINES))))
            for kind in ("parquet", "arrow", "csv", "jsonl")
        },
        "a.eaf": ("speaker", ["Anna", "B", "Anna"]),
        "a.xml": ("year", [1913] * 4),
    }
    for name, (column, values) in expected.items():
        model = learn_corpus(tmp_path / name, f"{web.url}/{name}", threads=1)
        assert model.documents.values(column) == values, name
        assert learn_corpus(tmp_path / name, f"{web.url}/{name}", threads=1).changed == []
    (source,) = find_sources([f"{web.url}/a.parquet"])
    web.sent.clear()
    assert len(list(source.known("strict"))) == len(LINES)
    assert sum(sent for _, sent in web.sent) < source.disk_size() / 4, "texts are not read again"
    corpus = firth.load(tmp_path / "a.xml").corpus
    assert hits(corpus, "rose", remote=True)[0] == ("A ", "rose", " is a rose — café.", True)


def hits(corpus: firth.Corpus, word: str, **how: Any) -> list[tuple[str, str, str, bool]]:
    return [(hit.left, hit.word, hit.right, hit.original) for hit in corpus.find(word, **how)]


def test_the_original_text_is_shown_only_if_that_is_wanted(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = firth.Corpus.from_files(f"{web.url}/a.txt")
    web.asked.clear()
    assert hits(corpus, "cat") == [("The ", "cat", " sat , did n't it ?", False)]
    assert web.asked == []
    assert "network address, which was not opened: http" in caplog.text
    assert "--remote" in caplog.text
    caplog.clear()
    expected = [("The  ", "cat", " sat, didn't it?", True)]
    for web.ranges in (True, False):
        assert hits(corpus, "cat", remote=True) == expected
    assert hits(corpus, "cat", remote=True, quick=True) == hits(corpus, "cat", quick=True)
    web.ranges = True
    assert hits(corpus, "cat", remote=True, quick=True) == expected
    os.utime(web.folder / "a.txt", (1, 1))  # the checksum is still the same
    assert hits(corpus, "cat", remote=True) == expected
    assert hits(corpus, "cat", remote=True, quick=True) == hits(corpus, "cat", quick=True)
    assert caplog.text == ""
    (web.folder / "a.txt").write_text(TEXT.replace("cat", "cow"), newline="")
    assert hits(corpus, "cat", remote=True) == [("The ", "cat", " sat , did n't it ?", False)]
    web.status = 403
    assert hits(corpus, "cat", remote=True) == [("The ", "cat", " sat , did n't it ?", False)]
    assert "No permission to read" in caplog.text


def test_remote_lines_of_every_format(box: Any) -> None:
    corpus = firth.Corpus.from_files("s3://box/in")
    assert {hit.original for hit in corpus.find("cat39", remote=True)} == {True}
    assert len(corpus.find("cat39", remote=True)) == 4
    assert sum(hit.original for hit in corpus.find("dog", remote=True)) == 4


BAD = [
    "file://{secret}", "local://{secret}", "simplecache::file://{secret}", "simplecache::{web}/a.txt",
    "zip://a.txt::file://{secret}", "{web}/a.txt::file://{secret}", "reference://{secret}",
    "memory://secret.txt", "dir://{secret}", "{web}/../../{secret}", "ssh://127.0.0.1/{secret}",
]  # fmt: skip


@pytest.mark.parametrize("address", BAD)
def test_a_crafted_model_opens_no_other_address(address: str, web: Web, tmp_path: Path) -> None:
    """A model can have the words, the size and the checksum of any file."""
    secret = tmp_path / "secret.txt"
    secret.write_text("The  cat sat\n")
    fsspec.filesystem("memory").pipe_file("/secret.txt", secret.read_bytes())
    learn_corpus(tmp_path / "m", secret, threads=1)
    corpus = firth.load(tmp_path / "m").corpus
    assert hits(corpus, "cat", remote=True)[0][3]
    corpus.sources[0]["path"] = address.format(secret=secret, web=web.url)
    web.asked.clear()
    for how in ({}, {"remote": True}, {"remote": True, "quick": True}):
        assert hits(corpus, "cat", **how) == [("The ", "cat", " sat", False)]
    assert not any("a.txt" in asked for asked in web.asked)


def test_commands_and_the_explorer_ask_for_remote(
    web: Web, tmp_path: Path, firth: Callable[..., Result]
) -> None:
    from firth.explore import ModelWatcher
    from firth.explore.views.words import concordance

    web.ranges = True
    url, model = f"{web.url}/a.txt", tmp_path / "m"
    assert "didn't" not in firth("corpus", "apply", url).out
    assert (
        firth("learn", url, "-o", model, "--min-count", 1, "--dim", 0, "--classes", 0).status == 0
    )
    assert firth(
        "learn", url, "-o", model, "--min-count", 1, "--dim", 0, "--classes", 0
    ).out.startswith("Nothing")
    web.asked.clear()
    closed, opened = firth("find", model, "cat"), firth("find", model, "cat", "--remote")
    assert "The cat sat , did n't it ?" in closed.out
    assert "was not opened" in closed.out
    assert "note: The original text is at a network address" in closed.err
    assert "cat sat, didn't it?" in opened.out
    assert opened.err == ""
    for remote in (False, True):
        web.asked.clear()
        answer = concordance(ModelWatcher(model, remote).snapshot(), "cat", 5, 80)
        assert [line.original for line in answer.lines] == [remote]
        assert bool(web.asked) == remote
    assert "--remote" in firth("explore", "--help").out
    assert "--remote" in firth("senses", "--help").out
    assert firth("classes", "learn", url).err.startswith(f"error: {url} is not a model")


def test_conllu_keeps_its_columns(web: Web, tmp_path: Path, firth: Callable[..., Result]) -> None:
    (web.folder / "a.conllu").write_text(CONLLU, "utf-8")
    assert firth("tags", "learn", f"{web.url}/a.txt", "-o", tmp_path / "m", "--tags", 2).status == 0
    done = firth("tags", "apply", tmp_path / "m", f"{web.url}/a.conllu", "--format", "conllu")
    assert "# text = I don't" in done.out


def test_plans_of_remote_text(web: Web) -> None:
    (web.folder / "b.txt").write_text(zipf_text(300))
    assert plan([f"{web.url}/a.txt", f"{web.url}/b.txt"], min_count=1).exact
    source = find_sources([f"{web.url}/b.txt"])[0]
    assert isinstance(source.path, RemoteFile)
    unsized = replace(source, path=replace(source.path, size=None))
    assert not unsized.has_size()
    assert data_of(unsized) == (web.folder / "b.txt").read_bytes()


def test_pieces_of_remote_text(box: Any, web: Web) -> None:
    text = zipf_text(200).encode()
    box.pipe_file("box/pieces.txt", text)
    (web.folder / "pieces.txt").write_bytes(text)
    web.ranges = True
    for url in ("s3://box/pieces.txt", f"{web.url}/pieces.txt"):
        source = find_sources([url])[0]
        found = pieces_of_sources([source], 3000)
        assert len(found) == -(-len(text) // 3000)
        pieces = [replace(source, begin=begin, end=end) for _, begin, end in found]
        assert b"".join(map(data_of, pieces)) == text
    web.ranges = False  # such a server cannot be asked for a piece
    assert pieces_of_sources(find_sources([f"{web.url}/pieces.txt"]), 3000) == [(0, 0, None)]


def test_a_sample_of_remote_text_does_not_read_all_of_it(box: Any) -> None:
    source = find_sources(["s3://box/in/a.txt"])[0]
    reading = source.blocks(Reading())
    next(reading)
    del reading  # closes it
    assert source.sha256 == ""
