"""firth learn: the main job, from text to a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from firth.cli import _classes as classing
from firth.cli import _shared as shared
from firth.cli import _vectors as common


@shared.guarded
def learn(
    texts: shared.Texts,
    output: shared.OptionalOutput = None,
    min_count: shared.MinCount = 5,
    vocabulary: shared.VocabularySize = 200_000,
    lowercase: shared.Lowercase = False,
    digits: shared.Digits = "keep",
    tokens: shared.Tokens = "words",
    split: shared.Split = "lines",
    errors: shared.Errors = "strict",
    column: shared.Column = "text",
    contexts: shared.ContextsOption = "LR2",
    weights: shared.Weights = "none",
    across_lines: shared.AcrossLines = False,
    dim: common.Dim = None,
    preset: Annotated[
        str,
        typer.Option(
            "--preset", metavar="similarity|analogy|syntax", help="What the word vectors are for."
        ),
    ] = "similarity",
    classes: classing.Number = None,
    tags: Annotated[
        int,
        typer.Option(
            "--tags", metavar="N", min=0, help="How many parts of speech; none by default."
        ),
    ] = 0,
    memory: shared.Memory = "4G",
    threads: shared.Threads = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only look at the text and say what the job will take.")
    ] = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn from text: read it, number its words, count their contexts, learn word vectors and classes.

    --contexts and --weights are those of the counts that [bold]firth show[/] looks at; vectors
    count their own, by --preset; classes look at adjacent words. --dim 0 learns no vectors,
    --classes 0 no classes; --tags 12 learns parts of speech too. What was done before with the same text
    and options is not done again.

    Example: [bold]firth learn news.txt -o news --min-count 10[/]
    """
    from firth.corpus import Reading, find_sources
    from firth.counts import CountsParameters

    if plan:
        from firth.compute import engine_for
        from firth.pipeline import vectors_parameters
        from firth.planning import plan as make_plan
        from firth.vectors import preset as find_preset

        reading = Reading(tokens, split, lowercase, digits, errors, column)
        parameters = CountsParameters(
            contexts, weights, min_count, shared.no_limit(vocabulary), across_lines
        )
        with shared.reporting(quiet):
            made = make_plan(
                find_sources(texts, column),
                reading,
                parameters,
                memory,
                engine_for("learn", threads),
                None if dim == 0 else vectors_parameters(find_preset(preset), parameters, dim),
                classes=classes,
            )
        shared.print_json(made.to_dict()) if json else _print_plan(made, min_count)
        return

    if not output:
        shared.fail(
            "There is no --output (-o) to write the model to.", "For example: -o my-model", status=2
        )

    from firth import pipeline
    from firth.cli._describe import print_learned

    with shared.reporting(quiet):
        model = pipeline.learn(
            texts, output, tokens=tokens, split=split, lowercase=lowercase, digits=digits, errors=errors, column=column,
            contexts=contexts, weights=weights, min_count=min_count, vocabulary=shared.no_limit(vocabulary),
            across_lines=across_lines, dim=dim, preset=preset, classes=classes, tags=tags, memory=memory,
            threads=threads,
        )  # fmt: skip
    print_learned(model, json, quiet)


def _print_plan(plan: Any, min_count: int) -> None:
    from firth.progress import clock, number, size

    console = shared.stdout()
    about = "" if plan.exact else "about "
    console.print(
        f"{size(plan.n_bytes)} on disk: {about}{number(plan.n_tokens)} tokens, {about}{number(plan.n_types)} types"
    )
    console.print("\n[bold]min-count      words   share of the text[/]")
    for row in plan.rows:
        mark = " [cyan]<[/]" if row.min_count == min_count else ""
        console.print(f"{row.min_count:>9}  {row.n_words:>9,}   {row.coverage:>6.1%}{mark}")
    console.print(
        f"\nwith these options, about {number(plan.n_entries)} entries in the matrix of counts"
    )
    console.print(
        f"time about {clock(plan.seconds)}, memory about {size(plan.memory)}, disk about {size(plan.disk)}"
    )
    if not plan.exact:
        console.print("[dim]estimated from a sample; nothing was written[/]")
