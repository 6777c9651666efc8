"""The heat map of soft clusters."""

from __future__ import annotations

import numpy as np
import pytest

from firth.errors import InputError, ParameterError
from firth.plots import memberships_figure

SHARES = np.array([[0.2, 0.8], [1.0, 0.0], [0.6, 0.4], [0.004, 0.996]])


def test_objects_come_by_their_strongest_clusters() -> None:
    figure = memberships_figure(SHARES, ["play", "cat", "run", "go"], ["nouns", "verbs"])
    (trace,) = figure.data
    assert list(figure.layout.yaxis.ticktext) == ["cat", "run", "go", "play"]
    assert np.array_equal(trace.z, SHARES[[1, 2, 3, 0]])
    assert list(figure.layout.xaxis.ticktext) == ["nouns", "verbs"]
    assert ["|".join(row) for row in trace.text] == ["100%|", "60%|40%", "|100%", "20%|80%"]
    assert trace.hovertext[2][0] == "go in nouns: 0.4%"
    assert figure.layout.yaxis.autorange == "reversed"
    assert list(memberships_figure(SHARES, list("abcd")).layout.xaxis.ticktext) == ["1", "2"]


def test_names_are_no_markup_and_may_be_the_same() -> None:
    figure = memberships_figure(SHARES[:2], ["<b>x</b>", "w" * 50], ["<i>", "<i>"], title="<u>")
    assert list(figure.layout.yaxis.ticktext) == [f"{'w' * 29}…", "&lt;b&gt;x&lt;/b&gt;"]
    assert list(figure.layout.xaxis.ticktext) == ["&lt;i&gt;", "&lt;i&gt;"]
    assert figure.layout.title.text == "&lt;u&gt;"
    assert "<" not in str(figure.data[0].hovertext)
    assert "w" * 50 in str(figure.data[0].hovertext)


def test_many_objects_and_many_clusters() -> None:
    shares = np.full((200, 40), 1 / 40)
    figure = memberships_figure(shares, [str(i) for i in range(200)])
    assert len(figure.layout.yaxis.ticktext) == 60
    assert figure.layout.title.subtitle.text == "the first 60 of 200 objects"
    assert figure.data[0].text is None
    assert figure.layout.width >= 40 * 20
    assert figure.layout.height >= 60 * 20
    assert len(memberships_figure(shares, ["x"] * 200, rows=500).layout.yaxis.ticktext) == 200


def test_names_of_clusters_have_room() -> None:
    shares = np.full((2, 5), 0.2)
    wrapped = memberships_figure(shares, ["a", "b"], ["some words, and <more> of them"] * 5)
    assert wrapped.layout.xaxis.ticktext[0] == "some words, and<br>&lt;more&gt; of them"
    assert wrapped.layout.xaxis.tickangle == 0
    upright = memberships_figure(shares, ["a", "b"], ["x" * 30] * 5)
    assert upright.layout.xaxis.ticktext[0] == "x" * 30
    assert upright.layout.xaxis.tickangle == -90
    assert upright.layout.margin.t > 6 * 30 + 60


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(InputError, match="must be a table"):
        memberships_figure([0.5, 0.5], ["a", "b"])
    with pytest.raises(InputError, match="4 objects, but 1 labels"):
        memberships_figure(SHARES, ["a"])
    with pytest.raises(InputError, match="2 clusters, but 1 cluster names"):
        memberships_figure(SHARES, list("abcd"), ["x"])
    for wrong in (1.5, -0.5, np.nan):
        with pytest.raises(InputError, match="from 0 to 1"):
            memberships_figure([[wrong, 0.5]], ["a"])
    with pytest.raises(ParameterError, match="rows"):
        memberships_figure(SHARES, list("abcd"), rows=0)
