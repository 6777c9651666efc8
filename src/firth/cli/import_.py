"""firth import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import FileLimits


@command(FileLimits)
def import_(
    file: Annotated[str, shared.argument("FILE", "A file of vectors or classes.")],
    output: shared.Output,
    form: Annotated[
        str | None,
        shared.option(
            "--format", "FORMAT", "vectors, paths or clustercat; detected by default.", panel="Text"
        ),
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Import word vectors or word classes from a file into a model.

    Vectors: word2vec (text or binary), GloVe, Parquet, npz or safetensors. Classes: paths of wcluster, or words with
    class numbers of ClusterCat. Files may be compressed.

    Example: [bold]firth import vectors.txt -o other[/]
    """
    from firth.cli._print_model import print_learned
    from firth.errors import check_choice
    from firth.formats import CLASS_FORMATS, looks_like_classes
    from firth.pipeline import import_classes, import_vectors

    if form is not None:
        check_choice("import", "format", form, ["vectors", *CLASS_FORMATS])
    elif Path(file).suffix == ".paths":
        form = "paths"
    with shared.reporting(quiet):
        if form in CLASS_FORMATS or (form is None and looks_like_classes(file)):
            what, model = "classes", import_classes(file, output, form)
        else:
            what, model = "vectors", import_vectors(file, output)
    print_learned(model, json, quiet, nothing=f"Nothing to do: the model has these {what} already.")
