"""firth ner apply."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple

import typer

from firth.cli import _ner as common
from firth.cli import _shared as shared

FORMATS = ("inline", "columns", "json")
WORDS_AT_A_TIME = 5000
"""How many words of a text are read together, at least: so far a name helps to find itself again."""


class Sentence(NamedTuple):
    """Words, the file they are from, and where they stand in it; no places where they are not known."""

    file: str
    words: list[str]
    spots: list[Any]


@shared.guarded
def apply(
    model: shared.ModelPath,
    texts: shared.TextsOrInput = None,
    columns: Annotated[
        bool,
        typer.Option("--columns", help="The input is in columns, the word first; a column with labels is added."),
    ] = False,
    form: Annotated[
        str | None,
        shared.optional("--format", "inline|columns|json", "How to write what was found in text; inline by default."),
    ] = None,
    scheme: Annotated[
        str | None,
        shared.optional("--scheme", "iob1|iob2|iobes|bilou", "The notation of labels in columns; iob2 by default."),
    ] = None,
    tokens: Annotated[
        str | None,
        shared.optional("--tokens", "words|whitespace|characters", "What a token of text is; words by default."),
    ] = None,
    split: Annotated[
        str | None,
        shared.optional("--split", "lines|sentences|none", "What a sentence of text is; lines by default."),
    ] = None,
    errors: Annotated[
        str | None,
        shared.optional(
            "--errors", "strict|replace", "Stop at bytes that are not UTF-8, or replace them; strict by default.",
        ),
    ] = None,
) -> None:  # fmt: skip
    """Find the names in a stream of text, or of columns.

    Text is cut into words, and a sentence is written on each line, its words with blanks between them,
    with \\[PER brackets] around names; or columns, a word and
    a label on each line; or an object of JSON a line, with its file and line, the words, and the names:
    for each its type, its words (from start to before end, counted from 0), its text, and, in plain text,
    its line (counted from 1) and its characters in that line (counted from 0). A file is a
    document; long ones are read, and written, in pieces of about 5,000 words. Columns are written again
    with one more.

    Example: [bold]echo "Anna went to Oslo ." | firth ner apply names -[/]
    """
    from firth.corpus import Reading
    from firth.errors import check_choice
    from firth.formats import SCHEMES

    if form is not None:
        check_choice("ner apply", "format", form, FORMATS)
    if scheme is not None:
        check_choice("ner apply", "scheme", scheme, SCHEMES)
    cutting: dict[str, Any] = {
        name: value
        for name, value in (("tokens", tokens), ("split", split), ("errors", errors))
        if value is not None
    }
    reading = Reading(**cutting)
    if columns:
        _check_columns(form, list(cutting))
    elif scheme is not None and form != "columns":
        shared.fail(
            "--scheme is the notation of labels in columns.", "Add --format columns.", status=2
        )
    tagger = common.open_tagger(model)
    if columns:
        _apply_to_columns(tagger, texts or ["-"], scheme or "iob2")
        return
    write = {"inline": _inline, "json": _as_json, "columns": _as_columns}[form or "inline"]
    with shared.reporting(quiet=False):
        for document in _documents_of(texts or ["-"], reading, placing=form == "json"):
            found = tagger.entities([sentence.words for sentence in document])
            for sentence, names in zip(document, found, strict=True):
                sys.stdout.write(write(sentence, names, scheme or "iob2"))
            sys.stdout.flush()


def _check_columns(form: str | None, cutting: list[str]) -> None:
    """Say which options are not for columns."""
    if form not in (None, "columns"):
        shared.fail(f"Columns come out as columns, not as {form}.", "Leave out --format.", status=2)
    if cutting:
        options = " and ".join(f"--{name}" for name in cutting)
        shared.fail(
            f"{options} {'is' if len(cutting) == 1 else 'are'} for text, not for columns.",
            f"Leave out {options}, or --columns.",
            status=2,
        )


def _documents_of(texts: list[str], reading: Any, placing: bool) -> Iterator[list[Sentence]]:
    """The sentences of each file, some thousand words at a time."""
    from firth.cli._ner_places import PlacedSource
    from firth.corpus import find_sources, stream_tokens

    for found in find_sources(texts, reading.column):
        source = PlacedSource(found, placing)
        file = "-" if source.path is None else source.name
        document: list[Sentence] = []
        sentence = Sentence(file, [], [])
        n_words = 0
        for words, ends in stream_tokens([source], reading):
            sentence.words.extend(words)
            sentence.spots.extend(source.spots(len(words)))
            n_words += len(words)
            if sentence.words and (ends or len(sentence.words) > WORDS_AT_A_TIME):
                document.append(sentence)
                sentence = Sentence(file, [], [])
            if n_words >= WORDS_AT_A_TIME:
                yield document
                document, n_words = [], 0
        if sentence.words:
            document.append(sentence)
        if document:
            yield document


def _inline(sentence: Sentence, names: Iterable[Any], scheme: str) -> str:  # noqa: ARG001
    """The words, with brackets around names."""
    marked = list(sentence.words)
    for start, end, type_ in names:
        marked[start] = f"[{type_} {marked[start]}"
        marked[end - 1] += "]"
    return shared.printable(" ".join(marked)) + "\n"


def _as_json(sentence: Sentence, names: Iterable[Any], scheme: str) -> str:  # noqa: ARG001
    """The words and the names, with their places."""
    words, spots = sentence.words, sentence.spots
    data = {
        "file": sentence.file,
        "line": spots[0].line if spots else None,
        "words": words,
        "names": [
            {"type": type_, "start": start, "end": end, **_where(words[start:end], spots[start:end])}
            for start, end, type_ in names
        ],
    }  # fmt: skip
    return shared.json_text(data) + "\n"


def _where(words: list[str], spots: list[Any]) -> dict[str, Any]:
    """The text of a name as it is in its file, and where."""
    from firth.cli._ner_places import text_of

    if not spots:
        return {"text": " ".join(words), "line": None, "chars": None}
    text, first = text_of(spots), spots[0]
    return {"text": text, "line": first.line, "chars": [first.start, first.start + len(text)]}


def _as_columns(sentence: Sentence, names: Iterable[Any], scheme: str) -> str:
    from firth.formats import labels_of

    words = sentence.words
    labels = labels_of(names, len(words), scheme)
    return "".join(f"{w}\t{y}\n" for w, y in zip(words, labels, strict=True)) + "\n"


def _apply_to_columns(tagger: Any, files: list[str], scheme: str) -> None:
    """Write columns as they were, with one more."""
    from firth.formats import read_columns

    for name in files:
        if name == "-":
            documents = read_columns(_lines_of_input(), "standard input")
        else:
            documents = read_columns(common.labelled_file(name))
        for document in documents:
            labels = tagger.tag([sentence.words for sentence in document], scheme)
            for sentence, of_one in zip(document, labels, strict=True):
                sys.stdout.write("\n".join(sentence.lines_with(of_one)) + "\n")
            sys.stdout.flush()


def _lines_of_input() -> Iterator[tuple[int, str]]:
    """Standard input in UTF-8, whatever the terminal speaks."""
    from firth.errors import InputError

    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            yield number, line.decode()
        except UnicodeDecodeError:
            raise InputError(
                f"Line {number} of standard input is not in UTF-8.",
                "Convert the text first, as iconv does.",
            ) from None
