"""The word map: a point for every word, and names for its regions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from firth.classes import Hierarchy
from firth.maps import Regions, WordMap
from firth.plots._figures import INK, base_layout, plotly

__all__ = ["map_figure"]

_SAFE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c00", "#7a6fd0")
"""Colours that colour-blind people can distinguish (after Okabe and Ito)."""
_MORE = (*_SAFE, "#b8446a", "#5a9e3f", "#8a6d4b", "#4f6a8f")
_NONE, _NO_CLASS = "#9aa3aa", "no class"
_LONGEST = 30
_LETTER, _LINE = 0.026, 0.055
"""Width of a letter and height of a line, in units of the map."""
_BOLD = 1.6
"""How much larger the names of regions are."""
_MOST_BELOW = 20_000
"""With more words, points are drawn by WebGL, which is quicker, but above all names."""
_NAMED = 3
"""Words in the name of a region."""


def map_figure(
    drawn: WordMap,
    classes: Hierarchy | None = None,
    words: int = 5_000,
    labels: int = 150,
    regions: Regions | None = None,
) -> Any:
    """The most frequent words of a map, as a Plotly figure that can be zoomed.

    Parameters
    ----------
    drawn : WordMap
    classes : Hierarchy, optional
        Words are coloured by the branches of its tree, cut into eight.
    words : int
        Number of most frequent words to draw.
    labels : int
        Number of words to label.
    regions : Regions, optional
        The regions of the map. The names of their groups are on the map; without classes, the groups have the colours.
    """
    graph = plotly()
    order = np.argsort(-np.asarray(drawn.vocabulary.counts), kind="stable")[:words]
    shown = [_short(drawn.vocabulary[i]) for i in order]
    names = [escape(name, quote=False) for name in shown]
    x, y = np.asarray(drawn.positions)[order].T.astype(float)
    named = regions.groups if regions is not None and len(regions.groups) > 1 else []
    if named and classes is None:
        groups, titles = _by_region(order, regions)
    else:
        groups, titles = _by_class([drawn.vocabulary[i] for i in order], classes)
    written = _apart(x, y, shown, labels // 2 if named else labels)
    figure = graph.Figure()
    points = graph.Scattergl if len(order) > _MOST_BELOW else graph.Scatter
    for group, title in enumerate(titles):
        here = np.flatnonzero(groups == group)
        colour = _NONE if title == _NO_CLASS else _MORE[group % len(_MORE)]
        figure.add_trace(
            points(
                x=x[here], y=y[here], mode="markers", name=title,
                text=[names[i] for i in here], hovertemplate="%{text}<extra></extra>",
                marker={"size": 4, "color": colour, "opacity": 0.7},
            )
        )  # fmt: skip
    figure.add_trace(
        graph.Scatter(
            x=x[written], y=y[written], mode="text", text=[names[i] for i in written],
            textfont={"size": 10, "color": INK}, hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip
    if named:
        figure.add_trace(
            graph.Scatter(
                x=[group.x for group in named], y=_heights(named), mode="text",
                text=[f"<b>{_title(group.words)}</b>" for group in named], hoverinfo="skip", showlegend=False,
                textfont={"size": 15, "color": INK},
            )
        )  # fmt: skip
    figure.update_layout(base_layout(f"{len(order):,} words by their contexts"))
    figure.update_layout(height=760, legend={"itemsizing": "constant"})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    return figure


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"


def _by_region(order: Any, regions: Any) -> tuple[Any, list[str]]:
    """The group of regions of each word, and the title of each group: its typical words."""
    group_of = np.array([region.group for region in regions.regions])
    return group_of[regions.of_word[order]], [_title(group.words) for group in regions.groups]


def _heights(named: Sequence[Any]) -> list[float]:
    """Where the names of groups are: at their places, or above or below another name that they would cover."""
    placed: list[tuple[float, float, int]] = []
    for group in named:
        x, y, length = float(group.x), float(group.y), len(_title(group.words))
        for other_x, other_y, other in (
            placed * 2
        ):  # what is moved away from one may be near another
            beside = abs(x - other_x) > _BOLD * _LETTER * (length + other) / 2
            if not beside and abs(y - other_y) < _BOLD * _LINE:
                y = other_y + math.copysign(_BOLD * _LINE, y - other_y)
        placed.append((x, y, length))
    return [y for _, y, _ in placed]


def _title(words: Sequence[str]) -> str:
    return escape(" · ".join(_short(word) for word in words[:_NAMED]), quote=False)


def _by_class(words: list[str], classes: Hierarchy | None) -> tuple[Any, list[str]]:
    """The branch of each word, and the title of each branch; words without a class come last."""
    if classes is None:
        return np.zeros(len(words), int), ["words"]
    top = classes.cut(min(len(_SAFE), classes.n_classes))
    of_word = dict(zip(top.words, top.class_of.tolist(), strict=True))
    titles = [escape(_short(classes.label(path)), quote=False) for path in top.paths]
    return np.array([of_word.get(w, len(titles)) for w in words]), [*titles, _NO_CLASS]


def _apart(x: Any, y: Any, names: list[str], n: int) -> list[int]:
    """The first words whose labels do not overlap, for letters of average width."""
    kept: list[int] = []
    for i in range(len(names)):
        if len(kept) == n:
            break
        if all(
            abs(x[i] - x[k]) > _LETTER * (len(names[i]) + len(names[k])) / 2
            or abs(y[i] - y[k]) > _LINE
            for k in kept
        ):
            kept.append(i)
    return kept
