"""Documents: where they begin, and what is known about them, however the text comes in."""

import csv
import gzip
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.corpus import find_documents, find_sources
from firth.formats import _separated, table_records
from firth.model import load
from firth.pipeline import learn_corpus

TEXTS = ["The old man.\nThe sea.", "", "A boat in the sea.", "Two"]
YEARS = [1900, 1901, None, 1903]
KEPT = [0, 2, 3]
"""The texts with words."""


def documents_of(corpus: firth.Corpus) -> Any:
    assert corpus.documents is not None
    return corpus.documents


def words_of(documents: Any, corpus: Any) -> Any:
    """The words of each document."""
    bounds = documents.bounds
    return [corpus.words_between(a, b) for a, b in itertools.pairwise(bounds)]


def expected() -> Any:
    return [firth.Corpus.from_texts([TEXTS[i]]) for i in KEPT]


def check(documents: Any, corpus: Any) -> None:
    """Each document has the words of its own text, its year and its place."""
    alone = [one.words_between(0, one.n_tokens) for one in expected()]
    assert words_of(documents, corpus) == alone
    assert documents.values("year") == [YEARS[i] for i in KEPT]
    assert [name.rpartition(":")[2] for name in documents.values("document")] == ["1", "3", "4"]
    assert documents.sizes.tolist() == [len(words) for words in alone]


def written(folder: Any, kind: Any) -> Any:
    """The texts as a file of some kind."""
    path = folder / f"texts.{kind}"
    years = ["" if year is None else str(year) for year in YEARS]
    if kind == "parquet":
        pq.write_table(pa.table({"year": YEARS, "text": TEXTS}), path)
    elif kind == "jsonl":
        records = [{"text": t, "year": y} for t, y in zip(TEXTS, YEARS, strict=True)]
        path.write_text("\n".join(map(json.dumps, records)))
    elif kind == "csv.gz":
        rows = [f'{year},"{text}"' for text, year in zip(TEXTS, years, strict=True)]
        path.write_bytes(gzip.compress("\n".join(["year,text", *rows]).encode()))
    elif kind == "csv":
        rows = [f'{year};"{text}"' for text, year in zip(TEXTS, years, strict=True)]
        path.write_text("\r\n".join(["\ufeffyear;text", *rows]), newline="")
    return path


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv", "csv.gz"])
def test_records_of_a_table_are_documents(tmp_path: Any, kind: Any) -> None:
    model = learn_corpus(tmp_path / "model", written(tmp_path, kind))
    check(model.documents, model.corpus)
    assert model.changed == ["corpus", "documents"]
    again = learn_corpus(tmp_path / "model", tmp_path / f"texts.{kind}")
    assert again.changed == []


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@given(
    rows=st.lists(
        st.tuples(st.text('ab\n",é ', max_size=8), st.integers(0, 9)), min_size=1, max_size=12
    )
)
def test_tables_are_read_in_blocks_of_any_size(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, rows: list[tuple[str, int]]
) -> None:
    path = tmp_path_factory.mktemp("t") / f"t.{suffix}"
    if suffix == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("text", "n"), *rows])
    else:
        # doubled quotation marks could be those of a spreadsheet
        rows = [(re.sub('"+', '"', text.replace("\n", " ")), n) for text, n in rows]
        lines = ["text\tn", *(f"{text}\t{n}" for text, n in rows)]
        path.write_text("\n".join(lines), encoding="utf-8")
    for size in (1, 7, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("firth.formats._separated._BLOCK", max(size, 8))
            found = [text for _, text in table_records(path, "text")]
        assert found == [text for text, _ in rows]


@given(
    rows=st.lists(
        st.tuples(st.text('a\n\t",é ', max_size=8), st.integers(0, 9)), min_size=1, max_size=12
    )
)
def test_tables_of_spreadsheets_quote_values_with_tabs(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]]
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.tsv"
    rows = [('a "b"', 3), *rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, dialect="excel-tab").writerows([("text", "n"), *rows])
    assert [text for _, text in table_records(path, "text")] == [text for text, _ in rows]


@pytest.mark.parametrize(
    "value", ['"a', '"a" b', 'a "b"', '"a"', '""a', '"', '""', '"a""', 'a ""b""']
)
def test_other_quotation_marks_in_tsv_files_are_ordinary(tmp_path: Path, value: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(f"text\tn\n{value}\t1\nb\t2\n\n{value}\t3\n")
    assert [text for _, text in table_records(path, "text")] == [value, "b", value]


def test_a_quotation_mark_that_never_ends_is_not_looked_for_again_in_each_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []

    def noted(file: _separated.SeparatedFile, data: bytes) -> int:
        sizes.append(len(data))
        return end_of_rows(file, data)

    end_of_rows = _separated.SeparatedFile._end_of_rows
    monkeypatch.setattr(_separated.SeparatedFile, "_end_of_rows", noted)
    monkeypatch.setattr(_separated, "_BLOCK", 8)
    path = tmp_path / "a.csv"
    path.write_text('text,x\n"' + "\n" * 10_000)
    with pytest.raises(firth.FirthError):
        firth.Corpus.from_files(path)
    assert sum(sizes) < 4 * 10_000


def test_texts_in_memory_are_documents() -> None:
    frame = pa.table({"year": YEARS, "text": TEXTS})
    rows = frame.to_pylist()
    for data in (frame, rows, iter(rows)):
        corpus = firth.Corpus.from_texts(data)
        check(documents_of(corpus), corpus)
    corpus = firth.Corpus.from_texts(TEXTS, metadata={"year": YEARS})
    check(documents_of(corpus), corpus)
    corpus = firth.Corpus.from_texts(iter(TEXTS), metadata=({"year": year} for year in YEARS))
    check(documents_of(corpus), corpus)


def test_texts_in_memory_are_split_into_morphs() -> None:
    words = [
        stem + ending for stem in ("walk", "talk", "jump", "look") for ending in ("", "s", "ed")
    ]
    morphology = firth.Morphology().fit([words])
    corpus = firth.Corpus.from_texts(["walks", "he walked"], tokens="morphs", morphs=morphology)
    assert words_of(documents_of(corpus), corpus) == [["walk", "@@s"], ["he", "walk", "@@ed"]]
    with pytest.raises(firth.FirthError, match="morphology is needed"):
        firth.Corpus.from_texts(["walks"], tokens="morphs")


def test_frames_and_columns_of_pandas_are_read() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"body": ["a b", None, "c"], "when": pandas.to_datetime(["2020-01-02"] * 3)}
    )
    corpus = firth.Corpus.from_texts(frame, column="body")
    assert documents_of(corpus).values("when") == ["2020-01-02"] * 2
    assert words_of(documents_of(corpus), corpus) == [["a", "b"], ["c"]]
    assert firth.Corpus.from_texts(frame["body"]).n_tokens == 3


def test_integers_with_gaps_are_integers() -> None:
    """Pandas has them as floats."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["a", "b"], "year": [1900, None], "share": [0.5, None]})
    documents = documents_of(firth.Corpus.from_texts(frame))
    assert [type(value) for value in documents.values("year")] == [int, type(None)]
    assert documents.values("share") == [0.5, None]


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        ("text,year\nà la carte déjà vu,1\n".encode("cp1252"), "not in UTF-8", "iconv -f windows-1252"),
        (b"text,year\n" + b"x,1\n" * 9 + b"\x80\xff,2\n", "not in UTF-8", "UTF-8"),
        ("text,year\na,1\n".encode("utf-16"), "is text in UTF-16, not a table", "iconv -f UTF-16"),
        (b"text,year\na,b,1\n", "Expected 2 columns, got 3", "between quotation marks"),
        (b"text;year\na;b;1\n", "Expected 2 columns, got 3", "Write a value with ; or"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_read_say_what_to_do(
    tmp_path: Path, content: bytes, message: str, hint: str
) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(firth.InputError, match=message) as caught:
        firth.Corpus.from_files(tmp_path / "t.csv")
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize(
    ("data", "metadata", "message"),
    [
        ("raw", None, "must be a list of texts or a frame"),
        (3, None, "must be a list of texts or a frame"),
        ([1], None, "Text 1 is int"),
        ([{"x": "a"}], None, "Record 1 has no 'text'"),
        (pa.table({"x": ["a"]}), None, "no column 'text'"),
        (["a", "b"], {"year": [1]}, "more texts than rows"),
        (["a"], {"year": [1, 2]}, "more rows of metadata than texts"),
        (["a"], {"x": [1], "y": [1, 2]}, "different lengths"),
        ([" "], None, "no words"),
    ],
)
def test_wrong_texts_are_refused(data: Any, metadata: Any, message: Any) -> None:
    with pytest.raises(firth.FirthError, match=message):
        firth.Corpus.from_texts(data, metadata=metadata)


def test_files_are_documents_and_a_table_says_what_is_known_about_them(tmp_path: Any) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "b.txt").write_text("a b\nc")
    (texts / "a.txt").write_text("d")
    (texts / "c.txt").write_text("e f")
    table = tmp_path / "known.csv"
    table.write_text("file,Year of birth,genre\na,1900,novel\nb.txt,1901.5,\nx,1,y\n")
    model = learn_corpus(tmp_path / "model", texts, metadata=table)
    documents = model.documents
    assert documents.metadata == ["Year_of_birth", "genre"]
    assert documents.values("Year_of_birth") == [1900, 1901.5, None]
    assert documents.values("genre") == ["novel", None, None]
    assert words_of(documents, model.corpus) == [["d"], ["a", "b", "c"], ["e", "f"]]
    assert learn_corpus(tmp_path / "model", texts).changed == []  # the same table is used again
    table.write_text("file,year\na,1\nb,2\nc,3\n")
    again = learn_corpus(tmp_path / "model", texts)
    assert again.changed == ["documents"]
    assert again.documents.values("year") == [1, 2, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("file,year\na,1\na,2\n", "both for 'a'"),
        ("file\na\n", "no column beside 'file'"),
        ("file,year\nx,2\n", "no row for any of the files"),
        ("file,year\n", "has no rows"),
        ("", "no names of columns"),
        ("file,file\na,2\n", "two columns called 'file'"),
        ("file,year\na,2,3\n", "not a readable CSV file: Row #2: Expected 2 columns, got 3"),
    ],
)
def test_wrong_tables_of_metadata_are_refused(tmp_path: Any, content: Any, message: Any) -> None:
    (tmp_path / "a.txt").write_text("a b")
    (tmp_path / "known.csv").write_text(content)
    with pytest.raises(firth.InputError, match=message):
        learn_corpus(tmp_path / "model", tmp_path / "a.txt", metadata=tmp_path / "known.csv")
    assert not (tmp_path / "model" / "corpus").exists(), "nothing is read before"


def test_merged_documents_are_those_of_all_parts(tmp_path: Any) -> None:
    frames = [
        pa.table({"text": ["a b", "c"], "year": [1, 2]}),
        pa.table({"text": ["d\ne"], "who": ["X"]}),
    ]
    for i, frame in enumerate(frames):
        pq.write_table(frame, tmp_path / f"{i}.parquet")
        learn_corpus(tmp_path / f"m{i}", tmp_path / f"{i}.parquet")
    (tmp_path / "plain.txt").write_text("f\ng")
    learn_corpus(tmp_path / "m2", tmp_path / "plain.txt")
    merged = firth.merge([tmp_path / f"m{i}" for i in range(3)], tmp_path / "whole")
    assert words_of(merged.documents, merged.corpus) == [["a", "b"], ["c"], ["d", "e"], ["f", "g"]]
    assert merged.documents.values("year") == [1, 2, None, None]
    assert merged.documents.values("who") == [None, None, "X", None]
    whole = learn_corpus(
        tmp_path / "at once",
        [*(tmp_path / f"{i}.parquet" for i in range(2)), tmp_path / "plain.txt"],
    )
    assert whole.documents.table == merged.documents.table


def test_what_cannot_describe_a_document_is_left_out(tmp_path: Any, capsys: Any) -> None:
    rows = [
        {"text": "a", "list": [1], "long": "x" * 2000, "bad name!": True},
        {"text": "b", "list": 3},
    ]
    corpus = firth.Corpus.from_texts(rows)
    assert documents_of(corpus).metadata == ["bad_name"]
    assert documents_of(corpus).values("bad_name") == [True, None]
    with pytest.raises(firth.InputError, match="no column 'list'") as caught:
        documents_of(corpus).values("list")
    assert "bad_name" in str(caught.value)


def test_a_model_with_damaged_documents_is_refused(tmp_path: Any) -> None:
    model = learn_corpus(tmp_path / "model", written(tmp_path, "jsonl"))
    corpus, documents = model.corpus, model.documents
    from firth.store import Part

    for starts in ([1, 2, 3], [0, 0, 3], [0, 1, 9], []):
        folder = tmp_path / f"bad{starts}"
        folder.mkdir()
        damaged = type(documents)(np.array(starts, np.int64), documents.table, corpus.ends)
        damaged.save(folder)
        with pytest.raises(Exception, match=".") as caught:
            firth.corpus.Documents.load(Part.in_folder(folder), corpus)
        assert type(caught.value).__name__ == "UnsoundError"
    folder = tmp_path / "columns"
    folder.mkdir()
    wrong = documents.table.set_column(2, "year", pa.array([[1], [2], [3]]))
    type(documents)(documents.starts, wrong, corpus.ends).save(folder)
    with pytest.raises(Exception, match="table of documents"):
        firth.corpus.Documents.load(Part.in_folder(folder), corpus)


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b c", "", "d\ne"]), max_size=4), min_size=1, max_size=5
    ),
    st.data(),
)
def test_tokens_find_their_documents(rows: Any, data: Any) -> None:
    texts = ["\n".join(row) for row in rows]
    kept = [text for text in texts if text.strip()]
    if not kept:
        return
    corpus = firth.Corpus.from_texts(texts)
    documents = documents_of(corpus)
    owners = [i for i, text in enumerate(kept) for _ in text.split()]
    assert documents.of_tokens(range(corpus.n_tokens)).tolist() == owners
    chosen = data.draw(st.lists(st.booleans(), min_size=len(kept), max_size=len(kept)))
    begins, ends = documents.ranges(np.array(chosen))
    inside = [i for a, b in zip(begins, ends, strict=True) for i in range(a, b)]
    assert inside == [i for i, owner in enumerate(owners) if chosen[owner]]
    assert np.all(begins[1:] > ends[:-1])


def test_documents_of_sources_that_are_gone_have_names_alone(tmp_path: Any) -> None:
    path = written(tmp_path, "jsonl")
    corpus = learn_corpus(tmp_path / "model", path).corpus
    documents = find_documents(corpus)
    assert documents.metadata == []
    assert len(documents) == 3
    path.write_text('{"text": "other"}\n')
    with pytest.raises(firth.InputError, match="has changed"):
        find_documents(corpus, find_sources([path]))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_records_are_documents_however_text_is_split(tmp_path: Path, name: str) -> None:
    """Also where nothing divides a record: then it is a sentence."""
    texts = ["A rose.\nIs a rose.", "Two.", "Three\nlines\n"]
    path = tmp_path / name
    rows = [json.dumps({"text": text, "n": n}) + "\n" for n, text in enumerate(texts)]
    table = "n,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(texts))
    path.write_text("".join(rows) if name.endswith("l") else table)
    for split in ("lines", "sentences", "paragraphs", "none"):
        model = learn_corpus(tmp_path / split, path, split=split)
        assert model.documents.values("n") == [0, 1, 2]
    assert [len(sentence) for sentence in model.corpus.sentences()] == [7, 2, 2]


def test_rows_without_a_file_and_files_without_a_row_are_told(tmp_path: Path, firth: Any) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("a rose\n")
    table = tmp_path / "known.csv"
    table.write_text("file,year\na.txt,1900\nlost.txt,1950\n")
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    told = firth("corpus", "learn", *files, "-o", tmp_path / "m", "--metadata", table).err
    assert "no row for 1 file, such as" in told
    assert "1 row of" in told
    assert "is for no file here, such as 'lost.txt'" in told


def test_files_of_the_same_name_in_several_folders(tmp_path: Path, firth: Any) -> None:
    files = [tmp_path / folder / "a.txt" for folder in ("old", "new")]
    for file in files:
        file.parent.mkdir()
        file.write_text("a rose\n")
    table, model = tmp_path / "known.csv", tmp_path / "m"
    learn = "corpus", "learn", *files, "-o", model, "--metadata", table
    table.write_text("file,year\na,1900\n")
    told = firth(*learn).err
    assert "has one row for files of several folders, such as" in told
    assert "with their folders" in told
    table.write_text("file,year\nold/a,1900\nnew/a.txt,1950\n")
    assert "several folders" not in firth(*learn).err
    assert load(model).documents.values("year") == [1900, 1950]
