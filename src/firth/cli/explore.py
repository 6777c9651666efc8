"""firth explore."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.explore import ExplorerParameters
from firth.parameters import Resources

_TOKEN = "FIRTH_TOKEN"  # noqa: S105
_GRACE = 2.0
"""Seconds until the program ends after Ctrl-C or SIGTERM, even if work hangs."""
_WORKSHOP_GRACE = 10.0
"""The same for the page that learns models, whose processes have to end first."""


@command(ExplorerParameters, Resources)
def explore(
    model: Annotated[
        str | None, shared.argument("[MODEL]", "A model folder; without it, a page to learn one.")
    ] = None,
    *,
    options: dict[str, Any],
    export: Annotated[
        str | None,
        shared.option(
            "--export", "FILE", "Write the explorer to a single .html file that needs no server."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        shared.option(
            "--allow-host",
            "NAME",
            "Host name to accept, for a server behind a proxy; may be repeated.",
        ),
    ] = None,
    browser: Annotated[
        bool, shared.flag("--browser/--no-browser", "Open the explorer in the browser.")
    ] = True,
    framed: Annotated[bool, typer.Option("--framed", hidden=True)] = False,
    quiet: shared.Quiet = False,
) -> None:
    """Explore a model in the browser: words, classes, a map, tags, concordances.

    The server listens on this machine only; Ctrl-C stops it. With --edit or --host, the address has a
    token, and nobody without it can use the server; the environment variable FIRTH_TOKEN sets it. On the
    first run, maps of the words, an index of the text and a report on it are computed and saved in the model.

    Without a model, the page lets you drop files, learns a model from them in the current folder, and
    opens it. It always has a token.

    Example: [bold]firth explore news --export news.html[/]
    """
    from firth import explore as explorer
    from firth.progress import size as size_of

    how, resources = ExplorerParameters(**ExplorerParameters.take(options)), Resources(**options)
    how.check()
    token = os.environ.get(_TOKEN) or None
    explorer.check_token(token)
    if model is None:
        _open_workshop(how, export, token, browser)
        return
    if export is not None:
        explorer.check_page_name(export)
    with shared.reporting(quiet):
        explorer.prepare(model, how.map_words, resources.threads, resources.memory)
        watcher = explorer.ModelWatcher(model, how.remote)
        explorer.make_app, explorer.serve  # noqa: B018  imported while the model is being opened
        if not watcher.snapshot().parts:
            shared.fail(
                f"There is nothing to show in {model} yet.", "Learn something: firth learn --help"
            )
        if export is not None:
            size = explorer.export_page(watcher.snapshot(), export, how.words)
    console = shared.stdout()
    if export is not None:
        console.print(shared.line("written: ", (export, "bold"), f"  {size_of(size)}"))
        return

    _warn_if_exposed(how.host, how.edit)
    started = _started(model, " is shown at ", token, browser)
    explorer.serve(
        watcher,
        how.host,
        how.port,
        how.edit,
        allow_host or [],
        started,
        token,
        grace=_GRACE,
        framed=framed,
    )
    _print_stopped()


def _open_workshop(
    how: ExplorerParameters, export: str | None, token: str | None, browser: bool
) -> None:
    """Serve the page on which texts are dropped and models are learned, in the current folder."""
    from firth import explore as explorer

    if export is not None:
        shared.fail(
            "--export needs a model.", "Give one: firth explore MODEL --export FILE", status=2
        )
    if how.host != ExplorerParameters.host:
        shared.fail("--host needs a model: the page that learns models is for this machine only.",
                    "Omit --host, or give a model.", status=2)  # fmt: skip
    workshop = explorer.Workshop(Path())
    started = _started("A page to learn models", " is at ", token, browser)
    explorer.serve_workshop(workshop, how.port, started, token, grace=_WORKSHOP_GRACE)
    _print_stopped()


def _started(what: str, where: str, token: str | None, browser: bool) -> Callable[[str], None]:
    """What is printed, and opened, when the server has started."""
    from firth import explore as explorer

    def started(address: str) -> None:
        console = shared.stdout()
        shown = address if token is None else address.partition("?")[0]
        console.print(shared.line((what, "bold"), where, (shown, "bold cyan")))
        if token is not None:
            console.print(shared.line(f"It asks for the token in {_TOKEN}."))
        console.print(shared.line(("Press Ctrl-C to stop.", "dim")))
        sys.stdout.flush()
        if browser:
            explorer.open_browser(address)

    return started


def _print_stopped() -> None:
    shared.stdout().print("Stopped.")
    sys.stdout.flush()  # the program may be ended while it waits for work that hangs


def _warn_if_exposed(host: str, edit: bool) -> None:
    """Warn if other machines can reach the server."""
    if host in ("localhost", "::1") or host.startswith("127."):
        return
    what = "read the words, contexts and lines of the text"
    if edit:
        what += " and rename classes and tags"
    warning = (
        f"with --host {host}, anyone who has the address with its token can {what}. "
        "The connection is not encrypted."
    )
    shared.stderr().print(shared.line(("warning: ", "bold yellow"), warning), soft_wrap=True)
