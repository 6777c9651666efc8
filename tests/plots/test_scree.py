"""The scree plot: what is drawn, how it is saved, what is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import firth
from firth.errors import FirthError, InputError
from firth.plots import save_figure, scree_figure
from tests.conftest import zipf_text


@pytest.fixture(scope="module")
def vectors() -> firth.WordVectors:
    lines = [line.split() for line in zipf_text(200, n_words=60).splitlines()]
    counts = firth.count(firth.Corpus.from_sentences(lines), "bag2", 1)
    return firth.SpectralEmbedding(10).fit(counts).vectors_


def test_the_figure_shows_the_singular_values(vectors: firth.WordVectors) -> None:
    figure = scree_figure(vectors)
    (trace,) = figure.data
    assert list(trace.x) == list(range(1, 11))
    assert vectors.singular_values is not None
    assert np.array_equal(trace.y, vectors.singular_values)
    assert figure.layout.xaxis.title.text == "dimension"
    assert "sqrt, cca, bag2" in figure.layout.title.text


def test_a_page_needs_no_network(vectors: firth.WordVectors, tmp_path: Path) -> None:
    path = tmp_path / "scree.html"
    save_figure(scree_figure(vectors), path)
    page = path.read_text(encoding="utf-8")
    assert "<script src=" not in page
    assert "Singular values of" in page


def test_what_cannot_be_drawn_is_said(vectors: firth.WordVectors, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ends with .html"):
        save_figure(scree_figure(vectors), tmp_path / "scree.doc")
    with pytest.raises(InputError, match="were imported"):
        scree_figure(firth.WordVectors.from_arrays(["a"], [[1.0]]))


def test_a_picture_without_a_browser_says_what_to_do(
    vectors: firth.WordVectors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = scree_figure(vectors)

    def no_browser(*_: object, **__: object) -> bytes:
        raise RuntimeError("no Chrome was found\nlong advice")

    monkeypatch.setattr(type(figure), "to_image", no_browser)
    with pytest.raises(
        FirthError, match=r"Kaleido and a Chrome browser: no Chrome was found.*scree\.html"
    ):
        save_figure(figure, tmp_path / "scree.png")
    assert not (tmp_path / "scree.png").exists()
    monkeypatch.setattr(type(figure), "to_image", lambda *_, **__: b"picture")
    save_figure(figure, tmp_path / "scree.png")
    assert (tmp_path / "scree.png").read_bytes() == b"picture"
