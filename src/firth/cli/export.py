"""firth export."""

from __future__ import annotations

from typing import Annotated, Literal

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.formats import FileLimits

_CLASSES = {".paths": "paths", ".clustercat": "clustercat", ".csv": "csv"}
"""Formats of word classes, by suffix."""


@command(FileLimits)
def export(
    model: common.VectorsPath,
    output: Annotated[
        str, shared.option("--output -o", "FILE", "The file to write; - for standard output.")
    ],
    form: Annotated[
        str | None,
        shared.option(
            "--format",
            "FORMAT",
            "word2vec, word2vec-binary, glove, parquet, npz, safetensors, fasttext, spacy, paths, clustercat "
            "or csv; by default from the suffix (.txt .vec .bin .parquet .npz .safetensors .paths .csv).",
        ),
    ] = None,
    top: Annotated[
        int | None, shared.option("--top", "N", "Only the N most frequent words.", least=1)
    ] = None,
    kind: Annotated[
        Literal["meaning", "grammar", "both"],
        shared.option(
            "--kind",
            "KIND",
            f"Which vectors: meaning, grammar, or both side by side. {common.KIND}.",
        ),
    ] = "meaning",
    quiet: shared.Quiet = False,
) -> None:
    """Export the word vectors or the word classes of a model to a file for other programs.

    Vectors: gensim, spaCy and fastText read word2vec; glove is the same without the first line; fasttext is
    fastText's binary model, which has vectors for unseen words, guessed from their spelling. Classes:
    paths is the format of wcluster (bit string, word, count), clustercat a word and the number of its
    class, csv a table with labels.

    Example: [bold]firth export news --format paths -o news.paths[/]
    """
    from firth.store import replacing

    chosen = common.output_format(output, form, _CLASSES)
    if chosen in _CLASSES.values():
        if kind != "meaning":
            shared.fail(
                f"--kind {kind} is for word vectors, not for classes.", "Leave it out.", status=2
            )
        _export_classes(model, output, chosen, top, quiet)
        return
    vectors = common.open_vectors(model, kind)
    if top is not None:
        vectors = vectors.restrict(top)
    with shared.reporting(quiet or output == "-"), replacing(output) as file:
        n = vectors.write(file, chosen)
    if not quiet and output != "-":
        console = shared.stdout()
        sizes = f"{n:,} words in {vectors.dim} dimensions, {chosen}: "
        console.print(shared.line(sizes, (output, "bold")))
        if n < len(vectors):
            left_out = shared.count_of(len(vectors) - n, "word")
            console.print(f"{left_out} without contexts left out")


def _export_classes(model: str, output: str, form: str, top: int | None, quiet: bool) -> None:
    from firth.cli._classes import open_classes
    from firth.store import replacing

    classes = open_classes(model)
    if top is not None:
        classes = classes.restrict(top)
    with replacing(output) as file:
        if form == "csv":
            import pyarrow.csv

            pyarrow.csv.write_csv(classes.to_table(), file)
        else:
            classes.write(file, form)
    if not quiet and output != "-":
        words = shared.count_of(len(classes), "word")
        sizes = f"{words} in {classes.n_classes:,} classes, {form}: "
        shared.stdout().print(shared.line(sizes, (output, "bold")))
