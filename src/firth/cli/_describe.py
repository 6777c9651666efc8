"""A model and its words, put into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firth.cli._shared import escaped, printable, stdout
from firth.progress import clock, size

if TYPE_CHECKING:
    from firth.model import Model

_COVERAGE = (1, 2, 5, 10, 20, 50, 100)


def model_facts(model: Model) -> dict[str, Any]:
    """What ``firth show MODEL --json`` prints."""
    parts = {
        name: {
            **part.facts,
            "bytes": part.n_bytes,
            "parameters": dict(part.parameters),
            "stale": model.is_stale(name),
            **_making(model, part.identity),
        }
        for name, part in sorted(model.parts.items())
    }
    return {
        "model": str(model.path),
        "bytes": sum(p.n_bytes for p in model.parts.values()),
        "parts": parts,
    }


def _making(model: Model, identity: str) -> dict[str, Any]:
    """When and how long a part was made, from the log."""
    made = [entry for entry in model.history() if entry.get("identity") == identity]
    return {key: made[-1].get(key) for key in ("date", "seconds")} if made else {}


def print_model(model: Model) -> None:
    """The summary of a model, for a person."""
    facts = model_facts(model)
    console = stdout()
    console.print(f"[bold]{escaped(str(model.path))}[/]  [dim]{size(facts['bytes'])}[/]")
    if "corpus" in model:
        corpus = facts["parts"]["corpus"]
        reading = corpus["parameters"]
        how = [reading["tokens"], f"split by {reading['split']}"]
        how += ["lower-cased"] * reading["lowercase"] + ["digits as 0"] * (
            reading["digits"] == "zero"
        )
        console.print(
            f"  corpus   {corpus['n_tokens']:,} tokens, {corpus['n_types']:,} types, "
            f"{corpus['n_sentences']:,} sentences"
            f"  [dim]{', '.join(how)}[/]"
        )
    if "counts" in model:
        counts = facts["parts"]["counts"]
        parameters = counts["parameters"]
        console.print(
            f"  counts   {counts['n_words']:,} words in {parameters['contexts']} contexts, "
            f"{counts['n_entries']:,} entries"
            f"  [dim]min-count {parameters['min_count']}[/]"
        )
        if counts["stale"]:
            console.print(
                f"  [yellow]the counts were made from an older corpus: firth counts learn {escaped(str(model.path))}[/]"
            )
    for name, part in facts["parts"].items():
        if part.get("date"):
            console.print(
                f"  [dim]{name} made {part['date'][:16].replace('T', ' ')} in {clock(part['seconds'])}[/]"
            )


def print_corpus(model: Model, n: int = 20) -> None:
    """The most frequent words, and how much of the text how many words cover."""
    console = stdout()
    corpus = model.corpus
    words = [corpus.vocabulary[i] for i in range(min(n, corpus.n_types))]
    console.print(f"\n[bold]most frequent[/]  {'  '.join(map(escaped, words))}")
    console.print("\n[bold]min-count      words   share of the text[/]")
    for row in coverage(corpus):
        bar = "█" * round(row["coverage"] * 30)
        console.print(
            f"{row['min_count']:>9}  {row['words']:>9,}   {row['coverage']:>6.1%} [green]{bar}[/]"
        )


def coverage(corpus: Any) -> list[dict[str, Any]]:
    rows = []
    for least in _COVERAGE:
        kept = corpus.vocabulary.n_kept(least)
        if kept:
            rows.append({"min_count": least, "words": kept, "coverage": corpus.coverage(kept)})
    return rows


def word_facts(model: Model, word: str, n: int) -> dict[str, Any]:
    """What ``firth show MODEL WORD --json`` prints."""
    corpus = model.corpus
    word_id = corpus.vocabulary.id(word)
    n_word = int(corpus.vocabulary.counts[word_id])
    facts: dict[str, Any] = {
        "word": word, "count": n_word, "rank": word_id + 1, "per_million": n_word / corpus.n_tokens * 1e6,
    }  # fmt: skip
    if "counts" in model and not model.is_stale("counts") and word_id < model.counts.n_words:
        counts = model.counts
        sides = {"contexts": None} if counts.contexts.bag else {"before": -1, "after": 1}
        for side, offset in sides.items():
            if offset is None or offset in counts.contexts.offsets:
                found = counts.collocates(word, offset, n)
                facts[side] = [
                    {"word": c.word, "count": c.count, "pmi": round(c.pmi, 3)} for c in found
                ]
    return facts


def print_word(model: Model, word: str, n: int) -> None:
    """A word's count, rank and strongest contexts, for a person."""
    from rich.table import Table

    facts = word_facts(model, word, n)
    console = stdout()
    console.print(
        f"[bold]{escaped(word)}[/]  {facts['count']:,} times, rank {facts['rank']:,}, "
        f"{facts['per_million']:,.1f} in a million"
    )
    if "counts" not in model:
        console.print(f"[dim]no counts yet: firth counts learn {escaped(str(model.path))}[/]")
        return
    sides = [(side, facts[side]) for side in ("before", "after", "contexts") if side in facts]
    if not sides:
        kept = (
            "it is too rare to be among the counted words"
            if not model.is_stale("counts")
            else "the counts are out of date"
        )
        console.print(f"[dim]no contexts: {kept}[/]")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    titles = {"before": "before it", "after": "after it", "contexts": "near it"}
    for side, _ in sides:
        table.add_column(titles[side], no_wrap=True)
        table.add_column("times", justify="right", style="dim")
        table.add_column("PMI", justify="right", style="green")
    for i in range(max((len(found) for _, found in sides), default=0)):
        cells: list[str] = []
        for _, found in sides:
            if i < len(found):
                cells += [
                    escaped(printable(found[i]["word"])),
                    f"{found[i]['count']:,}",
                    f"{found[i]['pmi']:.1f}",
                ]
            else:
                cells += ["", "", ""]
        table.add_row(*cells)
    console.print(table)


def print_hits(hits: list[Any], total: int, width: int) -> None:
    """A concordance, the word in the middle."""
    console = stdout()
    for hit in hits:
        left, right = (printable(" ".join(side.split())) for side in (hit.left, hit.right))
        left += " " * hit.left[-1:].isspace()
        right = " " * hit.right[:1].isspace() + right
        console.print(
            f"{escaped(left[-width:].rjust(width))}[bold cyan]{escaped(hit.word)}[/]{escaped(right[:width])}",
            no_wrap=True,
        )
    note = f"{len(hits):,} of {total:,} occurrences" + (
        ", evenly spread" if len(hits) < total else ""
    )
    if hits and not all(hit.original for hit in hits):
        note += "; where the source is gone or has changed, the words as learned"
    console.print(f"[dim]{note}[/]")
