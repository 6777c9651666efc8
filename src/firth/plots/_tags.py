"""Transition probabilities between tags as a heat map."""

from __future__ import annotations

from typing import Any

from firth import unicode
from firth.plots._figures import base_layout, plotly
from firth.tags import Tagger

__all__ = ["tags_figure"]

_WORDS, _LETTERS = 4, 12
"""Number of words of a tag, and number of letters of a word or name."""
_FEW = 20
"""With at most this number of tags, probabilities are written as numbers."""
_ROW = 80
"""Number of letters that fit into the row of tags."""
_SCALE = [[0, "#ffffff"], [0.25, "#cfe3f2"], [0.5, "#6baed6"], [1, "#08519c"]]


def tags_figure(tagger: Tagger) -> Any:
    """Transition probabilities between tags, as a Plotly figure: from the tag of a row to that of a column."""
    graph = plotly()
    n = tagger.n_tags
    typical = [[_plain(found.word) for found in tagger.typical(k, _WORDS)] for k in range(n)]
    named = [
        f"{k} {_plain(name)}" if name != str(k) else str(k) for k, name in enumerate(tagger.tags_)
    ]
    rows = [f"{name}  <i>{' '.join(words)}</i>" for name, words in zip(named, typical, strict=True)]
    transitions = tagger.hmm_.transition
    hover = [
        [f"{named[i]} then {named[j]}: {transitions[i, j]:.1%}" for j in range(n)] for i in range(n)
    ]
    figure = graph.Figure(
        graph.Heatmap(
            z=transitions, x=named, y=rows, colorscale=_SCALE, zmin=0, text=hover, hoverinfo="text",
            texttemplate=None, xgap=1, ygap=1,
            colorbar={"title": {"text": "probability"}, "tickformat": ".0%", "thickness": 14},
        )
    )  # fmt: skip
    figure.update_layout(base_layout("Transitions between tags"))
    figure.update_layout(
        height=max(420, 180 + (30 if n <= _FEW else 22) * n), margin={"l": 40, "r": 40, "t": 130, "b": 40},
        xaxis={
            "side": "top", "type": "category", "showgrid": False, "automargin": True, "dtick": 1,
            "title": {"text": "next tag", "standoff": 12},
            "tickangle": 0 if n * max(map(len, tagger.tags_)) <= _ROW else -90,
        },
        yaxis={
            "autorange": "reversed", "type": "category", "showgrid": False, "automargin": True, "dtick": 1,
            "title": {"text": "tag, and its most frequent words", "standoff": 12},
        },
    )  # fmt: skip
    if n > _FEW:  # square cells, beside the words
        figure.update_layout(width=480 + 22 * n)
    else:
        figure.data[0].text = [
            [f"{p:.0%}" if p >= 0.01 else "" for p in row] for row in transitions
        ]
        figure.data[0].hovertext = hover
        figure.data[0].texttemplate = "%{text}"
        figure.data[0].textfont = {"size": 11}
    return figure


def _plain(text: str) -> str:
    """A word as a label: of limited length and escaped."""
    text = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
    text = "".join(c if unicode.is_printable(c) else "\ufffd" for c in text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
