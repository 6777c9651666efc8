"""firth tags show."""

from __future__ import annotations

import shlex
from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.tags._printing import print_tag, print_tags


@command()
def show(
    model: shared.ModelPath,
    tag: Annotated[str | None, shared.argument("[TAG]", "The number or name of a tag.")] = None,
    n: Annotated[int | None, shared.option("-n", "N", "Number of words.", least=1)] = None,
    json: shared.Json = False,
) -> None:
    """Show the tags: frequency, anchors, typical words, and the tags that follow.

    For a single tag, every word comes with its count and the share of it that has this tag.

    Example: [bold]firth tags show news[/]
    """
    from firth.describe import tag_facts

    tagger = shared.open_part(model, "tags")
    facts = tag_facts(tagger, n or (30 if tag is not None else 10))
    if tag is not None:
        # names first: people may have tags that are numbers
        found = [row for row in facts if row["name"] == tag]
        found += [row for row in facts if str(row["tag"]) == tag]
        if not found:
            shared.fail(
                f"There is no tag {tag!r}.", f"List them: firth tags show {shlex.quote(model)}"
            )
        shared.print_json(found[0]) if json else print_tag(found[0])
    elif json:
        shared.print_json(facts)
    else:
        print_tags(tagger, n or 10)
        if tagger.tags_[0] == "0":
            shared.print_next(f"firth tags name {shlex.quote(model)} 0=NOUN 1=...", "name them")
