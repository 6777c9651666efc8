"""Print a model, its corpus, and the plan of a model."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from firth.cli._shared import line, print_json, print_next, stdout
from firth.progress import clock, number, size

if TYPE_CHECKING:
    from firth.model import Model

_STAGES = {"corpus": "reading", "counts": "counting", "grammar_vectors": "grammatical vectors"}
"""What stages are called in a plan, if not like the part that they make."""
_STAGE = max(map(len, _STAGES.values())) + 1
_NOTHING = "Nothing to do: the model was already learned from this text with these options."


def print_model(model: Model) -> None:
    """Print the parts of a model: what they are, and when they were made."""
    from firth.describe import model_facts, summary_rows

    facts = model_facts(model)
    console = stdout()
    console.print(line((str(model.path), "bold"), (f"  {size(facts['bytes'])}", "dim")))
    if not model.parts:
        console.print("  nothing has been learned yet")
    rows = list(summary_rows(model))
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        how = (f"  {', '.join(row.how)}", "dim") if row.how else ""
        what = (row.what, "yellow") if row.stale else row.what
        console.print(line(f"  {row.name:<{max(8, width)}} ", what, how))
    for name, part in facts["parts"].items():
        if "date" in part:
            date = part["date"][:16].replace("T", " ")
            console.print(line((f"  {name} made {date} in {clock(part['seconds'])}", "dim")))


def print_learned(model: Model, json: bool, quiet: bool, nothing: str = _NOTHING) -> None:
    """Print a model after learning, whether there was anything to do, and commands to try."""
    from firth.describe import model_facts, typical_word

    if json:
        print_json({**model_facts(model), "changed": model.changed})
    elif not quiet:
        if not model.changed:
            stdout().print(nothing)
        print_model(model)
        word, path = typical_word(model), shlex.quote(str(model.path))
        print_next(f"firth show {path}" + (f" {word}" if word else ""))
        print_next(f"firth explore {path}", "")


def print_corpus(model: Model, n: int = 20) -> None:
    """Print the most frequent words, and the coverage of several min-counts."""
    from firth.describe import coverage

    console, corpus = stdout(), model.corpus
    words = [corpus.vocabulary[i] for i in range(min(n, corpus.n_types))]
    console.print()
    console.print(line(("most frequent", "bold"), "  ", "  ".join(words)))
    console.print("\n[bold]min-count      words   share of the text[/]")
    for row in coverage(corpus):
        bar = "█" * round(row["coverage"] * 30)
        console.print(
            f"{row['min_count']:>9}  {row['words']:>9,}   {row['coverage']:>6.1%} [green]{bar}[/]"
        )


def print_plan(plan: Any, min_count: int) -> None:
    """Print the time, memory and disk space that learning will take."""
    console = stdout()
    about = "" if plan.exact else "about "
    console.print(
        f"{size(plan.n_bytes)} on disk: {about}{number(plan.n_tokens)} tokens, "
        f"{about}{number(plan.n_types)} types"
    )
    console.print("\n[bold]min-count      words   share of the text[/]")
    for row in plan.rows:
        mark = " [cyan]<[/]" if row.min_count == min_count else ""
        console.print(f"{row.min_count:>9}  {row.n_words:>9,}   {row.coverage:>6.1%}{mark}")
    console.print(
        f"\nwith these options, about {number(plan.n_entries)} entries in the count matrix"
    )
    console.print(
        f"\n[bold]{'stage':<{_STAGE}}{'time':>8}{'memory':>10}{'disk':>10}{'stays':>10}[/]"
    )
    console.print(f"{'starting':<{_STAGE}}{clock(plan.start):>8}")
    for stage in plan.stages:
        console.print(_plan_line(_STAGES.get(stage.name, stage.name), stage))
    console.print(f"[bold]{_plan_line('total', plan)}[/]")
    console.print(
        "[dim]time if nothing else runs on this machine; disk while a stage runs, and what stays[/]"
    )
    if not plan.exact:
        console.print("[dim]estimated from a sample; nothing was written[/]")


def _plan_line(name: str, of: Any) -> str:
    sizes = "".join(f"{size(n):>10}" for n in (of.memory, of.disk, of.stays))
    return f"{name:<{_STAGE}}{clock(of.seconds):>8}{sizes}"
