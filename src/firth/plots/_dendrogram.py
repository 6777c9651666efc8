"""Dendrograms: one leaf per row, and merges further to the left the higher they are."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy.typing as npt

from firth.plots._dendrogram_layout import COLOURS, Layout, lay_out, short
from firth.plots._dendrogram_page import dendrogram_page
from firth.plots._figures import base_layout, plotly, save_figure
from firth.store import replacing

__all__ = ["dendrogram_figure", "save_dendrogram"]

_ABOVE, _MARK = "#7d8992", "#c1121f"
_LONGEST, _NAMED = 30, 3
_FEW = 150
_LINE = 120
"""Maximum length of a line below the title."""
Point = tuple[float | None, float | None]


def dendrogram_figure(
    tree: npt.ArrayLike,
    labels: Sequence[str],
    n_clusters: int | None = None,
    title: str = "",
    axis: str = "height",
    distances: npt.ArrayLike | None = None,
    rows: int | None = None,
) -> Any:
    """A dendrogram, as a Plotly figure.

    A tree with more than 400 leaves is drawn as 100 clusters, each named by its first objects. Merges
    that are lower than one of their parts are marked, and counted below the title.

    Parameters
    ----------
    tree : array of shape (n - 1, 4)
        A linkage in SciPy's form, as ``firth.cluster.linkage`` makes it.
    labels : sequence of str
        The name of every object. It is shown literally, never as markup.
    n_clusters : int, optional
        Number of clusters to cut the tree into. Each gets a colour, unless it is a single object. By
        default the tree is cut at the highest place that gives eight clusters with at least 2% of the
        objects, and at least two; smaller clusters get no colour.
    title, axis : str
        The titles of the figure and of its axis.
    distances : array, optional
        A distance matrix, or its upper half as returned by SciPy's ``pdist``. It is used to order the
        leaves so that neighbours are as similar as the tree allows (up to 500 leaves). Without it, the
        lower of two parts comes first, and a single object after a cluster.
    rows : int, optional
        Maximum number of leaves and clusters to draw.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.plots import dendrogram_figure
    >>> tree = np.array([[0, 1, 0.2, 2], [2, 3, 0.5, 3]])
    >>> figure = dendrogram_figure(tree, ["cat", "dog", "of"], n_clusters=2, title="Three words")
    >>> figure.layout.yaxis.ticktext
    ('cat', 'dog', 'of')
    """
    return _figure(lay_out(tree, labels, n_clusters, distances, rows), title, axis)


def save_dendrogram(
    path: str | Path,
    tree: npt.ArrayLike,
    labels: Sequence[str],
    n_clusters: int | None = None,
    title: str = "",
    axis: str = "height",
    distances: npt.ArrayLike | None = None,
    rows: int | None = None,
) -> None:
    """Write a dendrogram as an image, or as an interactive web page (``.html``).

    Clusters of the page can be expanded and collapsed. The page works offline, without Plotly and
    without a server. For the parameters, see ``dendrogram_figure``.
    """
    path = Path(path)
    if path.suffix.lower() == ".html":
        laid_out = lay_out(tree, labels, n_clusters, distances, rows)
        with replacing(path) as file:
            file.write(dendrogram_page(laid_out, title, axis).encode())
        return
    save_figure(dendrogram_figure(tree, labels, n_clusters, title, axis, distances, rows), path)


def _figure(layout: Layout, title: str, axis: str) -> Any:
    graph = plotly()
    nodes = layout.visible()
    y = _places(layout, nodes)
    figure = graph.Figure()
    for colour, name in _colour_names(layout):
        for kind in (_wedges, _branches):
            points = list(kind(layout, nodes, y, colour))
            if points:
                figure.add_trace(_outline(graph, points, name, filled=kind is _wedges))
    figure.add_trace(_merges(graph, layout, y))
    figure.add_trace(_leaves(graph, layout, nodes, y))
    if len(layout.inverted):
        figure.add_trace(_inversions(graph, layout, y))
    return _with_axes(figure, layout, nodes, title, axis)


def _places(layout: Layout, nodes: Sequence[int]) -> dict[int, float]:
    """The row of each node: 0, 1, 2, ... for leaves, the middle of their parts for merges."""
    y = {node: float(row) for row, node in enumerate(nodes)}
    for node in layout.opened:
        a, b = layout.children[node - layout.n].tolist()
        y[node] = (y[a] + y[b]) / 2
    return y


def _colour_names(layout: Layout) -> Iterator[tuple[int, str]]:
    for colour in range(-1, min(len(COLOURS), int(layout.colours.max()) + 1)):
        yield colour, _ABOVE if colour < 0 else COLOURS[colour]


def _colour(layout: Layout, node: int) -> int:
    colour = int(layout.colours[node])
    return colour if colour < 0 else colour % len(COLOURS)


def _branches(
    layout: Layout, _nodes: Sequence[int], y: dict[int, float], colour: int
) -> Iterator[Point]:
    """The lines of one colour; the line to a part has the colour of the part."""
    for node in layout.opened:
        top, mine = float(layout.heights[node]), _colour(layout, node)
        a, b = layout.children[node - layout.n].tolist()
        line: list[Point] = [(top, y[a]), (top, y[b])]
        for part, before in ((a, True), (b, False)):
            begin = (layout.begin(part), y[part])
            if _colour(layout, part) == mine:
                line.insert(0 if before else len(line), begin)
            elif _colour(layout, part) == colour:
                yield from [begin, (top, y[part]), (None, None)]
        if mine == colour:
            yield from [*line, (None, None)]


def _wedges(
    layout: Layout, nodes: Sequence[int], y: dict[int, float], colour: int
) -> Iterator[Point]:
    """The collapsed clusters of one colour, as wedges."""
    for node in nodes:
        if node >= layout.n and _colour(layout, node) == colour:
            tip, at = layout.begin(node), y[node]
            yield from [(tip, at), (layout.base, at - 0.35), (layout.base, at + 0.35), (tip, at)]
            yield (None, None)


def _outline(graph: Any, points: Sequence[Point], colour: str, filled: bool) -> Any:
    x, y = zip(*points, strict=True)
    return graph.Scatter(
        x=x, y=y, mode="lines", line={"color": colour, "width": 1.6},
        fill="toself" if filled else None, hoverinfo="skip", showlegend=False,
    )  # fmt: skip


def _merges(graph: Any, layout: Layout, y: dict[int, float]) -> Any:
    """A dot on every merge, with a hover text."""
    nodes = list(layout.opened)
    colours = [_colour(layout, node) for node in nodes]
    return graph.Scatter(
        x=layout.heights[nodes], y=[y[node] for node in nodes], mode="markers", showlegend=False,
        marker={"size": 4.5, "color": [_ABOVE if c < 0 else COLOURS[c] for c in colours]},
        customdata=[_hover_text(layout, node) for node in nodes], hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip


def _leaves(graph: Any, layout: Layout, nodes: Sequence[int], y: dict[int, float]) -> Any:
    """Invisible markers with the full label of a leaf, or members of a collapsed cluster, as hover text."""
    return graph.Scatter(
        x=[layout.base] * len(nodes), y=[y[node] for node in nodes], mode="markers", showlegend=False,
        marker={"size": 12, "opacity": 0}, customdata=[_hover_text(layout, node) for node in nodes],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip


def _inversions(graph: Any, layout: Layout, y: dict[int, float]) -> Any:
    nodes = [layout.n + i for i in layout.inverted.tolist() if layout.n + i in y]
    return graph.Scatter(
        x=layout.heights[nodes], y=[y[node] for node in nodes], mode="markers", showlegend=False,
        marker={"size": 10, "symbol": "diamond", "color": _MARK, "line": {"color": "white", "width": 1}},
        hoverinfo="skip",
    )  # fmt: skip


def _hover_text(layout: Layout, node: int) -> str:
    """The hover text of a leaf or a merge."""
    if node < layout.n:
        return _wrapped(layout.labels[node], 60)
    members = layout.first[node]
    names = ", ".join(short(layout.labels[i], _LONGEST) for i in members)
    more = int(layout.sizes[node]) - len(members)
    names += f", … (+ {more:,})" if more else ""
    return f"height {layout.heights[node]:.4g}, {layout.sizes[node]:,} objects<br>{_wrapped(names, 60)}"


def _name(layout: Layout, node: int) -> str:
    """The label of a leaf or a collapsed cluster."""
    if node < layout.n:
        return short(layout.labels[node], _LONGEST)
    members = layout.first[node][:_NAMED]
    names = [short(layout.labels[i], _LONGEST // 2) for i in members]
    more = int(layout.sizes[node]) - len(members)
    return f"{', '.join(names)}, … (+ {more:,})" if more else ", ".join(names)


def _wrapped(text: str, width: int) -> str:
    """Text for Plotly: escaped and wrapped."""
    return "<br>".join(escape(line, quote=False) for line in textwrap.wrap(text, width))


def _with_axes(figure: Any, layout: Layout, nodes: Sequence[int], title: str, axis: str) -> Any:
    """Add title and axes, with room for every label."""
    below = [layout.warning()] if len(layout.inverted) else []
    if layout.rows < layout.n:
        below.insert(0, f"{layout.n:,} leaves, drawn as {layout.rows:,} leaves and clusters.")
    lines = [line for text in below for line in textwrap.wrap(text, _LINE)]
    few = layout.rows <= _FEW
    room = 0.02 * ((layout.high - layout.base) or 1.0)
    top = 64 + 17 * len(lines)
    figure.update_layout(base_layout(escape(short(title, _LINE), quote=False)))
    figure.update_layout(
        height=top + 60 + (18 if few else 13) * layout.rows,
        margin={"l": 30, "r": 30, "t": top, "b": 60},
        title={
            "yref": "container", "y": 1, "yanchor": "top", "pad": {"t": 18}, "font": {"size": 17},
            "subtitle": {"text": "<br>".join(escape(line, quote=False) for line in lines), "font": {"size": 12}},
        },
        hovermode="closest",
        xaxis={"title": {"text": escape(axis, quote=False)}, "range": [layout.high + room, layout.base]},
        yaxis={
            "side": "right", "range": [layout.rows - 0.4, -0.6], "showgrid": False, "showline": False, "ticks": "",
            "tickvals": list(range(layout.rows)), "automargin": True, "tickfont": {"size": 12 if few else 10},
            "ticktext": [escape(_name(layout, node), quote=False) for node in nodes], "ticklabelstandoff": 6,
        },
    )  # fmt: skip
    return figure
