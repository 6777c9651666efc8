"""The class tree as an icicle plot: a box for every node, with a width proportional to its share of the text."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from firth.classes import Hierarchy
from firth.plots._figures import base_layout, plotly

__all__ = ["tree_figure"]

_SAFE = ("#77aadd", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00", "#eedd88", "#ee8866", "#ffaabb")
"""Light colours that colour-blind people can distinguish (Paul Tol's light set)."""
_GREY = "#c8ccd0"
"""Of words that are too rare to be learned."""


def tree_figure(classes: Hierarchy, depth: int = 6) -> Any:
    """The upper part of a class tree, as a Plotly figure that can be zoomed."""
    top = classes if max(map(len, classes.paths)) <= depth else classes.truncate(depth)
    tree = top.tree
    tokens = np.asarray(top.tokens, np.float64)
    if not tokens.any():  # imported classes may have no counts
        tokens = np.asarray(top.sizes(), np.float64)
    n = len(tree)
    parent = [""] * (2 * n - 1)
    for i, children in enumerate(tree.merges.tolist()):
        for child in children:
            parent[child] = f"n{n + i}"
    paths = tree.node_paths
    labels = [escape(classes.label(path) if path else "all words", quote=False) for path in paths]
    words = [
        "<br>".join(escape(f"{m.word} {m.count:,}", quote=False) for m in top.members(path, 8))
        for path in paths
    ]
    graph = plotly()
    figure = graph.Figure(
        graph.Icicle(
            ids=[f"n{i}" for i in range(2 * n - 1)], labels=labels, parents=parent,
            values=[float(tokens[a:b].sum()) for a, b in tree.spans.tolist()], branchvalues="total",
            customdata=[[path or "root", some] for path, some in zip(paths, words, strict=True)],
            hovertemplate="<b>%{label}</b><br>%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
            marker={"colors": [_colour(classes, path) for path in paths]},
            tiling={"orientation": "v"}, textfont={"color": "#101418", "size": 14},
            texttemplate="%{label}<br>%{customdata[0]}",
        )
    )  # fmt: skip
    title = f"{len(classes):,} words in {classes.n_classes:,} classes, down to depth {depth}"
    figure.update_layout(base_layout(title))
    figure.update_layout(uniformtext={"minsize": 9, "mode": "hide"}, height=640)
    return figure


def _colour(classes: Hierarchy, path: str) -> str:
    return _GREY if classes.is_rare(path) else _SAFE[int(path[:3].ljust(3, "0") or "0", 2)]
