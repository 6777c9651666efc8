"""Helpers of the commands that use word vectors."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from firth.cli import _shared as shared
from firth.errors import WordError

if TYPE_CHECKING:
    from firth.vectors import Neighbour, WordVectors

VectorsPath = Annotated[str, shared.argument("MODEL", "A model folder, or a file of vectors.")]
KIND = "meaning: words that go with the same topics; grammar: words that can replace each other"
Kind = Annotated[
    Literal["meaning", "grammar"],
    shared.option("--kind", "meaning|grammar", f"Which vectors. {KIND}."),
]
Kinds = Annotated[
    Literal["meaning", "grammar", "both"] | None,
    shared.option(
        "--kind",
        "KIND",
        f"meaning, grammar or both. {KIND}. By default what the model has; meaning with --json.",
    ),
]
TITLES = {"meaning": "goes with {}", "grammar": "can replace {}"}
"""Headings of lists of similar words by either kind of vectors."""
_COLUMN = 24
"""Terminal columns for a list of neighbours."""


def open_vectors(path: str, kind: str = "meaning") -> WordVectors:
    """The vectors of a model, of one kind or both side by side, or of a file."""
    if Path(path).is_file():
        if kind != "meaning":
            shared.fail(
                f"--kind {kind} is for models: {path} is a file.", "Leave it out.", status=2
            )
        from firth.vectors import WordVectors

        return WordVectors.read(path)
    from firth.vectors import KINDS

    if kind == "both":
        return open_vectors(path).beside(open_vectors(path, "grammar"))
    vectors: WordVectors = shared.open_part(path, KINDS[kind])
    return vectors


def kinds_of(path: str, kind: str | None, json: bool) -> tuple[str, ...]:
    """The kinds of vectors to use: those asked for, or by default what a model has."""
    from firth.model import load
    from firth.vectors import KINDS

    if kind == "both":
        return tuple(KINDS)
    if kind is not None or json or not Path(path).is_dir():
        return (kind or "meaning",)
    model = load(path)
    there = tuple(k for k, part in KINDS.items() if part in model and not model.is_stale(part))
    return there if "meaning" in there else ("meaning",)


@contextmanager
def vectors_of(path: str, kind: str = "meaning") -> Iterator[WordVectors]:
    """The vectors of a model or of a file; an unknown word that is in the corpus is reported as rare."""
    vectors = open_vectors(path, kind)
    try:
        yield vectors
    except WordError as error:
        count = _frequency(path, error.word)
        if not count:
            raise
        raise WordError(
            f"The word {error.word!r} occurs {shared.count_of(count, 'time')}, too rarely for a vector.",
            "Use a smaller --min-count, or see: firth vectors apply --help",
        ) from None


def _frequency(path: str, word: str | None) -> int | None:
    """How often a word occurs in the corpus of a model; None if there is none."""
    from firth.model import load

    model = load(path) if Path(path).is_dir() else None
    if word is None or model is None or "corpus" not in model:
        return None
    vocabulary = model.corpus.vocabulary
    found = vocabulary.find(word)
    return 0 if found is None else int(vocabulary.counts[found])


def output_format(output: str, form: str | None, others: Mapping[str, str] | None = None) -> str:
    """The format to write, given or from the suffix of the file.

    ``others`` are formats beside those of vectors, by suffix.
    """
    from firth.errors import check_choice
    from firth.formats import BINARY_FORMATS, WRITTEN_FORMATS, vector_format_of

    others = others or {}
    chosen = form or others.get(Path(output).suffix) or vector_format_of(output)
    if chosen is None:
        suffixes = "a name that ends in .txt, .vec, .bin, .parquet, .npz or .safetensors."
        hint = f"Give --format, or use {suffixes}" if others else f"Use {suffixes}"
        shared.fail(f"The format cannot be inferred from the name {output}.", hint, status=2)
    check_choice("export", "format", chosen, [*WRITTEN_FORMATS, *others.values()])
    if output == "-" and chosen in BINARY_FORMATS and sys.stdout.isatty():
        shared.fail("This format cannot be shown on a terminal.", "Give a file: -o FILE", status=2)
    return chosen


def show_neighbours(
    path: str, words: Sequence[str], n: int, json: bool, kind: str | None = None
) -> None:
    """Show the words most similar to each word."""
    words = list(dict.fromkeys(words))
    found: dict[str, Mapping[str, Sequence[Neighbour]]] = {}
    notes: dict[str, str] = {}
    for one in kinds_of(path, kind, json):
        with shared.reporting(json), vectors_of(path, one) as vectors:
            found[one] = dict(zip(words, vectors.neighbours(words, n, guess=True), strict=True))
            notes |= {w: why_guessed(path, w, vectors) for w in words if w not in vectors}
    show_kinds(found, json, notes, notes, kind == "both")


def show_kinds(
    found: Mapping[str, Mapping[str, Sequence[Neighbour]]],
    json: bool,
    guessed: Container[str],
    notes: Mapping[str, str],
    by_kind: bool,
) -> None:
    """Show lists of neighbours by kind and title; as JSON, kinds are there only if they are asked for."""
    if json and by_kind:
        shared.print_json(
            {
                kind: {title: as_dicts(near, title in guessed) for title, near in lists.items()}
                for kind, lists in found.items()
            }
        )
    elif len(found) == 1:
        show_lists(next(iter(found.values())), json, guessed, notes)
    else:
        titles = dict.fromkeys(title for lists in found.values() for title in lists)
        shown = {
            TITLES[kind].format(title): found[kind][title] for title in titles for kind in found
        }
        show_lists(shown, json, guessed, notes)


def show_lists(
    found: Mapping[str, Sequence[Neighbour]], json: bool, guessed: Container[str], notes: Mapping[str, str]
) -> None:  # fmt: skip
    """Show lists of neighbours by their titles, and notes on words whose vectors were guessed."""
    if json:
        shared.print_json(
            {title: as_dicts(near, title in guessed) for title, near in found.items()}
        )
        return
    for note in notes.values():
        shared.stdout().print(shared.line((note, "dim")))
    print_neighbours({title: near for title, near in found.items() if near})
    for title, near in found.items():
        if not near:
            note = f"{title} has no contexts, so no word is similar to it"
            shared.stdout().print(shared.line((note, "dim")))


def why_guessed(path: str, word: str, vectors: WordVectors) -> str:
    """Why the vector of a word is a guess, for a person."""
    count = _frequency(path, word)
    if count:
        why = f"{word} occurs {shared.count_of(count, 'time')}, too rarely for a vector"
    else:
        why = f"{word} has no vector" if count is None else f"{word} does not occur in the text"
    other = vectors.vocabulary.other_case(word)
    there_is = "" if other is None else f" (there is {other!r})"
    return f"{why}{there_is}; its vector is a guess from its spelling"


def as_dicts(found: Sequence[Neighbour], guessed: bool = False) -> list[dict[str, Any]]:
    """Neighbours for JSON; ``guess`` is there only if the vector they are similar to is a guess."""
    mark = {"guess": True} if guessed else {}
    return [{"word": word, "similarity": round(score, 6), **mark} for word, score in found]


def print_neighbours(columns: dict[str, Sequence[Neighbour]]) -> None:
    """Lists of words side by side, as many as fit the width of the terminal."""
    from rich.table import Table
    from rich.text import Text

    console = shared.stdout()
    at_once = max(1, min(len(columns), console.width // _COLUMN))
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
