"""What the questions of all views share: parameters with their bounds, and answers when they fail."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from fastapi import Body, Depends, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from firth.explore._edition import Book, Edition

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
    "Token",
    "Word",
    "clean_name",
    "edited",
    "rendered",
]

MOST = 1_000
"""The most rows of an answer that can be asked for; the members of a class, the tree and the map have more."""
LONGEST_WORD = 12_000
LONGEST_PATH = 10_000


@dataclass(frozen=True)
class Problem:
    """Why there is no answer, and what to do."""

    error: str
    hint: str | None = None


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {
        "model": Problem,
        "description": "The request cannot be understood, or its Host is not ours.",
    },
    404: {"model": Problem, "description": "No such word, class or part."},
    413: {"model": Problem, "description": "The request is too large."},
    422: {"model": Problem, "description": "A parameter has a value it cannot have."},
    503: {"model": Problem, "description": "The model is gone, or the answer takes too long."},
}


async def _edition(request: Request) -> Edition:
    book: Book = request.app.state.book
    found = book.edition() if book.is_current() else await run_in_threadpool(book.edition)
    request.scope["state"]["version"] = found.version
    return found


def rendered(answer: Any) -> bytes:
    """A large answer as JSON, to be kept or sent."""
    return json.dumps(asdict(answer), ensure_ascii=False, separators=(",", ":")).encode()


Opened = Annotated[Edition, Depends(_edition)]
NewName = Annotated[str, Body(max_length=200)]
Shown = Annotated[str, Body(max_length=64)]
Token = Annotated[str, Header(max_length=200)]
REFUSALS: dict[int | str, dict[str, Any]] = {403: {"model": Problem}, 409: {"model": Problem}}


def edited(request: Request, version: str, token: str) -> Edition:
    """The model to change, if the request is from a page of this server that shows it as it is.

    ``token`` must be that of this run of the server, and ``version`` the version of the model that
    the page shows: a name must not end up on another tree.
    """
    state = request.app.state
    if not secrets.compare_digest(token.encode(), state.token.encode()):
        raise HTTPException(403, "The page is from another run of the server. Reload it.")
    edition: Edition = state.book.edition()
    if version != edition.version:
        raise HTTPException(409, "The model has changed. Reload the page.")
    return edition


def clean_name(name: str) -> str:
    """A name without characters that cannot be printed."""
    return "".join(c for c in name if c.isprintable()).strip()


Word = Annotated[
    str, Query(min_length=1, max_length=LONGEST_WORD, description="A word, as it is written.")
]
NodePath = Annotated[
    str,
    Query(
        max_length=LONGEST_PATH,
        pattern="^[01]*$",
        description="A node of the tree of classes: 0 left, 1 right.",
    ),
]
HowMany = Annotated[int, Query(ge=1, le=MOST, description="The most rows to give.")]
