"""The page: a small server, and the same page as one file that needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.explore._edition import Book, Edition
    from firth.explore._export import check_page_name, export_page
    from firth.explore._preparing import prepare
    from firth.explore._server import make_app
    from firth.explore._serving import open_browser, serve

__all__ = [
    "Book",
    "Edition",
    "check_page_name",
    "export_page",
    "make_app",
    "open_browser",
    "prepare",
    "serve",
]

__getattr__ = lazily(
    __name__,
    _edition="Book Edition",
    _export="check_page_name export_page",
    _preparing="prepare",
    _server="make_app",
    _serving="open_browser serve",
)
