"""Print what differs between two texts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.compare import Comparison, Keyword, Text


def print_comparison(found: Comparison, n: int, by: str, corrected: bool) -> None:
    """Print the words that are typical of either text."""
    console = shared.stdout()
    for title, text in (("A", found.a), ("B", found.b)):
        parts = f"{text.n_parts:,} {'documents' if text.divided else 'parts of equal size'}"
        size = shared.count_of(text.n_tokens, "token")
        console.print(shared.line((f"{title}  ", "bold"), text.name, (f"  {size}, {parts}", "dim")))
    for title, side, text in (("A", "a", found.a), ("B", "b", found.b)):
        _print_side(found.top(n, side, by), title, side, text)
    console.print(
        f"\n[dim]{len(found):,} words compared; p below 0.05{', corrected for their number' * corrected}. "
        "ratio: how many times as frequent; DP: 0 evenly spread, 1 all in one place[/]"
    )


def _print_side(words: list[Keyword], title: str, side: str, text: Text) -> None:
    from rich.table import Table

    console = shared.stdout()
    console.print()
    console.print(shared.line((f"more frequent in {title}", "bold")))
    if not words:
        console.print("  none")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("word")
    for name in ("A", "B", "G2", "ratio", "DP", "documents" if text.divided else "parts"):
        table.add_column(name, justify="right")
    sign = 1 if side == "a" else -1
    for word in words:
        known = asdict(word)
        table.add_row(
            shared.line(word.word), f"{word.count_a:,}", f"{word.count_b:,}", f"{abs(word.g2):,.1f}",
            f"{2 ** (sign * word.log_ratio):,.1f}", f"{known[f'dp_{side}']:.2f}", f"{known[f'parts_{side}']:,}",
        )  # fmt: skip
    shared.print_table(table)


def print_changed(
    a: str, b: str, n: int, options: dict[str, Any], output: str | None, json: bool
) -> None:
    """Print the words of two models whose neighbours differ most."""
    from rich.table import Table

    from firth.compare import compare_meaning
    from firth.model import load

    least = {name: options[name] for name in ("min_count",) if name in options}
    with shared.reporting(json):
        vectors = load(a).part("vectors")
        shown = n if output is None else len(vectors.vocabulary)
        found = compare_meaning(vectors, load(b).part("vectors"), shown, **least)
    if output is not None:
        shared.write_table(output, list(found.rows()), "word")
    elif json:
        shared.print_json([asdict(word) for word in found])
    else:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name, justify in (("word", "left"), ("same", "right"), ("cosine", "right")):
            table.add_column(name, justify=justify)  # type: ignore[arg-type]
        table.add_column(shared.line("neighbours in ", a))
        table.add_column(shared.line("neighbours in ", b))
        for word in found:
            sides = (", ".join(side) for side in (word.neighbours_a, word.neighbours_b))
            numbers = f"{word.overlap:.0%}", f"{word.similarity:.2f}"
            table.add_row(shared.line(word.word), *numbers, *map(shared.line, sides))
        shared.print_table(table)
