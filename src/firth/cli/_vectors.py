"""What the commands around vectors share: options, opening, tables of neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.errors import WordError

if TYPE_CHECKING:
    from firth.vectors import Neighbour, WordVectors

VectorsPath = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model folder, or a file of vectors.", show_default=False
    ),
]
Dim = Annotated[
    int | None,
    typer.Option(
        "--dim",
        metavar="N",
        help="Dimensions of the word vectors; by default 300, or fewer for a small text.",
        show_default=False,
    ),
]
HowMany = Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many words to show.")]
METHOD_HELP = "3CosMul or 3CosAdd."


def open_vectors(path: str) -> WordVectors:
    """The vectors of a model, or of a file."""
    if Path(path).is_file():
        from firth.vectors import WordVectors

        return WordVectors.read(path)
    from firth.model import load

    return load(path).vectors


@contextmanager
def asking(path: str) -> Iterator[WordVectors]:
    """The vectors, to ask about words; a word that is in the corpus but too rare is said to be so."""
    vectors = open_vectors(path)
    try:
        yield vectors
    except WordError as error:
        from firth.model import load

        model = load(path) if Path(path).is_dir() else None
        if error.word is None or model is None or "corpus" not in model:
            raise
        words = model.corpus.vocabulary
        found = words.find(error.word)
        if found is None:
            raise
        times = shared.count_of(int(words.counts[found]), "time")
        raise WordError(
            f"The word {error.word!r} occurs {times}, too rarely for a vector.",
            "Learn with a smaller --min-count, or see: firth vectors apply --help",
        ) from None


def as_dicts(found: Sequence[Neighbour]) -> list[dict[str, Any]]:
    return [{"word": word, "similarity": round(score, 6)} for word, score in found]


def print_neighbours(columns: dict[str, Sequence[Neighbour]]) -> None:
    """Lists of words side by side, as many as fit the width."""
    from rich.table import Table
    from rich.text import Text

    console = shared.stdout()
    at_once = max(1, min(len(columns), console.width // 24))
    titles = list(columns)
    for a in range(0, len(titles), at_once):
        some = titles[a : a + at_once]
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        for title in some:
            table.add_column(Text(shared.printable(title)), overflow="ellipsis", no_wrap=True)
            table.add_column("", justify="right", style="green", no_wrap=True, min_width=5)
        for i in range(max(len(columns[title]) for title in some)):
            cells: list[Any] = []
            for title in some:
                found = columns[title][i : i + 1]
                cells += (
                    [Text(shared.printable(found[0].word)), f"{found[0].similarity:.3f}"]
                    if found
                    else ["", ""]
                )
            table.add_row(*cells)
        if a:
            console.print()
        shared.print_table(table)
