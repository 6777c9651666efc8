"""firth morphs import."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.morphs._printing import print_learn_again
from firth.formats import LabelLimits

_WHAT = "on each line a word, a tab, and its parts between spaces"


@command(LabelLimits)
def import_(
    file: Annotated[str, shared.argument("FILE", f"A file with {_WHAT}.")],
    output: shared.Output,
    replace: Annotated[
        bool, shared.flag("--replace", "Replace corrections of the same words.")
    ] = False,
    quiet: shared.Quiet = False,
) -> None:
    """Import corrections: the parts of words, as a person has given them.

    They are added to the corrections of the model. If one of these splits a word in another way, nothing
    is changed, unless --replace is given.

    Example: [bold]firth morphs import corrections.tsv -o news[/]
    """
    from firth.pipeline import import_corrections

    path = shared.existing_file(file, _WHAT)
    shared.open_part(output, "morphs")
    found = import_corrections(output, path, replace)
    if not quiet:
        n = shared.count_of(len(found.corrections), "correction")
        shared.stdout().print(shared.line((n, "bold"), f" in {output}"))
        print_learn_again(found)
