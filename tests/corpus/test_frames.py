"""Texts in frames, columns and streams of other libraries, with what is missing in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import firth
from firth.errors import FirthError
from firth.pipeline import learn_corpus

ROWS: list[dict[str, Any]] = [
    {"text": "A rose.", "year": 1913, "share": 0.5, "old": False, "who": "Anna"},
    {"text": None, "year": 1914, "share": None, "old": None, "who": None},
    {"text": "Old ships.", "year": None, "share": 2.0, "old": True, "who": None},
]


def _datasets() -> Any:
    return pytest.importorskip("datasets").Dataset.from_list(ROWS)


FRAMES: dict[str, Callable[[], Any]] = {
    "records": lambda: ROWS,
    "generator": lambda: (row for row in ROWS),
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas-numpy": lambda: pd.DataFrame(ROWS).convert_dtypes(dtype_backend="numpy_nullable"),
    "pandas-arrow": lambda: pd.DataFrame(ROWS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars-lazy": lambda: pl.DataFrame(ROWS).lazy(),
    "arrow": lambda: pa.Table.from_pylist(ROWS),
    "arrow-batch": lambda: pa.RecordBatch.from_pylist(ROWS),
    "arrow-stream": lambda: pa.Table.from_pylist(ROWS).to_reader(),
    "datasets": _datasets,
    "datasets-stream": lambda: _datasets().to_iterable_dataset(),
}
COLUMNS: dict[str, Callable[[], Any]] = {
    "list": lambda: [row["text"] for row in ROWS],
    "pandas": lambda: pd.DataFrame(ROWS)["text"],
    "pandas-objects": lambda: pd.Series([row["text"] for row in ROWS], dtype=object),
    "pandas-arrow": lambda: FRAMES["pandas-arrow"]()["text"],
    "polars": lambda: pl.DataFrame(ROWS)["text"],
    "arrow": lambda: pa.Table.from_pylist(ROWS)["text"],
    "arrow-array": lambda: pa.array([row["text"] for row in ROWS]),
    "datasets": lambda: _datasets()["text"],
}


def check(corpus: Any, documents: Any) -> None:
    assert list(corpus.sentences()) == [["A", "rose", "."], ["Old", "ships", "."]]
    found = {name: documents.values(name) for name in documents.metadata}
    assert found == {
        "year": [1913, None], "share": [0.5, 2.0], "old": [False, True], "who": ["Anna", None],
    }  # fmt: skip
    assert [name.rpartition(":")[2] for name in documents.values("document")] == ["1", "3"]


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_all_libraries_are_the_same_corpus(kind: str) -> None:
    corpus = firth.Corpus.from_texts(FRAMES[kind]())
    check(corpus, corpus.documents)


@pytest.mark.parametrize("kind", FRAMES)
def test_models_are_learned_from_frames(kind: str, tmp_path: Path) -> None:
    model = learn_corpus(tmp_path / "m", FRAMES[kind]())
    check(model.corpus, model.documents)


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_all_libraries_are_the_same_corpus(kind: str) -> None:
    corpus = firth.Corpus.from_texts(
        COLUMNS[kind](), metadata=pd.DataFrame(ROWS).drop(columns="text")
    )
    check(corpus, corpus.documents)


@pytest.mark.parametrize(
    "data",
    [
        ["a rose", None, "b"],
        ["a rose", float("nan"), "b"],
        {"text": ["a rose", None, "b"]},
        ({"text": text} for text in ["a rose", pd.NA, "b"]),
    ],
)
def test_missing_texts_are_left_out(data: Any) -> None:
    corpus = firth.Corpus.from_texts(data, metadata={"n": [1, 2, 3]})
    assert corpus.n_tokens == 3
    assert corpus.documents is not None
    assert corpus.documents.values("document") == ["texts:1", "texts:3"]
    assert corpus.documents.values("n") == [1, 3]


def test_columns_by_name_are_a_table(tmp_path: Path) -> None:
    columns = {"text": ["a rose", "b"], "year": [1913, 1850]}
    documents = firth.Corpus.from_texts(columns).documents
    assert documents is not None
    assert documents.values("year") == [1913, 1850]
    assert learn_corpus(tmp_path / "m", columns).documents.values("year") == [1913, 1850]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"body": ["a"]}, "The data has no column 'text'. .*It has: body"),
        ({"text": "a rose", "year": 1}, "must be lists. 'text' is str"),
        ({"text": ["a"], "year": 1}, "must be lists. 'year' is int"),
        ({"text": ["a"], "year": []}, "different lengths"),
        (pd.DataFrame([["a", 1, 2]], columns=["text", "y", "y"]), "unique column names"),
        ("a rose", "must be a list of texts or a frame. Got str"),
    ],
)
def test_other_data_are_refused(data: Any, message: str) -> None:
    with pytest.raises(FirthError, match=message):
        firth.Corpus.from_texts(data)


def test_a_whole_model_is_learned_from_a_frame(tmp_path: Path) -> None:
    frame = pl.DataFrame({"body": ["the cat sat", "the dog ran"] * 20, "n": range(40)})
    model = firth.learn(frame, tmp_path / "m", column="body", dim=3, classes=2, min_count=1)
    assert {"corpus", "documents", "vectors", "classes"} <= set(model.changed)
    again = firth.learn(frame, tmp_path / "m", column="body", dim=3, classes=2, min_count=1)
    assert again.changed == ["corpus"], "it is read again, and nothing else has to be done"
    other = frame.with_columns(n=pl.col("n") + 1)
    learned = firth.learn(other, tmp_path / "m", column="body", dim=3, classes=2, min_count=1)
    assert learned.documents.values("n")[0] == 1, "metadata alone has changed"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (3, "must be files, a frame or records. Got int"),
        (None, "must be files, a frame or records. Got NoneType"),
        ([3], "Every text must be a str. Text 1 is int"),
        ([], "No text was given"),
        (pd.DataFrame({"x": ["a"]}), "The frame has no column 'text'"),
        ([{"x": "a"}], "Record 1 has no 'text'"),
        (["no-such-file.txt"], "There is no file no-such-file.txt"),
    ],
)
def test_other_things_are_refused(texts: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(FirthError, match=message):
        firth.learn(texts, tmp_path / "m")
