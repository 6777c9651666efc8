"""The requests of the page that ``firth explore`` shows if no model is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Body, FastAPI, Query, Request
from fastapi.concurrency import run_in_threadpool

from firth import __version__
from firth.explore._app import add_errors, add_page
from firth.explore._workshop import CHOICES, Learning, Workshop

__all__ = ["LARGEST_PIECE", "PATHS", "make_workshop_app"]

LARGEST_PIECE = 4 << 20
"""Bytes of a text that come in one request."""
PATHS = ("/api/workshop", "/api/text", "/api/learn", "/api/stop", "/api/explore")
_Name = Annotated[str, Body(max_length=80)]


@dataclass(frozen=True)
class Question:
    """A question of the page, with its answers in words; the first is the default."""

    name: str
    answers: dict[str, str]


@dataclass(frozen=True)
class State:
    """All that the page shows."""

    folder: str
    texts: dict[str, int]
    room: int
    """How many bytes another text can have."""
    models: list[str]
    learning: Learning | None
    questions: list[Question]


@dataclass(frozen=True)
class Shown:
    """Where a model is shown; the address is empty until it is ready."""

    address: str
    problem: str


def make_workshop_app(workshop: Workshop) -> FastAPI:
    """The application. Wrap it in a ``Guard`` with a token: it writes files and starts programs."""
    app = FastAPI(
        title="Firth", version=__version__, docs_url=None, redoc_url=None, openapi_url=None
    )
    questions = [
        Question(name, {answer: words for answer, (words, _) in answers.items()})
        for name, answers in CHOICES.items()
    ]

    @app.get("/api/workshop")
    def state() -> State:
        return State(
            workshop.folder.name,
            workshop.texts(),
            workshop.room(),
            workshop.models(),
            workshop.learning(),
            questions,
        )

    @app.put("/api/text")
    async def text(
        request: Request,
        name: Annotated[str, Query(max_length=80)],
        at: Annotated[int, Query(ge=0)],
        last: bool,
    ) -> int:
        content = await request.body()
        return await run_in_threadpool(workshop.add, name, at, content, last)

    @app.put("/api/learn")
    def learn(
        model: _Name,
        texts: Annotated[list[str], Body(max_length=1_000)],
        chosen: Annotated[dict[str, str], Body(max_length=20)],
    ) -> Learning | None:
        workshop.learn(model, texts, chosen)
        return workshop.learning()

    @app.put("/api/stop")
    def stop() -> Learning | None:
        workshop.stop()
        return workshop.learning()

    @app.put("/api/explore")
    def explore(model: Annotated[str, Body(embed=True, max_length=80)]) -> Shown:
        found = workshop.explore(model)
        ended = found.process.poll() is not None
        return Shown(found.address, found.problem or "It has ended." if ended else "")

    add_page(app, "start.html")
    add_errors(app, workshop.folder)
    return app
