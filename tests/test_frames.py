"""Tables of results as frames of pandas and Polars, and as Arrow tables."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import firth
from firth.compare import compare, compare_meaning
from firth.evaluate import curve, evaluate_classes, evaluate_entities, evaluate_parses
from firth.find import Finder, frequencies
from firth.formats import Rows, frame_of, table_of
from firth.measure import collocates, phrases, sketch, word_list
from firth.morphs import Paradigm
from firth.pipeline import learn
from firth.senses import report_senses
from firth.tags import evaluate_tags
from firth.trees import parse_trees

TEXTS = ["the sea and the ship", "a ship at sea", "the law of the land", "law and land"] * 6
KINDS = ["story", "story", "law", "law"] * 6


@dataclass(frozen=True)
class Thing:
    word: str
    score: float | None


@pytest.fixture(scope="module")
def corpus() -> firth.Corpus:
    return firth.Corpus.from_texts(TEXTS, metadata={"kind": KINDS, "tokens": KINDS})


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> firth.Model:
    folder = tmp_path_factory.mktemp("frames")
    (folder / "text.txt").write_text("\n".join(TEXTS * 3))
    return learn(folder / "text.txt", folder / "model", min_count=1, classes=4)


def as_rows(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame of any kind."""
    if isinstance(frame, pandas.DataFrame):
        rows: list[dict[str, Any]] = frame.to_dict("records")
    else:
        rows = frame.to_dicts() if isinstance(frame, polars.DataFrame) else frame.to_pylist()
    return rows


TYPES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "arrow": pa.Table}


@pytest.mark.parametrize("backend", TYPES)
def test_every_result_is_a_frame(backend: Any, corpus: firth.Corpus, model: firth.Model) -> None:
    words = word_list(corpus, min_count=7)
    compared = compare(corpus, where='kind == "story"', min_count=1)
    found = Finder(corpus).find("the")
    assert corpus.documents is not None
    by_kind = frequencies(corpus.documents, "kind", found.starts)
    for result, expected in (
        (words, list(words.rows())),
        (compared.top(2), [asdict(keyword) for keyword in compared.top(2)]),
        (found.lines(3), [asdict(hit) for hit in found.lines(3)]),
        (corpus.find("sea"), [asdict(hit) for hit in corpus.find("sea")]),
        (by_kind, [asdict(each) for each in by_kind]),
        (
            model.vectors.most_similar("sea", n=3),
            [near._asdict() for near in model.vectors.most_similar("sea", n=3)],
        ),
        (
            model.counts.collocates("sea"),
            [asdict(each) for each in model.counts.collocates("sea")],
        ),
    ):
        frame = result.to_frame(backend)
        assert type(frame) is TYPES[backend]
        assert as_rows(frame) == expected
        assert expected


def test_what_has_several_words_or_columns_in_a_row(
    corpus: firth.Corpus, model: firth.Model
) -> None:
    found = phrases(corpus, min_count=3)
    (first, *_) = as_rows(found[:2].to_frame())
    best = found[0]
    assert first == {
        "phrase": " ".join(best.words), "length": len(best.words), "count": best.count, "score": best.score,
    }  # fmt: skip
    columns = sketch(model, "sea", n=2)
    rows = as_rows(columns.to_frame("arrow"))
    assert rows == [
        {"side": c.side, "kind": c.kind, "group": c.group, **asdict(each)} for c in columns for each in c.collocates
    ]  # fmt: skip
    assert {row["side"] for row in rows} == {"before", "after"}
    contexts = collocates(model, "sea")
    rows = as_rows(contexts.to_frame("arrow"))
    assert rows == [{"offset": at, **asdict(each)} for at in contexts for each in contexts[at]]
    assert rows


TAGGED = [
    [("the", "D"), ("sea", "N"), ("and", "C"), ("land", "N")],
    [("a", "D"), ("ship", "N"), ("at", "P"), ("sea", "N")],
]


def test_tags_and_how_they_agree_with_labels() -> None:
    tagger = firth.SupervisedTagger().fit(TAGGED)
    rows = as_rows(tagger.to_frame())
    assert [row["name"] for row in rows] == tagger.tags_
    (nouns,) = [row for row in rows if row["name"] == "N"]
    assert set(nouns["words"].split()) == {"sea", "land", "ship"}
    words = tagger.typical(nouns["tag"], 1)
    assert as_rows(words.to_frame("polars")) == [
        {"word": "sea", "count": 2, "share": words[0].share}
    ]
    found = evaluate_tags(tagger, TAGGED)
    assert as_rows(found.to_frame()) == [
        {"tag": tag, "label": tag, "n": n} for tag, n in (("C", 1), ("D", 2), ("N", 4), ("P", 1))
    ]


def test_evaluations_have_a_row_for_each_kind_and_one_for_all(model: firth.Model) -> None:
    result = evaluate_entities([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]])
    rows = as_rows(result.to_frame("polars"))
    assert [(row["type"], row["n_right"], row["recall"]) for row in rows] == [
        ("LOC", 0, 0.0), ("PER", 1, 1.0), ("all", 1, 0.5),
    ]  # fmt: skip
    trees = list(parse_trees("(S (NP (D the) (N cat)) (VP (V sat)))"))
    parsed = evaluate_parses(trees, trees)
    rows = as_rows(parsed.to_frame("arrow"))
    assert rows == [asdict(row) for row in (*parsed.rows, parsed.overall)]
    measured = curve(model.classes)
    assert as_rows(measured.to_frame()) == [row._asdict() for row in measured.rows]
    tags = evaluate_classes(model.classes, tagged=TAGGED)["tags"]
    assert as_rows(tags["rows"].to_frame()) == tags["rows"]


def test_language_models() -> None:
    lines = ["the sea and the ship", "a ship at sea", "the law"] * 9
    lm = firth.LanguageModel(order=2, min_count=1).fit(firth.Corpus.from_texts(lines), held_out=0.1)
    scored = lm.word_scores("the land")
    assert as_rows(scored.to_frame()) == [
        {"word": one.word, "bits": one.bits, "log_prob": one.log_prob, "known": one.known}
        for one in scored
    ]
    assert [row["known"] for row in as_rows(scored.to_frame("arrow"))] == [True, False, True]
    found = lm.next_words("the", 2)
    assert as_rows(found.to_frame("polars")) == [one._asdict() for one in found]
    scores = lm.scores(["the sea", "a ship"])
    rows = as_rows(scores.to_frame())
    assert [row["log_prob"] for row in rows] == scores.log_prob.tolist()
    assert [row["n_words"] for row in rows] == [2, 2]
    evaluated = lm.evaluate(firth.Corpus.from_texts(lines))
    assert as_rows(evaluated.to_frame("arrow")) == [asdict(one) for one in evaluated.components]
    assert len(evaluated.components) == 3
    weights = as_rows(lm.to_frame())
    assert [row["words, 2-grams"] for row in weights] == lm.weights_[:, 0].tolist()
    assert weights[0]["before"] == "nothing"


def test_features_morphs_and_senses(corpus: firth.Corpus) -> None:
    tagger = firth.EntityTagger(rounds=2).fit([[(["in", "Oslo"], ["O", "B-LOC"])]] * 2)
    telling = tagger.telling("U-LOC", 2)
    assert as_rows(telling.to_frame("arrow")) == [
        {"feature": feature, "weight": weight} for feature, weight in telling
    ]
    stems, endings = ["walk", "talk", "jump", "climb", "start", "paint"], ["", "s", "ed", "ing"]
    morphs = firth.Morphology().fit([stem + ending for stem in stems for ending in endings])
    assert as_rows(morphs.affixes_.to_frame()) == [one._asdict() for one in morphs.affixes_]
    (paradigm,) = as_rows(morphs.paradigms_.to_frame())
    assert set(paradigm["endings"].split()) == {"-", "-s", "-ed", "-ing"}
    assert set(paradigm["stems"].split()) == set(stems)
    assert Rows((), Paradigm).to_frame("polars").columns == list(paradigm)
    assert as_rows(morphs.analyse("walked").to_frame("polars")) == [
        {"text": "walk", "kind": "stem"}, {"text": "ed", "kind": "suffix"},
    ]  # fmt: skip
    assert morphs.n_best("walked", 1).to_frame("polars")["morphs"].to_list() == ["walk ed"]
    report = report_senses(corpus, "sea", 2)
    rows = as_rows(report.senses.to_frame())
    assert [row["share"] for row in rows] == [sense.share for sense in report.senses]
    assert rows[0]["words"].split() == [one.word for one in report.senses[0].words]


def test_documents_have_their_sizes_which_a_column_of_that_name_does_not_hide(
    corpus: firth.Corpus,
) -> None:
    assert corpus.documents is not None
    frame = corpus.documents.to_frame("polars")
    assert frame["tokens"].to_list() == corpus.documents.sizes.tolist()
    assert frame["kind"].to_list() == KINDS


def test_vectors_and_classes(model: firth.Model) -> None:
    vectors, classes = model.vectors, model.classes
    frame = vectors.to_frame("polars")
    assert frame.columns == ["word", *map(str, range(vectors.dim))]
    assert (frame.drop("word").to_numpy() == vectors.matrix).all()
    assert (vectors.to_frame().loc["sea"].to_numpy() == vectors["sea"]).all()
    assert as_rows(classes.to_frame("polars")) == classes.to_table().to_pylist()
    assert as_rows(classes.to_frame()) == classes.to_table().to_pylist()


def test_changed_words_have_their_neighbours_in_one_cell() -> None:
    words = [f"w{i}" for i in range(25)]
    matrix = np.random.default_rng(0).normal(size=(25, 5)).astype(np.float32)
    learned = firth.WordVectors.from_arrays(words, matrix)
    found = compare_meaning(learned, learned, n=2, min_count=0, shown=3)
    row = as_rows(found.to_frame())[0]
    assert row["neighbours_a"] == " ".join(found[0].neighbours_a)
    assert len(found[0].neighbours_a) == 3


def test_columns_are_there_without_rows(corpus: firth.Corpus) -> None:
    assert list(word_list(corpus, min_count=1000).to_frame().columns) == [
        "word", "count", "per_million", "parts", "dp", "d",
    ]  # fmt: skip
    assert phrases(corpus, min_count=1000).to_frame("polars").columns == [
        "phrase", "length", "count", "score",
    ]  # fmt: skip
    assert list(Rows((), Thing)[:3].to_frame().columns) == ["word", "score"]
    assert compare(corpus, corpus, min_count=10**6).to_frame("arrow").column_names[0] == "word"


def test_values_of_several_kinds_and_halves_of_characters_become_text() -> None:
    table = table_of([{"a": 1, "b": "\ud800"}, {"a": "x", "b": None}, {"a": 1 << 70, "b": "ok"}])
    assert table.to_pydict() == {"a": ["1", "x", str(1 << 70)], "b": ["?", None, "ok"]}


def test_lists_stay_lists() -> None:
    things = Rows([Thing("a", 1.0), Thing("b", None)], Thing)
    assert things == [Thing("a", 1.0), Thing("b", None)]
    assert things[1] == Thing("b", None)
    assert isinstance(things[:1], Rows)
    assert replace(things[0], word="c").word == "c"


@pytest.mark.parametrize(("backend", "named"), [("pandas", "pandas"), ("polars", "Polars")])
def test_a_missing_library_is_named_with_the_line_that_installs_it(
    backend: Any, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, backend, None)
    with pytest.raises(firth.FirthError) as caught:
        Rows([Thing("a", 1.0)]).to_frame(backend)
    assert str(caught.value).startswith(f"to_frame() needs {named}, which is not installed.")
    assert caught.value.hint == f"Install it: pip install {backend}"


def test_an_unknown_library_is_refused() -> None:
    with pytest.raises(firth.ParameterError, match="backend"):
        frame_of(pa.table({"a": [1]}), "excel")
