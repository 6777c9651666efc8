"""ASGI middleware: checks the Host header, limits sizes and times, and adds security headers."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["Guard", "is_allowed"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST_QUERY = 160 << 10  # a word of 12,000 letters, each of three bytes, as %XX
LARGEST_BODY = 16 << 10
SECONDS = 10.0
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
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


class Guard:
    """Wraps an ASGI application; see the module.

    Parameters
    ----------
    app : ASGI application
    names : frozenset of str
        Host names that are accepted in addition to addresses and ``localhost``.
    seconds : float
        Maximum time for a response.
    """

    def __init__(
        self, app: App, names: frozenset[str] = frozenset(), seconds: float = SECONDS
    ) -> None:
        self._app, self._names, self._seconds = app, names, seconds

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
                message["headers"] = [*message.get("headers", []), *HEADERS, *version]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send_guarded, *refusal)
            return
        # HEAD is answered like GET; the server drops the body
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        await self._in_time(asked, _bounded(receive), send_guarded)

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
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return 413, "The request is too large.", "Send a smaller one."
        return None

    async def _in_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application; if it takes too long, answer with 503 and let it finish unheard."""
        begun = expired = False

        async def send_unless_late(message: Message) -> None:
            nonlocal begun
            if not expired:
                begun = True
                await send(message)

        work = asyncio.ensure_future(self._app(scope, receive, send_unless_late))
        try:
            done, _ = await asyncio.wait({work}, timeout=self._seconds)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if done or begun:
            await work
            return
        expired = True
        work.add_done_callback(lambda finished: finished.cancelled() or finished.exception())
        hint = "Try again; the machine may be busy."
        await _refuse(send, 503, f"The answer took more than {self._seconds:g} seconds.", hint)


def _bounded(receive: Receive) -> Receive:
    """Limit chunked bodies, too: a body that is too long is dropped, which makes the request invalid."""
    taken = 0

    async def receive_bounded() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > LARGEST_BODY:
                return {"type": "http.request", "body": b"", "more_body": False}
        return message

    return receive_bounded


async def _refuse(send: Send, status: int, error: str, hint: str) -> None:
    body = json.dumps({"error": error, "hint": hint}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
