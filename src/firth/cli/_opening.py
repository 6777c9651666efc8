"""Opening a part of a model, and the sentences of texts in pieces: what applying commands share."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from firth.cli import _shared as shared

__all__ = ["open_part"]


def open_part(model: str, part: str, name: str, source: str = "TEXT") -> Any:
    """A part of a model; says how to learn it where it is missing.

    ``name`` is what people call it, and ``source`` what it is learned from; from TEXT also where a model has a corpus.
    """
    from firth.model import load

    path, one = shlex.quote(model), "some" if name == "tags" else "one"
    if not Path(model).exists():
        shared.fail(
            f"There is no model folder {model}.", f"Make one: firth {part} learn {source} -o {path}"
        )
    opened = load(model)
    if part not in opened:
        from_corpus = source == "TEXT" and "corpus" in opened
        shared.fail(
            f"The model {model} has no {name}.",
            f"Learn {one}: firth {part} learn {'' if from_corpus else f'{source} -o '}{path}",
        )
    return getattr(opened, part)
