"""What notebooks show of the parts of a model, and of other results: a small table, and a picture."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Any

from firth import unicode

__all__ = ["Shown", "bars", "facts_table", "outline", "rows_table"]

_CELL = "text-align:left;vertical-align:top;white-space:normal"
_LONGEST = 400
"""Characters of a cell."""
_NAME = 24
"""Characters of the name of a bar."""
_ROWS = 20
"""Rows of a table of results."""
_BLUE, _GREY = "#2a7f9e", "#808890"
_POINTS = 60
"""How many bars an outline has."""


class Shown:
    """Something with a ``summary``, which notebooks show as a table."""

    def summary(self) -> tuple[str, list[str]]:
        """What it is, and how it was made, in words."""
        raise NotImplementedError

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        """Further rows of the table: their headings and what they say."""
        return ()

    def _notebook_picture(self) -> str:
        """SVG that is shown below the table, or nothing."""
        return ""

    def _repr_html_(self) -> str:
        what, how = self.summary()
        rows = [("size", what), ("made", ", ".join(how)), *self._notebook_rows()]
        picture = self._notebook_picture()
        drawn = _image(picture) if picture else ""
        return facts_table(type(self).__name__, rows) + drawn


def facts_table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """HTML of a table with a heading and a text in each row; rows without text are left out.

    Examples
    --------
    >>> facts_table("Corpus", [("size", "6 tokens"), ("made", "")]).count("<tr>")
    1
    """
    cells = "".join(
        f'<tr><th style="{_CELL}">{_safe(name)}</th><td style="{_CELL}">{_safe(text)}</td></tr>'
        for name, text in rows
        if text
    )
    caption = f'<caption style="text-align:left"><b>{_safe(title)}</b></caption>'
    return f"<table>{caption}<tbody>{cells}</tbody></table>"


def rows_table(rows: Iterable[Any], columns: Sequence[str]) -> str:
    """HTML of the first rows of a result; ``columns`` are those of one without rows.

    Examples
    --------
    >>> rows_table([{"word": "dog", "cosine": 0.51234}], ()).count("0.5123")
    1
    """
    listed = list(islice(rows, _ROWS + 1))
    names = list(listed[0]) if listed else list(columns)
    head = "".join(f'<th style="{_CELL}">{_safe(name)}</th>' for name in names)
    lines = (
        "".join(f'<td style="{_CELL}">{_safe(_text(row[name]))}</td>' for name in names)
        for row in listed[:_ROWS]
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = "<p>… and more: <code>to_frame()</code> has all rows.</p>" if len(listed) > _ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _text(value: Any) -> str:
    """A value of a cell, for a person."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _image(svg: str) -> str:
    """A picture as an image, so that its styles do not apply to the rest of the notebook."""
    data = b64encode(svg.encode(errors="replace")).decode()
    # as wide as the page, and on a phone not smaller than can be read
    style = "max-width:max(100%,36em);background:#fff"
    image = f'<img alt="" style="{style}" src="data:image/svg+xml;base64,{data}">'
    return f'<div style="overflow-x:auto">{image}</div>'


def _safe(text: str) -> str:
    """Text for a page: words can contain anything."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return escape("".join(c if unicode.is_printable(c) else "\ufffd" for c in short))


def bars(named: Sequence[tuple[str, float]], title: str) -> str:
    """SVG with a bar for each name, one below the other.

    Examples
    --------
    >>> bars([("dog", 2.0), ("cat", 1.0)], "times").count("<rect")
    2
    """
    most = max((value for _, value in named), default=0) or 1
    lines = []
    for i, (name, value) in enumerate(named):
        y, short = 26 + 18 * i, name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
        figure = f"{value:,.0f}" if most > 1 else f"{value:.1%}"
        width = 280 * value / most
        lines.append(
            f'<text x="150" y="{y + 11}" text-anchor="end">{_safe(short)}</text>'
            f'<rect x="158" y="{y}" width="{width:.1f}" height="13" fill="{_BLUE}"/>'
            f'<text x="{164 + width:.1f}" y="{y + 11}">{figure}</text>'
        )
    return _svg(26 + 18 * len(named), title, lines)


def outline(values: Sequence[float], title: str) -> str:
    """SVG with the heights of many positive values in their order; of more than 60, some.

    Examples
    --------
    >>> outline([3.0, 2.0, 1.0], "times").count("<rect")
    3
    """
    n = len(values)
    shown = [values[i * n // _POINTS] for i in range(_POINTS)] if n > _POINTS else values
    most = max(shown, default=0) or 1
    heights = (max(0.0, 80 * value / most) for value in shown)
    lines = [
        f'<rect x="{8 * i}" y="{106 - height:.1f}" width="7" height="{height:.1f}" fill="{_BLUE}"/>'
        for i, height in enumerate(heights)
    ]
    return _svg(106, title, lines)


def _svg(height: int, title: str, lines: Iterable[str]) -> str:
    """A picture with a line of text above."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="520" height="{height}" viewBox="0 0 520 {height}" '
        f'font-family="sans-serif" font-size="12" fill="{_GREY}">'
        f'<text x="0" y="14">{_safe(title)}</text>{"".join(lines)}</svg>'
    )
