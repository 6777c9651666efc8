"""firth push."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def push(
    model: shared.ModelPath,
    name: Annotated[str, typer.Argument(metavar="USER/NAME", help="The repository on the Hub.")],
    licence: Annotated[
        str | None,
        shared.option(
            "--licence",
            "NAME",
            "The licence, such as apache-2.0 or cc-by-4.0; asked for otherwise.",
        ),
    ] = None,
    with_corpus: Annotated[bool, shared.flag("--with-corpus", "Also upload the text.")] = False,
    private: Annotated[bool, shared.flag("--private", "Make a new repository private.")] = False,
    quiet: shared.Quiet = False,
) -> None:
    """Upload a model to the Hugging Face Hub, with a model card.

    The text that the model was learned from stays here, unless [bold]--with-corpus[/] is given. Log in
    first, with [bold]hf auth login[/]. Needs [bold]pip install "firth\\[hub]"[/].

    Example: [bold]firth push news anna/news --licence cc-by-4.0[/]
    """
    from firth.integrations import push as upload
    from firth.model import load

    opened = load(model)
    if licence is None:
        if not sys.stdin.isatty():
            shared.fail("A licence is needed.", "For example: --licence cc-by-4.0", status=2)
        licence = typer.prompt("Licence (apache-2.0, cc-by-4.0, mit, other, ...)")
    with shared.reporting(quiet):
        address = upload(opened, name, licence, with_corpus, private)
    if not quiet:
        typer.echo(f'Uploaded. Open it with firth.load("{address}").')
