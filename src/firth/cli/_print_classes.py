"""Print classes and the tree of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.classes import Hierarchy


def print_class(facts: dict[str, Any], mark: str | None = None) -> None:
    """Print a node: path, label, words, siblings and contexts; ``mark`` is a word in bold."""
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
        node = (sibling["path"], "green")
        console.print(shared.line(("  beside it  ", "dim"), node, f"  {sibling['label']}"))
    for side, title in (("before", "before it"), ("after", "after it ")):
        if facts.get(side):
            words = "  ".join(entry["word"] for entry in facts[side])
            console.print(shared.line((f"  {title}  ", "dim"), words))


def print_tree(classes: Hierarchy, rows: list[dict[str, Any]]) -> None:
    """Print nodes, one on each line: path, share of the known words, number of words, label, words."""
    console = shared.stdout()
    width = max([len(row["path"]) for row in rows], default=0)
    total = max(int(classes.tokens.sum()), 1)
    for row in rows:
        if row["too_rare"]:
            path = f"{row['path']:<{width}}"
            told = f"too rare to be learned: {row['rare'] / total:.1%} of the text"
            console.print(shared.line((path, "green"), (f" {'':>20}  {told}", "dim")))
            continue
        words = "  ".join(member["word"] for member in row["members"])
        size = f"{row['share'] or 0:>6.1%} {shared.count_of(row['n_words'], 'word'):>13}"
        named = row["path"] in classes.names
        console.print(
            shared.line(
                (f"{row['path']:<{width}}", "bold green"),
                (f" {size}  ", "dim"),
                (f"{row['label']}: " if named else "", "bold"),
                words or row["label"],
            )
        )
