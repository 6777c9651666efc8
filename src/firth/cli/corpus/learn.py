"""firth corpus learn."""

from __future__ import annotations

from typing import Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.corpus import Reading
from firth.formats import TextLimits
from firth.parameters import JobParameters, Replacing


@command(Reading, TextLimits, JobParameters, Replacing)
def learn(
    texts: shared.Texts,
    output: shared.Output,
    *,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Read text into the corpus of a model.

    Example: [bold]firth corpus learn news.txt -o news --lowercase[/]
    """
    from firth.cli._print_model import print_learned
    from firth.pipeline import learn_corpus

    with shared.reporting(quiet):
        model = learn_corpus(output, texts, **options)
    print_learned(model, json, quiet)
