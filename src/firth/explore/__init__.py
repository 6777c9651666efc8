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
    {
        "Book": "_edition", "Edition": "_edition", "check_page_name": "_export", "export_page": "_export",
        "make_app": "_server",
        "open_browser": "_serving", "prepare": "_preparing", "serve": "_serving",
    },
)  # fmt: skip
