"""Parameters of named-entity recognition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from firth.errors import wrong_parameter
from firth.formats import Scheme, check_column
from firth.parameters import Param, Parameters, Seed, Threads

__all__ = ["EntityParameters", "LabelColumn", "LabelScheme", "LexiconParameters"]

_LARGEST_SEED = 2**63 - 1


@dataclass(eq=False, repr=False)
class LexiconParameters(Parameters):
    """Word classes and vectors that become features; the parameters of ``SentenceFeatures``."""

    classes: Annotated[
        Any,
        Param(
            "Word classes of a large text: a Hierarchy.",
            "The first 4, 6, 10 and 20 steps of the path of a class are features.",
            stored=False,
            command=False,
            checked=False,
        ),
    ] = None
    vectors: Annotated[
        Any,
        Param(
            "Word vectors of a large text: WordVectors.",
            "Their components are features; vectors are scaled to a mean square of 0.01.",
            stored=False,
            command=False,
            checked=False,
        ),
    ] = None

    def __sklearn_clone__(self) -> Self:
        """A copy with the same parameters; classes and vectors never change, so they are shared."""
        return type(self)(**{field.name: getattr(self, field.name) for field in self.fields()})


@dataclass(eq=False, repr=False)
class EntityParameters(LexiconParameters):
    """The parameters of ``EntityTagger``."""

    estimator: ClassVar[str] = "firth.ner:EntityTagger"

    rounds: Annotated[int, Param("Number of epochs over the training text.", least=1)] = 20
    margin: Annotated[
        float,
        Param(
            "Margin of the perceptron.",
            "Weights are updated unless the score of the right label exceeds all others by more than "
            "this.",
            least=0,
            most=1e6,
        ),
    ] = 100.0
    dropout: Annotated[
        float, Param("Share of features ignored at random in each step.", least=0, most=0.9)
    ] = 0.2
    stages: Annotated[
        int,
        Param(
            "Number of stages; the second one reads from right to left and knows the labels of the first.",
            "What a word is in one place of a document helps to recognise it in another.",
            metavar="1|2",
            least=1,
            most=2,
        ),
    ] = 2
    seed: Seed = 0
    threads: Threads = None

    def check(self) -> None:
        super().check()
        if self.seed > _LARGEST_SEED:  # kernels compute with 64 bits
            owner = self.owner or type(self).__name__
            raise wrong_parameter(owner, "seed", f"at most {_LARGEST_SEED}", self.seed)


@dataclass(eq=False, repr=False)
class LabelColumn(Parameters):
    """How labelled text is read."""

    label_column: Annotated[
        int,
        Param(
            "Column of the labels; -1 is the last.",
            metavar="N",
            panel="Text",
            renamed_from=("--column",),
        ),
    ] = -1

    def check(self) -> None:
        check_column("learn_entities", "label_column", self.label_column)


@dataclass(eq=False, repr=False)
class LabelScheme(Parameters):
    """How labels are written."""

    scheme: Annotated[Scheme, Param("Labelling scheme.", panel="Output")] = "iob2"
