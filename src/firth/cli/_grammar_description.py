"""firth grammar show, and what firth grammar learn says of a grammar."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from firth.cli import _grammar as common
from firth.cli import _shared as shared

_SHOWN = 20


def extremes(states: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The worst of what was projected, and the symbols it is of: what may be ill told by the trees."""
    known = [row for row in states if row["smallest"] > 0]
    if not known:
        return {"largest_condition": None, "smallest_singular_value": None}
    worst = max(known, key=_condition)
    least = min(known, key=lambda row: row["smallest"])
    return {
        "largest_condition": {"symbol": worst["symbol"], "value": _condition(worst)},
        "smallest_singular_value": {"symbol": least["symbol"], "value": least["smallest"]},
    }


def _condition(row: Mapping[str, Any]) -> float:
    return float(row["largest"] / row["smallest"])


def print_facts(facts: Mapping[str, Any]) -> None:
    """A few lines on a grammar."""
    console, count = shared.stdout(), shared.count_of

    def tell(title: str, text: str, more: str = "") -> None:
        console.print(shared.line((f"{title:<9}", "dim"), text, (more, "dim")))

    tell("from", f"{count(facts['n_trees'], 'tree')}, {count(facts['n_tokens'], 'word')}")
    sizes = [count(facts["n_symbols"], "symbol"), count(facts["n_rules"], "rule")]
    sizes += [count(facts["n_words"], "frequent word")]
    tell("grammar", ", ".join(sizes))
    most = max(row["n_states"] for row in facts["states"])
    states = f"up to {count(most, 'state')} of a symbol" if facts["dim"] > 1 else "none"
    tell("states", states, f"  {facts['parameters']['method']}")
    if facts["rounds"]:
        tell("EM", count(facts["rounds"], "round"))
    if held := facts.get("held_out"):
        bits = held["bits_per_word"]
        found = f"{held['n_found']:,} of {count(held['n_trees'], 'tree')}"
        tell("held out", f"{found} by the grammar" + (f", {bits:.3f} bits a word" if bits else ""))
    if worst := facts["largest_condition"]:
        least = facts["smallest_singular_value"]
        tell(
            "numbers",
            f"largest condition number {worst['value']:.3g} ({worst['symbol']}), "
            f"smallest singular value {least['value']:.3g} ({least['symbol']})",
        )
    if "seconds" in facts:
        from firth.progress import clock

        tell("made in", clock(facts["seconds"]))


@shared.guarded
def show(
    model: shared.ModelPath,
    symbol: Annotated[
        str | None,
        typer.Argument(metavar="[SYMBOL]", show_default=False, help="A symbol to look at, such as NP."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("-n", metavar="N", min=1, show_default=False, help="How many to show; 20 by default."),
    ] = None,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Show a grammar: its size, its symbols and how they were split; or the rules and words of one symbol.

    Symbols are the labels of phrases and tags. S›VP is a chain: an S with nothing but a VP below it; it can be
    typed as "S>VP". @NP is a part of an NP that has more than two children. Singular values say how much
    what is below a symbol tells of what is around it: the first and the last that was kept. Probabilities
    are those without states.

    Example: [bold]firth grammar show parser NP[/]
    """
    from firth.describe import model_facts
    from firth.model import load

    grammar = common.open_grammar(model)
    facts = model_facts(load(model))["parts"]["grammar"]
    rows = _symbols(grammar)
    if symbol is not None:
        told = _symbol_facts(
            grammar, rows, _known(symbol, rows, model), None if json else n or _SHOWN
        )
        shared.print_json(told) if json else _print_symbol(told)
        return
    facts |= extremes(facts["states"])
    if json:
        shared.print_json({**facts, "states": rows[:n]})
        return
    print_facts(facts)
    _print_symbols(rows, n or _SHOWN)


def _symbols(grammar: Any) -> list[dict[str, Any]]:
    """The symbols of a grammar, the most frequent first."""
    n_phrases = len(grammar.symbols_.phrases)
    rows = [
        {
            **vars(states),
            "condition": _condition(vars(states)) if states.smallest > 0 else None,
            "kind": "phrase" if k < n_phrases else "tag",
        }
        for k, states in enumerate(grammar.states_)
    ]
    return sorted(rows, key=lambda row: -row["count"])


def _known(symbol: str, rows: list[dict[str, Any]], model: str) -> str:
    """A symbol as the grammar writes it."""
    names = {row["symbol"] for row in rows}
    for written in (symbol, symbol.replace(">", "›")):
        if written in names:
            return written
    folded = symbol.casefold()
    near = [name for name in names if folded in re.split("[@›^~]", name.casefold())]
    near.sort(key=lambda name: (len(name), name))
    near = near or difflib.get_close_matches(symbol, sorted(names), 5)
    hint = f"See them all: firth grammar show {shlex.quote(model)} -n {len(rows)}"
    return shared.fail(
        f"There is no symbol {symbol!r}.", f"There are: {', '.join(near[:5])}." if near else hint
    )


def _symbol_facts(
    grammar: Any, rows: list[dict[str, Any]], symbol: str, n: int | None
) -> dict[str, Any]:
    return {
        "symbol": symbol,
        "states": [row for row in rows if row["symbol"] == symbol],
        "rules": [{"left": a, "right": b, "p": p} for a, b, p in grammar.rules(symbol, n)],
        "words": [{"word": word, "p": p} for word, p in grammar.words(symbol, n)],
    }


def _print_symbol(told: dict[str, Any]) -> None:
    console = shared.stdout()
    for row in told["states"]:
        sizes = [shared.count_of(row["count"], "time"), shared.count_of(row["n_states"], "state")]
        if row["condition"] is not None:
            sizes.append(f"singular values {row['largest']:.3g} to {row['smallest']:.3g}")
        console.print(
            shared.line(
                (row["symbol"], "bold green"), (f"  {row['kind']}, {', '.join(sizes)}", "dim")
            )
        )
    for rule in told["rules"]:
        console.print(
            shared.line(
                (f"  {rule['p']:>6.1%}  ", "dim"),
                f"{told['symbol']} → {rule['left']} {rule['right']}",
            )
        )
    for entry in told["words"]:
        word = entry["word"] or ("all rare words", "dim")
        console.print(shared.line((f"  {entry['p']:>6.1%}  ", "dim"), word))


def _print_symbols(rows: list[dict[str, Any]], n: int) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("symbol")
    table.add_column("", style="dim")
    for name in ("times", "states", "first", "last", "condition"):
        table.add_column(name, justify="right")
    for row in rows[:n]:
        known = row["condition"] is not None
        figures = [row["largest"], row["smallest"], row["condition"]] if known else []
        shown = [f"{figure:.3g}" for figure in figures]
        table.add_row(
            shared.line(row["symbol"]),
            row["kind"],
            f"{row['count']:,}",
            f"{row['n_states']:,}",
            *shown,
        )
    shared.stdout().print()
    shared.print_table(table)
    if len(rows) > n:
        shared.stdout().print(
            shared.line((f"and {len(rows) - n:,} more; to see them: -n {len(rows)}", "dim"))
        )
