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
    corpus,
    counts,
    demo,
    explore,
    export,
    find,
    grammar,
    import_,
    learn,
    lm,
    merge,
    ner,
    plot,
    senses,
    show,
    similar,
    tags,
    vectors,
)
from firth.cli._options import Command, Group

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
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
) -> None:
    if debug:
        _shared.set_debug(True)


app.command("learn", cls=Command)(learn.learn)
app.command("merge", cls=Command)(merge.merge)
app.command("show", cls=Command)(show.show)
app.command("similar", cls=Command)(similar.similar)
app.command("analogy", cls=Command)(analogy.analogy)
app.command("find", cls=Command)(find.find)
app.command("senses", cls=Command)(senses.senses)
app.command("explore", cls=Command)(explore.explore)
app.command("export", cls=Command)(export.export)
app.command("import", cls=Command)(import_.import_)
app.command("cluster", cls=Command)(cluster.cluster)
app.command("demo", cls=Command)(demo.demo)
app.add_typer(plot.app, name="plot")
app.add_typer(corpus.app, name="corpus")
app.add_typer(counts.app, name="counts")
app.add_typer(vectors.app, name="vectors")
app.add_typer(classes.app, name="classes")
app.add_typer(tags.app, name="tags")
app.add_typer(ner.app, name="ner")
app.add_typer(grammar.app, name="grammar")
app.add_typer(lm.app, name="lm")


def main() -> None:
    """The ``firth`` command."""
    _shared.open_streams()
    _shared.handle_signals()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(
            stream, "reconfigure"
        ):  # a word the terminal cannot show must not end the program
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
