"""firth morphs apply."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.corpus import WordReading
from firth.formats import FileLimits

Format = Literal["morphs", "conllu", "json"]


@command(WordReading, FileLimits, skip=["lowercase", "digits", "column", "language", "read_as"])
def apply(
    model: shared.ModelPath,
    texts: shared.TextsOrInput = None,
    *,
    options: dict[str, Any],
    form: Annotated[
        Format, shared.option("--format", "morphs|conllu|json", "Output format.")
    ] = "morphs",
) -> None:
    """Split the words of a stream of text into their parts.

    [bold]morphs[/] writes a sentence on each line, with @@ before a part that continues a word, as in
    en @@thrall @@ment @@s; [bold]json[/] writes a list of objects with word and morphs for each sentence;
    [bold]conllu[/] writes CoNLL-U, with the parts in the column MISC as Morphs=. CoNLL-U input keeps its
    comments, multiword tokens and other columns.

    Example: [bold]echo "shares fell" | firth morphs apply news[/]
    """
    from firth.corpus import find_sources, stream_sentences
    from firth.morphs import fill_morphs

    reading = WordReading(**(shared.tokens_of(model) | options))
    shared.segmenter_notice(model, reading.tokens)
    splitter = shared.open_part(model, "morphs")
    write = _writer(form)
    with shared.reporting(quiet=False):
        for source in find_sources(texts or ["-"], reading.column):
            if form == "conllu" and source.kind == "conllu" and source.path is not None:
                for text in fill_morphs(source.path, splitter):
                    sys.stdout.write(text)
                continue
            for sentences in stream_sentences([source], reading):
                words = [word for sentence in sentences for word in sentence]
                found = iter(splitter.split_all(words))
                for sentence in sentences:
                    sys.stdout.write(write(sentence, [next(found) for _ in sentence]))
                sys.stdout.flush()


def _writer(form: str) -> Callable[[list[str], list[list[str]]], str]:
    from firth.formats import conllu_text
    from firth.morphs import misc_of, morphs_text

    if form == "json":
        return lambda words, morphs: shared.json_text(
            [{"word": word, "morphs": parts} for word, parts in zip(words, morphs, strict=True)]
        ) + "\n"  # fmt: skip
    if form == "conllu":
        return lambda words, morphs: conllu_text(words, {"misc": [misc_of(m) for m in morphs]})
    return lambda _, morphs: shared.printable(morphs_text(morphs)) + "\n"
