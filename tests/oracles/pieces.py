"""The lines of a text by the range in which they begin, the obvious way."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["pieces"]


def pieces(text: bytes, begins: Sequence[int]) -> list[bytes]:
    """What of a text lies in each of some adjacent ranges, given where these begin."""
    found = [b""] * len(begins)
    place = 0
    for line in text.split(b"\n"):
        whole = line + b"\n" if place + len(line) < len(text) else line
        owner = max(k for k, begin in enumerate(begins) if begin <= place)
        found[owner] += whole
        place += len(line) + 1
    return found
