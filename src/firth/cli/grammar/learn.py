"""firth grammar learn."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.grammar._printing import print_grammar
from firth.formats import LabelLimits
from firth.grammar import SentenceReading, TreebankParameters
from firth.parameters import Replacing
from firth.trees import TreeFormat


@command(
    TreeFormat,
    TreebankParameters,
    SentenceReading,
    Replacing,
    LabelLimits,
    skip=["lowercase", "digits", "errors", "column", "read_as", "language"],
)
def learn(
    trees: Annotated[
        list[str],
        shared.argument(
            "TREES...", "Files of trees in brackets, or quoted patterns; text for inside-outside."
        ),
    ],
    output: shared.Output,
    *,
    using: Annotated[
        str | None,
        shared.option(
            "--using",
            "MODEL",
            "Another model, whose word classes help with rare words.",
            panel="Learning",
        ),
    ] = None,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn a grammar with hidden states from trees.

    Trees are in brackets, as in the Penn Treebank: (S (NP (N cats)) (VP (V sleep))). Files may be
    compressed. Traces and function tags are removed. Historical treebanks (--format psd) are recognised;
    their IDs, notes, empty categories and lemmas are left out.

    The methods are spectral estimation, clustering of phrases, expectation maximisation (em), a plain
    grammar without states (pcfg), and product: spectral estimates and clusters together, which is the most
    accurate and half as fast. With --using, word classes that another model has learned from raw text help
    with rare and unseen words; the classes are copied.

    The method inside-outside needs no trees: it learns --phrases and --tags from text with a sentence
    on each line. Files of trees may be given, too: the brackets of a tree limit what can be a phrase, and
    its labels are ignored. Time grows with the cube of the sentence length.

    Example: [bold]firth grammar learn 'trees/*.mrg' -o parser[/]
    """
    from firth.describe import model_facts
    from firth.grammar import condition_facts
    from firth.pipeline import learn_grammar

    hint = "The model has not changed. Run the command again to start from the beginning."
    with shared.interruptible(hint), shared.reporting(quiet):
        model = learn_grammar(output, trees, using=using, **options)
    facts = model_facts(model)["parts"]["grammar"]
    facts |= condition_facts(facts["states"])
    if json:
        shared.print_json({**facts, "changed": model.changed})
    elif not quiet:
        shared.print_nothing_to_do(model)
        print_grammar(facts)
        shared.print_next(f"firth grammar apply {shlex.quote(output)} TEXT")
