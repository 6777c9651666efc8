"""Tags, for a person."""

from __future__ import annotations

from typing import Any

from firth.cli import _shared as shared

_SHOWN = 4
"""How many of the tags that follow a tag are listed."""
_NOTABLE = 0.005
"""Transitions that are less probable are not listed."""


def print_tags(tagger: Any, n: int) -> None:
    """Two lines for each tag: its words, and what follows it."""
    from firth.describe import tag_facts

    console, rows = shared.stdout(), tag_facts(tagger, n)
    named = any(row["name"] != str(row["tag"]) for row in rows)
    wide = max(shared.width_of(row["name"]) for row in rows) if named else 0
    words = shared.count_of(len(tagger.vocabulary_), "word")
    console.print(shared.line(f"{shared.count_of(len(rows), 'tag')}, {words}"))
    for row in rows:
        words = "  ".join(word["word"] for word in row["words"])
        share = (f" {row['share']:>6.1%}  ", "dim")
        console.print(shared.line(*_label(row, wide), share, words or "no words"))
        likely = [f"{name} {p:.0%}" for name, p in _followers(row)[:_SHOWN]]
        details = [f"anchor {row['anchor']}"] if row["anchor"] else []
        details.append(f"then {', '.join(likely) or 'any'}")
        console.print(shared.line(" " * (wide + 12), ("; ".join(details), "dim")))


def print_tag(row: dict[str, Any]) -> None:
    """Everything about one tag."""
    console = shared.stdout()
    anchor = f"  anchor {row['anchor']}" if row["anchor"] else ""
    share = (f"  {row['share']:.1%} of the text{anchor}", "dim")
    console.print(shared.line(*_label(row, 0), share))
    for word in row["words"]:
        figures = (f"  {word['count']:,}, {word['share']:.0%}", "dim")
        console.print(shared.line(f"  {word['word']}", figures))
    console.print(shared.line((f"starts {row['first']:.1%} of the sentences; then", "dim")))
    for name, p in _followers(row):
        console.print(shared.line((f"  {p:>6.1%}  ", "dim"), name))


def _label(row: dict[str, Any], wide: int) -> list[tuple[str, str]]:
    """The number of a tag, and its name if it has one."""
    name = row["name"] if row["name"] != str(row["tag"]) else ""
    return [(f"{row['tag']:>2}", "bold green"), (" " + shared.padded(name, wide), "bold")]


def _followers(row: dict[str, Any]) -> list[tuple[str, float]]:
    """The tags that follow a tag, the most probable first."""
    ordered = sorted(row["followed_by"].items(), key=lambda pair: -pair[1])
    return [(name, p) for name, p in ordered if p >= _NOTABLE]
