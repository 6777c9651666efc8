"""firth grammar sample."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.grammar import SampleParameters


@command(SampleParameters)
def sample(
    model: shared.ModelPath,
    *,
    n: Annotated[int, shared.option("-n", "N", "Number of sentences.", least=1)] = 10,
    trees: Annotated[bool, shared.flag("--trees", "Print trees instead of words.")] = False,
    options: dict[str, Any],
) -> None:
    """Draw random sentences or trees from the grammar.

    Example: [bold]firth grammar sample parser -n 5[/]
    """
    with shared.interruptible():
        for tree in shared.open_part(model, "grammar").sample(n, **options):
            text = tree.brackets() if trees else " ".join(tree.words)
            sys.stdout.write(shared.printable(text) + "\n")
