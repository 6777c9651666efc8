"""Mutual information and perplexity against the number of classes."""

from __future__ import annotations

from typing import Any

from firth.evaluate import Curve
from firth.plots._figures import ACCENT, base_layout, log_axis, plotly

__all__ = ["curve_figure"]

_SECOND = "#d55e00"


def curve_figure(curve: Curve) -> Any:
    """Mutual information (left axis) and perplexity (right axis) of cuts of a class tree, as a Plotly figure."""
    graph = plotly()
    sizes = [row.k for row in curve.rows]
    figure = graph.Figure()
    for name, values, colour, axis in (
        ("mutual information (bits)", [row.mutual_information for row in curve.rows], ACCENT, "y"),
        (f"{curve.kind} perplexity", [row.perplexity for row in curve.rows], _SECOND, "y2"),
    ):
        figure.add_trace(
            graph.Scatter(
                x=sizes, y=values, name=name, yaxis=axis, mode="lines+markers",
                line={"color": colour, "width": 2.5},
                hovertemplate="%{x} classes<br>%{y:.4g}<extra>" + name + "</extra>",
            )
        )  # fmt: skip
    figure.update_layout(base_layout("Mutual information and perplexity of cuts of the tree"))
    figure.update_layout(
        showlegend=False,
        margin={"r": 80},
        yaxis2={
            "overlaying": "y", "side": "right", "showgrid": False,
            "title": {"text": f"{curve.kind} perplexity", "font": {"color": _SECOND}},
        },
    )  # fmt: skip
    figure.add_vline(
        x=curve.suggestion, line={"dash": "dot", "color": "grey"},
        annotation_text=f"suggestion: {curve.suggestion:,}", annotation_position="top left",
    )  # fmt: skip
    figure.update_xaxes(title="classes", **log_axis(sizes))
    figure.layout.yaxis.title = {"text": "mutual information (bits)", "font": {"color": ACCENT}}
    figure.layout.yaxis2.tickformat = ",.0f"
    return figure
