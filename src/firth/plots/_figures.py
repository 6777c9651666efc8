"""Making and saving figures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from firth.errors import FirthError, InputError
from firth.store import replacing

__all__ = ["FIGURE_FILES", "check_figure_name", "plotly", "save_figure"]

FIGURE_FILES = (".html", ".svg", ".png", ".pdf", ".jpeg", ".webp")
"""The kinds of files that figures are written to."""
_HEAD = (
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark">'
)
INK, GRID, ACCENT = "#26323d", "#e3e8ec", "#2a7f9e"


def plotly() -> Any:
    """Plotly's graph objects, which take a while to import."""
    import plotly.graph_objects

    return plotly.graph_objects


def base_layout(title: str) -> dict[str, Any]:
    """The layout of all figures: white background, thin grid, room for the title."""
    axis = {"gridcolor": GRID, "linecolor": INK, "ticks": "outside", "zeroline": False}
    return {
        "title": {"text": title, "x": 0.02},
        "template": "none",
        "font": {"family": "Inter, Helvetica, Arial, sans-serif", "color": INK},
        "margin": {"l": 70, "r": 30, "t": 70, "b": 60},
        "xaxis": dict(axis),
        "yaxis": dict(axis),
    }


def log_axis(values: Any) -> dict[str, Any]:
    """A logarithmic axis with ticks at 1, 2 and 5 times powers of ten."""
    low, high = float(min(values)), float(max(values))
    ticks = [
        m * 10.0**e
        for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for m in (1, 2, 5)
        if low * 0.5 <= m * 10.0**e <= high * 2
    ]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def check_figure_name(path: str | Path) -> None:
    """Raise InputError unless the name of a file ends like that of a figure."""
    if Path(path).suffix.lower() not in FIGURE_FILES:
        raise InputError(
            f"The figure format of {Path(path).name!r} is unknown.",
            "Use a name that ends with .html, .svg, .png or .pdf.",
        )


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as a web page that works offline (``.html``), or as an image."""
    check_figure_name(path)
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".html":
        from firth.plots._dendrogram_page import page_part

        page = figure.to_html(
            config={"responsive": True}, include_plotlyjs=True, full_html=True, div_id="figure",
            post_script=page_part("figure.js"),
        ).replace("<head>", f"<head>{_HEAD}", 1)  # fmt: skip
        with replacing(path) as file:
            file.write(page.encode())
        return
    try:
        scale = 1 if suffix in (".svg", ".pdf") else 2
        height = figure.layout.height or 560
        width = figure.layout.width or 900
        image = figure.to_image(format=suffix[1:], width=width, height=height, scale=scale)
    except (ValueError, RuntimeError, OSError, ImportError) as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        raise FirthError(
            f"Images need Kaleido and a Chrome browser: {reason}",
            'Install them: pip install "firth[images]", and Chrome or Chromium. '
            f"Or write a web page: {path.stem}.html",
        ) from error
    with replacing(path) as file:
        file.write(image)
