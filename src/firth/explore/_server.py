"""The application: the files of the page, the questions of the views, and errors in words."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from firth import __version__
from firth.errors import BusyError, FirthError, InputError, ModelError, ParameterError, WordError
from firth.explore._asking import PROBLEMS, Opened
from firth.explore._edition import Book, Edition, MissingPartError
from firth.explore._page import page_files
from firth.explore.views import VIEWS

__all__ = ["ModelFacts", "make_app", "model_facts"]

_STATUS = (
    (BusyError, 409),
    (ModelError, 503),
    ((WordError, InputError, MissingPartError), 404),
    (ParameterError, 422),
)
_EXAMPLES = 12


@dataclass(frozen=True)
class ModelFacts:
    """What the page must know before it shows anything."""

    title: str
    version: str
    parts: list[str]
    edit: bool
    token: str | None
    """To be sent back with a name; only a page of this very server can read it."""
    n_words: int
    examples: list[str]
    """Words to begin with."""


def model_facts(edition: Edition, token: str | None) -> ModelFacts:
    """What the page must know before it shows anything."""
    n_words = len(edition.vocabulary) if edition.has_words else 0
    title = edition.model.path.resolve().name
    return ModelFacts(
        title, edition.version, sorted(edition.parts), token is not None, token, n_words,
        edition.once("examples", lambda: _examples(edition)),
    )  # fmt: skip


def _examples(edition: Edition) -> list[str]:
    """Fairly frequent words of some length, far enough apart to be of different kinds."""
    if not edition.has_words:
        return []
    vocabulary = edition.vectors.vocabulary if "vectors" in edition.parts else edition.vocabulary
    found: list[str] = []
    step = max(1, min(len(vocabulary), 4_000) // (3 * _EXAMPLES))
    for i in range(min(100, len(vocabulary) // 10), min(len(vocabulary), 4_000), step):
        word = vocabulary[i]
        if word.isalpha() and len(word) < 16:
            found.append(word)
    long = [word for word in found if len(word) > 3]
    return (long if 2 * len(long) > _EXAMPLES else found)[:_EXAMPLES]


def make_app(book: Book, edit: bool = False) -> FastAPI:
    """The application that serves a model; wrap it in a ``Guard`` before it meets a network."""
    app = FastAPI(
        title="Firth", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        description="Questions to a model, as the page asks them. All but those that name something only read.",
    )  # fmt: skip
    app.state.book = book
    token = app.state.token = secrets.token_urlsafe(32) if edit else None
    router = APIRouter(prefix="/api", responses=PROBLEMS)

    @router.get("/model", tags=["about"])
    def model(edition: Opened) -> ModelFacts:
        """What there is to ask about."""
        return model_facts(edition, token)

    for view in VIEWS:
        router.include_router(view.router)
        if edit and hasattr(view, "edit_router"):
            router.include_router(view.edit_router)
    app.include_router(router)
    _add_page(app)
    _add_errors(app)
    return app


def _add_page(app: FastAPI) -> None:
    files = page_files()

    @app.api_route("/{name:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(name: str) -> Response:
        content, kind = files.get(name or "index.html", (None, ""))
        if content is None:
            raise HTTPException(404, "There is no such page.")
        return Response(content, media_type=kind)


def _add_errors(app: FastAPI) -> None:
    def answer(status: int, error: str, hint: str | None = None) -> JSONResponse:
        return JSONResponse({"error": error, "hint": hint}, status)

    def without_path(text: str | None) -> str | None:
        """A message that does not tell where on this machine the model lies."""
        whole = Path(app.state.book.path).absolute()
        return text and text.replace(str(whole), whole.name)

    @app.exception_handler(FirthError)
    def firth_error(_: Request, error: FirthError) -> JSONResponse:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 400)
        return answer(status, str(without_path(error.message)), without_path(error.hint))

    @app.exception_handler(RequestValidationError)
    def wrong_parameter(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = str(first["loc"][-1]) if first["loc"] else "the request"
        return answer(
            422, f"{where}: {first['msg']}.", "See api/openapi.json for what can be asked."
        )

    @app.exception_handler(Exception)  # it is printed as well
    def broken(_: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
        return answer(500, "Something went wrong in the server.", "See what it has printed.")

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> JSONResponse:
        response = answer(error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response
