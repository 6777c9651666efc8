"""firth morphs learn."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.morphs._printing import print_language
from firth.corpus import WordReading
from firth.formats import Limits
from firth.morphs import MorphologyParameters
from firth.parameters import JobParameters, Replacing


@command(WordReading, MorphologyParameters, Limits, JobParameters, Replacing)
def learn(
    sources: Annotated[
        list[str],
        shared.argument(
            "MODEL|TEXT...",
            "A model folder with a corpus; or text, or a list of words, with -o MODEL.",
        ),
    ],
    output: shared.OptionalOutput = None,
    *,
    known: Annotated[
        str | None,
        shared.option(
            "--known",
            "FILE",
            "Splits to respect: on each line a word, a tab, and its parts between spaces.",
            panel="Learning",
        ),
    ] = None,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn how the words of a language are made of parts, from raw text.

    The text is the corpus of a model, or files. A file with one word on each line, and none of
    them twice, is treated as a list of words and not tokenised. Only the words count, not how often they occur.

    Example: [bold]firth morphs learn news[/]
    """
    from firth.pipeline import learn_morphs

    if known is not None:
        shared.existing_file(known, "on each line a word, a tab, and its parts between spaces")
    target, texts = shared.model_and_texts("morphs", sources, output)
    with shared.reporting(quiet):
        model = learn_morphs(target, texts, known=known, **options)
    splitter = model.morphs
    if json:
        shared.print_json({**splitter.describe(), "changed": model.changed})
    elif not quiet:
        shared.print_nothing_to_do(model)
        print_language(splitter, 10)
        shared.print_next(f"firth morphs apply {shlex.quote(target)} TEXT")
