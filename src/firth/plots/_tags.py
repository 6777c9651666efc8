"""Which tags follow which, as a heat map."""

from __future__ import annotations

from typing import Any

from firth.plots._figures import base_layout, plotly
from firth.tags import Tagger

__all__ = ["tags_figure"]

_WORDS, _LETTERS = 4, 12
"""How many words are shown of a tag, and how much of a long word or name."""
_FEW = 20
"""So many tags have room for numbers."""
_ROW = 80
"""So many letters have room side by side."""
_SCALE = [[0, "#ffffff"], [0.25, "#cfe3f2"], [0.5, "#6baed6"], [1, "#08519c"]]


def tags_figure(tagger: Tagger) -> Any:
    """The probabilities of the steps from tag to tag: a row for the tag before, a column for the tag after."""
    graph = plotly()
    n = tagger.n_tags
    typical = [[_plain(found.word) for found in tagger.typical(k, _WORDS)] for k in range(n)]
    named = [
        f"{k} {_plain(name)}" if name != str(k) else str(k) for k, name in enumerate(tagger.tags_)
    ]
    rows = [f"{name}  <i>{' '.join(words)}</i>" for name, words in zip(named, typical, strict=True)]
    steps = tagger.hmm_.transition
    hover = [[f"{named[i]} then {named[j]}: {steps[i, j]:.1%}" for j in range(n)] for i in range(n)]
    figure = graph.Figure(
        graph.Heatmap(
            z=steps, x=named, y=rows, colorscale=_SCALE, zmin=0, text=hover, hoverinfo="text",
            texttemplate=None, xgap=1, ygap=1,
            colorbar={"title": {"text": "probability"}, "tickformat": ".0%", "thickness": 14},
        )
    )  # fmt: skip
    figure.update_layout(base_layout("Which tag follows which"))
    figure.update_layout(
        height=max(420, 180 + (30 if n <= _FEW else 22) * n), margin={"l": 40, "r": 40, "t": 130, "b": 40},
        xaxis={
            "side": "top", "type": "category", "showgrid": False, "automargin": True, "dtick": 1,
            "title": {"text": "the tag after", "standoff": 12},
            "tickangle": 0 if n * max(map(len, tagger.tags_)) <= _ROW else -90,
        },
        yaxis={
            "autorange": "reversed", "type": "category", "showgrid": False, "automargin": True, "dtick": 1,
            "title": {"text": "the tag before, and its most frequent words", "standoff": 12},
        },
    )  # fmt: skip
    if n > _FEW:  # as wide as it is high, beside the words
        figure.update_layout(width=480 + 22 * n)
    else:
        figure.data[0].text = [[f"{p:.0%}" if p >= 0.01 else "" for p in row] for row in steps]
        figure.data[0].hovertext = hover
        figure.data[0].texttemplate = "%{text}"
        figure.data[0].textfont = {"size": 11}
    return figure


def _plain(text: str) -> str:
    """A word as a label: not too long, and nothing in it is markup."""
    text = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
    text = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
