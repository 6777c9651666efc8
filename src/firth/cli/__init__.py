"""The command line, one file a command."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from firth import __version__, progress
from firth.cli import (
    _shared,
    analogy,
    classes,
    cluster,
    compare,
    corpus,
    counts,
    data,
    demo,
    doctor,
    explore,
    export,
    find,
    grammar,
    import_,
    learn,
    lm,
    merge,
    morphs,
    names,
    ner,
    plot,
    push,
    senses,
    show,
    similar,
    tags,
    vectors,
)
from firth.cli._options import Group, add

__all__ = ["app", "main"]

app = typer.Typer(
    name="firth",
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Learn the structure of a language from its raw text.",
    epilog="First steps: [bold]firth demo[/], then [bold]firth learn TEXT -o MODEL[/] with a text of your own.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"firth {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[bool, _shared.flag("--debug", "Show where an error came from.")] = False,
) -> None:
    if debug:
        _shared.set_debug(True)


for _command in (
    learn.learn,
    merge.merge,
    show.show,
    similar.similar,
    analogy.analogy,
    find.find,
    compare.compare,
    senses.senses,
    explore.explore,
    export.export,
    import_.import_,
    push.push,
    cluster.cluster,
    demo.demo,
    doctor.doctor,
):
    add(app, _command)
for _group in (plot, corpus, counts, vectors, classes, morphs, tags, names, ner, grammar, lm, data):
    app.add_typer(_group.app, name=_group.__name__.rpartition(".")[2])


def main() -> None:
    """The ``firth`` command."""
    _shared.open_streams()
    _shared.handle_signals()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # words that cannot be shown must not end the program
            stream.reconfigure(errors="backslashreplace")
    if "--debug" in sys.argv[1:]:  # wherever it stands
        sys.argv.remove("--debug")
        _shared.set_debug(True)
    try:
        status = app(prog_name="firth", standalone_mode=False)
    except typer.Abort:
        status = 130
    except Exception as error:
        if not hasattr(error, "format_message"):  # not a usage error
            raise
        status = _shared.print_usage_error(error)
    if isinstance(reason := progress.interruption(), SystemExit):  # perhaps lost on its way
        raise reason
    sys.exit(status if isinstance(status, int) else 0)
