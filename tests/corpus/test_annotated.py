"""Annotated text as a corpus: documents, metadata, original lines, and the choice of a format."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import Any

import pytest
from fuzz.annotated import EAF, FLEXTEXT, TEI, TOOLBOX, VRT

import firth
from firth.corpus import Corpus, find_sources
from firth.errors import InputError, ParameterError
from firth.find import select
from firth.pipeline import learn_corpus

FILES = {"a.eaf": EAF, "a.flextext": FLEXTEXT, "a.tei": TEI, "a.txt": TOOLBOX, "a.vrt": VRT}


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def words_by_document(model: Any) -> list[tuple[str, list[str]]]:
    bounds = model.documents.bounds.tolist()
    return [
        (name, model.corpus.words_between(a, b))
        for name, a, b in zip(model.documents.values("document"), bounds, bounds[1:], strict=False)
    ]


def test_annotations_are_documents_with_speaker_and_time(tmp_path: Path) -> None:
    path = written(tmp_path, "story.eaf", EAF)
    model = learn_corpus(tmp_path / "m", path)
    assert words_by_document(model) == [
        (f"{path}:1", ["wó", "ba", "le"]),
        (f"{path}:2", ["ba", "kó", "!"]),
        (f"{path}:3", ["na"]),
    ]
    assert model.documents.metadata == ["tier", "speaker", "start", "end"]
    assert model.documents.values("end") == [1.5, 3.0, None]
    assert select(model.documents, 'speaker == "Anna" and start < 2').tolist() == [
        True,
        False,
        False,
    ]
    found = model.find("ba").lines(5, "sentence")
    assert [(hit.left, hit.word, hit.right, hit.original) for hit in found] == [
        ("wó ", "ba", " le", True),
        ("", "ba", " kó !", True),
    ]
    assert learn_corpus(tmp_path / "m", path).changed == []


def test_each_format_has_its_documents(tmp_path: Path) -> None:
    for name, text in FILES.items():
        written(tmp_path, name, text)
    model = learn_corpus(tmp_path / "m", tmp_path)
    found: dict[str, list[list[str]]] = {}
    for name, words in words_by_document(model):
        found.setdefault(Path(name).name.partition(":")[0], []).append(words)
    assert {name: len(documents) for name, documents in found.items()} == {
        "a.eaf": 3, "a.flextext": 3, "a.tei": 4, "a.txt": 3, "a.vrt": 4,
    }  # fmt: skip
    assert found["a.vrt"][0] == ["The", "cat", "<", "Now"]
    assert found["a.tei"][1] == ["Call", "me", ".", "Now", "."]
    assert found["a.flextext"][0] == ["wó", "ba", "."]
    # an integer of TEI and text of VRT become numbers
    assert sorted(set(model.documents.values("year")) - {None}) == [1900, 1913]
    assert set(model.documents.values("speaker")) == {None, "A", "B C", "Anna", "B"}
    alone = learn_corpus(
        tmp_path / "one",
        written(
            tmp_path,
            "b.tei",
            TEI.replace("sp ", "x ")
            .replace("sp>", "x>")
            .replace("<u ", "<x ")
            .replace("/u>", "/x>"),
        ),
    )
    assert alone.documents.values("document") == [str(tmp_path / "b.tei")]
    assert alone.documents.values("title") == ["The Rose"]


@pytest.mark.parametrize("threads", [1, 2])
def test_lines_of_annotated_text_are_the_original(tmp_path: Path, threads: int) -> None:
    for name, text in FILES.items():
        written(tmp_path, name, text)
    corpus = Corpus.from_files(tmp_path, threads=threads)
    starts = [int(corpus.bounds(i)[0]) for i in range(corpus.n_sentences)]
    hits = corpus.lines(starts, [start + 1 for start in starts], "sentence")
    by_file: dict[str, list[str]] = {}
    for hit in hits:
        by_file.setdefault(Path(hit.source).name, []).append(hit.word + hit.right)
        assert hit.original
    assert by_file["a.tei"] == [
        "One", "A rose is a rose — café.", "Call me.", "Now.", "I do not.", "the example ends",
    ]  # fmt: skip
    assert by_file["a.txt"] == ["wó ba le", "na", "ko"]
    assert by_file["a.vrt"][0] == "The cat <"
    assert by_file["a.flextext"] == ["wó ba .", "na", "ko mi"]
    quick = corpus.lines(starts[:1], [starts[0] + 1], "sentence", quick=True)
    assert quick[0].original, "a small file is read quickly"
    written(tmp_path, "a.eaf", EAF.replace("kó", "kú"))
    assert not corpus.lines(starts[:1], [starts[0] + 1], "sentence")[0].original


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", list(FILES))
def test_compressed_files_are_read_as_others(tmp_path: Path, compress: Any, name: str) -> None:
    plain = Corpus.from_files(written(tmp_path, name, FILES[name]))
    packed = Corpus.from_files(written(tmp_path, f"{name}.gz", compress(FILES[name].encode())))
    assert list(packed.sentences()) == list(plain.sentences())
    assert packed.sources[0]["kind"] == plain.sources[0]["kind"] != "text"


def test_compressed_bombs_are_refused(tmp_path: Path) -> None:
    huge = EAF.replace("na<", f"{' ' * (80 << 20)}na<")
    path = written(tmp_path, "a.eaf.gz", gzip.compress(huge.encode(), 9))
    with pytest.raises(InputError, match="--max-ratio"):
        Corpus.from_files(path)


def test_the_format_can_be_chosen(tmp_path: Path) -> None:
    tei = written(tmp_path, "a.tei", TEI)
    assert "teiHeader" in Corpus.from_files(tei, read_as="text").vocabulary
    assert find_sources([tei], read_as="text")[0].kind == "text"
    other = written(tmp_path, "words.dat", "a\tX\nb\tY\n")
    assert list(Corpus.from_files(other, read_as="vrt", column="2").sentences()) == [["X", "Y"]]
    rows = written(tmp_path, "rows", '{"text": "a b"}\n')
    model = learn_corpus(tmp_path / "m", rows, read_as="jsonl")
    assert list(model.corpus.sentences()) == [["a", "b"]]
    assert model.corpus.reading.read_as == "jsonl"
    assert learn_corpus(tmp_path / "m", rows, read_as="jsonl").changed == []
    with pytest.raises(
        ParameterError, match="'read_as' parameter of Corpus must be one of 'text', 'jsonl'"
    ):
        Corpus.from_files(tei, read_as="docx")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not well-formed XML"):
        Corpus.from_files(other, read_as="elan")


def test_xml_is_known_by_its_content(tmp_path: Path) -> None:
    written(tmp_path, "a.xml", TEI)
    written(tmp_path, "b.xml", "<settings><a>b</a></settings>")
    written(tmp_path, "c.xml.gz", gzip.compress(EAF.encode()))
    written(tmp_path, "d.xml.gz", b"\x1f\x8b damaged")
    found = [(Path(s.name).name, s.kind) for s in find_sources([tmp_path])]
    assert found == [("a.xml", "tei"), ("c.xml.gz", "elan")], "other files of a folder are not text"
    assert find_sources([tmp_path / "b.xml"])[0].kind == "text"


def test_bad_annotated_files_are_skipped(tmp_path: Path) -> None:
    written(tmp_path, "a.eaf", EAF)
    written(tmp_path, "b.eaf", EAF[:-30])
    written(tmp_path, "c.tei", TEI)
    with pytest.raises(
        InputError, match="b.eaf, line [0-9]+, column [0-9]+: the file ends too early"
    ):
        learn_corpus(tmp_path / "m", tmp_path)
    model = learn_corpus(tmp_path / "m", tmp_path, skip_bad=True)
    assert [Path(source["name"]).name for source in model.corpus.sources] == ["a.eaf", "c.tei"]
    assert len(model.documents) == 3 + 4
    assert set(model.documents.values("title")) == {None, "The Rose"}


def test_standard_input_can_be_annotated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Input:
        buffer = io.BytesIO(VRT.encode())

    monkeypatch.setattr("sys.stdin", Input())
    model = learn_corpus(tmp_path / "m", "-", read_as="vrt")
    assert model.corpus.n_sentences == 6
    assert len(model.documents) == 1
    assert "only the text was read" in caplog.text


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, "a.vrt", VRT)
    corpus = Corpus.from_files(path)
    written(tmp_path, "a.vrt", "<text>\n")
    with pytest.raises(InputError, match="has changed while it was read"):
        firth.corpus.find_documents(corpus, find_sources([path]))


def test_invalid_bytes_are_replaced_in_formats_of_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "a.vrt", b"a\n\xff\n")
    with pytest.raises(InputError, match="Line 2"):
        Corpus.from_files(path)
    assert list(Corpus.from_files(path, errors="replace").sentences()) == [["a", "\ufffd"]]


def test_the_tiers_that_are_read_are_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a.eaf", "b.eaf"):
        written(tmp_path, name, EAF)
    Corpus.from_files(tmp_path)
    assert caplog.text.count("these tiers is read: tx@A, tx@B. Others are: ref@A, ft@A") == 1
    caplog.clear()
    Corpus.from_files(tmp_path, column="ft")
    assert not caplog.text
