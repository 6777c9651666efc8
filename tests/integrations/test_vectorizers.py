"""Vectorizers for scikit-learn: against their definitions, and inside scikit-learn."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union

import firth
from firth.errors import FirthError, InputError, ModelError, ParameterError
from tests.oracles.text_vectors import bag_of_classes, sif

PATHS = {"cat": "000", "dog": "001", "bird": "01", "sees": "10", "hears": "10", "the": "11"}
CLASSES = firth.Hierarchy.from_paths(list(PATHS), list(PATHS.values()), [6, 5, 4, 3, 2, 9])
ROWS = np.random.default_rng(0).normal(size=(6, 4))
VECTORS = firth.WordVectors.from_arrays(list(PATHS), ROWS, [6, 5, 4, 3, 2, 9])
TEXTS = ["The cat sees the dog.", "birds hear", "", "A bird hears Cat, cat!", "dog dog dog"]
BOTH: list[Any] = [firth.ClassVectorizer(CLASSES), firth.EmbeddingVectorizer(VECTORS)]
texts_of_words = st.lists(st.lists(st.sampled_from([*PATHS, "x", "yz"])), min_size=1, max_size=6)


@given(texts_of_words, st.lists(st.integers(1, 4), min_size=1, max_size=3))
@settings(max_examples=50)
def test_bags_of_classes(texts: list[list[str]], depths: list[int]) -> None:
    made = firth.ClassVectorizer(CLASSES, depths=tuple(depths), guess=False)
    found = made.fit_transform([" ".join(words) for words in texts])
    names = made.get_feature_names_out().tolist()
    assert names == sorted(set(names))
    for row, words in zip(found.toarray(), texts, strict=True):
        bag = {f"class_{node}": n for node, n in bag_of_classes(words, PATHS, depths).items()}
        assert {name: n for name, n in zip(names, row, strict=True) if n} == bag


@given(texts_of_words, st.floats(1e-4, 10), st.integers(0, 3))
@settings(max_examples=50)
def test_weighted_means(texts: list[list[str]], a: float, components: int) -> None:
    made = firth.EmbeddingVectorizer(VECTORS, smoothing=a, components=components)
    joined = [" ".join(words) for words in texts]
    found = made.fit_transform(joined)
    rows = dict(zip(PATHS, VECTORS.matrix, strict=True))
    counts = dict(zip(PATHS, VECTORS.counts.tolist(), strict=True))
    expected = sif(texts, rows, counts, a, components)
    spread = np.zeros(5)
    values = np.linalg.svd(sif(texts, rows, counts, a, 0), compute_uv=False)
    spread[: len(values)] = values
    gaps = spread[:components] - spread[1 : components + 1]
    if (gaps > 1e-3 * spread[0]).all():  # otherwise any of several directions will do
        np.testing.assert_allclose(found, expected, atol=1e-5)
    assert made.components_.shape == (components, 4)
    np.testing.assert_allclose(found @ made.components_.T, 0, atol=1e-6)


def test_words_are_found_in_lower_case_and_guessed() -> None:
    rows = firth.ClassVectorizer(CLASSES, depths=(1,), guess=False).fit_transform(TEXTS).toarray()
    assert rows.tolist() == [[2, 3], [0, 0], [0, 0], [3, 1], [3, 0]]
    binary = firth.ClassVectorizer(CLASSES, depths=(1,), guess=False, binary=True)
    assert binary.fit_transform(TEXTS).toarray().tolist() == [
        [1, 1],
        [0, 0],
        [0, 0],
        [1, 1],
        [1, 0],
    ]
    words = [f"{stem}{end}" for stem in "abcdefgh" for end in ("ing", "ly")]
    ends = firth.Hierarchy.from_paths(words, ["0", "1"] * 8, [1] * 16)
    for guess, expected in ((True, [[2, 1]]), (False, [[1, 0]])):
        made = firth.ClassVectorizer(ends, depths=(1,), guess=guess)
        assert made.fit_transform(["aing running sadly"]).toarray().tolist() == expected
    spelled = firth.WordVectors.from_arrays(words, np.tile(np.eye(2), (8, 1)))
    for guess in (True, False):
        means = firth.EmbeddingVectorizer(spelled, components=0, guess=guess).fit(["aing"])
        near = means.transform(["running", "sadly", "zzz"])
        assert (near[0, 0] > near[0, 1]) == (near[1, 1] > near[1, 0]) == guess
        assert near[2].tolist() == [0, 0]


def test_imported_vectors_are_weighted_by_the_texts_of_fit() -> None:
    unknown = firth.WordVectors.from_arrays(list(PATHS), ROWS)
    made = firth.EmbeddingVectorizer(unknown, components=0).fit(["the cat the", "dog the x"])
    assert made.probabilities_.tolist() == [0.2, 0.2, 0, 0, 0, 0.6]
    assert made.fit(["nothing known"]).probabilities_.tolist() == [0] * 6


def test_texts_are_split_as_those_of_the_model(tmp_path: Path) -> None:
    lines = ["The CAT sees 12 dogs", "A dog hears 34 cats", "the bird sees a cat"] * 9
    (tmp_path / "t.txt").write_text("\n".join(lines))
    model = firth.learn(
        tmp_path / "t.txt",
        tmp_path / "m",
        lowercase=True,
        digits="zero",
        classes=4,
        dim=3,
        min_count=1,
    )
    for source in (tmp_path / "m", str(tmp_path / "m"), model):
        by_class = firth.ClassVectorizer(source, guess=False, depths=(9,))
        row = by_class.fit(["a"]).transform(["THE 99"]).toarray()[0]
        assert row.sum() == 2
        assert row[by_class.nodes_.index(model.classes.path("00"))] > 0
        means = firth.EmbeddingVectorizer(source, weights="uniform", components=0).fit(["a"])
        np.testing.assert_allclose(means.transform(["DOG"])[0], model.vectors["dog"], rtol=1e-6)
    (tmp_path / "empty").mkdir()
    for kind in (firth.ClassVectorizer, firth.EmbeddingVectorizer):
        with pytest.raises(ModelError, match="m2"):
            kind(tmp_path / "m2").fit(["a"])


def test_without_a_model_they_learn_from_the_texts() -> None:
    texts = ["the cat sees a dog", "a dog hears the cat", "the bird sees the dog"] * 20
    labels = ["a", "b", "c"] * 20
    for made in (firth.ClassVectorizer(), firth.EmbeddingVectorizer()):
        pipe = make_pipeline(made, LogisticRegression(C=100))
        assert pipe.fit(texts, labels).score(texts, labels) > 0.6
        assert getattr(made, "classes", getattr(made, "vectors", None)) is None


@pytest.mark.parametrize("made", BOTH, ids=lambda made: type(made).__name__)
def test_inside_scikit_learn(made: Any) -> None:
    texts, labels = TEXTS * 6, [0, 1, 0, 1, 0] * 6
    twin = clone(made.fit(texts))
    assert twin.get_params().keys() == made.get_params().keys()
    assert not hasattr(twin, "_reader")
    np.testing.assert_array_equal(dense(twin.fit_transform(texts)), dense(made.transform(texts)))
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(dense(again.transform(texts)), dense(made.transform(texts)))
    name = type(made).__name__.lower()
    grid: dict[str, list[Any]] = {f"{name}__guess": [False, True]}
    grid |= (
        {f"{name}__depths": [(1,), (1, 2, 3)]}
        if "class" in name
        else {f"{name}__components": [0, 1]}
    )
    pipe = make_pipeline(clone(made), LogisticRegression())
    search = GridSearchCV(pipe, grid, cv=2, n_jobs=1).fit(texts, labels)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_score_ > 0.5
    assert pipe.set_params(**search.best_params_).fit(texts, labels).predict(TEXTS).shape == (5,)


def dense(found: Any) -> Any:
    return found.toarray() if sp.issparse(found) else found


def test_search_in_processes(tmp_path: Path) -> None:
    """Parameters and fitted steps travel between processes."""
    pipe = make_pipeline(make_union(*map(clone, BOTH)), LogisticRegression())
    search = GridSearchCV(pipe, {"logisticregression__C": [1, 10]}, cv=2, n_jobs=2)
    assert search.fit(TEXTS * 4, [0, 1, 0, 1, 0] * 4).best_score_ > 0.5


def test_frames() -> None:
    """``set_output`` names the columns, and rows keep the index of the texts."""
    import polars as pl

    for made in (
        firth.ClassVectorizer(CLASSES, sparse_output=False),
        firth.EmbeddingVectorizer(VECTORS),
    ):
        plain = made.fit(TEXTS).transform(TEXTS)
        names = made.get_feature_names_out().tolist()
        series = pd.Series(TEXTS, index=[4, 3, 2, 1, 0], name="text")
        made.set_output(transform="pandas")
        frame = made.transform(series)
        assert frame.columns.tolist() == names
        assert frame.index.tolist() == [4, 3, 2, 1, 0]
        np.testing.assert_array_equal(frame.to_numpy(), plain)
        assert clone(made).fit_transform(TEXTS).columns.tolist() == names
        table = series.to_frame().assign(n=range(5))
        columns = ColumnTransformer([("t", clone(made), "text")], remainder="passthrough")
        joined = columns.set_output(transform="pandas").fit_transform(table)
        assert joined["remainder__n"].tolist() == list(range(5))
        assert not joined.isna().any().any()
        made.set_output(transform="polars")
        other = made.transform(pl.Series(TEXTS))
        assert other.columns == names
        np.testing.assert_array_equal(other.to_numpy(), plain)
    with pytest.raises(ValueError, match="outputs a scipy sparse matrix"):
        firth.ClassVectorizer(CLASSES).set_output(transform="pandas").fit_transform(TEXTS)


BAD = [
    ("one text", "Got one text"), (b"bytes", "Got one text"), (pd.DataFrame({"a": ["x"]}), "Got a table"),
    (3, "Got 3"), (None, "Got None"), (["a", None], "Text 1 is of type NoneType"),
    (pd.Series(["a", float("nan")]), "Text 1 is of type float"), ([["a", "b"]], "Text 0 is of type list"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "message"), BAD, ids=range(len(BAD)))
def test_what_is_not_a_list_of_texts(given: Any, message: str) -> None:
    for made in BOTH:
        for use in (clone(made).fit, clone(made).fit(["a"]).transform):
            with pytest.raises(
                InputError, match=f"{type(made).__name__} takes a list of texts.*{message}"
            ):
                use(given)


def test_parameters_that_cannot_be() -> None:
    for depths in ((), 4, "46", (0,), (1.5,), (True,), None):
        with pytest.raises(ParameterError, match="'depths' parameter of ClassVectorizer"):
            firth.ClassVectorizer(CLASSES, depths=depths).fit(["a"])  # type: ignore[arg-type]
    for wrong in (3, VECTORS, ["m"]):
        with pytest.raises(
            ParameterError, match="'classes' parameter of ClassVectorizer must be a path"
        ):
            firth.ClassVectorizer(wrong).fit(["a"])
    with pytest.raises(ParameterError, match="smaller than 4, the number of dimensions"):
        firth.EmbeddingVectorizer(VECTORS, components=4).fit(["a"])
    with pytest.raises(ParameterError, match="'smoothing' parameter"):
        firth.EmbeddingVectorizer(VECTORS, smoothing=0).fit(["a"])
    for made in (firth.ClassVectorizer(), firth.EmbeddingVectorizer()):
        with pytest.raises(FirthError):
            made.fit([])
    for made in BOTH:
        assert clone(made).fit([]).transform([]).shape[0] == 0
