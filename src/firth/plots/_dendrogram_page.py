"""A dendrogram as an interactive web page: a single file that works offline."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files

from firth.plots._dendrogram_layout import COLOURS, Layout

__all__ = ["dendrogram_page", "page_part"]


def dendrogram_page(layout: Layout, title: str, axis: str) -> str:
    """The page. Its content security policy allows only the script and the style written here."""
    script, style = (page_part(f"dendrogram.{kind}") for kind in ("js", "css"))
    policy = (
        f"default-src 'none'; script-src {_fingerprint(script)}; style-src {_fingerprint(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    name = escape(title or "Dendrogram")
    warning = f'<p class="warning">{escape(layout.warning())}</p>' if len(layout.inverted) else ""
    return page_part("dendrogram.html").format(
        policy=escape(policy), title=name, style=style, warning=warning, axis=escape(axis),
        n=layout.n, rows=layout.rows, data=_data(layout), script=script,
    )  # fmt: skip


def page_part(name: str) -> str:
    """A file of the pages."""
    return files("firth.plots").joinpath("page", name).read_text(encoding="utf-8")


def _fingerprint(text: str) -> str:
    """The hash by which a content security policy allows a script or a style."""
    digest = hashlib.sha256(f"\n{text}".encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _data(layout: Layout) -> str:
    """The tree as JSON; escaped, so that no label can end the script element."""
    data = {
        "labels": layout.labels,
        "children": layout.children.tolist(),
        "heights": [float(f"{height:.6g}") for height in layout.heights[layout.n :]],
        "colours": [c if c < 0 else c % len(COLOURS) for c in layout.colours.tolist()],
        "inverted": layout.inverted.tolist(),
        "rows": layout.rows,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
