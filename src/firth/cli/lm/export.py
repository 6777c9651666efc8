"""firth lm export."""

from __future__ import annotations

import gzip
import io
from typing import Annotated, Any

from firth import progress
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._opening import folder_lm


@command()
def export(
    model: shared.ModelPath,
    output: Annotated[
        str,
        shared.option(
            "--output -o",
            "FILE",
            "The file to write: .arpa, .arpa.gz or .firthlm; - for standard output.",
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:
    """Export the word model, in the ARPA format or as a compact file.

    KenLM, SRILM and speech recognisers read the ARPA format. A compact file (.firthlm) has the same n-grams
    with probabilities of eight bits, and opens in milliseconds: firth lm apply and firth lm evaluate take it
    instead of a model, and firth.LanguageModel.open in Python. Neither contains classes, the cache or the
    letters of unknown words.

    Example: [bold]firth lm export news -o news.arpa.gz[/]
    """
    from firth.store import replacing

    lm = folder_lm(model)
    with shared.reporting(quiet or output == "-"):
        with progress.stage("writing", unit="", brief=1.0), replacing(output) as file:
            if output.endswith(".firthlm"):
                lm.write_compact(file)
            else:
                _write_arpa(lm, file, output.endswith(".gz"))
        if len(lm.component_names) > 1:
            progress.notice("The file contains the word model only, without classes and cache.")
    if not quiet and output != "-":
        sizes = ", ".join(f"{n:,}" for n in lm.facts_["n_grams"])
        what = f"n-grams up to {lm.order} ({sizes}): "
        shared.stdout().print(shared.line(what, (output, "bold")))


def _write_arpa(lm: Any, file: Any, zipped: bool) -> None:
    packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if zipped else file
    text = io.TextIOWrapper(packed, "utf-8", write_through=True)
    lm.write_arpa(text)
    text.detach()
    if packed is not file:
        packed.close()
