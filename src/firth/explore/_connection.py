"""Connections with time limits: nobody can hold the server by sending or reading slowly."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "Connection"]

MOST_CONNECTIONS = 200
_SECONDS_TO_ARRIVE = 10.0
"""Time limit for a whole request, from its first byte; at first, from the connection."""
_SECONDS_TO_STAY = 1.0
"""How long a connection may at least wait for its client, even if there are many."""
_SECONDS_TO_ANSWER = 60.0
"""Time limit for an answer, until the client has received all of it."""


class Connection(H11Protocol):
    """A connection that is closed when a request, or the reading of its answer, takes too long.

    If there are too many connections, the one on which the server has waited longest is closed, so that new
    clients are answered. A connection whose answer is being computed is never closed for that reason.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._phase: tuple[str, Any] = ("", None)
        self._since = self.loop.time()
        self._limit: asyncio.TimerHandle | None = None
        self._watch()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._set_limit(None)

    def _watch(self) -> None:
        """Set the time limit of the current phase when it begins."""
        phase = (self._kind(), self.cycle)
        if phase != self._phase:
            self._phase, self._since = phase, self.loop.time()
            limits = {"arriving": _SECONDS_TO_ARRIVE, "answering": _SECONDS_TO_ANSWER}
            self._set_limit(limits.get(phase[0]))

    def _kind(self) -> str:
        """What the connection waits for: nothing (``idle``), the client, or the answer."""
        if self.cycle is not None and not self.cycle.response_complete:
            return "arriving" if self.cycle.more_body else "answering"
        if self.transport.get_write_buffer_size():
            return "answering"
        is_idle = self.cycle is not None and not self.conn.trailing_data[0]
        return "idle" if is_idle and self.conn.their_state is not h11.SEND_BODY else "arriving"

    def _set_limit(self, seconds: float | None) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = None if seconds is None else self.loop.call_later(seconds, self._is_late)

    def _is_late(self) -> None:
        self._watch()  # the client may have received everything in the meantime
        if self._kind() != "idle":
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the connection that has waited longest for its client, if there are too many."""
        if len(self.connections) <= MOST_CONNECTIONS:
            return
        others = [c for c in self.connections if isinstance(c, Connection)]
        waiting = [c for c in others if c._phase[0] != "answering" and not c.transport.is_closing()]
        longest = min(waiting, key=lambda c: c._since, default=self)
        if self.loop.time() - longest._since > _SECONDS_TO_STAY:
            longest.transport.abort()
