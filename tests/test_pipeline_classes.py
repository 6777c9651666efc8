"""Word classes as a part of a model: what is kept, what is refused, what is traced."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.classes import Merge, write_trace
from firth.errors import ParameterError
from firth.pipeline import import_classes, learn_classes, name_classes

TEXT = "the cat sat on the mat\nthe dog sat on the rug\na cat saw a dog\na dog saw a cat\n" * 6


@pytest.fixture
def model(text_file: Callable[..., Path], tmp_path: Path) -> Path:
    learn_classes(tmp_path / "model", text_file(TEXT), n_classes=4, min_count=2, threads=1)
    return tmp_path / "model"


def parameters(model: Path) -> dict[str, Any]:
    return dict(firth.load(model).parts["classes"].parameters)


def test_the_manifest_has_the_parameters_of_the_method_only(model: Path) -> None:
    words = {"min_count": 2, "vocabulary": 200_000, "across_lines": False}
    assert parameters(model) == {
        **words, "n_classes": 4, "method": "brown", "refine": True,
    }  # fmt: skip
    learn_classes(model, method="spectral", contexts="lr1", kappa=1)
    assert parameters(model) == {
        **words, "n_classes": 4, "method": "spectral", "refine": True, "contexts": "LR1",
        "kappa": 1.0, "transform": "none", "clustering": "ward",
    }  # fmt: skip


def test_omitted_parameters_keep_their_values(model: Path) -> None:
    assert learn_classes(model).changed == []
    assert learn_classes(model, refine=False).changed == ["classes"]
    assert learn_classes(model, n_classes=3, vocabulary=None).changed == ["classes"]
    kept = parameters(model)
    assert (kept["min_count"], kept["n_classes"], kept["refine"]) == (2, 3, False)
    assert kept["vocabulary"] is None
    learn_classes(model, method="spectral", transform="sqrt", kappa=0.0)
    assert parameters(model)["refine"] is True, "another method begins with its own defaults"
    assert (parameters(model)["n_classes"], parameters(model)["min_count"]) == (3, 2)
    learn_classes(model, kappa=1.0)
    assert (parameters(model)["transform"], parameters(model)["kappa"]) == ("sqrt", 1.0)


def test_words_are_those_of_the_counts_if_there_are_no_classes(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model = tmp_path / "m"
    firth.learn(text_file(TEXT), model, dim=0, classes=0, min_count=7, vocabulary=8)
    learn_classes(model)
    assert (parameters(model)["min_count"], parameters(model)["vocabulary"]) == (7, 8)


def test_imported_classes_say_nothing_about_learning(
    model: Path, text_file: Callable[..., Path]
) -> None:
    import_classes(text_file("0\tcat\t1\n1\tdog\t1\n", "c.paths"), model)
    assert "min_count" not in parameters(model)
    learn_classes(model, n_classes=3)
    assert parameters(model)["min_count"] == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kappa": 3}, "'kappa' .* does not apply to method 'brown': it is for spectral"),
        ({"method": "seeds", "contexts": "R1"}, "'contexts' .* method 'seeds'"),
        ({"weights": "distance"}, "'weights' parameter does not apply"),
        ({"nonsense": 1}, "'nonsense' parameter does not apply"),
        ({"n_classes": 1}, "'n_classes' .* at least 2"),
        ({"n_classes": 99}, r"'n_classes' .* between 2 and 9 \(the vocabulary\)"),
        ({"method": "magic"}, "'method' .* one of"),
        ({"tokens": "characters"}, "'tokens' parameter does not apply"),
        ({"threads": 0}, "'threads'"),
        ({"method": "spectral", "trace": []}, "'trace' .* method 'spectral': it is for brown"),
    ],
)
def test_what_is_refused_changes_nothing(model: Path, options: Any, message: str) -> None:
    before = firth.load(model).parts["classes"]
    with pytest.raises(ParameterError, match=message):
        learn_classes(model, **options)
    assert firth.load(model).parts["classes"] == before


@pytest.mark.parametrize("refine", [True, False])
def test_a_trace_has_every_merge(model: Path, tmp_path: Path, refine: bool) -> None:
    merges: list[Merge] = []
    learn_classes(model, trace=merges, refine=refine)
    assert len(merges) == 8, "one merge less than words"
    assert sorted(merges[-1].left + merges[-1].right) == sorted(set(TEXT.split()))
    assert all(merge.loss >= 0 for merge in merges)
    merges[0] = merges[0]._replace(left=("a\tb",))
    write_trace(tmp_path / "trace.tsv", merges)
    text = (tmp_path / "trace.tsv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
    assert [row["step"] for row in rows] == [str(i) for i in range(1, 9)]
    assert rows[0]["left"] == "a b", "tabs would break the table"
    assert [row["added"] for row in rows] == [merge.added or "" for merge in merges]
    assert [p.name for p in tmp_path.glob(".trace*")] == []


def test_names_are_given_to_nodes_and_stay(model: Path) -> None:
    path = firth.load(model).classes.path("cat")
    assert name_classes(model, {path: " animals ", "": "all"}).classes.label(path) == "animals"
    assert name_classes(model, {"": " "}).names == {path: "animals"}
    with pytest.raises(firth.InputError, match="no node '010101'"):
        name_classes(model, {"010101": "x"})
    learn_classes(model, n_classes=3)
    names = firth.load(model).names
    assert [*names.values(), *(one.name for one in names.left)] == ["animals"]
