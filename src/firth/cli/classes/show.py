"""firth classes show."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Annotated, Any

from firth.cli import _classes as common
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli._print_classes import print_class, print_tree
from firth.formats import FileLimits


@command(FileLimits)
def show(
    model: common.ClassesPath,
    prefix: Annotated[str, shared.argument("[PREFIX]", "A path, or the beginning of one.")] = "",
    depth: Annotated[
        int | None,
        shared.option(
            "--depth", "N", "Depth below PREFIX; by default 2, or 4 for the whole tree.", least=1
        ),
    ] = None,
    n: shared.NumberOfWords = 10,
    json: shared.Json = False,
) -> None:
    """Show the tree of classes, or one node of it.

    Every row is a node: path, share of the text, number of words, and its most frequent words. A single
    node comes with its siblings in the tree and the contexts that distinguish it.

    Example: [bold]firth classes show news --depth 2[/]
    """
    from firth.describe import node_facts

    classes = common.open_classes(model)
    name = shlex.quote(model)
    if prefix.strip("01"):
        shared.fail(
            f"A path consists of 0 and 1. Got {prefix!r}.",
            f"Show the class of a word: firth show {name} {shlex.quote(prefix)}",
            status=2,
        )
    facts = node_facts(classes, prefix, depth, n)
    if json:
        shared.print_json(facts)
        return
    console, below = shared.stdout(), facts["below"]
    if prefix:
        print_class(facts)
        if below:
            console.print()
    else:
        sizes = f"{shared.count_of(len(classes), 'word')}, {classes.n_classes:,} classes"
        console.print(shared.line(sizes, (f"  {_method(classes.made)}", "dim")))
    print_tree(classes, below)
    if not prefix:
        shared.print_next(f"firth classes show {name} {below[0]['path']}")


def _method(made: Mapping[str, Any]) -> str:
    """How classes were learned, in a few words."""
    if "imported" in made:
        return "imported"
    words = [str(made.get("method", ""))]
    if made.get("method") == "spectral":
        words += [f"{made['contexts']} contexts", f"kappa {made['kappa']:g}"]
        words += [made["transform"]] * (made["transform"] != "none")
    return ", ".join(words + ["refined"] * bool(made.get("refine")))
