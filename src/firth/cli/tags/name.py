"""firth tags name."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def name(
    model: shared.ModelPath,
    names: Annotated[
        list[str],
        shared.argument(
            "NUMBER=NAME...", "The number of a tag and its name; NUMBER= removes the name."
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:
    """Name tags. Names are kept in the model and used when text is tagged.

    When tags are learned again, each name goes to the tag that has most of its words.

    Example: [bold]firth tags name news 0=NOUN 1=VERB[/]
    """
    from firth.pipeline import name_tags

    shared.open_part(model, "tags")
    given = shared.assignments(names, "NUMBER=NAME", "3=NOUN")
    with shared.reporting(quiet):
        tagger = name_tags(model, given).tags
    if not quiet:
        for number in given:
            shared.stdout().print(
                shared.line((number, "bold green"), f"  {tagger.tags_[int(number)]}")
            )
