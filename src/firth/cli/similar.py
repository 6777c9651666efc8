"""firth similar."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.formats import FileLimits


@command(FileLimits)
def similar(
    model: common.VectorsPath,
    words: Annotated[list[str], shared.argument("WORD...", "Words to look up.")],
    without: Annotated[
        list[str] | None,
        shared.option(
            "--without",
            "WORD",
            "Subtract the vector of this word; repeat for more. Implies --together.",
        ),
    ] = None,
    together: Annotated[
        bool, shared.flag("--together", "One list for all words: add their vectors.")
    ] = False,
    kind: common.Kinds = None,
    n: shared.NumberOfWords = 10,
    json: shared.Json = False,
) -> None:
    """Show the most similar words, by the cosine of their vectors.

    Each word gets a list of its own, unless --together is given. The vector of a word that has none is
    guessed from its spelling. A model has two kinds of vectors: words go with each other because they occur
    in the same topics, or they can replace each other because they occur in the same slots.

    Example: [bold]firth similar news monday tuesday[/]
    """
    if not together and not without:
        common.show_neighbours(model, words, n, json, kind)
        return
    title = " + ".join(words) + "".join(f" − {word}" for word in without or [])
    found: dict[str, Any] = {}
    notes: dict[str, str] = {}
    for one in common.kinds_of(model, kind, json):
        with shared.reporting(json), common.vectors_of(model, one) as vectors:
            found[one] = {title: vectors.most_similar(words, without or [], n, guess=True)}
            others = [word for word in [*words, *(without or [])] if word not in vectors]
            notes |= {word: common.why_guessed(model, word, vectors) for word in others}
    common.show_kinds(found, json, [title] if notes else [], notes, kind == "both")
