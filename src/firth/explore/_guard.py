"""What stands between the network and the views: Host, sizes, time, and headers that tie the page down."""

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
    """Whether a Host header is ours: an address, ``localhost``, or a name that was allowed.

    A page of a stranger can point its own name at this machine and so read what is served here (DNS
    rebinding), but it cannot make the browser send an address, or a name that is not the stranger's.

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
    """Wraps an application; see the module."""

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
                told = scope["state"].get("version", "")  # a page must never mix two versions
                version = [(b"x-firth-model", told.encode())] if told else []
                message["headers"] = [*message.get("headers", []), *HEADERS, *version]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send_guarded, *refusal)
            return
        # HEAD asks for what GET would, and the server below keeps the content back
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        await self._in_time(asked, _bounded(receive), send_guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = dict(scope["headers"])
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not is_allowed(hosts[0].decode("latin-1"), self._names):
            return (
                400,
                "This server does not answer to that name.",
                "Use the address that firth explore printed.",
            )
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > LONGEST_QUERY:
            return 413, "The request is too long.", "Ask for less at once."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return 413, "The request is too large.", "Ask for less at once."
        return None

    async def _in_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, or say that it takes too long; what it does is bounded anyway."""
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
        await _refuse(send, 503, f"This took more than {self._seconds:g} seconds.", hint)


def _bounded(receive: Receive) -> Receive:
    """Bodies that come in pieces are bounded too: what is too much is dropped, which makes them invalid."""
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
