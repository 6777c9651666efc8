"""firth vectors learn."""

from __future__ import annotations

from typing import Any

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.corpus import Reading
from firth.formats import TextLimits
from firth.parameters import JobParameters, Replacing
from firth.vectors import PresetOption, VectorCountsParameters, VectorsParameters


@command(
    Reading,
    PresetOption,
    VectorCountsParameters,
    VectorsParameters,
    TextLimits,
    JobParameters,
    Replacing,
)
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    *,
    options: dict[str, Any],
    kind: common.Kind = "meaning",
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn word vectors: count contexts, transform and scale the counts, decompose the matrix.

    The text is the corpus of a model, or files. If the model has word vectors already, omitted options keep
    their previous values; --preset resets contexts, weights, alpha, beta and spelling.

    --kind grammar learns vectors in which words are similar if they can replace each other. It takes --dim,
    --min-count, --vocabulary, --across-lines, --tolerance and --seed.

    Example: [bold]firth vectors learn news --dim 20 --preset analogy[/]
    """
    from firth.cli._print_model import print_learned
    from firth.pipeline import learn_vectors

    target, texts = shared.model_and_texts("vectors", sources, output)
    with shared.reporting(quiet):
        model = learn_vectors(target, texts, kind=kind, **options)
    print_learned(model, json, quiet)
