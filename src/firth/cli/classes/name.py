"""firth classes name."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def name(
    model: shared.ModelPath,
    names: Annotated[
        list[str],
        shared.argument("PATH=NAME...", "The path of a node and its name; PATH= removes the name."),
    ],
    quiet: shared.Quiet = False,
) -> None:
    """Name classes and other nodes of the tree. Names are kept in the model.

    When classes are learned again, each name goes to the class that has most of its words.

    Example: [bold]firth classes name news "0=all sorts"[/]
    """
    from firth.pipeline import name_classes

    shared.open_part(model, "classes")
    given = shared.assignments(names, "PATH=NAME", "0110=weekdays")
    with shared.reporting(quiet):
        classes = name_classes(model, given).classes
    if not quiet:
        for path in given:
            shared.stdout().print(
                shared.line((path or "(root)", "bold green"), f"  {classes.label(path)}")
            )
