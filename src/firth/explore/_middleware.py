"""ASGI middleware: checks the Host header and the token, limits sizes, times and work, adds headers."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import nullcontext
from typing import Any

from firth import progress
from firth.explore._background import in_foreground

__all__ = ["Guard", "is_allowed"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST_QUERY = 160 << 10  # a word of 12,000 letters, each of three bytes, as %XX
LARGEST_BODY = 16 << 10
SECONDS = 10.0
_TOKEN_HEADER = "X-Firth-Token"  # noqa: S105
_AT_ONCE = 4
"""Number of requests of a view that are processed at the same time; others wait."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FRAMED = POLICY.replace(
    "frame-ancestors 'none'", "frame-ancestors http://localhost:* http://127.0.0.1:*"
)
"""For a frame in a notebook of this machine; other pages still cannot have one."""
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]


def is_allowed(host: str, names: frozenset[str]) -> bool:
    """Whether a Host header is accepted: an IP address, ``localhost``, or an allowed name.

    A malicious page can point its own host name at this machine to read the data (DNS rebinding), but
    it cannot make the browser send an IP address or a name that it does not own.

    >>> is_allowed("127.0.0.1:8000", frozenset()), is_allowed("evil.example:8000", frozenset())
    (True, False)
    """
    name = host.lower()
    if name.startswith("["):
        name, closed, port = name[1:].partition("]")
        if not closed:
            return False
    else:
        name, _, port = name.partition(":")
        port = f":{port}" if port else ""
    if port and not (port[0] == ":" and port[1:].isdecimal()):
        return False
    if name == "localhost" or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _framed_headers() -> list[tuple[bytes, bytes]]:
    """The headers for a notebook; ``x-frame-options`` knows no origins, and is left out."""
    others = [(name, value) for name, value in HEADERS if name != b"x-frame-options"]
    return [(b"content-security-policy", FRAMED.encode()), *others[1:]]


class Guard:
    """Wraps an ASGI application; see the module.

    Work is cancelled (see ``progress.while_wanted``) when the client disconnects, when it takes too long, and
    when the server ends. Work that does not notice occupies its view, but no other one.

    Parameters
    ----------
    app : ASGI application
    names : frozenset of str
        Host names that are accepted in addition to addresses and ``localhost``.
    seconds : float, optional
        Maximum time for a response; ten seconds by default.
    token : str, optional
        What requests below ``/api`` must have in the ``X-Firth-Token`` header; by default nothing.
    views : dict of str to str, optional
        The view that each path belongs to.
    is_ending : callable, optional
        Whether the server is about to end.
    largest_body : int
        Maximum size of the body of a request, in bytes.
    framed : bool
        Whether pages of this machine may show the explorer in a frame.
    """

    def __init__(
        self,
        app: App,
        names: frozenset[str] = frozenset(),
        seconds: float | None = None,
        token: str | None = None,
        views: Mapping[str, str] | None = None,
        is_ending: Callable[[], bool] = lambda: False,
        largest_body: int = LARGEST_BODY,
        framed: bool = False,
    ) -> None:
        self._app, self._names = app, names
        self._headers = _framed_headers() if framed else HEADERS
        self._seconds = SECONDS if seconds is None else seconds
        self._token, self._is_ending, self._largest = token, is_ending, largest_body
        slots: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(_AT_ONCE))
        self._slots = {path: slots[view] for path, view in (views or {}).items()}
        self._working: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        scope["state"] = {}

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                shown = scope["state"].get("version", "")  # so that a page never mixes two versions
                version = [(b"x-firth-model", shown.encode())] if shown else []
                message["headers"] = [*message.get("headers", []), *self._headers, *version]
            await send(message)

        refusal = self._refusal(scope)
        body = b""
        if refusal is None:
            try:
                body = await _body_of(receive, self._largest)
            except _Gone:
                return
            except _TooLarge:
                refusal = _TOO_LARGE
        if refusal is not None:
            await _refuse(send_guarded, *refusal)
            return
        # HEAD is answered like GET; the server drops the body
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        with in_foreground():
            await self._in_time(asked, body, receive, send_guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = dict(scope["headers"])
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not is_allowed(hosts[0].decode("latin-1"), self._names):
            return (
                400,
                "This server does not accept that host name.",
                "Use the address that firth explore printed, or add the name: --allow-host NAME",
            )
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > LONGEST_QUERY:
            return 413, "The request is too long.", "Send a shorter one."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._largest:
            return _TOO_LARGE
        if self._token is not None and f"{scope['path']}/".startswith("/api/"):
            sent = headers.get(_TOKEN_HEADER.lower().encode(), b"")
            if not hmac.compare_digest(sent, self._token.encode()):
                return (
                    403,
                    "The token of this server is missing or wrong.",
                    "Open the address that firth explore printed, with its token; a program sends the "
                    f"token in the {_TOKEN_HEADER} header.",
                )
        return None

    async def _in_time(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Run the application until it has answered, or the client has gone, or it takes too long."""
        running = begun = given_up = False

        async def send_if_wanted(message: Message) -> None:
            nonlocal begun
            if not given_up:
                begun = True
                await send(message)

        async def work() -> None:
            nonlocal running
            async with self._slots.get(scope["path"]) or nullcontext():
                running = True
                with progress.while_wanted(lambda: not given_up and not self._is_ending()):
                    await self._app(scope, _given(body), send_if_wanted)

        working = asyncio.create_task(work())
        self._working.add(working)
        working.add_done_callback(self._forget)
        leaving = asyncio.create_task(_until_gone(receive))
        try:
            await asyncio.wait(
                {working, leaving}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if begun and not leaving.done():
                await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await working
                return
        except asyncio.CancelledError:  # the server ends
            working.cancel()
            raise
        finally:
            given_up = True
            # a thread cannot be cancelled: it ends when it notices, and occupies its view until then
            if not running:
                working.cancel()
            is_late = not leaving.done()
            leaving.cancel()
        if is_late:
            seconds = f"The answer took more than {self._seconds:g} seconds."
            await _refuse(send, 503, seconds, "Try again; the machine may be busy.")

    def _forget(self, working: asyncio.Task[None]) -> None:
        self._working.discard(working)
        if not working.cancelled():
            working.exception()  # so that it is not reported as one that nobody has seen


class _Gone(Exception):  # noqa: N818
    """The client has disconnected."""


class _TooLarge(Exception):  # noqa: N818
    """The body of the request is too large."""


_TOO_LARGE = (413, "The request is too large.", "Send a smaller one.")


async def _body_of(receive: Receive, largest: int) -> bytes:
    """The whole body of a request."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise _Gone
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > largest:
            raise _TooLarge
    return body


def _given(body: bytes) -> Receive:
    """What an application receives from a client that stays."""
    waiting = [body]

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()  # for ever
        return {"type": "http.request", "body": waiting.pop(), "more_body": False}

    return receive


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Send, status: int, error: str, hint: str) -> None:
    body = json.dumps({"error": error, "hint": hint}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
