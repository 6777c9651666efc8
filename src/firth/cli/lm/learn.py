"""firth lm learn."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._printing import print_facts
from firth.corpus import Reading
from firth.formats import TextLimits
from firth.lm import HELD_OUT, LanguageModelParameters
from firth.parameters import JobParameters, Replacing


@command(Reading, LanguageModelParameters, TextLimits, JobParameters, Replacing)
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    *,
    options: dict[str, Any],
    classes: Annotated[
        str | None,
        shared.option(
            "--classes",
            "N[,N...]",
            "Numbers of classes of the clusterings; by default about six that suit the vocabulary. "
            "0 for no classes.",
            panel="Learning",
        ),
    ] = None,
    using: Annotated[
        list[str] | None,
        shared.option(
            "--using",
            "MODEL",
            "Use the word classes of a model, or of a file, instead; may be repeated.",
            panel="Learning",
        ),
    ] = None,
    held_out: Annotated[
        str,
        shared.option(
            "--held-out",
            "SHARE|FILE",
            "Sentences to fit weights and discounts to: a share of the text, or a file.",
            panel="Learning",
        ),
    ] = f"{HELD_OUT:.0%}",
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn a language model of words, word classes and recent words.

    The words are clustered in several ways, and each clustering makes models that predict the class of
    the next word, and the word from its class. Together with n-grams of words and a cache of recent words
    they are interpolated, with weights and discounts that fit the held-out sentences. A million words
    take about 40 seconds of CPU time and 1 GB of memory. For longer texts, fewer models are made.

    What does not fit into --memory is put into files. The limit does not include the program itself (175 MB) and,
    with classes, another 110 MB: a million words take 350 MB with --memory 64M.

    Example: [bold]firth lm learn news[/]
    """
    from firth.describe import lm_facts
    from firth.pipeline import learn_lm

    sizes, aside = _sizes(classes), _held_out(held_out)
    target, texts = shared.model_and_texts("lm", sources, output)
    with shared.reporting(quiet):
        model = learn_lm(target, texts, classes=sizes, using=using, held_out=aside, **options)
    facts = lm_facts(model.lm)
    if json:
        shared.print_json({**facts, "changed": model.changed})
    elif not quiet:
        shared.print_nothing_to_do(model)
        print_facts(facts)
        shared.print_next(f'firth lm show {shlex.quote(target)} --after "of the"')
        shared.print_next(f"firth lm apply {shlex.quote(target)} TEXT", "")


def _sizes(text: str | None) -> list[int] | None:
    """The numbers of classes; an empty list for 0."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and part.isascii() for part in parts):
        shared.fail(
            f"--classes must be a number, or numbers separated by commas. Got {text!r}.",
            "For example: --classes 500,125",
            status=2,
        )
    numbers = list(dict.fromkeys(int(part[:12]) for part in parts))
    return [] if numbers == [0] else numbers


def _held_out(text: str) -> float | Path:
    """A share of the sentences, written as 5% or 0.05, or a file."""
    if Path(text).is_file():
        return Path(text)
    share = shared.share_of(text)
    if not 0 <= share < 1:
        shared.fail(
            f"--held-out must be a share of the sentences, such as 5%, or a file. Got {text!r}.",
            "Some text must be left to learn from." if share >= 1 else "Check the file name.",
            status=2,
        )
    return share
