"""What the commands around classes share: trees and classes, put into words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.classes import Hierarchy

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
