"""firth explore: see the language in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.errors import FirthError


@shared.guarded
def explore(
    model: shared.ModelPath,
    export: Annotated[
        str | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write the page into one .html file that needs no server, and stop.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[
        int,
        typer.Option("--words", metavar="N", min=1, help="How many words an exported page knows."),
    ] = 5_000,
    edit: Annotated[
        bool,
        typer.Option(
            "--edit", help="Let the page name classes and tags; names are kept in the model."
        ),
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            min=1,
            max=65535,
            help="The port to listen on; by default 8765, or any free one.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="A name of this machine that browsers may use; for a server behind a proxy.",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    map_words: Annotated[
        int | None,
        typer.Option(
            "--map-words",
            metavar="N",
            min=0,
            help="The most words on the map; 0 to make none. By default the map that is there, or 100,000.",
            show_default=False,
        ),
    ] = None,
    quiet: shared.Quiet = False,
) -> None:
    """Show a model as a page in the browser: words, classes, a map, concordances.

    The server listens on this machine alone and stops with Ctrl-C. The first time, a map of the words
    and an index of the text are made and kept in the model.

    Example: [bold]firth explore news --export news.html[/]
    """
    from firth import explore as explorer

    _check_installed()
    if export is not None:
        explorer.check_page_name(export)
    with shared.reporting(quiet):
        explorer.prepare(model, map_words)
        book = explorer.Book(model)
        explorer.make_app, explorer.serve  # noqa: B018  imported while the model is being opened
        if not book.edition().parts:
            shared.fail(
                f"There is nothing to show in {model} yet.", "Learn something: firth learn --help"
            )
        if export is not None:
            size = explorer.export_page(book.edition(), export, words)
    console = shared.stdout()
    if export is not None:
        from firth.progress import size as in_words

        console.print(shared.line("written: ", (export, "bold"), f"  {in_words(size)}"))
        return

    def started(address: str) -> None:
        console.print(shared.line((model, "bold"), " is shown at ", (address, "bold cyan")))
        console.print(shared.line(("Ctrl-C stops it.", "dim")))
        if browser:
            explorer.open_browser(address)

    if not _is_local(host):
        shared.stderr().print(
            shared.line(("warning: ", "bold yellow"), _exposed(host, edit)), soft_wrap=True
        )
    explorer.serve(book, host, port, edit, allow_host or [], started)
    console.print("Stopped.")


def _is_local(host: str) -> bool:
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _exposed(host: str, edit: bool) -> str:
    may = "read the words, contexts and lines of the text" + (
        " and rename its classes" if edit else ""
    )
    return f"with --host {host}, anyone who can reach this machine can {may}. There is no password."


def _check_installed() -> None:
    """Say what is missing before any long work begins."""
    from importlib.util import find_spec

    for name in ("fastapi", "uvicorn"):
        if find_spec(name) is None:
            raise FirthError(
                f"The page needs {name}, which is not installed.", 'pip install "firth[explore]"'
            )
