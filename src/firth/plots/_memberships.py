"""Memberships in soft clusters as a heat map of objects by clusters."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, check_count
from firth.plots._dendrogram_layout import clean, short
from firth.plots._figures import base_layout, plotly

__all__ = ["memberships_figure"]

_LONGEST = 30
_FEW = 16
"""With at most this number of clusters, shares are written as numbers."""
_ROW = 100
"""Number of letters that fit into the row of cluster names."""
_SCALE = [[0, "#ffffff"], [0.02, "#f2f7fb"], [0.5, "#6baed6"], [1, "#08306b"]]


def memberships_figure(
    memberships: npt.ArrayLike,
    labels: Sequence[str],
    groups: Sequence[str] | None = None,
    rows: int = 60,
    title: str = "Memberships of objects in clusters",
) -> Any:
    """Memberships of objects in clusters, as a heat map (Manning and Schütze 1999, table 14.5).

    Objects are sorted by their strongest clusters, and within a cluster by how much they belong to it.

    Parameters
    ----------
    memberships : array of shape (n, k)
        Shares from 0 to 1; every row adds up to 1.
    labels : sequence of str
        The name of every object. It is shown literally, never as markup.
    groups : sequence of str, optional
        The name of every cluster; numbers from 1 by default.
    rows : int
        Maximum number of objects to draw: the first ones.

    Examples
    --------
    >>> from firth.plots import memberships_figure
    >>> figure = memberships_figure([[0.1, 0.9], [1.0, 0.0]], ["play", "ball"])
    >>> figure.layout.yaxis.ticktext
    ('ball', 'play')
    """
    shares = _checked(memberships, labels, groups)
    check_count("memberships_figure", "rows", rows)
    shown = np.clip(shares[:rows], 0.0, 1.0)
    order = np.lexsort((-shown.max(axis=1), shown.argmax(axis=1)))
    shown = shown[order]
    named = [clean(g) for g in groups or [str(j + 1) for j in range(shares.shape[1])]]
    labelled = [clean(labels[i]) for i in order]
    few = len(named) <= _FEW
    graph = plotly()
    figure = graph.Figure(
        graph.Heatmap(
            z=shown, zmin=0, zmax=1, colorscale=_SCALE, xgap=1, ygap=1, hoverinfo="text",
            hovertext=_hover_texts(labelled, named, shown), textfont={"size": 11},
            text=[[f"{p:.0%}" if p >= 0.005 else "" for p in row] for row in shown] if few else None,
            texttemplate="%{text}" if few else None,
            colorbar={"title": {"text": "share"}, "tickformat": ".0%", "thickness": 14},
        )
    )  # fmt: skip
    return _with_axes(figure, labelled, named, len(shares), title)


def _hover_texts(
    labels: list[str], groups: list[str], shares: npt.NDArray[np.float64]
) -> list[list[str]]:
    return [
        [escape(f"{label} in {group}: {p:.1%}", quote=False) for group, p in zip(groups, row, strict=True)]
        for label, row in zip(labels, shares.tolist(), strict=True)
    ]  # fmt: skip


def _with_axes(figure: Any, labels: list[str], groups: list[str], n: int, title: str) -> Any:
    """Add title and axes, with room for every row and every cluster name."""

    def axis(names: list[str]) -> dict[str, Any]:
        return {
            "tickvals": list(range(len(names))), "showgrid": False, "automargin": True, "ticks": "",
            "ticktext": names,
        }  # fmt: skip

    columns, room = _in_lines([short(name, _LONGEST) for name in groups])
    below = "" if len(labels) == n else f"the first {len(labels):,} of {n:,} objects"
    figure.update_layout(base_layout(escape(title, quote=False)))
    figure.update_layout(
        height=110 + room + 22 * len(labels), margin={"l": 40, "r": 40, "t": 80 + room, "b": 30},
        title={"yref": "container", "y": 1, "yanchor": "top", "pad": {"t": 18}, "subtitle": {"text": below}},
        xaxis={"side": "top", "tickangle": 0 if columns else -90, **axis(columns or _plain(groups))},
        yaxis={"autorange": "reversed", **axis(_plain(labels))},
    )  # fmt: skip
    if len(groups) > _FEW:
        figure.update_layout(width=max(900, 320 + 22 * len(groups)))
    return figure


def _plain(names: list[str]) -> list[str]:
    return [escape(short(name, _LONGEST), quote=False) for name in names]


def _in_lines(names: list[str]) -> tuple[list[str], int]:
    """Names wrapped to the width of their columns, if they fit, and their height."""
    width = _ROW // len(names)
    lines = [textwrap.wrap(name, max(width, 1), break_long_words=False) or [""] for name in names]
    if max(len(line) for some in lines for line in some) > width:
        return [], 7 * max(map(len, names))  # they must be rotated
    written = ["<br>".join(escape(line, quote=False) for line in some) for some in lines]
    return written, 16 * max(map(len, lines))


def _checked(
    memberships: npt.ArrayLike, labels: Sequence[str], groups: Sequence[str] | None
) -> npt.NDArray[np.float64]:
    shares = np.asarray(memberships, np.float64)
    if shares.ndim != 2 or not shares.size:
        raise InputError(
            "Memberships must be a table with a row for every object and a column for every cluster."
        )
    if len(labels) != len(shares):
        raise InputError(f"There are {len(shares):,} objects, but {len(labels):,} labels.")
    if groups is not None and len(groups) != shares.shape[1]:
        raise InputError(
            f"There are {shares.shape[1]:,} clusters, but {len(groups):,} cluster names."
        )
    if not (np.isfinite(shares).all() and shares.min() >= -1e-9 and shares.max() <= 1 + 1e-9):
        raise InputError("Memberships must be numbers from 0 to 1.")
    return shares
