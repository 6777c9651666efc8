"""Learning classes as a stage of a model: parameters, methods one after the other, checkpoints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from firth.classes._bigrams import Bigrams, bigrams_of
from firth.classes._brown import (
    BrownClasses,
    ExchangeRefiner,
    Merge,
    classes_in_order,
    default_n_classes,
    seeds,
)  # fmt: skip
from firth.classes._growing import check_n_classes, numbered
from firth.classes._hierarchy import Hierarchy
from firth.classes._information import mutual_information
from firth.classes._learning import Checkpoint, add_words
from firth.classes._spectral import CLUSTERINGS, TRANSFORMS, SpectralClasses, check_kappa
from firth.compute import Engine
from firth.counts import Counts, parse_contexts
from firth.errors import InputError, ParameterError, check_choice, check_count, wrong_parameter

__all__ = ["METHODS", "ClassesParameters", "learn_hierarchy"]

METHODS = ("brown", "spectral", "seeds")
_TRACED = 20_000
"""Merges are told one by one of vocabularies up to this size."""


@dataclass(frozen=True)
class ClassesParameters:
    """How classes are learned, but for which words are kept; the parameters of the classes of a model.

    ``contexts``, ``kappa``, ``transform`` and ``clustering`` are for spectral classes; the other methods
    look at pairs of adjacent words. ``n_classes`` is None for a number that suits the vocabulary.
    """

    n_classes: int | None = None
    method: str = "brown"
    refine: bool = True
    contexts: str = "LR2"
    kappa: float = 200.0
    transform: str = "none"
    clustering: str = "ward"

    def __post_init__(self) -> None:
        if self.n_classes is not None:
            check_count("classes", "n_classes", self.n_classes, least=2)
        check_choice("classes", "method", self.method, METHODS)
        check_choice("classes", "transform", self.transform, TRANSFORMS)
        check_choice("classes", "clustering", self.clustering, CLUSTERINGS)
        check_kappa("classes", self.kappa)
        contexts = parse_contexts(self.contexts, "none")
        if contexts.bag or 1 not in contexts.offsets:
            raise wrong_parameter(
                "classes", "contexts", "R1, LR1, LR2 or other offsets that hold 1", self.contexts
            )
        object.__setattr__(self, "contexts", contexts.name)
        if self.method == "seeds" and not self.refine:
            raise ParameterError(
                "Seeds alone are no classes: they must be refined.", "Say --refine."
            )

    def parameters(self) -> dict[str, Any]:
        """What decides the result, and nothing else."""
        chosen = asdict(self)
        if self.method != "spectral":
            for name in ("contexts", "kappa", "transform", "clustering"):
                del chosen[name]
        return chosen

    @property
    def counted_contexts(self) -> str:
        """The contexts that must be counted."""
        return self.contexts if self.method == "spectral" else "R1"


def _are_classes(saved: Mapping[str, Any], n: int, m: int) -> bool:
    class_of = saved.get("class_of")
    return (
        class_of is not None
        and saved.get("gamma", np.empty(0)).shape == ()
        and class_of.shape == (n,)
        and class_of.dtype == np.int64
        and np.array_equal(np.unique(class_of), np.arange(m))
    )


def learn_hierarchy(
    counts: Counts,
    parameters: ClassesParameters,
    engine: Engine,
    folder: Path | None = None,
    trace: list[Merge] | None = None,
) -> tuple[Hierarchy, dict[str, Any]]:
    """Learn classes from counts; work that was cut off goes on from what is in ``folder``.

    Returns the hierarchy and facts about the learning; ``trace`` gets every merge of Brown's algorithm.
    """
    bigrams = bigrams_of(counts)
    n = bigrams.n_words
    m = parameters.n_classes or default_n_classes(n)
    check_n_classes("classes", m, n)
    if trace is not None and n > _TRACED:
        raise InputError(
            f"{n:,} words are too many for a trace: {_TRACED:,} at the most.",
            "Use a small text, or a larger --min-count.",
        )

    def checkpoint(name: str) -> Checkpoint:
        return Checkpoint(folder / f"{name}.npz" if folder else None)

    facts: dict[str, Any] = {}
    if parameters.refine:
        class_of = _start(counts, bigrams, m, parameters, engine, checkpoint, facts, trace)
        made = {k: v for k, v in parameters.parameters().items() if k != "n_classes"}
        refiner = ExchangeRefiner(threads=engine).fit_bigrams(
            class_of, bigrams, checkpoint("exchange"), made
        )
        hierarchy, facts["passes"] = refiner.hierarchy_, refiner.history_
    else:
        hierarchy = _unrefined(counts, bigrams, m, parameters, engine, checkpoint, facts, trace)
    nats = mutual_information(cast(Any, hierarchy.follow), hierarchy.tokens)
    return hierarchy, {**facts, "mutual_information": {"bits": nats / math.log(2), "nats": nats}}


def _unrefined(
    counts: Counts, bigrams: Bigrams, m: int, parameters: ClassesParameters, engine: Engine,
    checkpoint: Callable[[str], Checkpoint], facts: dict[str, Any], trace: list[Merge] | None,
) -> Hierarchy:  # fmt: skip
    """The hierarchy that Brown's algorithm or spectral clustering gives."""
    if parameters.method == "brown":
        brown = BrownClasses(m, threads=engine).fit_bigrams(bigrams, checkpoint("brown"))
        if trace is not None:
            trace.extend(brown.trace())
        return brown.hierarchy_
    spectral = SpectralClasses(
        m, parameters.contexts, parameters.kappa, parameters.transform, parameters.clustering,
        threads=engine,
    ).fit_counts(counts, bigrams, checkpoint("vectors"))  # fmt: skip
    facts["gamma"] = spectral.gamma_
    return spectral.hierarchy_


def _start(
    counts: Counts, bigrams: Bigrams, m: int, parameters: ClassesParameters, engine: Engine,
    checkpoint: Callable[[str], Checkpoint], facts: dict[str, Any], trace: list[Merge] | None,
) -> Any:  # fmt: skip
    """The classes that refinement begins with, for each word in the order of the pairs."""
    n = bigrams.n_words
    if parameters.method == "seeds":
        return seeds(n, m)
    finished = checkpoint("start")
    saved = finished.load()
    if trace is None and _are_classes(saved, n, m):
        class_of = saved["class_of"]
        if parameters.method == "spectral":
            facts["gamma"] = float(saved["gamma"]) if parameters.clustering == "ward" else None
        return class_of
    if parameters.method == "brown" and trace is None:  # its tree is not needed
        class_of = numbered(add_words(bigrams, m, engine, checkpoint("brown"))[2])
    else:
        start = _unrefined(counts, bigrams, m, parameters, engine, checkpoint, facts, trace)
        class_of = classes_in_order(start, bigrams)
    finished.save(class_of=class_of, gamma=np.float64(facts.get("gamma") or 0.0))
    return class_of
