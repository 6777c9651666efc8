"""firth plot dendrogram, as a person would use and misuse it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth as library
from firth.cluster import linkage
from firth.cluster._parameters import LINKS
from firth.counts import neighbour_overlap
from tests.conftest import zipf_text

Run = Callable[..., Any]
TEXT = (
    "the cat sat on a mat , and the dog sat on a rug .\n"
    "a cat ran to the dog . a dog ran to the cat . once\n"
) * 8 + zipf_text(100, n_words=60)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dendrogram")
    (folder / "text.txt").write_text(TEXT + "the hapax ran .\n")
    library.learn(folder / "text.txt", folder / "m", classes=0, dim=10)
    return folder / "m"


def tree_of(page: Path) -> dict[str, Any]:
    """The tree that a page draws."""
    text = page.read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(re.findall(r'json">(.*?)</script>', text, re.DOTALL)[0])
    return found


def most_frequent(model: Path, n: int) -> list[str]:
    words = [w for w in library.load(model).counts.vocabulary if any(c.isalnum() for c in w)]
    return words[:n]


def test_the_most_frequent_words_by_their_neighbours(
    firth: Run, model: Path, tmp_path: Path
) -> None:
    page = tmp_path / "tree.html"
    shown = firth("plot", "dendrogram", model, "--top", 9, "-o", page, "--method", "single")
    assert shown.out == f"drawn: {page}  9 words\n"
    tree = tree_of(page)
    words = most_frequent(model, 9)
    assert tree["labels"] == words
    overlap = neighbour_overlap(library.load(model).counts, words)
    expected = linkage(1 - overlap, "single", "precomputed")
    assert np.allclose(tree["heights"], expected[:, 2], atol=1e-6)
    assert [sorted(pair) for pair in tree["children"]] == expected[:, :2].astype(int).tolist()
    text = page.read_text(encoding="utf-8")
    assert "<h1>The 9 most frequent words by their neighbours, single link</h1>" in text
    assert "1 − overlap of neighbours" in text


@pytest.mark.parametrize("by", ["neighbours", "vectors"])
@pytest.mark.parametrize("method", LINKS)
def test_every_method_draws(firth: Run, model: Path, tmp_path: Path, by: str, method: str) -> None:
    page = tmp_path / "tree.html"
    result = firth("plot", "dendrogram", model, "--by", by, "--method", method, "-o", page)
    assert result.status == 0, result
    tree = tree_of(page)
    words = tree["labels"]
    if by == "vectors":
        vectors = library.load(model).vectors
        rows = np.array([vectors[word] for word in words], np.float64)
        similar = rows @ rows.T
    else:
        similar = neighbour_overlap(library.load(model).counts, words)
    first = tree["children"][0]
    if method == "ward":  # of two objects the height is their distance
        assert tree["heights"][0] == pytest.approx(np.sqrt(2 - 2 * similar[tuple(first)]), abs=1e-4)
    else:
        assert tree["heights"][0] == pytest.approx(1 - similar[tuple(first)], abs=1e-5)
    np.fill_diagonal(similar, -1)
    assert similar[tuple(first)] == pytest.approx(similar.max(), abs=1e-6)


def test_words_of_a_file(firth: Run, model: Path, tmp_path: Path) -> None:
    file, page = tmp_path / "words.txt", tmp_path / "tree.html"
    file.write_text("cat\n  dog \n\ncat\nnowhere\nmat\n<script>\n")
    result = firth("plot", "dendrogram", model, "--words", file, "-o", page)
    assert result.out == f"drawn: {page}  3 words\nnot in the model: nowhere <script>\n"
    assert tree_of(page)["labels"] == ["cat", "dog", "mat"]
    assert "<h1>3 words by their neighbours" in page.read_text(encoding="utf-8")
    file.write_text("cat\nhapax\n")
    assert "hapax" not in library.load(model).counts.vocabulary
    firth("plot", "dendrogram", model, "--words", file, "-o", page)
    assert tree_of(page)["labels"] == ["cat", "hapax"], "counted anew for a rare word"
    shown = firth("plot", "dendrogram", model, "--words", file, "--by", "vectors", "-o", page)
    assert "needs at least two words. The model has 1" in shown.err


def test_marks_cuts_and_more_words_than_there_are(firth: Run, model: Path, tmp_path: Path) -> None:
    page = tmp_path / "tree.html"
    firth("plot", "dendrogram", model, "--top", 5000, "-o", page)
    n = len(tree_of(page)["labels"])
    assert n == len(most_frequent(model, 5000))
    assert not {",", "."} & set(tree_of(page)["labels"])
    firth("plot", "dendrogram", model, "--top", 5000, "--marks", "-o", page, "--cut", 2)
    assert len(tree_of(page)["labels"]) == n + 2
    assert set(tree_of(page)["colours"]) <= {-1, 0, 1}


def test_other_contexts_are_counted_anew(
    firth: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = text_file(TEXT + "the hapax ran .\n")
    library.learn(path, tmp_path / "bag", contexts="bag3", dim=0, classes=0)
    for folder, page in ((tmp_path / "bag", "a.html"), (model, "b.html")):
        firth("plot", "dendrogram", folder, "--top", 6, "-o", tmp_path / page, "--cut", 3)
    one, other = (tree_of(tmp_path / page) for page in ("a.html", "b.html"))
    assert one["labels"] == other["labels"]
    assert np.allclose(one["heights"], other["heights"], atol=0.05), "rare words are kept apart"


def test_vectors_from_elsewhere(firth: Run, fails: Run, tmp_path: Path) -> None:
    file, page = tmp_path / "vectors.txt", tmp_path / "tree.html"
    file.write_text("red 1 0\ngreen 0.9 0.1\ncat 0 1\n")
    for source in (file, tmp_path / "imported"):
        assert firth("plot", "dendrogram", source, "-o", page).status == 0
        assert tree_of(page)["labels"] == ["red", "green", "cat"]
        assert sorted(tree_of(page)["children"][0]) == [0, 1]
        firth("import", file, "-o", tmp_path / "imported")
    wrong = fails("plot", "dendrogram", tmp_path / "imported", "--by", "neighbours", "-o", page)
    assert "has no corpus" in wrong.err


@pytest.mark.parametrize(
    ("args", "said", "status"),
    [
        (("--top", 1), "--top must be an int from 2 to 5000", 2),
        (("--top", 0), "--top must be an int from 2 to 5000", 2),
        (("--top", 9999), "--top must be an int from 2 to 5000", 2),
        (("--cut", 0), "--cut must be from 1 to 54 (the number of words). Got 0.", 2),
        (("--cut", 99), "--cut must be from 1 to 54 (the number of words). Got 99.", 2),
        (("-o", "tree.doc"), "Use a name that ends with .html", 1),
        (("--words", "nowhere.txt"), "nowhere.txt", 1),
        (("--words", "empty.txt"), "empty.txt is empty", 1),
        (("--words", "one.txt"), "The model has 1 of those in the file", 1),
        (("--words", "unknown.txt"), "Not in the model: a1 a2 a3 a4 a5 ... (+ 2)", 1),
        (("--words", "binary.txt"), "binary.txt", 1),
        (("--words", "."), ".", 1),
    ],
    ids=lambda part: " ".join(map(str, part)) if isinstance(part, tuple) else None,
)
def test_what_is_wrong_is_said(
    fails: Run,
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[Any, ...],
    said: str,
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.txt").write_text("\n \n")
    Path("one.txt").write_text("cat\n")
    Path("unknown.txt").write_text("a1\na2\na3\na4\na5\na6\na7\n")
    Path("binary.txt").write_bytes(b"\x00\x01\xff")
    result = fails("plot", "dendrogram", model, *args, status=status)
    assert said in result.err
    assert not list(tmp_path.glob("*.html"))


def test_folders_that_are_no_models(
    fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    assert "no model" in fails("plot", "dendrogram", tmp_path / "none").err
    library.learn(text_file("a\nb\n! !\n" * 5), tmp_path / "small", dim=0, classes=0)
    assert (
        "no word vectors" in fails("plot", "dendrogram", tmp_path / "small", "--by", "vectors").err
    )
    library.learn(text_file("a ! a !\n" * 5), tmp_path / "tiny", dim=0, classes=0)
    wrong = fails("plot", "dendrogram", tmp_path / "tiny").err
    assert "A dendrogram needs at least two words. The model has 1." in wrong
    assert "--marks" in wrong


def test_the_name_of_the_figure_is_checked_first(firth: Run) -> None:
    for command in ("dendrogram", "scree", "tree"):
        result = firth("plot", command, "no-such-model", "-o", "figure.doc")
        assert result.status == 1
        assert "error: The figure format of 'figure.doc' is unknown." in result.err
