"""firth morphs correct."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.morphs._printing import print_learn_again, print_parts


@command()
def correct(
    model: shared.ModelPath,
    splits: Annotated[
        list[str],
        shared.argument(
            "WORD=PARTS...", "A word and its parts between spaces; WORD= removes a correction."
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:
    """Correct the parts of words. Corrections are kept in the model, apart from what is learned.

    They are used at once. When the morphology is learned again, they are respected, and are evidence for other
    words. A word that is not split is its own part: 'sing=sing'.

    Example: [bold]firth morphs correct news "walked=walk ed"[/]
    """
    from firth.pipeline import correct_morphs

    shared.open_part(model, "morphs")
    given = shared.assignments(splits, "WORD=PARTS", "'walked=walk ed'")
    corrected = correct_morphs(model, {word: given[word].split() for word in given})
    if not quiet:
        for word in given:
            print_parts(corrected.morphs, word)
        print_learn_again(corrected)
