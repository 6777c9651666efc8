"""Parameters of the vectorizers for scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from firth.parameters import Param, Parameters, Threads

__all__ = ["ClassVectorizerParameters", "EmbeddingVectorizerParameters"]

_SOURCE = "The path of a model, a Model{or}; None to learn {what} from the texts that are given to ``fit``."
_GUESS = "Whether words without a {what} get one from their spelling. Otherwise they are ignored."


@dataclass(eq=False, repr=False)
class ClassVectorizerParameters(Parameters):
    """The parameters of ``ClassVectorizer``."""

    classes: Annotated[
        Any,
        Param(_SOURCE.format(**{"or": " or a Hierarchy", "what": "classes"}), checked=False),
    ] = None
    depths: Annotated[
        tuple[int, ...],
        Param(
            "The depths of the class tree whose nodes are features.",
            "A class above a depth stands for itself.",
            checked=False,
        ),
    ] = (4, 6, 10, 20)
    binary: Annotated[bool, Param("Whether to note that a class occurs, instead of how often.")] = (
        False
    )
    guess: Annotated[bool, Param(_GUESS.format(what="class"))] = True
    sparse_output: Annotated[
        bool, Param("Whether the result is a sparse matrix; False for ``set_output``.")
    ] = True
    threads: Threads = None


@dataclass(eq=False, repr=False)
class EmbeddingVectorizerParameters(Parameters):
    """The parameters of ``EmbeddingVectorizer``."""

    vectors: Annotated[
        Any,
        Param(_SOURCE.format(**{"or": " or WordVectors", "what": "vectors"}), checked=False),
    ] = None
    weights: Annotated[
        Literal["sif", "uniform"],
        Param(
            "How much each word counts: all words alike, or frequent words less.",
            "The weight of a word with probability p is ``smoothing / (smoothing + p)``: smooth inverse "
            "frequency (Arora, Liang and Ma 2017).",
        ),
    ] = "sif"
    smoothing: Annotated[
        float, Param("The probability at which a word counts half.", least=1e-12)
    ] = 1e-3
    components: Annotated[
        int,
        Param(
            "The number of principal components to remove: what all texts given to ``fit`` have in common.",
            least=0,
        ),
    ] = 1
    guess: Annotated[bool, Param(_GUESS.format(what="vector"))] = False
    threads: Threads = None
