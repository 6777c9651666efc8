"""Names of regions on a map do not cover each other."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from firth.plots._map import _heights


def group(x: float, y: float) -> SimpleNamespace:
    return SimpleNamespace(x=x, y=y, words=["storm", "coast", "island"])


def test_names_that_would_cover_each_other_are_moved_up_or_down() -> None:
    first, above, below, beside = _heights(
        [group(0, 0), group(0.1, 0.02), group(0, -0.01), group(3, 0.01)]
    )
    assert (first, beside) == (0, 0.01)
    assert above == pytest.approx(-below)
    assert above > 0.05
    assert _heights([group(0, 0), group(0, 0.5)]) == [0, 0.5]
