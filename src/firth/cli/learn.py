"""firth learn: the main job, from text to a model."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.corpus import Reading
from firth.counts import CountsParameters
from firth.formats import TextLimits
from firth.parameters import DeviceOption, JobParameters, Replacing
from firth.pipeline import LearnParameters


@command(
    Reading, CountsParameters, LearnParameters, TextLimits, JobParameters, DeviceOption, Replacing
)
def learn(
    texts: shared.Texts,
    output: shared.OptionalOutput = None,
    *,
    options: dict[str, Any],
    plan: Annotated[
        bool, shared.flag("--plan", "Only estimate time, memory and disk space of each stage.")
    ] = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn a model from text: corpus, counts, word vectors and word classes.

    --contexts and --weights are for the counts that [bold]firth show[/] uses. Word vectors count contexts
    of their own, chosen by --preset, and word classes use adjacent words. --morphs also learns the parts
    of words, and --tags 12 part-of-speech tags. A stage that was done before with the same text and
    options is skipped. A model that was made from other text is kept as it is, unless --replace is given.

    Example: [bold]firth learn news.txt -o news --min-count 10[/]
    """
    from firth import pipeline
    from firth.cli._print_model import print_learned, print_plan

    with shared.reporting(quiet):
        if plan:
            made = pipeline.plan(texts, **options)
        else:
            model = pipeline.learn(texts, shared.required_output(output), **options)
    if not plan:
        print_learned(model, json, quiet)
    elif json:
        shared.print_json(made.to_dict())
    else:
        print_plan(made, options.get("min_count", CountsParameters.min_count))
