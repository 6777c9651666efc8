"""What the commands around classes share: trees and classes, put into words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.classes import Hierarchy

N_UP = 3
"""How many classes up the tree are shown beside that of a word."""

ClassesPath = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model folder, or a file of classes.", show_default=False
    ),
]
Number = Annotated[
    int | None,
    typer.Option(
        "--classes",
        metavar="N",
        help="How many classes; by default as suits the vocabulary, 1,000 at the most.",
        show_default=False,
    ),
]


def open_classes(path: str) -> Hierarchy:
    """The classes of a model, or of a file."""
    if Path(path).is_file():
        from firth.classes import Hierarchy

        return Hierarchy.read(path)
    from firth.model import load

    return load(path).classes


def reading_of(path: str) -> dict[str, Any]:
    """How the corpus of a model was read, so that other text is read the same way."""
    from firth.model import load

    opened = load(path) if Path(path).is_dir() else None
    return opened.corpus.reading.parameters() if opened and "corpus" in opened else {}


def class_facts(classes: Hierarchy, prefix: str, n: int) -> dict[str, Any]:
    """A node of the tree as data."""
    begin, end = classes.tree.span(prefix)
    tokens = int(classes.tokens[begin:end].sum())
    facts: dict[str, Any] = {
        "path": prefix,
        "label": classes.label(prefix),
        "n_classes": end - begin,
        "n_words": len(classes.ids_below(prefix)),
        "tokens": tokens,
        "rare": classes.n_rare if classes.rare is not None and begin <= classes.rare < end else 0,
        "members": [{"word": m.word, "count": m.count} for m in classes.members(prefix, n)],
    }
    contexts = classes.contexts(prefix, n)
    if contexts is not None:
        for side, found in contexts.items():
            facts[side] = [{"word": c.word, "count": c.count, "pmi": c.pmi} for c in found]
    return facts


def siblings(classes: Hierarchy, path: str, n: int) -> list[dict[str, Any]]:
    """The nodes beside a path and beside the nodes above it, the nearest first."""
    found: list[dict[str, Any]] = []
    for depth in range(len(path), 0, -1):
        other = path[: depth - 1] + ("1" if path[depth - 1] == "0" else "0")
        if other in classes.tree.node_of and len(found) < n:
            found.append({"path": other, "label": classes.label(other)})
    return found


def word_class(classes: Hierarchy, word: str, n: int) -> dict[str, Any] | None:
    """The class of a word and what is around it; None where the word has none."""
    if word not in classes:
        return None
    path = classes.path(word)
    return {**class_facts(classes, path, n), "siblings": siblings(classes, path, N_UP)}


def print_class(facts: dict[str, Any], mark: str | None = None) -> None:
    """A class for a person: path, label, members, neighbours in the tree, contexts."""
    console = shared.stdout()
    sizes = (
        f"{shared.count_of(facts['n_words'], 'word')}, {shared.count_of(facts['tokens'], 'token')}"
    )
    if facts["n_classes"] > 1:
        sizes = f"{facts['n_classes']:,} classes, {sizes}"
    path = (facts["path"] or "(root)", "bold green")
    console.print(
        shared.line(("class ", "dim"), path, f"  {facts['label']}", (f"  {sizes}", "dim"))
    )
    pieces: list[Any] = []
    for member in facts["members"]:
        style = "bold" if member["word"] == mark else ""
        pieces += [(member["word"], style), (f" {member['count']:,}  ", "dim")]
    if facts["rare"]:
        pieces.append((f"and words too rare to be learned {facts['rare']:,}", "dim"))
    if pieces:
        console.print(shared.line("  ", *pieces))
    for sibling in facts.get("siblings", []):
        console.print(
            shared.line(
                ("  beside it  ", "dim"), (sibling["path"], "green"), f"  {sibling['label']}"
            )
        )
    for side, title in (("before", "before it"), ("after", "after it ")):
        if facts.get(side):
            words = "  ".join(entry["word"] for entry in facts[side])
            console.print(shared.line((f"  {title}  ", "dim"), words))


def print_tree(classes: Hierarchy, rows: list[dict[str, Any]]) -> None:
    """Nodes one below the other: path, share of the text, label, a few words."""
    console = shared.stdout()
    width = max([len(row["path"]) for row in rows], default=0)
    total = max(int(classes.tokens.sum()), 1)
    for row in rows:
        words = "  ".join(member["word"] for member in row["members"])
        named = row["path"] in classes.names
        console.print(
            shared.line(
                (f"{row['path']:<{width}}", "bold green"),
                (
                    f" {row['tokens'] / total:>6.1%} {shared.count_of(row['n_words'], 'word'):>13}  ",
                    "dim",
                ),
                (f"{row['label']}: " if named else "", "bold"),
                words or row["label"],
            )
        )


def rows_below(classes: Hierarchy, prefix: str, depth: int, n: int) -> list[dict[str, Any]]:
    """The nodes at a depth below a node, and the classes that end before it."""
    begin, end = classes.tree.span(prefix)
    paths = dict.fromkeys(path[: len(prefix) + depth] for path in classes.paths[begin:end])
    return [
        {key: value for key, value in class_facts(classes, path, n).items() if key not in ("before", "after")}
        for path in paths
    ]  # fmt: skip
