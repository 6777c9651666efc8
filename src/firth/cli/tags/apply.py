"""firth tags apply."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

from firth import progress
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.corpus import Reading
from firth.formats import FileLimits
from firth.tags import DecodeOption

Format = Literal["slash", "conllu", "json"]


@command(
    Reading, DecodeOption, FileLimits,
    skip=["lowercase", "digits", "column", "language", "read_as", "phrases"],
)  # fmt: skip
def apply(
    model: shared.ModelPath,
    texts: shared.TextsOrInput = None,
    *,
    options: dict[str, Any],
    form: Annotated[
        Format, shared.option("--format", "slash|conllu|json", "Output format.")
    ] = "slash",
) -> None:
    """Tag a stream of text.

    [bold]slash[/] writes a sentence on each line, as word/TAG word/TAG; [bold]json[/] writes an object
    with words and tags for each sentence; [bold]conllu[/] writes CoNLL-U, with tags in the column UPOS if
    all of them are universal part-of-speech tags, and in XPOS otherwise. CoNLL-U input keeps its comments,
    multiword tokens and other columns.

    Example: [bold]echo "the cat sleeps" | firth tags apply news[/]
    """
    from firth.corpus import find_sources, stream_sentences
    from firth.tags import fill_conllu, tag_column

    decode = options.pop("decode", None)
    tagger = shared.open_part(model, "tags")
    options.setdefault("tokens", tagger.reading.tokens)
    if tagger.reading.phrases is not None:  # their words are as the corpus has them
        like = ("lowercase", "digits", "language", "phrases")
        options |= {name: getattr(tagger.reading, name) for name in like}
    reading = Reading(**options)
    units = shared.units_of(model, reading)
    write = _writer(form, tag_column(tagger))
    with shared.reporting(quiet=False):
        for source in find_sources(texts or ["-"], reading.column):
            if form == "conllu" and source.kind == "conllu" and source.path is not None:
                for text in fill_conllu(source.path, tagger, decode):
                    sys.stdout.write(text)
                continue
            for k, sentences in enumerate(stream_sentences([source], reading, units=units)):
                if k == 0 and source.kind == "text":
                    _notice_conllu(source, sentences)
                found = tagger.tag(sentences, decode)
                for words, tags in zip(sentences, found, strict=True):
                    sys.stdout.write(write(words, tags))
                sys.stdout.flush()


def _notice_conllu(source: Any, sentences: list[list[str]]) -> None:
    """Say so if text looks like CoNLL-U."""
    first = next((words for words in sentences if words[0] != "#"), [""])
    if first[0] in ("1", "1-2") and first.count("_") > 1:
        what = "Standard input" if source.path is None else source.name
        progress.notice(
            f"{what} looks like CoNLL-U, but is read as plain text.",
            "Give a file whose name ends in .conllu.",
        )


def _writer(form: str, column: str) -> Callable[[list[str], list[str]], str]:
    from firth.formats import conllu_text

    if form == "json":
        return lambda words, tags: shared.json_text({"words": words, "tags": tags}) + "\n"
    if form == "conllu":
        return lambda words, tags: conllu_text(words, {column: tags})
    return lambda words, tags: (
        shared.printable(" ".join(f"{w}/{t}" for w, t in zip(words, tags, strict=True))) + "\n"
    )
