"""firth lm export and firth lm import: ARPA's files."""

from __future__ import annotations

import gzip
import io
from typing import Annotated

import typer

from firth.cli import _lm as common
from firth.cli import _lm_description as description
from firth.cli import _shared as shared


@shared.guarded
def export(
    model: shared.ModelPath,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default=False,
            help="The file to write: .arpa, or .arpa.gz; - for standard output.",
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Write the model of words in ARPA's format, which KenLM, SRILM and speech recognisers read.

    That is the model of words alone: the format has no place for classes.

    Example: [bold]firth lm export news -o news.arpa.gz[/]
    """
    from firth import progress
    from firth.store import replacing

    lm = common.open_lm(model)
    with shared.reporting(quiet or output == "-"):
        with progress.stage("writing", unit="", brief=1.0), replacing(output) as file:
            if output.endswith(".gz"):
                with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                    lm.write_arpa(
                        shared_text := io.TextIOWrapper(packed, "utf-8", write_through=True)
                    )
                    shared_text.detach()
            else:
                text = io.TextIOWrapper(file, "utf-8")
                lm.write_arpa(text)
                text.detach()
        if len(lm.component_names) > 1:
            progress.notice("The file has the model of words alone, without classes.")
    if not quiet and output != "-":
        sizes = ", ".join(f"{n:,}" for n in lm.facts_["n_grams"])
        console = shared.stdout()
        console.print(
            shared.line(f"sequences of 1 to {lm.order} words ({sizes}): ", (output, "bold"))
        )


@shared.guarded
def import_(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file in ARPA's format; it may be compressed.", show_default=False)
    ],
    output: shared.Output,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Take a model of words from a file in ARPA's format into a model.

    Up to three words together. Text that it is applied to is cut at blanks, and a line is a sentence.

    Example: [bold]firth lm import news.arpa.gz -o other-lm[/]
    """
    from firth.model import load
    from firth.pipeline import import_lm

    with shared.reporting(quiet):
        anew = import_lm(file, output)
    facts = description.facts_of(load(output).lm)
    if json:
        shared.print_json({**facts, "changed": ["lm"] * anew})
    elif not quiet:
        if not anew:
            shared.stdout().print("Nothing to do: this language model is there already.")
        description.print_facts(facts)
