"""Runs the server: finds a port, opens a browser, shuts down cleanly."""

from __future__ import annotations

import errno
import os
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress

import anyio.to_thread
import uvicorn
from threadpoolctl import threadpool_limits

from firth.errors import FirthError, InputError
from firth.explore._app import make_app
from firth.explore._background import in_background
from firth.explore._middleware import Guard
from firth.explore._parameters import ExplorerParameters
from firth.explore._snapshot import ModelWatcher

__all__ = ["open_browser", "serve"]

_THREADS = 4
"""Number of requests that are processed at the same time; others wait."""
_CONNECTIONS = 200
_LARGEST_HEAD = 256 << 10


def serve(
    watcher: ModelWatcher,
    host: str = ExplorerParameters.host,
    port: int | None = ExplorerParameters.port,
    edit: bool = ExplorerParameters.edit,
    names: Sequence[str] = (),
    started: Callable[[str], None] = lambda _: None,
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
        Called with the URL of the page as soon as it can be opened.
    """
    listening = _listen(host, port)
    shown = listening.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    app = Guard(make_app(watcher, edit), frozenset(name.lower() for name in [*names, host]))
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", http="h11", ws="none",
        limit_concurrency=_CONNECTIONS, timeout_keep_alive=30, timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
    )  # fmt: skip

    trouble: list[FirthError] = []

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
            in_background(self.open_model)
            started(f"http://{name}:{shown}/")

        def open_model(self) -> None:
            """Wait until the model is open; stop the server if a part is damaged."""
            try:
                watcher.wait()
            except FirthError as error:
                trouble.append(error)
                self.should_exit = True

    # one thread for each request; NumPy is loaded by now, so that its thread pools are limited
    with listening, threadpool_limits(1), suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])
    if trouble:
        raise trouble[0]


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
    """Open a URL in the default browser without waiting, unless that is a browser in the terminal."""

    def attempt() -> None:
        with suppress(webbrowser.Error):
            found = webbrowser.get()
            if not isinstance(found, webbrowser.GenericBrowser) or isinstance(
                found, webbrowser.BackgroundBrowser
            ):
                found.open(address)

    threading.Thread(target=attempt, daemon=True).start()
