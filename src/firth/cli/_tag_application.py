"""firth tags apply."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli import _tags as common
from firth.cli._opening import pieces_of

FORMATS = ("slash", "conllu", "json")
WORDS_AT_A_TIME, SENTENCES_AT_A_TIME = 20_000, 1_000
"""How many words are tagged at once, or sentences."""


@shared.guarded
def apply(
    model: shared.ModelPath,
    texts: shared.TextsOrInput = None,
    form: Annotated[
        str, typer.Option("--format", metavar="slash|conllu|json", help="How to write words and tags.")
    ] = "slash",
    decode: common.Decode = None,
    tokens: shared.Tokens = "words",
    split: shared.Split = "lines",
    errors: shared.Errors = "strict",
) -> None:  # fmt: skip
    """Tag a stream of text.

    Text is cut into words; a sentence is written on each line, as word/TAG word/TAG, or as an object of
    JSON with its words and tags; or as CoNLL-U, a word on each line, where tags are in the column UPOS if all
    of them are of the 17 of Universal Dependencies, and else in XPOS. CoNLL-U that goes in and
    comes out keeps all else: comments, multiword tokens, other columns.

    Example: [bold]echo "the cat sleeps" | firth tags apply news[/]
    """
    from firth.corpus import Reading
    from firth.errors import check_choice
    from firth.tags import DECODES

    check_choice("tags apply", "format", form, FORMATS)
    if decode is not None:
        check_choice("tags apply", "decode", decode, DECODES)
    reading = Reading(tokens, split, errors=errors)
    tagger = common.open_tags(model)
    with shared.reporting(quiet=False):
        for source in _sources(texts or ["-"], reading):
            if form == "conllu" and source.kind == "conllu" and source.path is not None:
                _fill_conllu(source.path, tagger, decode)
                continue
            write = _writer(form, tagger)
            for k, sentences in enumerate(_pieces(source, reading)):
                if k == 0 and source.kind == "text":
                    _notice_conllu(source, sentences)
                found = tagger.tag(sentences, decode)
                for words, tags in zip(sentences, found, strict=True):
                    sys.stdout.write(write(words, tags))
                sys.stdout.flush()


def _sources(texts: list[str], reading: Any) -> list[Any]:
    from firth.corpus import find_sources

    return list(find_sources(texts, reading.column))


def _pieces(source: Any, reading: Any) -> Iterator[list[list[str]]]:
    """The sentences of a source, some thousand words at a time."""
    return pieces_of([source], reading, WORDS_AT_A_TIME, WORDS_AT_A_TIME)


def _notice_conllu(source: Any, sentences: list[list[str]]) -> None:
    """Say so where text seems to be CoNLL-U."""
    from firth import progress

    first = next((words for words in sentences if words[0] != "#"), [""])
    if first[0] in ("1", "1-2") and first.count("_") > 1:
        what = "Standard input" if source.path is None else source.name
        progress.notice(
            f"{what} seems to be CoNLL-U; it is read as text.",
            "Give a file with a name that ends in .conllu.",
        )


def _writer(form: str, tagger: Any) -> Callable[[list[str], list[str]], str]:
    from firth.formats import conllu_text

    if form == "json":
        return lambda words, tags: shared.json_text({"words": words, "tags": tags}) + "\n"
    if form == "conllu":
        column = _column(tagger)
        return lambda words, tags: conllu_text(words, {column: tags})
    return lambda words, tags: (
        shared.printable(" ".join(f"{w}/{t}" for w, t in zip(words, tags, strict=True))) + "\n"
    )


def _column(tagger: Any) -> str:
    """Where tags go in CoNLL-U."""
    from firth.formats import UPOS

    return "upos" if set(tagger.tags_) <= set(UPOS) else "xpos"


def _fill_conllu(path: Path, tagger: Any, decode: str | None) -> None:
    """Write a file of CoNLL-U again, with tags."""
    from firth.formats import conllu_with, read_conllu

    column, sentences = _column(tagger), read_conllu(path)
    while some := list(islice(sentences, SENTENCES_AT_A_TIME)):
        found = tagger.tag([sentence.words for sentence in some], decode)
        for sentence, tags in zip(some, found, strict=True):
            sys.stdout.write(conllu_with(sentence, {column: tags}))
        sys.stdout.flush()
