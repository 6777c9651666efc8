"""Grammars, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firth.cli import _shared as shared


def print_grammar(facts: Mapping[str, Any]) -> None:
    """Sizes of a grammar and how it was learned, in a few lines."""
    console, count = shared.stdout(), shared.count_of

    def row(title: str, text: str, more: str = "") -> None:
        console.print(shared.line((f"{title:<9}", "dim"), text, (more, "dim")))

    what = "sentence" if facts["parameters"]["method"] == "inside-outside" else "tree"
    row("from", f"{count(facts['n_trees'], what)}, {count(facts['n_tokens'], 'word')}")
    sizes = [count(facts["n_symbols"], "symbol"), count(facts["n_rules"], "rule")]
    row("grammar", ", ".join([*sizes, count(facts["n_words"], "frequent word")]))
    most = max(states["n_states"] for states in facts["states"])
    states = f"up to {count(most, 'state')} per symbol" if facts["dim"] > 1 else "none"
    row("states", states, f"  {facts['parameters']['method']}")
    if facts["rounds"]:
        row("EM", count(facts["rounds"], "iteration"))
    if held := facts.get("held_out"):
        bits = held["bits_per_word"]
        found = f"the grammar has {held['n_found']:,} of {count(held['n_trees'], what)}"
        row("held out", found + (f", {bits:.3f} bits per word" if bits else ""))
    if worst := facts["largest_condition"]:
        least = facts["smallest_singular_value"]
        row(
            "numerics",
            f"largest condition number {worst['value']:.3g} ({worst['symbol']}), "
            f"smallest singular value {least['value']:.3g} ({least['symbol']})",
        )
    if "seconds" in facts:
        from firth.progress import clock

        row("time", clock(facts["seconds"]))


def print_symbols(rows: list[dict[str, Any]], n: int) -> None:
    """A table of the symbols and their states."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("symbol")
    table.add_column("", style="dim")
    for name in ("count", "states", "largest", "smallest", "condition"):
        table.add_column(name, justify="right")
    for row in rows[:n]:
        known = row["condition"] is not None
        values = [row["largest"], row["smallest"], row["condition"]] if known else []
        sizes = [f"{row['count']:,}", f"{row['n_states']:,}"]
        symbol = shared.line(row["symbol"])
        table.add_row(symbol, row["kind"], *sizes, *(f"{value:.3g}" for value in values))
    shared.stdout().print()
    shared.print_table(table)
    if len(rows) > n:
        more = f"{len(rows) - n:,} more; to list them: -n {len(rows)}"
        shared.stdout().print(shared.line((more, "dim")))


def print_symbol(facts: dict[str, Any]) -> None:
    """The states, rules and words of a symbol."""
    console = shared.stdout()
    for row in facts["states"]:
        sizes = [f"count {row['count']:,}", shared.count_of(row["n_states"], "state")]
        if row["condition"] is not None:
            sizes.append(f"singular values {row['largest']:.3g} to {row['smallest']:.3g}")
        about = (f"  {row['kind']}, {', '.join(sizes)}", "dim")
        console.print(shared.line((row["symbol"], "bold green"), about))
    for rule in facts["rules"]:
        text = f"{facts['symbol']} → {rule['left']} {rule['right']}"
        console.print(shared.line((f"  {rule['p']:>6.1%}  ", "dim"), text))
    for entry in facts["words"]:
        word = entry["word"] or ("all rare words", "dim")
        console.print(shared.line((f"  {entry['p']:>6.1%}  ", "dim"), word))
