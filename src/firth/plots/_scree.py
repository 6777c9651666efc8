"""The scree plot: singular values, the largest first."""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.errors import InputError
from firth.plots._figures import ACCENT, base_layout, log_axis, plotly
from firth.vectors import WordVectors

__all__ = ["scree_figure"]


def scree_figure(vectors: WordVectors) -> Any:
    """Singular values on logarithmic axes, as a Plotly figure.

    Where the line becomes straight, more dimensions add only detail; after a sharp bend, fewer
    dimensions are enough.
    """
    values = vectors.singular_values
    if values is None:
        raise InputError(
            "These vectors were imported: their singular values are unknown.",
            "Learn vectors: firth vectors learn",
        )
    graph = plotly()
    ranks = np.arange(1, len(values) + 1)
    figure = graph.Figure(
        graph.Scatter(
            x=ranks,
            y=values,
            mode="lines+markers" if len(values) <= 60 else "lines",
            line={"color": ACCENT, "width": 2.5},
            hovertemplate="dimension %{x}<br>singular value %{y:.4g}<extra></extra>",
        )
    )
    how = ", ".join(
        str(vectors.made[key]) for key in ("transform", "scale", "contexts") if key in vectors.made
    )
    figure.update_layout(base_layout(f"Singular values of {len(vectors):,} words ({how})"))
    figure.update_xaxes(title="dimension", **log_axis(ranks))
    figure.update_yaxes(title="singular value", **log_axis(values))
    return figure
