"""Tables of results as frames of pandas and Polars, and as Arrow tables."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import firth
from firth.cluster import Objects, cluster
from firth.compare import compare, compare_meaning
from firth.data import data_sets
from firth.describe import coverage, node_facts, summary_rows, word_facts
from firth.evaluate import (
    Analogies,
    AnalogyResult,
    SimilarityResult,
    WordPairs,
    curve,
    evaluate_classes,
    evaluate_entities,
    evaluate_parses,
    evaluate_vectors,
    known_words,
)
from firth.find import Finder, frequencies
from firth.formats import Rows, frame_of, table_of
from firth.grammar import symbol_facts, symbol_rows
from firth.measure import collocates, phrases, sketch, word_list
from firth.morphs import Paradigm
from firth.pipeline import learn, name_rows, plan
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
        {
            "word": one.word,
            "bits": one.bits,
            "log_prob": one.log_prob,
            "known": one.known,
            "bits_spelled": one.bits_spelled,
        }
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


def test_word_pairs_and_analogies_have_the_same_columns() -> None:
    words = ["man", "woman", "king", "queen"]
    matrix = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], np.float32)
    vectors = firth.WordVectors.from_arrays(words, matrix)
    pairs = WordPairs("pairs", [("man", "king"), ("man", "queen"), ("man", "cat")], [3.0, 1.0, 2.0])
    right, wrong, unknown = (
        [("man", "woman", "king", "queen")],
        [("man", "woman", "king", "man")],
        [("a", "b", "c", "d")],
    )
    asked = Analogies("royal", [*right * 20, *wrong * 20, *unknown], [*"x" * 40, "y"])
    found = evaluate_vectors(vectors, [pairs, asked])
    on_pairs, on_analogies = found
    assert isinstance(on_pairs, SimilarityResult)
    assert isinstance(on_analogies, AnalogyResult)
    similar, answered = as_rows(found.to_frame("arrow"))
    assert (similar["kind"], similar["score"], similar["n_used"], similar["n_questions"]) == (
        "pairs", on_pairs.spearman, 2, 3,
    )  # fmt: skip
    assert (answered["kind"], answered["score"], answered["n_used"]) == ("analogies", 0.5, 40)
    assert (answered["low"], answered["high"]) == on_analogies.interval
    rows = as_rows(on_analogies.categories.to_frame("polars"))
    assert [(row["name"], row["n_right"], row["n_answered"]) for row in rows] == [
        ("x", 20, 40), ("y", 0, 0),
    ]  # fmt: skip
    assert on_analogies.to_dict()["categories"][1]["accuracy"] is None
    assert on_analogies.interval[0] < 0.5 < on_analogies.interval[1]


def test_clusters_of_objects_and_their_number() -> None:
    rows = np.array([[0.0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]])
    objects = Objects(["a", "b", "c", "d", "e", "f"], rows, "object")
    found = cluster(objects, "k-means", k=2)
    labels = {row["name"]: row["group"] for row in as_rows(found.to_frame())}
    assert list(labels.values()) == found.labels.tolist()
    groups = as_rows(found.describe()["groups"].to_frame("polars"))
    assert {row["members"] for row in groups} == {"a b c", "d e f"}
    soft = cluster(objects, "mixture", k=2)
    assert soft.memberships is not None
    frame = soft.to_frame("polars")
    assert frame.columns == ["name", "group", "p0", "p1"]
    assert (frame[["p0", "p1"]].to_numpy() == soft.memberships).all()
    counted = cluster(objects, "k-means", k="auto")
    assert counted.how_many is not None
    measured = as_rows(counted.how_many.to_frame("arrow"))
    assert [row["k"] for row in measured] == list(counted.how_many.ks)
    assert counted.describe()["how_many"] == measured


def test_tables_about_a_model(model: firth.Model, corpus: firth.Corpus) -> None:
    summary = as_rows(summary_rows(model).to_frame())
    assert {"corpus", "counts", "vectors", "classes"} <= {row["name"] for row in summary}
    covered = as_rows(coverage(model.corpus).to_frame("polars"))
    assert covered[0] == {"min_count": 1, "words": model.corpus.n_types, "coverage": 1.0}
    assert as_rows(known_words(model.corpus, corpus, [1]).to_frame("arrow")) == [
        {"min_count": 1, "words": model.corpus.n_types, "tokens": 1.0, "types": 1.0}
    ]
    facts = word_facts(model, "sea", 3)
    assert as_rows(facts["similar"].to_frame("arrow")) == facts["similar"]
    assert as_rows(facts["before"].to_frame("arrow")) == facts["before"] != []
    nodes = as_rows(node_facts(model.classes, "", 1, 3)["below"].to_frame())
    assert [row["path"] for row in nodes] == ["0", "1"]
    first = model.classes.members(nodes[0]["path"], 3)
    assert nodes[0]["members"] == " ".join(one.word for one in first)
    no_names = name_rows(model).to_frame("arrow")
    assert (no_names.num_rows, no_names.schema.names) == (
        0,
        ["kind", "key", "name", "note", "words"],
    )
    below = node_facts(model.classes, "", 1, 3)["below"]
    leaf = node_facts(model.classes, model.classes.paths[0], 1, 3)["below"]
    assert as_rows(leaf.to_frame("arrow")) == []
    assert leaf.to_frame().columns.tolist() == below.to_frame().columns.tolist()
    none = word_facts(model, "sea", 3, measure="t")["before"][:0]
    assert none.to_frame().columns.tolist() == ["word", "count", "pmi", "t"]
    assert data_sets().to_frame("polars")["name"].to_list() == [one.name for one in data_sets()]


def test_plans(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(TEXTS))
    made = plan(tmp_path / "text.txt")
    assert made.rows.to_frame("polars")["n_words"].to_list() == [row.n_words for row in made.rows]
    assert made.stages.to_frame("polars")["name"].to_list() == [one.name for one in made.stages]


def test_symbols_of_a_grammar() -> None:
    text = "(S (NP (D the) (N cat)) (VP (V saw) (NP (D a) (N dog))))"
    grammar = firth.LPCFG(method="pcfg").fit(list(parse_trees(text * 5)))
    rows = as_rows(symbol_rows(grammar).to_frame("polars"))
    assert [row["count"] for row in rows] == sorted((row["count"] for row in rows), reverse=True)
    assert {row["symbol"]: row["count"] for row in rows}["NP"] == 10
    facts = symbol_facts(grammar, "NP")
    assert as_rows(facts["rules"].to_frame()) == facts["rules"]
    assert facts["rules"][0] == {"left": "D", "right": "N", "p": 1.0}
    words = symbol_facts(grammar, "N")["words"]
    assert as_rows(words.to_frame("arrow")) == words != []
    assert symbol_facts(grammar, "N")["rules"].to_frame().columns.tolist() == ["left", "right", "p"]
    assert symbol_facts(grammar, "NP")["words"].to_frame().columns.tolist() == ["word", "p"]


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


def test_the_functions_of_the_documentation_are_where_it_says() -> None:
    page = (Path(__file__).parents[1] / "docs" / "pipeline" / "notebooks.md").read_text("utf-8")
    rows = page.partition("| Module | Functions |")[2].splitlines()[2:]
    found = {
        name: next((m for m in modules if hasattr(import_module(m), name)), None)
        for row in rows if row.startswith("|")
        for modules in [re.findall(r"`(firth[.\w]*)`", row)]
        for name in re.findall(r"`(\w+)`", row)
    }  # fmt: skip
    assert len(found) > 20
    assert [name for name, module in found.items() if module is None] == []
    used = set(re.findall(r"`(\w+)\(", page.partition("| Command | Frame |")[2]))
    assert used <= found.keys(), "the page says where each function of the table is"
