"""firth corpus apply."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.corpus import Reading
from firth.formats import FileLimits


@command(Reading, FileLimits)
def apply(
    texts: shared.Texts,
    *,
    options: dict[str, Any],
    using: Annotated[
        str | None,
        shared.option(
            "--using",
            "MODEL",
            "Read text as the corpus of this model was read; overrides all other text options.",
            panel="Text",
        ),
    ] = None,
) -> None:
    """Print the tokens of text: a line for each sentence, a space between tokens.

    Example: [bold]echo "It's here." | firth corpus apply -[/]
    """
    from firth.corpus import find_sources, phrases_of, stream_tokens

    reading = shared.open_part(using, "corpus").reading if using else Reading(**options)
    units = shared.units_of(using, reading) if using else None
    if not using and reading.phrases is not None:
        units = phrases_of(reading.phrases, reading)
    space = ""
    sources = find_sources(texts, reading.column, read_as=options.get("read_as"))
    for words, ends in stream_tokens(sources, reading, units):
        if words:  # a very long sentence comes in several pieces
            sys.stdout.write(space + " ".join(words))
            space = " "
        if ends:
            sys.stdout.write("\n")
            space = ""
