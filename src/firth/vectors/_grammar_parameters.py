"""The parameters of grammatical vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from firth import progress
from firth.parameters import DeviceName, Param, Parameters, Seed, Threads
from firth.vectors._parameters import DEFAULT_DIM, FEW_WORDS

__all__ = [
    "GRAMMAR_CONTEXTS",
    "KINDS",
    "MOST_GRAMMAR_DIM",
    "GrammarParameters",
    "VectorKind",
    "default_dim",
    "default_grammar_dim",
    "tell_size",
]

VectorKind = Literal["meaning", "grammar"]
KINDS: dict[str, str] = {"meaning": "vectors", "grammar": "grammar_vectors"}
"""The kinds of word vectors, and the part of a model that has each."""
GRAMMAR_CONTEXTS = "LR2"
MOST_GRAMMAR_DIM = 50
_WORDS_PER_DIMENSION = 10
_FEWEST = 20


def default_dim(n_words: int, most: int = DEFAULT_DIM) -> int:
    """The number of dimensions for a vocabulary: one for every ten words, from 20 up to a limit.

    >>> [default_dim(n) for n in (12, 100, 455, 50_000)]
    [12, 20, 45, 300]
    """
    return min(most, max(n_words // _WORDS_PER_DIMENSION, min(n_words, _FEWEST)))


def default_grammar_dim(n_words: int) -> int:
    """The same for grammatical vectors, which need no more than 50, and are without the first dimension.

    >>> [default_grammar_dim(n) for n in (12, 455, 50_000)]
    [11, 45, 50]
    """
    return min(default_dim(n_words, MOST_GRAMMAR_DIM), max(1, n_words - 1))


def tell_size(title: str, n_words: int, dim: int, most: int, why_not: str = "") -> None:
    """Say how many dimensions were chosen for a small text, and why; and whether it is too small.

    ``why_not`` is what else follows from that.
    """
    notes = []
    if dim < most:
        dims = progress.count_of(dim, "dimension")
        why = "one for every ten" if dim > _FEWEST else "because there are few"
        notes.append(f"The {title} have {dims} for {progress.count_of(n_words, 'word')}, {why}.")
    if n_words < FEW_WORDS:
        notes.append(f"The text is too small for good {title}: similar words will often be wrong.")
        notes += [why_not] * bool(why_not)
    if notes:
        progress.notice(" ".join(notes))


@dataclass(eq=False, repr=False)
class GrammarParameters(Parameters):
    """The parameters of ``GrammarEmbedding``."""

    estimator: ClassVar[str] = "firth.vectors:GrammarEmbedding"
    owner = "GrammarEmbedding"

    dim: Annotated[
        int | None,
        Param("Number of dimensions; by default 50, or fewer for a small text.", least=1),
    ] = None
    beta: Annotated[
        float,
        Param("Exponent of the singular values, from 0 to 3.", metavar="X", least=0, most=3),
    ] = 1.5
    far: Annotated[
        float,
        Param("Weight of a word at distance 2; a neighbour has 1.", metavar="X", least=0, most=1),
    ] = 0.3
    shape: Annotated[
        float,
        Param(
            "Pseudocount of the shape of a word: number, mark, capitalised, hyphenated or other.",
            metavar="X", least=0, most=1e6,
        ),
    ] = 6.0  # fmt: skip
    suffix: Annotated[
        float,
        Param("Pseudocount of each suffix of 1 to 3 letters.", metavar="X", least=0, most=1e6),
    ] = 0.5
    tolerance: Annotated[
        float,
        Param(
            "Residual at which the solver stops, relative to the singular values.",
            metavar="X",
            panel="Expert",
            least=1e-4,
            most=0.1,
        ),
    ] = 0.005
    seed: Seed = 0
    threads: Threads = None
    device: DeviceName = "cpu"
