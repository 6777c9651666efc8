"""Parameters, responses and errors that the endpoints of all views share."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from fastapi import Body, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from firth import unicode
from firth.explore._snapshot import ModelWatcher, Snapshot

__all__ = [
    "MOST",
    "PROBLEMS",
    "REFUSALS",
    "HowMany",
    "NewName",
    "NodePath",
    "Opened",
    "Problem",
    "Shown",
    "Width",
    "Word",
    "clean_name",
    "edited",
    "rendered",
]

MOST = 1_000
"""Maximum number of rows of most answers; the members of a class, the tree and the map have more."""
LONGEST_WORD = 12_000
LONGEST_PATH = 10_000


@dataclass(frozen=True)
class Problem:
    """An error, and a hint what to do."""

    error: str
    hint: str | None = None
    place: int | None = None
    """The index of the character where a query is wrong."""
    of: str | None = None
    """Which of the texts that were typed it is: ``query``, or ``where`` for a condition on documents."""


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {
        "model": Problem,
        "description": "The request is malformed, or its Host header is not accepted.",
    },
    403: {"model": Problem, "description": "The X-Firth-Token header is missing or wrong."},
    404: {"model": Problem, "description": "No such word, class or part."},
    413: {"model": Problem, "description": "The request is too large."},
    422: {"model": Problem, "description": "A parameter has an invalid value."},
    503: {
        "model": Problem,
        "description": "The model cannot be read, or the answer takes too long.",
    },
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    409: {"model": Problem, "description": "The model has changed, or is being written to."},
}


async def _snapshot(request: Request) -> Snapshot:
    watcher: ModelWatcher = request.app.state.watcher
    found = (
        watcher.snapshot() if watcher.is_current() else await run_in_threadpool(watcher.snapshot)
    )
    request.scope["state"]["version"] = found.version
    return found


def rendered(answer: Any) -> bytes:
    """A large answer as JSON, to be cached or sent."""
    return json.dumps(asdict(answer), ensure_ascii=False, separators=(",", ":")).encode()


def edited(request: Request, version: str) -> Snapshot:
    """The model to change; ``version`` must be its current version, or a name might end up on another tree."""
    snapshot: Snapshot = request.app.state.watcher.snapshot()
    if version != snapshot.version:
        raise HTTPException(409, "The model has changed. Reload the page.")
    return snapshot


def clean_name(name: str) -> str:
    """A name without unprintable characters and surrounding blanks."""
    return "".join(c for c in name if unicode.is_printable(c)).strip()


Opened = Annotated[Snapshot, Depends(_snapshot)]
NewName = Annotated[
    str, Body(max_length=200, description="The name; empty to remove the present one.")
]
Shown = Annotated[
    str, Body(max_length=64, description="The version of the model, from the X-Firth-Model header.")
]
Word = Annotated[
    str, Query(min_length=1, max_length=LONGEST_WORD, description="A word; case matters.")
]
NodePath = Annotated[
    str,
    Query(
        max_length=LONGEST_PATH,
        pattern="^[01]*$",
        description="The path of a node of the class tree: 0 left, 1 right.",
    ),
]
Width = Annotated[int, Query(ge=0, le=400, description="Characters on each side.")]
HowMany = Annotated[int, Query(ge=1, le=MOST, description="Maximum number of rows.")]
