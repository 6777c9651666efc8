"""Running the server: a port, a browser, a clean end."""

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
from firth.explore._background import in_background
from firth.explore._edition import Book
from firth.explore._guard import Guard
from firth.explore._server import make_app

__all__ = ["open_browser", "serve"]

_THREADS = 4
"""How many questions are worked on at once; others wait."""
_CONNECTIONS = 200
_LARGEST_HEAD = 256 << 10


def serve(
    book: Book,
    host: str = "127.0.0.1",
    port: int | None = None,
    edit: bool = False,
    names: Sequence[str] = (),
    started: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a model until Ctrl-C or SIGTERM, or until it is found that the model cannot be trusted.

    Parameters
    ----------
    book : Book
    host : str
        The address to listen on.
    port : int, optional
        By default 8765, or any free one where that is taken.
    edit : bool
        Whether the page may name classes.
    names : list of str
        Names of this machine that a browser may use, beside addresses and ``localhost``.
    started : callable
        Called with the address of the page as soon as it can be opened.
    """
    listening = _listen(host, port)
    shown = listening.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    app = Guard(make_app(book, edit), frozenset(name.lower() for name in [*names, host]))
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
            """Wait for the model; if it cannot be trusted, that is the end."""
            try:
                book.wait()
            except FirthError as error:
                trouble.append(error)
                self.should_exit = True

    # one thread for each question; NumPy is loaded by now, and nothing else multiplies here
    with listening, threadpool_limits(1), suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])
    if trouble:
        raise trouble[0]


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens, or an error that says why not."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise InputError(
            f"There is no address {host!r} to listen on.",
            "Leave --host out, or give an address of this machine.",
        ) from None
    for wanted in [8765, 0] if port is None else [port]:
        # with its protocol named, asyncio sends small packets at once (40 ms less for every answer)
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address[0], wanted, *address[2:]))
            listening.listen()  # two may bind to a port at once, but only one can listen
        except OSError as error:
            listening.close()
            if wanted == 8765 and port is None and error.errno == errno.EADDRINUSE:
                continue
            raise InputError(
                f"Cannot listen on {host}, port {wanted}: {error.strerror}.",
                "Give an address of this machine, or leave --host out."
                if error.errno == errno.EADDRNOTAVAIL
                else "Give another one: --port 8800",
            ) from None
        return listening
    raise AssertionError("some port was free")


def open_browser(address: str) -> None:
    """Open the page in the person's browser, without waiting; not in one that runs inside the terminal."""

    def attempt() -> None:
        with suppress(webbrowser.Error):
            found = webbrowser.get()
            if not isinstance(found, webbrowser.GenericBrowser) or isinstance(
                found, webbrowser.BackgroundBrowser
            ):
                found.open(address)

    threading.Thread(target=attempt, daemon=True).start()
