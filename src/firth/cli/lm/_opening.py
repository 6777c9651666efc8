"""Opens language models: a part of a model folder, or a compact file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from firth.cli import _shared as shared

_SUFFIX = ".firthlm"
ModelOrFile = Annotated[
    str, shared.argument("MODEL", f"A model folder, or a compact file ({_SUFFIX}).")
]


def open_lm(model: str) -> Any:
    """The language model of a folder or a file."""
    if model.endswith(_SUFFIX) and not Path(model).exists():
        shared.fail(f"There is no file {model}.", f"Write one: firth lm export MODEL -o {model}")
    if not Path(model).is_file():
        return shared.open_part(model, "lm")
    from firth.lm import open_compact

    return open_compact(model)


def folder_lm(model: str) -> Any:
    """The language model of a folder; a compact file is refused."""
    if Path(model).is_file() and model.endswith(_SUFFIX):
        shared.fail(
            f"{model} is a compact file, which only scores text.",
            "Use the model folder that it was made of.",
        )
    return shared.open_part(model, "lm")


def units_of(model: str, reading: Any) -> Any:
    """What makes tokens of words, if they are morphs or phrases."""
    if not Path(model).is_file():
        return shared.units_of(model, reading)
    if reading.tokens == "morphs" or reading.phrases is not None:
        what = "phrases" if reading.phrases is not None else "morphs"
        shared.fail(
            f"The model has {what} as tokens, and a compact file does not contain what makes them.",
            "Use the model folder.",
        )
    return None
