"""Runs the server: finds a port, opens a browser, shuts down cleanly."""

from __future__ import annotations

import errno
import gc
import html
import math
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import anyio.to_thread
import uvicorn
from fastapi import FastAPI
from threadpoolctl import threadpool_limits

from firth.errors import FirthError, InputError
from firth.explore._app import make_app, view_of_each_path
from firth.explore._background import end_within, in_background
from firth.explore._connection import MOST_CONNECTIONS, Connection
from firth.explore._middleware import LARGEST_BODY, Guard
from firth.explore._parameters import ExplorerParameters, check_token
from firth.explore._snapshot import ModelWatcher
from firth.explore._workshop import Workshop
from firth.explore._workshop_app import LARGEST_PIECE, PATHS, make_workshop_app

__all__ = ["open_browser", "serve", "serve_workshop"]

_LARGEST_HEAD = 256 << 10
_SWITCH_INTERVAL = 0.0005
_SECONDS_TO_OPEN = 30.0
"""How long a browser has to read the file that leads it to an address."""


def serve(
    watcher: ModelWatcher,
    host: str = ExplorerParameters.host,
    port: int | None = ExplorerParameters.port,
    edit: bool = ExplorerParameters.edit,
    names: Sequence[str] = (),
    started: Callable[[str], None] = lambda _: None,
    token: str | None = None,
    grace: float | None = None,
    framed: bool = False,
) -> None:
    """Serve a model until Ctrl-C or SIGTERM, or until a part turns out to be damaged.

    Parameters
    ----------
    watcher : ModelWatcher
    host : str
        Address to listen on.
    port : int, optional
        Port to listen on; by default 8765, or any free one.
    edit : bool
        Allow naming of classes and tags in the browser.
    names : list of str
        Host names that are accepted in addition to addresses and ``localhost``.
    started : callable
        Called with the URL of the page, with its token, as soon as it can be opened.
    token : str, optional
        What requests must have in the ``X-Firth-Token`` header. By default a random one with ``edit``, and if
        ``host`` is not the default; none otherwise.
    grace : float, optional
        End the whole program so many seconds after a signal, even if work does not end; by default never.
    framed : bool
        Let pages of this machine, such as a notebook, show the explorer in a frame.
    """
    check_token(token)
    if token is None and (edit or host != ExplorerParameters.host):
        token = secrets.token_urlsafe(32)
    # NumPy is loaded by now, so that its thread pools are limited; each request has one thread
    with threadpool_limits(1), _short_pauses(watcher):
        _run(
            make_app(watcher, edit), host, port, names, started, token, grace,
            view_of_each_path(), watcher.wait, framed=framed,
        )  # fmt: skip


def serve_workshop(
    workshop: Workshop,
    port: int | None = ExplorerParameters.port,
    started: Callable[[str], None] = lambda _: None,
    token: str | None = None,
    grace: float | None = None,
) -> None:
    """Serve the page on which texts are dropped and models are learned, on this machine only.

    The parameters are those of ``serve``. There is always a token: the page writes files and starts programs.
    All processes of the workshop end with the server.
    """
    check_token(token)
    token = token or secrets.token_urlsafe(32)
    views = dict.fromkeys(PATHS, "workshop")
    try:
        _run(
            make_workshop_app(workshop), ExplorerParameters.host, port, (), started, token, grace,
            views, lambda: None, LARGEST_PIECE,
        )  # fmt: skip
    finally:
        workshop.close()


def _run(
    app: FastAPI,
    host: str,
    port: int | None,
    names: Sequence[str],
    started: Callable[[str], None],
    token: str | None,
    grace: float | None,
    views: Mapping[str, str],
    open_all: Callable[[], None],
    largest_body: int = LARGEST_BODY,
    framed: bool = False,
) -> None:
    """Run an application until Ctrl-C or SIGTERM, or until ``open_all``, in the background, fails."""
    listening = _listen(host, port)
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    address = f"http://{name}:{listening.getsockname()[1]}/{f'?token={token}' if token else ''}"
    trouble: list[FirthError] = []

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            # the views limit how many requests are processed at the same time
            anyio.to_thread.current_default_thread_limiter().total_tokens = math.inf
            in_background(self.open_all)
            started(address)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            if grace is not None:
                end_within(grace, 0 if sig == signal.SIGINT else 128 + sig)

        def open_all(self) -> None:
            """Stop the server if something is damaged."""
            try:
                open_all()
            except FirthError as error:
                trouble.append(error)
                self.should_exit = True

    guard = Guard(
        app, frozenset(name.lower() for name in [*names, host]), token=token, views=views,
        is_ending=lambda: server.should_exit, largest_body=largest_body, framed=framed,
    )  # fmt: skip
    config = uvicorn.Config(
        guard, log_level="error", access_log=False, server_header=False, lifespan="off", http=Connection, ws="none",
        limit_concurrency=2 * MOST_CONNECTIONS, timeout_keep_alive=30, timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
    )  # fmt: skip
    server = Server(config)
    with listening, suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    if trouble:
        raise trouble[0]


@contextmanager
def _short_pauses(watcher: ModelWatcher) -> Iterator[None]:
    """Let no request wait long for the interpreter.

    A request needs it several times. Behind a thread that computes, each time would take five milliseconds.
    And garbage collection would look at all objects of the model every few seconds, for a quarter of a
    second in a large one; they are set aside when the model is open.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    watcher.warmed = _set_aside
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
        gc.unfreeze()


def _set_aside() -> None:
    """Let garbage collection ignore all objects that exist now, except garbage."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise InputError(
            f"Cannot listen on {host!r}: it is not an address.",
            "Omit --host, or give an address of this machine.",
        ) from None
    for wanted in [8765, 0] if port is None else [port]:
        # asyncio sends small packets without delay only if the protocol is given (saves 40 ms)
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":  # elsewhere the option would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address[0], wanted, *address[2:]))
            listening.listen()  # two sockets may bind to the same port, but only one can listen
        except OSError as error:
            listening.close()
            if wanted == 8765 and port is None and error.errno == errno.EADDRINUSE:
                continue
            raise InputError(
                f"Cannot listen on {host}, port {wanted}: {error.strerror}.",
                "Omit --host, or give an address of this machine."
                if error.errno == errno.EADDRNOTAVAIL
                else "Give another port: --port 8800",
            ) from None
        return listening
    raise AssertionError("some port was free")


def open_browser(address: str) -> None:
    """Open a URL in the default browser without waiting, unless that is a browser in the terminal.

    A URL with a token is opened through a file that only this user can read: the arguments of a program
    are visible to all users of a machine.
    """

    def attempt() -> None:
        with suppress(webbrowser.Error, OSError):
            found = webbrowser.get()
            if isinstance(found, webbrowser.GenericBrowser) and not isinstance(
                found, webbrowser.BackgroundBrowser
            ):
                return
            if "?" not in address:
                found.open(address)
                return
            with tempfile.TemporaryDirectory(prefix="firth-") as folder:
                page, to = Path(folder, "open.html"), html.escape(address)
                page.write_text(
                    f'<!doctype html><meta http-equiv="refresh" content="0;url={to}">\n'
                    f'<a href="{to}">Open the explorer</a>\n',
                    encoding="utf-8",
                )
                found.open(page.as_uri())
                time.sleep(_SECONDS_TO_OPEN)

    threading.Thread(target=attempt, daemon=True).start()
