"""firth merge."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.parameters import Replacing, Resources


@command(Resources, Replacing)
def merge(
    models: Annotated[list[str], shared.argument("MODEL...", "Models of parts of a text.")],
    output: shared.Output,
    *,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Join models that were made from parts of a text.

    The corpus is the same as if all texts had been read at once, in this order. Counts are added if
    they were made with --min-count 1 --vocabulary 0, and otherwise counted again.

    Example: [bold]firth merge parts/* -o whole[/]
    """
    from firth.cli._print_model import print_learned
    from firth.pipeline import merge as merge_models

    with shared.reporting(quiet):
        model = merge_models(models, output, **options)
    print_learned(model, json, quiet)
