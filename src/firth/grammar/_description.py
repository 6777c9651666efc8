"""The symbols of a grammar as plain data."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from firth.errors import InputError
from firth.formats import Rows
from firth.grammar._binarisation import BETWEEN, CHAIN, PARENT, SIBLING
from firth.grammar._grammar import Grammar

__all__ = ["condition_facts", "symbol_facts", "symbol_rows"]

_SIGNS = re.compile(f"[{BETWEEN}{CHAIN}{re.escape(PARENT)}{SIBLING}]")
_SIMILAR = 5
"""How many similar symbols an error message lists."""


def condition_facts(states: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The symbols with the largest condition number and with the smallest singular value.

    Their states may be poorly determined by the treebank.
    """
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


def symbol_rows(grammar: Grammar) -> Rows[dict[str, Any]]:
    """The symbols of a grammar and their states, the most frequent first."""
    n_phrases = len(grammar.symbols_.phrases)
    rows = [
        {
            **vars(states),
            "condition": _condition(vars(states)) if states.smallest > 0 else None,
            "kind": "phrase" if k < n_phrases else "tag",
        }
        for k, states in enumerate(grammar.states_)
    ]
    return Rows(sorted(rows, key=lambda row: -row["count"]))


def symbol_facts(grammar: Grammar, symbol: str, n: int | None = None) -> dict[str, Any]:
    """The states, rules and words of a symbol.

    Parameters
    ----------
    grammar : Grammar
    symbol : str
        ``S›VP`` can also be written as ``S>VP``.
    n : int, optional
        Maximum number of rules, and of words; all by default.
    """
    rows = symbol_rows(grammar)
    name = _known(symbol, {row["symbol"] for row in rows})
    return {
        "symbol": name,
        "states": [row for row in rows if row["symbol"] == name],
        "rules": Rows(
            ({"left": a, "right": b, "p": p} for a, b, p in grammar.rules(name, n)),
            ("left", "right", "p"),
        ),
        "words": Rows(
            ({"word": word, "p": p} for word, p in grammar.words(name, n)), ("word", "p")
        ),
    }


def _known(symbol: str, names: set[str]) -> str:
    """A symbol as the grammar writes it."""
    for written in (symbol, symbol.replace(">", CHAIN)):
        if written in names:
            return written
    folded = symbol.casefold()
    similar = [name for name in names if folded in _SIGNS.split(name.casefold())]
    similar.sort(key=lambda name: (len(name), name))
    similar = similar or difflib.get_close_matches(symbol, sorted(names), _SIMILAR)
    raise InputError(
        f"There is no symbol {symbol!r}.",
        f"Similar symbols: {', '.join(similar[:_SIMILAR])}."
        if similar
        else f"List them all: firth grammar show MODEL -n {len(names)}",
    )
