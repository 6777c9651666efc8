"""firth morphs export."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def export(
    model: shared.ModelPath,
    output: Annotated[
        str,
        shared.option("--output -o", "FILE", "The file to write; - for standard output."),
    ],
    quiet: shared.Quiet = False,
) -> None:
    """Export corrections: on each line a word, a tab, and its parts between spaces.

    [bold]firth morphs import[/] and [bold]firth morphs learn --known[/] read the file.

    Example: [bold]firth morphs export news -o corrections.tsv[/]
    """
    from firth.model import load
    from firth.morphs import known_text
    from firth.store import replacing

    corrections = load(model).corrections
    with replacing(output) as file:
        file.write(known_text(corrections).encode())
    if not quiet and output != "-":
        what = f"{shared.count_of(len(corrections), 'correction')}: "
        shared.stdout().print(shared.line(what, (output, "bold")))
