"""The parameters of ``learn`` beside those of its stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from firth.parameters import Param, Parameters
from firth.vectors import DEFAULT_PRESET, Preset

__all__ = ["LearnParameters"]


@dataclass(eq=False, repr=False)
class LearnParameters(Parameters):
    """What is learned from text, beside a corpus and counts."""

    owner = "learn"

    dim: Annotated[
        int | None,
        Param(
            "Dimensions of the word vectors; by default 300, or fewer for a small text. "
            "0 for no vectors.",
            least=0,
        ),
    ] = None
    preset: Preset = DEFAULT_PRESET
    classes: Annotated[
        int | None,
        Param(
            "Number of word classes; by default it depends on the vocabulary, at most 1,000. "
            "0 for no classes.",
            least=0,
        ),
    ] = None
    morphs: Annotated[bool, Param("Learn the parts of words: prefixes, stems and suffixes.")] = (
        False
    )
    tags: Annotated[int, Param("Number of part-of-speech tags; 0 for none.", least=0)] = 0
