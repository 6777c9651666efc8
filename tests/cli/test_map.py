"""firth plot map, with all methods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth as library
from firth.errors import ParameterError
from firth.pipeline import learn_map
from tests.conftest import zipf_text

Run = Callable[..., Any]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(zipf_text(100, n_words=40))
    library.learn(tmp_path / "text.txt", tmp_path / "m", classes=0, dim=5)
    return tmp_path / "m"


@pytest.mark.slow
def test_other_methods_leave_the_model_as_it_is(firth: Run, model: Path, tmp_path: Path) -> None:
    pages = {}
    for method in ("pca", "mds"):
        done = firth(
            "plot", "map", model, "--method", method, "--top", 20, "-o", tmp_path / "map.html"
        )
        assert done.status == 0
        pages[method] = (tmp_path / "map.html").read_text(encoding="utf-8")
        assert "map" not in library.load(model)
        assert "20 words by their contexts" in pages[method]
    assert pages["pca"] != pages["mds"]
    firth("plot", "map", model, "-o", tmp_path / "map.html")
    assert library.load(model).map.method == "t-sne"
    firth("plot", "map", model, "--method", "pca", "-o", tmp_path / "map.html")
    assert library.load(model).map.method == "t-sne"


def test_parameters_belong_to_methods(model: Path) -> None:
    with pytest.raises(ParameterError, match="'perplexity' parameter does not apply .*t-sne"):
        learn_map(model, method="mds", perplexity=5.0)
    assert "map" not in library.load(model)


@pytest.mark.slow
def test_a_map_by_another_method_can_be_kept(firth: Run, model: Path, tmp_path: Path) -> None:
    made = learn_map(model, method="pca")
    assert made.map.method == "pca"
    positions = made.map.positions.tobytes()
    for options in ([], ["--method", "pca"], ["--method", "t-sne", "--top", 5]):
        firth("plot", "map", model, *options, "-o", tmp_path / "map.html")
        assert library.load(model).map.positions.tobytes() == positions


def test_a_wrong_method_is_refused(fails: Run, model: Path, tmp_path: Path) -> None:
    wrong = fails("plot", "map", model, "--method", "som", "-o", tmp_path / "a.html", status=2)
    assert "'som' is not one of 't-sne', 'pca', 'mds'" in wrong.err
    assert not (tmp_path / "a.html").exists()
