"""The explorer: a model in the browser, from a small local server or as one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.explore._app import make_app
    from firth.explore._export import check_page_name, export_page
    from firth.explore._parameters import ExplorerParameters, check_token
    from firth.explore._prepare import prepare
    from firth.explore._server import open_browser, serve
    from firth.explore._snapshot import ModelWatcher, Snapshot

__all__ = [
    "ExplorerParameters",
    "ModelWatcher",
    "Snapshot",
    "check_page_name",
    "check_token",
    "export_page",
    "make_app",
    "open_browser",
    "prepare",
    "serve",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _app="make_app",
        _export="check_page_name export_page",
        _parameters="ExplorerParameters check_token",
        _prepare="prepare",
        _server="open_browser serve",
        _snapshot="ModelWatcher Snapshot",
    )
