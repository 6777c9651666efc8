"""firth lm import."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._printing import print_facts
from firth.formats import FileLimits


@command(FileLimits)
def import_(
    file: Annotated[str, shared.argument("FILE", "A file in the ARPA format; may be compressed.")],
    output: shared.Output,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Import a word model from a file in the ARPA format, with n-grams up to 6 words.

    The model splits text at whitespace, and reads a sentence per line.

    Example: [bold]firth lm import news.arpa.gz -o other-lm[/]
    """
    from firth.describe import lm_facts
    from firth.pipeline import import_lm

    with shared.reporting(quiet):
        model = import_lm(file, output)
    facts = lm_facts(model.lm)
    if json:
        shared.print_json({**facts, "changed": model.changed})
    elif not quiet:
        shared.print_nothing_to_do(model)
        print_facts(facts)
