"""firth lm export."""

from __future__ import annotations

import gzip
import io
from typing import Annotated

from firth import progress
from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def export(
    model: shared.ModelPath,
    output: Annotated[
        str,
        shared.option(
            "--output -o", "FILE", "The file to write: .arpa or .arpa.gz; - for standard output."
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:
    """Export the word model in the ARPA format, which KenLM, SRILM and speech recognisers read.

    The format cannot represent classes, so they are left out.

    Example: [bold]firth lm export news -o news.arpa.gz[/]
    """
    from firth.store import replacing

    lm = shared.open_part(model, "lm")
    with shared.reporting(quiet or output == "-"):
        with progress.stage("writing", unit="", brief=1.0), replacing(output) as file:
            packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if output.endswith(".gz") else file
            text = io.TextIOWrapper(packed, "utf-8", write_through=True)
            lm.write_arpa(text)
            text.detach()
            if packed is not file:
                packed.close()
        if len(lm.component_names) > 1:
            progress.notice("The file contains the word model only, without classes.")
    if not quiet and output != "-":
        sizes = ", ".join(f"{n:,}" for n in lm.facts_["n_grams"])
        what = f"n-grams up to {lm.order} ({sizes}): "
        shared.stdout().print(shared.line(what, (output, "bold")))
