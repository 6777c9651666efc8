"""What commands that use word classes share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.classes import Hierarchy
    from firth.corpus import Corpus, Reading

ClassesPath = Annotated[str, shared.argument("MODEL", "A model folder, or a file of classes.")]
HeldOut = Annotated[
    list[str] | None,
    shared.option("--text", "TEXT", "Held-out text; can be repeated.", panel="Text"),
]


def open_classes(path: str) -> Hierarchy:
    """The classes of a model, or of a file."""
    if Path(path).is_file():
        from firth.classes import Hierarchy

        return Hierarchy.read(path)
    from firth.model import load

    return load(path).classes


def reading_of(path: str) -> Reading:
    """How the corpus of a model was read; the default options if there is no corpus."""
    from firth.corpus import Reading
    from firth.model import load

    opened = load(path) if Path(path).is_dir() else None
    return opened.corpus.reading if opened and "corpus" in opened else Reading()


def read_like(path: str, texts: list[str] | None) -> Corpus | None:
    """Other text, read like the corpus of a model; None without text."""
    from firth.corpus import Corpus

    if not texts:
        return None
    reading = reading_of(path)
    return Corpus.read(texts, reading, shared.units_of(path, reading))
