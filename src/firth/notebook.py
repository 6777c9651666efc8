"""What notebooks show of the parts of a model: a small table, and a picture where there is one."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape

from firth import unicode

__all__ = ["Shown"]

_CELL = "text-align:left;vertical-align:top;white-space:normal"
_LONGEST = 400
"""Characters of a cell."""


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
        cells = "".join(
            f'<tr><th style="{_CELL}">{_safe(name)}</th><td style="{_CELL}">{_safe(text)}</td></tr>'
            for name, text in rows
            if text
        )
        title = f'<caption style="text-align:left"><b>{_safe(type(self).__name__)}</b></caption>'
        picture = self._notebook_picture()
        drawn = _image(picture) if picture else ""
        return f"<table>{title}<tbody>{cells}</tbody></table>{drawn}"


def _image(svg: str) -> str:
    """A picture as an image, so that its styles do not apply to the rest of the notebook."""
    data = b64encode(svg.encode(errors="replace")).decode()
    image = f'<img alt="" style="max-width:none" src="data:image/svg+xml;base64,{data}">'
    return f'<div style="overflow-x:auto">{image}</div>'


def _safe(text: str) -> str:
    """Text for a page: words can contain anything."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return escape("".join(c if unicode.is_printable(c) else "\ufffd" for c in short))
