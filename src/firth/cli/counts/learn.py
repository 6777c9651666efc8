"""firth counts learn."""

from __future__ import annotations

from typing import Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.corpus import Reading
from firth.counts import CountsParameters
from firth.formats import TextLimits
from firth.parameters import JobParameters, Replacing


@command(Reading, CountsParameters, TextLimits, JobParameters, Replacing)
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    *,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Count the contexts of words.

    The text is the corpus of a model, or files. R1 is the next word; L2 the two words before; LR2 the two
    words on each side, each position counted separately; bag5 five words on each side, counted together.
    If the model has counts already, omitted options keep their previous values.

    Example: [bold]firth counts learn news --contexts bag5 --weights distance[/]
    """
    from firth.cli._print_model import print_learned
    from firth.pipeline import learn_counts

    target, texts = shared.model_and_texts("counts", sources, output)
    with shared.reporting(quiet):
        model = learn_counts(target, texts, **options)
    print_learned(model, json, quiet)
