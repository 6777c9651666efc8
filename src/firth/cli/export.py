"""firth export and firth import: other people's files."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.errors import InputError

if TYPE_CHECKING:
    from firth.vectors import WordVectors


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
            metavar="word2vec|word2vec-binary|glove|parquet|npz",
            help="How to write it; by default as the name of the file says (.txt .vec .bin .parquet .npz).",
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
    """Write the word vectors of a model into a file that other programs read.

    word2vec is what gensim, spaCy and fastText read; glove is the same without a first line.

    Example: [bold]firth export news --format word2vec -o news.txt.vec[/]
    """
    chosen = chosen_format(output, form)
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


def chosen_format(output: str, form: str | None) -> str:
    """The format to write, said or told by the name of the file."""
    from firth.errors import check_choice
    from firth.formats import VECTOR_FORMATS, vector_format_of

    chosen = form or vector_format_of(output)
    if chosen is None:
        shared.fail(
            f"The name {output} does not tell the format.", "Choose one with --format.", status=2
        )
    check_choice("export", "format", chosen, VECTOR_FORMATS)
    if output == "-" and chosen in ("word2vec-binary", "parquet", "npz") and sys.stdout.isatty():
        shared.fail("A terminal cannot show this format.", "Name a file: -o FILE", status=2)
    return chosen


def write_file(vectors: WordVectors, output: str, form: str) -> int:
    """Write all vectors that are not zero; returns how many they are."""
    with _replacing(output) as file:
        return vectors.write(file, form)


@contextmanager
def _replacing(output: str) -> Iterator[Any]:
    """A file that takes its name only when it is whole; or standard output, a pipe, a device."""
    if output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent or ".")
    except OSError as error:
        raise InputError(
            f"Cannot write {output}: {error.strerror}.",
            "Is the folder there, and may you write to it?",
        ) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@shared.guarded
def import_(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of vectors.", show_default=False)
    ],
    output: shared.Output,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Take word vectors from a file into a model: word2vec (text, binary), GloVe, Parquet, npz.

    The format is told by what is in the file; it may be compressed.

    Example: [bold]firth import vectors.txt -o other[/]
    """
    from firth.cli._describe import print_learned
    from firth.pipeline import import_vectors

    with shared.reporting(quiet):
        model = import_vectors(file, output)
    print_learned(model, json, quiet, nothing="Nothing to do: these vectors are there already.")
