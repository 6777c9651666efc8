"""A model and its words, put into words."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from firth.cli._classes import print_class
from firth.cli._shared import count_of, line, print_json, print_table, printable, stdout
from firth.describe import coverage, model_facts, summary_rows, typical_word, word_facts
from firth.progress import clock, number, size

if TYPE_CHECKING:
    from firth.model import Model


def print_model(model: Model) -> None:
    """The summary of a model, for a person."""
    facts = model_facts(model)
    console = stdout()
    console.print(line((str(model.path), "bold"), (f"  {size(facts['bytes'])}", "dim")))
    if not model.parts:
        console.print("  nothing has been learned yet, or it is being learned just now")
    for row in summary_rows(model):
        how = (f"  {', '.join(row.how)}", "dim") if row.how else ""
        what = (row.what, "yellow") if row.stale else row.what
        console.print(line(f"  {row.name:<8} ", what, how))
    for name, part in facts["parts"].items():
        if "date" in part:
            date = part["date"][:16].replace("T", " ")
            console.print(line((f"  {name} made {date} in {clock(part['seconds'])}", "dim")))


_NOTHING = "Nothing to do: the model was already learned from this text, with these options."


def print_learned(model: Model, json: bool, quiet: bool, nothing: str = _NOTHING) -> None:
    """Say what is there now, whether there was anything to do, and what to try."""
    if json:
        print_json({**model_facts(model), "changed": model.changed})
    elif not quiet:
        console = stdout()
        if not model.changed:
            console.print(nothing)
        print_model(model)
        word = typical_word(model)
        command = f"firth show {shlex.quote(str(model.path))}" + (f" {word}" if word else "")
        console.print(line((f"try      {command}", "dim")))
        console.print(line((f"         firth explore {shlex.quote(str(model.path))}", "dim")))


def print_corpus(model: Model, n: int = 20) -> None:
    """The most frequent words, and how much of the text how many words cover."""
    console = stdout()
    corpus = model.corpus
    words = [corpus.vocabulary[i] for i in range(min(n, corpus.n_types))]
    console.print()
    console.print(line(("most frequent", "bold"), "  ", "  ".join(map(printable, words))))
    console.print("\n[bold]min-count      words   share of the text[/]")
    for row in coverage(corpus):
        bar = "█" * round(row["coverage"] * 30)
        console.print(
            f"{row['min_count']:>9}  {row['words']:>9,}   {row['coverage']:>6.1%} [green]{bar}[/]"
        )


def print_word(model: Model, word: str, n: int) -> None:
    """A word's count, rank and strongest contexts, for a person."""
    facts = word_facts(model, word, n)
    console = stdout()
    near = facts.get("similar") or []
    if "count" not in facts:
        console.print(line((word, "bold")))
        if near:
            print_table(_table({"similar": near}))
        _print_word_class(model, facts, word)
        return
    sizes = f"{count_of(facts['count'], 'time')}, rank {facts['rank']:,}, {facts['per_million']:,.3g} in a million"
    if facts["per_million"] >= 1000:
        sizes = sizes.replace(f"{facts['per_million']:,.3g}", f"{facts['per_million']:,.0f}")
    console.print(line((word, "bold"), "  ", sizes))
    sides: dict[str, Any] = {
        side: facts[side] for side in ("before", "after", "contexts") if side in facts
    }
    shown = {side: found for side, found in sides.items() if any(sides.values())}
    if near:
        shown["similar"] = near
    if shown:
        print_table(_table(shown))
    if not any(sides.values()):
        console.print(line((f"no contexts: {_why_no_contexts(model, word, bool(sides))}", "dim")))
    _print_word_class(model, facts, word)


def _print_word_class(model: Model, facts: dict[str, Any], word: str) -> None:
    """The class of a word; where it has none, that which its spelling speaks for."""
    found = facts.get("class")
    if found:
        print_class(found, mark=word)
    elif "class" in facts:
        answer = model.classes.assign([word])[0]
        if answer.path is None:
            note = "no class: the word is too rare, and nothing is known of its spelling"
        else:
            note = f"no class; by its spelling {answer.path}  {model.classes.label(answer.path)}"
        stdout().print(line((note, "dim")))


def _why_no_contexts(model: Model, word: str, looked: bool) -> str:
    command = f"firth counts learn {shlex.quote(str(model.path))}"
    if "counts" not in model:
        return f"nothing was counted yet; {command}"
    if model.is_stale("counts"):
        return f"the counts were made from an older corpus; {command}"
    if looked:
        return "none stands beside it more often than by chance"
    if model.corpus.vocabulary.id(word) >= model.counts.n_words:
        return "it is too rare to be among the counted words"
    return f"the words right beside it were not counted (contexts {model.counts.contexts.name})"


def _table(sides: dict[str, list[dict[str, Any]]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    titles = {
        "before": "before it",
        "after": "after it",
        "contexts": "near it",
        "similar": "like it",
    }
    for side in sides:
        table.add_column(titles[side], overflow="ellipsis", no_wrap=True)
        if side != "similar":
            table.add_column("times", justify="right", style="dim", no_wrap=True, min_width=5)
        figure = "cosine" if side == "similar" else "PMI"
        table.add_column(figure, justify="right", style="green", no_wrap=True, min_width=4)
    for i in range(max(map(len, sides.values()))):
        cells: list[Any] = []
        for side, found in sides.items():
            if i >= len(found):
                cells += [""] * (2 if side == "similar" else 3)
            elif side == "similar":
                cells += [Text(printable(found[i]["word"])), f"{found[i]['similarity']:.2f}"]
            else:
                entry = found[i]
                cells += [
                    Text(printable(entry["word"])),
                    f"{entry['count']:,}",
                    f"{entry['pmi']:.1f}",
                ]
        table.add_row(*cells)
    return table


def print_hits(hits: list[Any], total: int, width: int) -> None:
    """A concordance, the word in the middle."""
    console = stdout()
    for hit in hits:
        left, right = (printable(" ".join(side.split())) for side in (hit.left, hit.right))
        left += " " * hit.left[-1:].isspace()
        right = " " * hit.right[:1].isspace() + right
        left, right = _fitting(left[::-1], width)[::-1], _fitting(right, width)
        console.print(
            line(" " * (width - _cells(left)) + left, (hit.word, "bold cyan"), right), no_wrap=True
        )
    note = f"{len(hits):,} of {count_of(total, 'occurrence')}" + (
        ", evenly spread" if len(hits) < total else ""
    )
    if hits and not all(hit.original for hit in hits):
        note += "; the words as learned where the original is gone, has changed, or is out of reach"
    console.print(line((note, "dim")))


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def _fitting(text: str, width: int) -> str:
    """As much of a text as fits into so many columns."""
    while _cells(text) > width:
        text = text[:-1]
    return text


def print_plan(plan: Any, min_count: int) -> None:
    """What a job will take, for a person."""
    console = stdout()
    about = "" if plan.exact else "about "
    console.print(
        f"{size(plan.n_bytes)} on disk: {about}{number(plan.n_tokens)} tokens, {about}{number(plan.n_types)} types"
    )
    console.print("\n[bold]min-count      words   share of the text[/]")
    for row in plan.rows:
        mark = " [cyan]<[/]" if row.min_count == min_count else ""
        console.print(f"{row.min_count:>9}  {row.n_words:>9,}   {row.coverage:>6.1%}{mark}")
    console.print(
        f"\nwith these options, about {number(plan.n_entries)} entries in the count matrix"
    )
    console.print(
        f"time about {clock(plan.seconds)}, memory about {size(plan.memory)}, disk about {size(plan.disk)}"
    )
    if not plan.exact:
        console.print("[dim]estimated from a sample; nothing was written[/]")
