"""firth ner show."""

from __future__ import annotations

import shlex
from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.ner._printing import print_recogniser


@command()
def show(
    model: shared.ModelPath,
    n: Annotated[int, shared.option("-n", "N", "Number of features.", least=1)] = 8,
    json: shared.Json = False,
) -> None:
    """Show a named-entity recogniser: its size, and the strongest features for each entity type.

    Features are listed for entities of one word and for the first word of longer ones.

    Example: [bold]firth ner show names -n 5[/]
    """
    from firth.describe import entity_facts

    facts = entity_facts(shared.open_part(model, "ner"), n)
    if json:
        shared.print_json(facts)
        return
    print_recogniser(facts)
    console = shared.stdout()
    for type_, parts in facts["telling"].items():
        console.print()
        console.print(shared.line((type_, "bold")))
        for part, title in (("U", "one word"), ("B", "first of several")):
            features = "  ".join(f"{name} {weight:.0f}" for name, weight in parts[part])
            console.print(shared.line((f"  {title:<17}", "dim"), features or "none"))
    console.print()
    shared.print_next(f"firth ner apply {shlex.quote(model)} TEXT")
