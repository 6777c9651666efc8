"""firth export and firth import: other people's files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.store import replacing

if TYPE_CHECKING:
    from firth.vectors import WordVectors


CLASS_TABLES = ("paths", "clustercat", "csv")


@shared.guarded
def export(
    model: common.VectorsPath,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write; - for standard output.", show_default=False,
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="word2vec|word2vec-binary|glove|parquet|npz|paths|clustercat|csv",
            help="How to write it; by default as the name of the file says (.txt .vec .bin .parquet .npz .paths .csv).",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="N", min=1, help="Only the N most frequent words.", show_default=False
        ),
    ] = None,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Write the word vectors or the word classes of a model into a file that other programs read.

    Vectors: word2vec is what gensim, spaCy and fastText read; glove is the same without a first line.
    Classes: paths is Liang's file (bits, word, count between tabs), clustercat a word and the number of
    its class, csv a table with labels.

    Example: [bold]firth export news --format paths -o news.paths[/]
    """
    chosen = chosen_format(output, form, CLASS_TABLES)
    if chosen in CLASS_TABLES:
        _export_classes(model, output, chosen, top, quiet)
        return
    vectors = common.open_vectors(model)
    if top is not None:
        vectors = vectors.restrict(top)
    with shared.reporting(quiet or output == "-"):
        n = write_file(vectors, output, chosen)
    if not quiet and output != "-":
        console = shared.stdout()
        console.print(
            shared.line(f"{n:,} words in {vectors.dim} dimensions, {chosen}: ", (output, "bold"))
        )
        if n < len(vectors):
            console.print(f"{shared.count_of(len(vectors) - n, 'word')} without contexts left out")


def _export_classes(model: str, output: str, form: str, top: int | None, quiet: bool) -> None:
    from firth.cli._classes import open_classes

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
        console = shared.stdout()
        sizes = (
            f"{shared.count_of(len(classes), 'word')} in {classes.n_classes:,} classes, {form}: "
        )
        console.print(shared.line(sizes, (output, "bold")))


def chosen_format(output: str, form: str | None, others: Sequence[str] = ()) -> str:
    """The format to write, said or told by the name of the file."""
    from firth.errors import check_choice
    from firth.formats import VECTOR_FORMATS, vector_format_of

    by_name = {f".{other}": other for other in others}
    chosen = form or by_name.get(Path(output).suffix) or vector_format_of(output)
    if chosen is None:
        shared.fail(
            f"The name {output} does not tell the format.", "Choose one with --format.", status=2
        )
    check_choice("export", "format", chosen, [*VECTOR_FORMATS, *others])
    if output == "-" and chosen in ("word2vec-binary", "parquet", "npz") and sys.stdout.isatty():
        shared.fail("A terminal cannot show this format.", "Name a file: -o FILE", status=2)
    return chosen


def write_file(vectors: WordVectors, output: str, form: str) -> int:
    """Write all vectors that are not zero; returns how many they are."""
    with replacing(output) as file:
        return vectors.write(file, form)


@shared.guarded
def import_(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A file of vectors or of classes.", show_default=False),
    ],
    output: shared.Output,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="vectors|paths|clustercat", show_default=False,
            help="What is in the file; by default as it looks.",
        ),
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Take word vectors or word classes from a file into a model.

    Vectors: word2vec (text, binary), GloVe, Parquet, npz. Classes: paths of wcluster, or ClusterCat's
    words with class numbers. The format is told by what is in the file; it may be compressed.

    Example: [bold]firth import vectors.txt -o other[/]
    """
    from firth.cli._print_model import print_learned
    from firth.errors import check_choice
    from firth.formats import CLASS_FORMATS, looks_like_classes
    from firth.pipeline import import_classes, import_vectors

    if form is not None:
        check_choice("import", "format", form, ["vectors", *CLASS_FORMATS])
    with shared.reporting(quiet):
        named = Path(file).suffix == ".paths"
        if named and form is None:
            form = "paths"
        if form in CLASS_FORMATS or (form is None and looks_like_classes(file)):
            what, model = "classes", import_classes(file, output, form)
        else:
            what, model = "vectors", import_vectors(file, output)
    print_learned(model, json, quiet, nothing=f"Nothing to do: these {what} are there already.")
