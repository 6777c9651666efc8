"""firth grammar show."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.grammar._printing import print_grammar, print_symbol, print_symbols

_SHOWN = 20
"""How many symbols, rules or words are listed by default."""


@command()
def show(
    model: shared.ModelPath,
    symbol: Annotated[str | None, shared.argument("[SYMBOL]", "A symbol, such as NP.")] = None,
    n: Annotated[
        int | None,
        shared.option(
            "-n", "N", f"Number of entries to list; by default {_SHOWN}, with --json all.", least=1
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """Show the symbols of a grammar and their states, or the rules and words of one symbol.

    Symbols are labels of phrases and tags. S›VP is a chain, an S whose only child is a VP; it can be typed
    as "S>VP". @NP is an intermediate node of an NP with more than two children. The largest singular value
    and the smallest one that was kept measure how much the inside of a symbol is related to its outside.
    Probabilities are those without states.

    Example: [bold]firth grammar show parser NP[/]
    """
    from firth.describe import model_facts
    from firth.grammar import condition_facts, symbol_facts, symbol_rows
    from firth.model import load

    grammar = shared.open_part(model, "grammar")
    if symbol is not None:
        found = symbol_facts(grammar, symbol, None if json else n or _SHOWN)
        shared.print_json(found) if json else print_symbol(found)
        return
    facts, rows = model_facts(load(model))["parts"]["grammar"], symbol_rows(grammar)
    facts |= condition_facts(facts["states"])
    if json:
        shared.print_json({**facts, "states": rows[:n]})
    else:
        print_grammar(facts)
        print_symbols(rows, n or _SHOWN)
