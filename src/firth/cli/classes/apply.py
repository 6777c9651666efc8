"""firth classes apply."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from firth.cli import _classes as common
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import TextLimits


@command(TextLimits)
def apply(
    model: common.ClassesPath,
    texts: Annotated[
        list[str] | None,
        shared.argument("[TEXT...]", "Files, folders or quoted patterns; - for standard input."),
    ] = None,
    words: Annotated[
        list[str] | None,
        shared.option(
            "--word", "WORD", "Assign a class to this word only; can be repeated.", panel="Text"
        ),
    ] = None,
    everything: Annotated[
        bool,
        shared.flag(
            "--all", "All words of the text, not only those without a class.", panel="Text"
        ),
    ] = False,
    min_count: Annotated[
        int, shared.option("--min-count", "N", "Minimum count in the text.", panel="Text", least=1)
    ] = 1,
    output: Annotated[
        str | None, shared.option("--output -o", "FILE", "Write a paths file: path, word, count.")
    ] = None,
    n: shared.NumberOfWords = 20,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Assign classes to new words, without retraining.

    A new word gets the class that fits its contexts in the text best, or else the class that its spelling
    suggests. The text is read like the corpus of the model.

    Example: [bold]firth classes apply news other.txt --all[/]
    """
    from firth.describe import assigned_words

    classes = common.open_classes(model)
    if not texts and not words:
        shared.fail("Give a text or --word.", "See: firth classes apply --help", status=2)
    with shared.reporting(quiet):
        corpus = common.read_like(model, texts)
    found = assigned_words(classes, corpus, words or (), min_count=min_count, known=everything)
    if output:
        _write(output, [row for row in found if row["path"] is not None])
    rows = [
        {**row, "label": None if row["path"] is None else classes.label(row["path"])}
        for row in found[:n]
    ]
    if json:
        sources = Counter(row["source"] for row in found)
        shared.print_json({"n_words": len(found), "sources": sources, "words": rows})
    elif output != "-":
        _print(rows, len(found), output)


def _write(output: str, rows: list[dict[str, Any]]) -> None:
    from firth.formats import write_classes
    from firth.store import replacing

    if not rows:
        shared.fail("No word got a class, so nothing was written.", None)
    words, paths, counts = ([row[name] for row in rows] for name in ("word", "path", "count"))
    with replacing(output) as file:
        write_classes(file, words, paths, counts, "paths")


def _print(rows: list[dict[str, Any]], n: int, output: str | None) -> None:
    console = shared.stdout()
    if not n:
        console.print("All words of the text have a class.")
    for row in rows:
        parts: list[Any] = [
            (row["word"], "bold"),
            (f" ({row['count']:,})" * bool(row["count"]), "dim"),
            "  ",
        ]
        if row["path"]:
            parts += [(row["path"], "green"), f"  {row['label']}", (f"  by {row['source']}", "dim")]
        else:
            parts.append("unknown")
        console.print(shared.line(*parts))
    if n > len(rows):
        console.print(shared.line((f"and {n - len(rows):,} more", "dim")))
    if output:
        console.print(shared.line("written: ", (output, "bold")))
