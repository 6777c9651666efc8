"""The FastAPI application: the page, the endpoints of the views, and error responses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from firth import __version__, progress, unicode
from firth.errors import (
    BusyError,
    FirthError,
    InputError,
    ModelError,
    ParameterError,
    QueryError,
    WordError,
    shown,
)
from firth.explore._jobs import CrowdedError
from firth.explore._page import page_files
from firth.explore._requests import PROBLEMS, Opened, Problem
from firth.explore._snapshot import SHOWN, MissingPartError, ModelWatcher, Snapshot
from firth.explore.views import VIEWS

__all__ = ["ModelFacts", "add_errors", "add_page", "make_app", "model_facts", "view_of_each_path"]

_STATUS = (
    (BusyError, 409),
    ((ModelError, CrowdedError, progress.CancelledError), 503),
    ((WordError, InputError, MissingPartError), 404),
    (ParameterError, 422),
)
_EXAMPLES = 12


@dataclass(frozen=True)
class ModelFacts:
    """What the page needs to know first."""

    title: str
    version: str
    parts: list[str]
    edit: bool
    """Whether classes and tags can be named, and the parts of words corrected."""
    n_words: int
    examples: list[str]
    """Example words."""
    missing: dict[str, Problem]
    """Why a part cannot be shown, and the command that makes it."""


def model_facts(snapshot: Snapshot, edit: bool) -> ModelFacts:
    """What the page needs to know first."""
    n_words = len(snapshot.vocabulary) if snapshot.has_words else 0
    title = shown(snapshot.model.path.resolve().name)
    examples = snapshot.once("examples", lambda: _examples(snapshot))
    errors = {name: snapshot.missing(name) for name in SHOWN if name not in snapshot.parts}
    missing = {name: Problem(error.message, error.hint) for name, error in errors.items()}
    return ModelFacts(
        title, snapshot.version, sorted(snapshot.parts), edit, n_words, examples, missing
    )  # fmt: skip


def _examples(snapshot: Snapshot) -> list[str]:
    """Fairly frequent words that are not too short, spread over the frequency ranks."""
    if not snapshot.has_words:
        return []
    vocabulary = snapshot.vectors.vocabulary if "vectors" in snapshot.parts else snapshot.vocabulary
    found: list[str] = []
    step = max(1, min(len(vocabulary), 4_000) // (3 * _EXAMPLES))
    for i in range(min(100, len(vocabulary) // 10), min(len(vocabulary), 4_000), step):
        word = vocabulary[i]
        if unicode.is_word(word) and len(word) < 16:
            found.append(word)
    long = [word for word in found if len(word) > 3]
    return (long if 2 * len(long) > _EXAMPLES else found)[:_EXAMPLES]


def make_app(watcher: ModelWatcher, edit: bool = False) -> FastAPI:
    """The application that serves a model. Wrap it in a ``Guard`` before you connect it to a network."""
    app = FastAPI(
        title="Firth", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        description="The requests of the explorer. All are read-only, except those that name or correct something.",
    )  # fmt: skip
    app.state.watcher = watcher
    router = APIRouter()

    @router.get("/model", tags=["about"])
    def model(snapshot: Opened) -> ModelFacts:
        """The parts of the model, its version, and example words."""
        return model_facts(snapshot, edit)

    kinds = ("router", "edit_router") if edit else ("router",)
    found = [getattr(view, kind) for view in VIEWS for kind in kinds if hasattr(view, kind)]
    for each in [router, *found]:
        app.include_router(each, prefix="/api", responses=PROBLEMS)
    add_page(app, "index.html")
    add_errors(app, Path(watcher.path))
    return app


def view_of_each_path() -> dict[str, str]:
    """The view that each path of the application belongs to."""
    found = {"/api/model": "model"}
    for view in VIEWS:
        for router in (view.router, getattr(view, "edit_router", APIRouter())):
            paths = [route.path for route in router.routes if isinstance(route, APIRoute)]
            found |= {f"/api{path}": view.__name__ for path in paths}
    return found


def add_page(app: FastAPI, first: str) -> None:
    """Serve the files of the page; ``first`` is the one without a name."""
    files = page_files()

    @app.api_route("/{name:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(name: str) -> Response:
        content, kind = files.get(name or first, (None, ""))
        if content is None:
            raise HTTPException(404, "Page not found.")
        return Response(content, media_type=kind)


def add_errors(app: FastAPI, folder: Path) -> None:
    """Answer errors with what is wrong and what to do, without the path of a folder on this machine."""

    def answer(status: int, error: str, hint: str | None = None, **more: int | str) -> JSONResponse:
        return JSONResponse({"error": error, "hint": hint, **more}, status)

    def without_path(text: str | None) -> str | None:
        whole = folder.absolute()
        return text and shown(text.replace(str(whole), whole.name))

    @app.exception_handler(FirthError)
    def firth_error(_: Request, error: FirthError) -> JSONResponse:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 400)
        more: dict[str, int | str] = {}
        if isinstance(error, QueryError):
            more = {"place": error.place, "of": error.of}
        return answer(status, str(without_path(error.message)), without_path(error.hint), **more)

    @app.exception_handler(RequestValidationError)
    def wrong_parameter(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = str(first["loc"][-1]) if first["loc"] else "the request"
        return answer(422, f"{where}: {first['msg']}.", "See api/openapi.json for valid requests.")

    @app.exception_handler(Exception)  # the server prints it, too
    def broken(_: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
        return answer(500, "Internal error of the server.", "See its output in the terminal.")

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> JSONResponse:
        response = answer(error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response
