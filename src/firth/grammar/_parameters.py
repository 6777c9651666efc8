"""How grammars are learned: the parameters."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from firth.corpus import WordReading
from firth.errors import wrong_parameter
from firth.parameters import Param, Parameters, Seed, check_belong, share_of

__all__ = [
    "DECODERS",
    "LONGEST",
    "METHODS",
    "ROUNDS",
    "GrammarParameters",
    "ParseParameters",
    "SampleParameters",
    "SentenceReading",
    "TreebankParameters",
]

MethodName = Literal["spectral", "clustering", "em", "product", "pcfg", "inside-outside"]
METHODS = tuple(name for name in typing.get_args(MethodName) if name != "inside-outside")
"""The ways to learn from trees."""
ROUNDS = {"em": 40, "product": 5, "clustering": 0, "inside-outside": 20}
"""The default number of EM iterations of the methods that have them."""
_CYCLE = 12
"""The default number of EM iterations of a cycle of splitting and merging."""
DecoderName = Literal["phrases", "rules"]
DECODERS: tuple[str, ...] = typing.get_args(DecoderName)
"""The ways to choose the best tree."""
LONGEST = 300
"""The longest sentence that is parsed, in words: with 240 symbols its charts take over a gigabyte."""

_BY_METHOD = ", ".join(f"{rounds} for {method}" for method, rounds in ROUNDS.items())
Rounds = Annotated[
    int | None,
    Param(
        "Number of EM iterations.",
        f"By default {_BY_METHOD}. ``em`` starts from random states, ``inside-outside`` from random "
        "rules, the others from clusters.",
        least=0,
        methods=tuple(ROUNDS),
        shown_default=_BY_METHOD,
    ),
]
HeldOut = Annotated[
    float | str,
    Param(
        "Share of the trees to hold out and measure the grammar on, such as 5% or 0.05.",
        "The grammar is not learned from them. EM stops when they become less probable.",
        metavar="SHARE",
        checked=False,
    ),
]


@dataclass(eq=False, repr=False)
class GrammarParameters(Parameters):
    """The parameters of ``LPCFG``."""

    estimator: ClassVar[str] = "firth.grammar:LPCFG"

    n_states: Annotated[
        int,
        Param(
            "Maximum number of hidden states of a symbol.",
            "Symbols that are rare, or whose trees differ little, have fewer.",
            option="--states",
            least=1,
            methods=("spectral", "clustering", "em", "product"),
        ),
    ] = 16
    method: Annotated[
        MethodName,
        Param(
            "How to find hidden states.",
            "``spectral``: spectral estimation. ``clustering``: clusters of phrases are counted. "
            "``em``: expectation maximisation from a random start. ``product``: spectral estimates "
            "and clusters decide together, the most accurate, at half the speed. ``pcfg``: no "
            "hidden states. ``inside-outside``: a grammar without hidden states from sentences, or from "
            "the brackets of trees.",
        ),
    ] = "spectral"
    rounds: Rounds = None
    split_merge: Annotated[
        int,
        Param(
            "Number of cycles in which states are split in two and merged; 6 are usual.",
            "Learning starts without states. In each cycle, with ``rounds`` EM iterations (12 by "
            "default), every state is split in two, and half of the splits, those that gain least "
            "likelihood, are undone (Petrov, Barrett, Thibaux and Klein 2006). With 0, all states are "
            "there from the start.",
            least=0,
            most=20,
            methods=("em",),
            added=True,
        ),
    ] = 0
    n_phrases: Annotated[
        int,
        Param(
            "Number of phrase symbols.",
            option="--phrases",
            least=1,
            most=100,
            methods=("inside-outside",),
            added=True,
        ),
    ] = 8
    n_tags: Annotated[
        int,
        Param(
            "Number of tags.",
            option="--tags",
            least=1,
            most=100,
            methods=("inside-outside",),
            added=True,
        ),
    ] = 12
    vertical: Annotated[
        int,
        Param(
            "Vertical markovisation: labels in a symbol, counted upwards.",
            least=1,
            methods=METHODS,
        ),
    ] = 1
    horizontal: Annotated[
        int,
        Param(
            "Horizontal markovisation: preceding siblings in an intermediate symbol.",
            "See ``Preparation``.",
            least=0,
            methods=METHODS,
        ),
    ] = 0
    threshold: Annotated[
        float,
        Param(
            "Prune phrases that are less probable than this without states.",
            panel="Expert",
            least=0,
            below=1,
        ),
    ] = 1e-3
    decode: Annotated[
        DecoderName | None,
        Param(
            "Choose the tree with the most probable phrases (spectral), or rules (other methods).",
            "``phrases``: the largest sum of the probabilities of its phrases, the default of "
            "``spectral``. ``rules``: the largest product of the probabilities of its rules, the "
            "default of all other methods.",
        ),
    ] = None
    cut: Annotated[
        float,
        Param(
            "States with a smaller singular value, relative to the largest, are dropped.",
            "With a large ``n_states`` and a larger ``cut``, the data decide how many states a "
            "symbol has.",
            panel="Expert",
            least=0,
            below=1,
            methods=("spectral", "clustering", "product"),
        ),
    ] = 1e-3
    held_out: HeldOut = 0.0
    seed: Annotated[
        int,
        Param(
            "Random seed.",
            panel="Expert",
            least=0,
            methods=("clustering", "em", "product", "inside-outside"),
        ),
    ] = 0

    device: Annotated[
        str,
        Param(
            "Where to compute: cpu, or a GPU: cuda, or cuda:1 for the second one.",
            "A GPU needs the extra ``gpu``. It parses with all methods, and learns with "
            "``inside-outside``. The result is the same up to rounding.",
            metavar="DEVICE",
            panel="Expert",
            methods=("inside-outside",),
            stored=False,
            checked=False,
        ),
    ] = "cpu"

    @property
    def n_rounds(self) -> int:
        """The number of EM iterations, as given or by default; of each cycle if states are split."""
        if self.rounds is not None:
            return self.rounds
        return _CYCLE if self.method == "em" and self.split_merge else ROUNDS.get(self.method, 0)

    @property
    def decoder(self) -> str:
        """How the best tree is chosen, as given or by default."""
        return self.decode or ("phrases" if self.method == "spectral" else "rules")

    def check(self) -> None:
        super().check()
        owner = self.owner or type(self).__name__
        if not 0 <= share_of(self.held_out) < 1:
            expected = "a share of the trees, such as 5% or 0.05"
            raise wrong_parameter(owner, "held_out", expected, self.held_out)
        if self.method in ("em", "inside-outside") and self.n_rounds < 1:
            raise wrong_parameter(owner, "rounds", "an int of at least 1", self.rounds)
        if self.rounds:
            check_belong(self.fields(), self.method, ["rounds"])

    def parameters(self) -> dict[str, Any]:
        self.check()  # all of them are stored, whatever the method
        values = {
            field.name: field.plain(getattr(self, field.name))
            for field in self.fields()
            if field.param.stored and not self.is_left_out(field)
        }
        return {**values, "rounds": int(self.n_rounds), "held_out": share_of(self.held_out)}


@dataclass(eq=False, repr=False)
class TreebankParameters(GrammarParameters):
    """The parameters of ``learn_grammar``, which holds out some of the trees by default."""

    owner = "learn_grammar"

    held_out: HeldOut = "5%"


@dataclass(frozen=True)
class SentenceReading(WordReading):
    """How sentences are read from text, line by line."""

    split: Annotated[
        Literal["lines", "sentences"],
        Param("How text is split into sentences.", panel="Text"),
    ] = "lines"


@dataclass(eq=False, repr=False)
class ParseParameters(Parameters):
    """How sentences are parsed."""

    owner = "Grammar"

    decode: Annotated[
        DecoderName | None,
        Param(
            "Choose the tree with the most probable phrases, or rules; default: as learned.",
            panel="Output",
        ),
    ] = None
    least: Annotated[
        float,
        Param(
            "Leave out phrases that are less probable, with --marginals.",
            option="--cut",
            metavar="P",
            panel="Output",
            least=0,
            most=1,
        ),
    ] = 0.01


@dataclass(eq=False, repr=False)
class SampleParameters(Parameters):
    """How sentences are drawn from a grammar."""

    owner = "Grammar.sample"

    seed: Seed = 0
    longest: Annotated[
        int,
        Param("Maximum number of words of a sentence.", panel="Output", least=1, most=LONGEST),
    ] = 100
