"""The application: the files of the page, the questions of the views, and errors in words."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from firth import __version__
from firth.errors import BusyError, FirthError, InputError, ModelError, ParameterError, WordError
from firth.explore._asking import PROBLEMS, Opened, Problem
from firth.explore._edition import Book, Edition, MissingPartError
from firth.explore._page import page_files
from firth.explore.views import VIEWS
from firth.explore.views.tags import MOST_TAGS, check_tag

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
    token = secrets.token_urlsafe(32) if edit else None
    router = APIRouter(prefix="/api", responses=PROBLEMS)

    @router.get("/model", tags=["about"])
    def model(edition: Opened) -> ModelFacts:
        """What there is to ask about."""
        return model_facts(edition, token)

    if token is not None:
        _add_naming(router, book, token)
    for view in VIEWS:
        router.include_router(view.router)
    app.include_router(router)
    _add_page(app)
    _add_errors(app)
    return app


Named = Annotated[str, Body(max_length=200)]
Shown = Annotated[str, Body(max_length=64)]
Token = Annotated[str, Header(max_length=200)]


def _add_naming(router: APIRouter, book: Book, token: str) -> None:
    refusals: dict[int | str, dict[str, Any]] = {403: {"model": Problem}, 409: {"model": Problem}}

    def checked(version: str, given: str) -> Edition:
        """The model to be changed, if the request is from a page of this server that shows it as it is."""
        if not secrets.compare_digest(given.encode(), token.encode()):
            raise HTTPException(403, "The page is from another run of the server. Load it again.")
        edition = book.edition()
        if version != edition.version:
            raise HTTPException(409, "The model has changed. Load the page again.")
        return edition

    @router.put("/name", tags=["classes"], responses=refusals)
    def name(
        path: Annotated[str, Body(max_length=10_000, pattern="^[01]*$")],
        name: Named, version: Shown, x_firth_token: Token = "",
    ) -> Problem | None:  # fmt: skip
        """Give a node of the tree a name; an empty one takes it away.

        Needs the token of the page, and the version of the model that the page shows: a name must not
        end up on another tree.
        """
        edition = checked(version, x_firth_token)
        from firth import pipeline  # brings compilers along, which reading does without

        edition.classes.tree.span(path)
        pipeline.name_classes(book.path, {path: _clean(name)})
        book.edition()
        return None

    @router.put("/tag/name", tags=["tags"], responses=refusals)
    def name_tag(
        tag: Annotated[int, Body(ge=0, le=MOST_TAGS)], name: Named, version: Shown, x_firth_token: Token = ""
    ) -> Problem | None:  # fmt: skip
        """Give a tag a name, which no other has, and without blanks; an empty one takes it away.

        Needs token and version, as for a node of the tree.
        """
        edition = checked(version, x_firth_token)
        from firth import pipeline

        check_tag(edition, tag)
        try:
            pipeline.name_tags(book.path, {str(tag): _clean(name)})
        except InputError as error:  # it is the name that cannot be
            raise ParameterError(error.message, error.hint) from None
        book.edition()
        return None


def _clean(name: str) -> str:
    """A name without what cannot be printed."""
    return "".join(c for c in name if c.isprintable()).strip()


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
