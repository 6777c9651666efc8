"""Dendrograms: geometry against SciPy's, colours, collapsed clusters, marks, and that no label is markup."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from firth.cluster import cut_tree, inversions, linkage
from firth.errors import InputError, ParameterError
from firth.plots import dendrogram_figure, save_dendrogram

Floats = npt.NDArray[np.float64]
INVERTED = np.array([[0, 1, 2.0, 2], [2, 4, 1.5, 3], [3, 5, 4.0, 4]])
HOSTILE = ["<script>alert(1)</script>", "a&amp;b", "\x1b[31m\u202e", "w" * 100]


def random_points(seed: int, n: int) -> Floats:
    return np.random.default_rng(seed).normal(size=(n, 3))


def lines_of(figure: Any) -> list[Any]:
    return [trace for trace in figure.data if trace.mode == "lines" and trace.fill is None]


def pieces(figure: Any) -> set[tuple[float, ...]]:
    """All straight lines of a figure."""
    found = set()
    for trace in lines_of(figure):
        points = list(zip(trace.x, trace.y, strict=True))
        for (xa, ya), (xb, yb) in pairwise(points):
            if xa is not None and xb is not None:
                found.add(tuple(np.round([*min((xa, ya), (xb, yb)), *max((xa, ya), (xb, yb))], 9)))
    return found


def scipy_pieces(tree: Floats, base: float) -> tuple[set[tuple[float, ...]], list[int]]:
    """The same by SciPy; its leaves are at 5, 15, 25 ..."""
    from scipy.cluster.hierarchy import dendrogram

    drawn = dendrogram(tree, no_plot=True)
    found = set()
    for places, heights in zip(drawn["icoord"], drawn["dcoord"], strict=True):
        x, y = np.maximum(heights, base), (np.array(places) - 5) / 10
        for k in range(3):
            a, b = (x[k], y[k]), (x[k + 1], y[k + 1])
            found.add(tuple(np.round([*min(a, b), *max(a, b)], 9)))
    return found, drawn["leaves"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
@pytest.mark.slow
def test_the_geometry_is_that_of_scipy(seed: int, method: str) -> None:
    from scipy.cluster.hierarchy import optimal_leaf_ordering
    from scipy.spatial.distance import pdist

    n = 2 + 7 * seed
    points = random_points(seed, n)
    tree = linkage(points, method, "euclidean")
    distances = pdist(points)
    figure = dendrogram_figure(tree, [f"w{i}" for i in range(n)], distances=distances)
    base = float(figure.layout.xaxis.range[1])
    expected, leaves = scipy_pieces(optimal_leaf_ordering(tree, distances), base)
    assert pieces(figure) == expected
    assert list(figure.layout.yaxis.ticktext) == [f"w{i}" for i in leaves]
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = distances
    again = dendrogram_figure(tree, [f"w{i}" for i in range(n)], distances=square + square.T)
    assert again == figure


def test_without_distances_the_lower_part_comes_first() -> None:
    tree = np.array([[0, 3, 1.0, 2], [1, 2, 2.0, 2], [4, 6, 2.5, 3], [5, 7, 3.0, 5]])
    figure = dendrogram_figure(tree, list("abcde"))
    assert list(figure.layout.yaxis.ticktext) == list("adbce")
    tie = np.array([[2, 3, 1.0, 2], [0, 1, 1.0, 2], [4, 5, 2.0, 4]])
    assert list(dendrogram_figure(tie, list("abcd")).layout.yaxis.ticktext) == list("cdab")


@pytest.mark.parametrize("k", [1, 2, 3, 5, 12])
def test_clusters_of_a_cut_have_colours_of_their_own(k: int) -> None:
    points = random_points(5, 12)
    tree = linkage(points, "average", "euclidean")
    figure = dendrogram_figure(tree, [str(i) for i in range(12)], n_clusters=k)
    groups = cut_tree(tree, k)
    base = figure.layout.xaxis.range[1]
    colour_at = {
        round(y): trace.line.color
        for trace in lines_of(figure)
        for x, y in zip(trace.x, trace.y, strict=True)
        if x == base
    }
    colours = {int(label): colour_at[row] for row, label in enumerate(figure.layout.yaxis.ticktext)}
    single = {i for i in range(12) if (groups == groups[i]).sum() == 1}
    grey = {colours[i] for i in single}
    assert len(grey) <= 1
    for i in range(12):
        for j in range(12):
            if i not in single and j not in single:
                assert (colours[i] == colours[j]) == (groups[i] == groups[j])
    assert not grey & {colours[i] for i in range(12) if i not in single}
    assert len(lines_of(figure)) <= k + 1, "a trace for each colour, not for each merge"


def test_the_highest_cut_with_most_clusters_is_chosen(tmp_path: Path) -> None:
    points = [[0.0], [0.1], [5.0], [5.2], [5.5], [30.0], [-70.0]]
    tree = linkage(points, "single", "euclidean")
    assert len(lines_of(dendrogram_figure(tree, list("abcdefg")))) == 3, (
        "two clusters, and the rest"
    )
    save_dendrogram(tmp_path / "a.html", tree, list("abcdefg"))
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    colours = json.loads(re.findall(r'application/json">(.*?)</script>', text, re.DOTALL)[0])[
        "colours"
    ]
    assert colours[0] == colours[1] != colours[2] == colours[3] == colours[4]
    assert colours[5] == colours[6] == -1


def test_a_large_tree_is_drawn_as_clusters() -> None:
    n = 1200
    tree = linkage(random_points(1, n), "complete", "euclidean")
    labels = [f"w{i}" for i in range(n)]
    figure = dendrogram_figure(tree, labels)
    names = list(figure.layout.yaxis.ticktext)
    assert len(names) == 100
    assert "1,200 leaves, drawn as 100 leaves and clusters." in figure.layout.title.subtitle.text
    groups = cut_tree(tree, 100)
    sizes = np.bincount(groups)
    by_first = {int(np.flatnonzero(groups == g)[0]): g for g in range(100)}
    total = 0
    for name in names:
        listed = re.findall(r"w(\d+)", name)
        more = re.search(r", … \(\+ (\d+)\)$", name)
        size = len(listed) + (int(more[1]) if more else 0)
        group = by_first[int(listed[0])]
        assert size == sizes[group]
        assert [int(i) for i in listed] == np.flatnonzero(groups == group)[:3].tolist()
        total += size
    assert total == n
    assert len(figure.layout.yaxis.tickvals) == 100
    assert len(dendrogram_figure(tree, labels, rows=7).layout.yaxis.ticktext) == 7
    assert len(dendrogram_figure(tree, labels, rows=5000).layout.yaxis.ticktext) == n


def test_three_hundred_leaves_have_room_each() -> None:
    tree = linkage(random_points(2, 300), "ward", "euclidean")
    figure = dendrogram_figure(tree, [f"w{i}" for i in range(300)])
    assert len(figure.layout.yaxis.ticktext) == 300
    margin = figure.layout.margin
    row = (figure.layout.height - margin.t - margin.b) / 300
    assert row > 1.2 * figure.layout.yaxis.tickfont.size
    assert "subtitle" not in figure.layout.title or not figure.layout.title.subtitle.text


def test_labels_are_no_markup(tmp_path: Path) -> None:
    tree = linkage(random_points(3, 4), "single", "euclidean")
    title = "<b>title</b> & more"
    figure = dendrogram_figure(tree, HOSTILE, title=title, axis="<i>")
    shown = set(figure.layout.yaxis.ticktext)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "a&amp;amp;b" in shown
    assert "\ufffd[31m\ufffd" in shown
    assert f"{'w' * 29}…" in shown
    assert figure.layout.title.text == "&lt;b&gt;title&lt;/b&gt; &amp; more"
    assert figure.layout.xaxis.title.text == "&lt;i&gt;"
    told = " ".join(text for trace in figure.data for text in trace.customdata or [])
    assert "<script" not in told
    assert "w" * 60 in told, "the whole label is under the mouse"
    page = tmp_path / "tree.html"
    save_dendrogram(page, tree, HOSTILE, title=title, axis="<i>")
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert text.count("<script") == text.count("</script>") == 2
    assert "&lt;b&gt;title&lt;/b&gt; &amp; more" in text
    data = json.loads(re.findall(r'application/json">(.*?)</script>', text, re.DOTALL)[0])
    assert data["labels"] == [HOSTILE[0], HOSTILE[1], "\ufffd[31m\ufffd", HOSTILE[3]]


def test_a_page_asks_for_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    import base64
    import hashlib

    save_dendrogram(tmp_path / "a.HTML", INVERTED, list("abcd"))
    text = (tmp_path / "a.HTML").read_text(encoding="utf-8")
    assert "src=" not in text
    assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", text)
    policy = re.findall(r'Content-Security-Policy" content="(.*?)"', text)[0]
    assert policy.startswith("default-src &#x27;none&#x27;;")
    for tag in ("script", "style"):
        inside = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[0]
        assert base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() in policy


def test_merges_lower_than_their_parts_are_marked_and_said(tmp_path: Path) -> None:
    assert inversions(INVERTED).tolist() == [1]
    figure = dendrogram_figure(INVERTED, list("abcd"))
    said = figure.layout.title.subtitle.text.replace("<br>", " ")
    assert said.startswith("1 merge is lower than one of its parts (of 3; marked ◆)")
    assert "not monotonic" in said
    (marks,) = [t for t in figure.data if t.mode == "markers" and t.marker.symbol == "diamond"]
    assert list(marks.x) == [1.5]
    save_dendrogram(tmp_path / "a.html", INVERTED, list("abcd"))
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "1 merge is lower than one of its parts" in text
    assert '"inverted":[1]' in text
    fine = dendrogram_figure(np.array([[0, 1, 1.0, 2]]), ["a", "b"])
    assert not any(t.mode == "markers" and t.marker.symbol == "diamond" for t in fine.data)


def test_heights_far_from_zero_negative_or_equal_can_be_drawn() -> None:
    for low, high in ((0.8, 0.9), (-2.0, -1.0), (0.0, 0.0), (3.0, 3.0), (-1.0, -1.0), (1e-9, 2e9)):
        figure = dendrogram_figure(np.array([[0, 1, low, 2], [2, 3, high, 3]]), list("abc"))
        left, right = figure.layout.xaxis.range
        assert left > max(low, high)
        assert right <= min(low, high)
        assert right == 0 or not 0 <= low <= high / 3


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least two objects"):
        dendrogram_figure(np.zeros((0, 4)), ["a"])
    with pytest.raises(InputError, match="4 objects, but there are 3 labels"):
        dendrogram_figure(INVERTED, list("abc"))
    with pytest.raises(InputError, match="four columns"):
        dendrogram_figure(np.zeros((3, 3)), list("abcd"))
    for wrong in (0, 5, True):
        with pytest.raises(ParameterError, match="n_clusters"):
            dendrogram_figure(INVERTED, list("abcd"), n_clusters=wrong)
    with pytest.raises(ParameterError, match="rows"):
        dendrogram_figure(INVERTED, list("abcd"), rows=1)
    with pytest.raises(InputError, match="a matrix of 4 × 4"):
        dendrogram_figure(INVERTED, list("abcd"), distances=np.zeros((3, 3)))
    with pytest.raises(InputError, match="ends with .html"):
        save_dendrogram(tmp_path / "a.doc", INVERTED, list("abcd"))


@pytest.mark.slow
def test_a_deep_tree_is_no_trouble() -> None:
    n = 3000
    rows = [[max(i - 1 + n, 0) if i else 0, i + 1, i + 1.0, i + 2] for i in range(n - 1)]
    figure = dendrogram_figure(np.array(rows, float), [str(i) for i in range(n)], rows=n)
    assert len(figure.layout.yaxis.ticktext) == n
