"""How a language model is learned, and how it reads text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from firth.corpus import Split, Tokens
from firth.counts import VocabularySize
from firth.parameters import Param, Parameters

__all__ = ["HELD_OUT", "LanguageModelParameters", "ReadAs"]

HELD_OUT = 0.05
"""The share of sentences that interpolation weights are learned from."""


@dataclass(eq=False, repr=False)
class LanguageModelParameters(Parameters):
    """The parameters of ``LanguageModel``."""

    estimator: ClassVar[str] = "firth.lm:LanguageModel"

    order: Annotated[int, Param("Order of the word n-grams, 1 to 6.", least=1, most=6)] = 5
    class_order: Annotated[
        int | None,
        Param(
            "Order of the class n-grams, 2 to 6; by default one more than words.", least=2, most=6
        ),
    ] = None
    cache: Annotated[
        bool,
        Param("Make words that occurred recently more probable.", added=True),
    ] = True
    min_count: Annotated[
        int,
        Param(
            "Words with fewer occurrences are unknown.",
            "With 1, no unknown word occurs in training, so unknown words are very improbable.",
            least=1,
        ),
    ] = 2
    vocabulary: VocabularySize = 200_000
    refit: Annotated[
        bool,
        Param("Count the held-out sentences too, once the interpolation weights are known."),
    ] = True
    seed: Annotated[
        int, Param("Random seed of the clusterings.", panel="Expert", least=0, added=True)
    ] = 0


@dataclass(eq=False, repr=False)
class ReadAs(Parameters):
    """How a trained model reads text; by default as in training."""

    tokens: Annotated[
        Tokens | None,
        Param(
            "How to split text into tokens if not as in training: words, whitespace, characters, "
            "morphs, icu, or a segmenter that is installed.",
            metavar="TOKENS",
            panel="Text",
        ),
    ] = None
    split: Annotated[
        Split | None,
        Param("How to split text into sentences if not as in training.", panel="Text"),
    ] = None
