"""firth classes learn."""

from __future__ import annotations

from typing import Annotated, Any

from firth.classes import ClassesParameters, KeptWords
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli._print_model import print_learned
from firth.corpus import Reading
from firth.formats import TextLimits
from firth.parameters import DeviceOption, JobParameters, Replacing


@command(Reading, ClassesParameters, KeptWords, TextLimits, JobParameters, DeviceOption, Replacing)
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    *,
    options: dict[str, Any],
    trace: Annotated[
        str | None,
        shared.option(
            "--trace", "FILE", "Write every merge of Brown's algorithm; for small texts."
        ),
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn word classes with Brown's algorithm or spectral clustering, then refine them.

    The text is the corpus of a model, or files. If the model has classes, options that are omitted keep
    their previous values; another --method begins with its own defaults. Interrupted work continues
    where it stopped.

    The trace is a tab-separated file with a line for each merge: the step, the word that became active,
    the words of the two classes, and the loss of mutual information of the active words. It covers Brown's
    algorithm, before refinement.

    Example: [bold]firth classes learn news --classes 8[/]
    """
    from firth.classes import Merge, write_trace
    from firth.pipeline import learn_classes

    target, texts = shared.model_and_texts("classes", sources, output)
    merges: list[Merge] | None = [] if trace else None
    with shared.reporting(quiet):
        model = learn_classes(target, texts, trace=merges, **options)
    if trace and merges is not None:
        write_trace(trace, merges)
    print_learned(model, json, quiet)
