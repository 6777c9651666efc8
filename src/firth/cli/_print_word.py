"""Print a word: its frequency, contexts, similar words and class."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from firth.cli._print_classes import print_class
from firth.cli._shared import count_of, line, print_table, printable, stdout

if TYPE_CHECKING:
    from firth.model import Model

_TITLES = {
    "before": "before it",
    "after": "after it",
    "contexts": "near it",
    "similar": "goes with it",
    "can_replace": "can replace it",
}
_SIMILAR = ("similar", "can_replace")


def print_word(
    model: Model,
    word: str,
    n: int,
    measure: str = "pmi",
    kinds: Sequence[str] = ("meaning",),
    where: str | None = None,
) -> None:
    """Print a word with ``n`` contexts and similar words."""
    from firth.describe import word_facts

    facts = word_facts(model, word, n, measure, kinds, where)
    console = stdout()
    sizes = f"  {_frequency(facts)}" if "count" in facts else ""
    console.print(line((word, "bold"), sizes))
    if "where" in facts:
        chosen = facts["where"]
        size = f"{count_of(chosen['documents'], 'document')}, {count_of(chosen['tokens'], 'token')}"
        whole = "; similar words and class of the whole text" * bool(
            {"similar", "class"} & facts.keys()
        )
        console.print(line((f"in {size}{whole}", "dim")))
    counted: dict[str, Any] = {
        side: facts[side] for side in ("before", "after", "contexts") if side in facts
    }
    shown = dict(counted) if any(counted.values()) else {}
    shown |= {side: facts[side] for side in _SIMILAR if facts.get(side)}
    if shown:
        print_table(_table(shown, measure))
    if facts.get("similar_guessed"):
        note = "no vector: the word is too rare; words like it are guessed from its spelling"
        console.print(line((note, "dim")))
    if facts.get("count") and not any(counted.values()):
        console.print(line((f"no contexts: {_why_no_contexts(model, word, bool(counted))}", "dim")))
    _print_word_class(model, facts, word)


def _frequency(facts: dict[str, Any]) -> str:
    share = facts["per_million"]
    per_million = f"{share:,.0f}" if share >= 1000 else f"{share:,.3g}"
    times = count_of(facts["count"], "time")
    if not facts["count"]:
        return times
    return f"{times}, rank {facts['rank']:,}, {per_million} per million"


def _print_word_class(model: Model, facts: dict[str, Any], word: str) -> None:
    """Print the class of a word, or the class that its spelling suggests."""
    if facts.get("class"):
        print_class(facts["class"], mark=word)
    elif "class" in facts:
        path = model.classes.assign([word])[0].path
        if path is None:
            note = "no class: the word is too rare, and its spelling suggests none"
        else:
            note = f"no class; its spelling suggests {path}  {model.classes.label(path)}"
        stdout().print(line((note, "dim")))


def _why_no_contexts(model: Model, word: str, counted: bool) -> str:
    command = f"firth counts learn {shlex.quote(str(model.path))}"
    if "counts" not in model:
        return f"nothing was counted yet; {command}"
    if model.is_stale("counts"):
        return f"the counts are out of date; {command}"
    if counted:
        return "no word occurs beside it more often than by chance"
    if model.corpus.vocabulary.id(word) >= model.counts.n_words:
        return "the word is too rare to be counted"
    return f"the words next to it were not counted (contexts {model.counts.contexts.name})"


_NAMES = {"logdice": "logDice", "fisher": "-log p"}


def _table(sides: dict[str, list[dict[str, Any]]], measure: str) -> Any:
    """Contexts with counts and their association, and similar words with cosines, side by side."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for side in sides:
        table.add_column(_TITLES[side], overflow="ellipsis", no_wrap=True)
        if side not in _SIMILAR:
            table.add_column("times", justify="right", style="dim", no_wrap=True, min_width=5)
        named = _NAMES.get(measure, measure if measure in ("t", "z", "dice") else measure.upper())
        figure = "cosine" if side in _SIMILAR else named
        table.add_column(figure, justify="right", style="green", no_wrap=True, min_width=4)
    digits = 3 if measure in ("dice", "npmi") else 1
    for i in range(max(map(len, sides.values()))):
        cells: list[Any] = []
        for side, found in sides.items():
            if i >= len(found):
                cells += [""] * (2 if side in _SIMILAR else 3)
                continue
            entry = found[i]
            cells.append(Text(printable(entry["word"])))
            if side in _SIMILAR:
                cells.append(f"{entry['similarity']:.2f}")
            else:
                cells += [f"{entry['count']:,}", f"{entry[measure]:,.{digits}f}"]
        table.add_row(*cells)
    return table
