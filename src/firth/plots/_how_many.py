"""Description length, BIC and stability against the number of clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from firth.errors import InputError
from firth.plots._figures import ACCENT, GRID, INK, base_layout, log_axis, plotly

__all__ = ["how_many_figure"]

_BIC, _STABILITY = "#d55e00", "#009e73"
_FEW = 20
Values = Sequence[float | None]


def how_many_figure(
    ks: Sequence[int],
    bits: Values,
    bic_bits: Values | None = None,
    stability: Values | None = None,
    chosen: int | None = None,
    title: str = "How many clusters?",
) -> Any:
    """Measures against the number of clusters, as a Plotly figure; the chosen number is marked.

    Parameters
    ----------
    ks : sequence of int
        Numbers of clusters, ascending.
    bits : sequence of float
        The description length for each number of clusters; fewer bits are better.
    bic_bits : sequence of float, optional
        The Bayesian information criterion, in bits.
    stability : sequence of float, optional
        The agreement of several runs; 1 is best. It is drawn below, on an axis of its own.
    chosen : int, optional
        The number of clusters to mark; one of ``ks``.
    title : str

    Notes
    -----
    Values that are None or not finite leave a gap.

    Examples
    --------
    >>> from firth.plots import how_many_figure
    >>> figure = how_many_figure([1, 2, 3], [90.0, 60.0, 70.0], chosen=2)
    >>> [trace.name for trace in figure.data]
    ['description length', 'chosen']
    """
    curves = {"description length": (bits, ACCENT, "solid", "y")}
    if bic_bits is not None:
        curves["BIC"] = (bic_bits, _BIC, "dash", "y")
    if stability is not None:
        curves["stability"] = (stability, _STABILITY, "solid", "y2")
    _check(ks, curves, chosen)
    graph = plotly()
    figure = graph.Figure()
    for name, (values, colour, dash, axis) in curves.items():
        figure.add_trace(
            graph.Scatter(
                x=list(ks), y=_numbers(values), name=name, yaxis=axis, mode="lines+markers",
                line={"color": colour, "width": 2.5, "dash": dash}, marker={"size": 6},
                hovertemplate=f"%{{x}} clusters<br>%{{y:,.6~g}}<extra>{name}</extra>",
            )
        )  # fmt: skip
    figure.update_layout(base_layout(title))
    _axes(figure, ks, below=stability is not None)
    if chosen is not None:
        _mark(graph, figure, ks, chosen, _numbers(bits)[list(ks).index(chosen)])
    return figure


def _check(ks: Sequence[int], curves: dict[str, Any], chosen: int | None) -> None:
    if not len(ks):
        raise InputError("There are no numbers of clusters to draw.")
    for name, (values, *_) in curves.items():
        if len(values) != len(ks):
            raise InputError(
                f"There are {len(ks):,} numbers of clusters, but {len(values):,} values of {name}."
            )
    if chosen is not None and chosen not in list(ks):
        raise InputError(f"The chosen number of clusters, {chosen}, is not among those drawn.")


def _numbers(values: Values) -> list[float | None]:
    return [None if value is None or not math.isfinite(value) else float(value) for value in values]


def _is_wide(ks: Sequence[int]) -> bool:
    """Whether the range of numbers needs a logarithmic axis."""
    return min(ks) >= 1 and max(ks) > 30 * min(ks)


def _axes(figure: Any, ks: Sequence[int], below: bool) -> None:
    """Bits above, and stability, if any, below."""
    ticks = log_axis(ks) if _is_wide(ks) else {"tickvals": list(ks)} if len(ks) <= _FEW else {}
    figure.update_layout(
        height=560 if below else 440,
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1.06, "yanchor": "bottom"},
        xaxis={"title": {"text": "clusters"}, "anchor": "y2" if below else "y", **ticks},
        yaxis={"title": {"text": "bits"}, "domain": [0.36, 1] if below else [0, 1], "tickformat": "~s"},
        margin={"t": 100},
    )  # fmt: skip
    if below:
        figure.update_layout(
            yaxis2={
                "title": {"text": "stability"}, "domain": [0, 0.26], "range": [-0.02, 1.05],
                "gridcolor": GRID, "linecolor": INK, "ticks": "outside", "zeroline": False, "tickvals": [0, 0.5, 1],
            }
        )  # fmt: skip


def _mark(graph: Any, figure: Any, ks: Sequence[int], chosen: int, bits: float | None) -> None:
    """Mark the chosen number: a line through all curves, its label, and a ring around the bits."""
    line = {"dash": "dot", "color": "grey", "width": 1.5}
    figure.add_shape(type="line", x0=chosen, x1=chosen, y0=0, y1=1, yref="paper", line=line)
    figure.add_annotation(
        x=math.log10(chosen) if _is_wide(ks) else chosen, y=1, yref="paper", yanchor="bottom", showarrow=False,
        text=f"{chosen:,} clusters",
    )  # fmt: skip
    if bits is not None:
        figure.add_trace(
            graph.Scatter(
                x=[chosen], y=[bits], name="chosen", mode="markers", hoverinfo="skip", showlegend=False,
                marker={"size": 15, "symbol": "circle-open", "color": INK, "line": {"width": 2.5}}, cliponaxis=False,
            )
        )  # fmt: skip
