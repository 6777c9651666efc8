"""The curves of the number of clusters."""

from __future__ import annotations

import pytest

from firth.errors import InputError
from firth.plots import how_many_figure

KS, BITS = [1, 2, 3, 4], [900.0, 500.0, 520.0, 610.0]


def test_curves_and_the_choice() -> None:
    figure = how_many_figure(KS, BITS, [910.0, 530.0, 525.0, 640.0], [1.0, 0.9, 0.4, 0.3], 2)
    curves = {trace.name: trace for trace in figure.data}
    assert list(curves) == ["description length", "BIC", "stability", "chosen"]
    assert list(curves["description length"].x) == KS
    assert list(curves["description length"].y) == BITS
    assert list(curves["BIC"].y)[1] == 530.0
    assert curves["stability"].yaxis == "y2"
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0], "one above the other"
    assert (list(curves["chosen"].x), list(curves["chosen"].y)) == ([2], [500.0])
    assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == 2


def test_what_is_not_known_is_left_out() -> None:
    figure = how_many_figure(KS, [None, 500.0, float("nan"), float("inf")], chosen=1)
    (trace,) = figure.data
    assert list(trace.y) == [None, 500.0, None, None]
    assert "yaxis2" not in figure.layout
    assert not how_many_figure(KS, BITS).layout.shapes


def test_many_numbers_are_on_a_logarithmic_axis() -> None:
    figure = how_many_figure([2, 20, 200, 2000], BITS, chosen=200)
    assert figure.layout.xaxis.type == "log"
    assert list(figure.data[1].x) == [200]
    assert figure.layout.shapes[0].x0 == 200
    assert figure.layout.annotations[0].x == pytest.approx(2.30103)
    assert figure.layout.annotations[0].text == "200 clusters"


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(InputError, match="no numbers of clusters"):
        how_many_figure([], [])
    with pytest.raises(InputError, match="4 numbers of clusters, but 3 values of BIC"):
        how_many_figure(KS, BITS, BITS[:3])
    with pytest.raises(InputError, match="number of clusters, 9, is not among"):
        how_many_figure(KS, BITS, chosen=9)
