"""firth tags learn."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.tags._printing import print_tags
from firth.corpus import Reading
from firth.formats import Limits
from firth.parameters import JobParameters, Replacing
from firth.tags import TAG_METHODS, AnchorPreset, TaggedText


@command(Reading, AnchorPreset, TAG_METHODS, TaggedText, Limits, JobParameters, Replacing)
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    *,
    tagged: Annotated[
        bool,
        shared.flag(
            "--tagged",
            "The text is tagged: CoNLL-U, or a word and a tag on each line.",
            panel="Text",
        ),
    ] = False,
    using: Annotated[
        str | None,
        shared.option(
            "--using",
            "MODEL",
            "Another model whose corpus provides more contexts of the words.",
            panel="Learning",
        ),
    ] = None,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn part-of-speech tags from raw text, in any language.

    The text is the corpus of a model, or files. Tags are numbered; 0 is the most frequent. Show them
    with [bold]firth tags show[/], and name them with [bold]firth tags name[/]. With --tagged, the tags
    are those of the tagged text, and the result is a fast supervised tagger. With --method latent, each
    of these tags has hidden states, which makes the tagger more accurate.

    Example: [bold]firth tags learn news --tags 8[/]
    """
    from firth.pipeline import learn_tags

    if tagged and "column" in options:  # what --tag-column was called
        shared.notice("--column is now called --tag-column for tagged text.")
        options["tag_column"] = options.pop("column")
    if tagged:
        for name in sources:
            shared.existing_file(name, "CoNLL-U, or a word and a tag on each line")
        target, texts = shared.required_output(output), sources
    else:
        target, texts = shared.model_and_texts("tags", sources, output)
    with shared.reporting(quiet):
        model = learn_tags(target, texts, tagged=tagged, using=using, **options)
    tagger = model.tags
    if json:
        shared.print_json({**tagger.facts_, "changed": model.changed})
    elif not quiet:
        shared.print_nothing_to_do(model)
        print_tags(tagger, 8)
        if settings := tagger.facts_.get("chosen"):
            chosen = ", ".join(
                f"{name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:g}'}"
                for name, value in sorted(settings.items())
            )
            shared.stdout().print(shared.line(f"chosen   {chosen}"))
        shared.print_next(f"firth tags apply {shlex.quote(target)} TEXT")
