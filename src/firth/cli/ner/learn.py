"""firth ner learn."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.ner._printing import LABELLED, print_recogniser
from firth.formats import LabelLimits
from firth.ner import EntityParameters, LabelColumn
from firth.parameters import Replacing


@command(LabelColumn, EntityParameters, Replacing, LabelLimits)
def learn(
    text: Annotated[
        str,
        shared.argument(
            "LABELLED", "A word and its label on each line, an empty line after each sentence."
        ),
    ],
    output: shared.Output,
    *,
    dev: Annotated[
        str | None,
        shared.option(
            "--dev", "FILE", "Labelled text that is not trained on, to report F1 on.", panel="Text"
        ),
    ] = None,
    using: Annotated[
        str | None,
        shared.option(
            "--using",
            "MODEL",
            "Another model, whose word classes and vectors become features.",
            panel="Learning",
        ),
    ] = None,
    features: Annotated[
        str | None,
        shared.option(
            "--features",
            "classes,vectors",
            "What to use of that model; all it has by default.",
            panel="Learning",
        ),
    ] = None,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Train a named-entity recogniser on labelled text.

    Labels can be in IOB1, IOB2, IOBES or BILOU. Other columns, such as parts of speech, are ignored.
    Lines with -DOCSTART- start a document. Word classes and vectors that another model has learned from
    plain text improve the result considerably; they are copied.

    Example: [bold]firth ner learn names.txt -o names --using news --features classes[/]
    """
    from firth.describe import model_facts
    from firth.pipeline import learn_entities

    for name in (text, dev):
        if name is not None:
            shared.existing_file(name, LABELLED)
    chosen = None if features is None else [name.strip() for name in features.split(",")]
    try:
        with shared.reporting(quiet), shared.interruptible("Run the same command to start again."):
            model = learn_entities(output, text, dev=dev, using=using, features=chosen, **options)
    except MemoryError:
        shared.fail("There is not enough memory.", "Use --threads 1 or --stages 1.")
    if json:
        shared.print_json({**model_facts(model)["parts"]["ner"], "changed": model.changed})
    elif not quiet:
        shared.print_nothing_to_do(model)
        print_recogniser(model.parts["ner"].facts)
        shared.print_next(f"firth ner apply {shlex.quote(output)} TEXT")
