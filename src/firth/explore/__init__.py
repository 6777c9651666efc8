"""The explorer: a model in the browser, from a small local server or as one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.explore._app import make_app
    from firth.explore._export import check_page_name, export_page
    from firth.explore._parameters import ExplorerParameters, check_token
    from firth.explore._prepare import prepare
    from firth.explore._server import open_browser, serve, serve_workshop
    from firth.explore._snapshot import ModelWatcher, Snapshot
    from firth.explore._workshop import Workshop

__all__ = [
    "ExplorerParameters",
    "ModelWatcher",
    "Snapshot",
    "Workshop",
    "check_page_name",
    "check_token",
    "export_page",
    "make_app",
    "open_browser",
    "prepare",
    "serve",
    "serve_workshop",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _app="make_app",
        _export="check_page_name export_page",
        _parameters="ExplorerParameters check_token",
        _prepare="prepare",
        _server="open_browser serve serve_workshop",
        _snapshot="ModelWatcher Snapshot",
        _workshop="Workshop",
    )
