"""Learning classes as a stage of a model: parameters, methods one after the other, checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from firth.classes._bigrams import bigrams_of
from firth.classes._brown import (
    BrownClasses,
    ExchangeRefiner,
    Merge,
    classes_in_order,
    default_n_classes,
    seeds,
)  # fmt: skip
from firth.classes._growing import check_n_classes
from firth.classes._hierarchy import Hierarchy
from firth.classes._learning import Checkpoint, mutual_information
from firth.classes._spectral import CLUSTERINGS, TRANSFORMS, SpectralClasses
from firth.counts import Counts, parse_contexts
from firth.errors import ParameterError, check_choice, check_count, wrong_parameter

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
        contexts = parse_contexts(self.contexts, "none")
        if contexts.bag or 1 not in contexts.offsets:
            raise wrong_parameter(
                "classes", "contexts", "R1, LR1, LR2 or other offsets that hold 1", self.contexts
            )
        object.__setattr__(self, "contexts", contexts.name)
        if self.method == "seeds" and not self.refine:
            raise ParameterError(
                "Seeds alone are no classes: they must be refined.", "Leave --no-refine out."
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
    counts: Counts, parameters: ClassesParameters, threads: int, folder: Path | None = None
) -> tuple[Hierarchy, dict[str, Any], list[Merge]]:
    """Learn classes from counts; work that was cut off goes on from what is in ``folder``.

    Returns the hierarchy, facts about the learning, and every merge of Brown's algorithm.
    """
    bigrams = bigrams_of(counts)
    n = bigrams.n_words
    m = parameters.n_classes or default_n_classes(n)
    check_n_classes("classes", m, n)

    def checkpoint(name: str) -> Checkpoint:
        return Checkpoint(folder / f"{name}.npz" if folder else None)

    trace: list[Merge] = []
    facts: dict[str, Any] = {}
    start: Hierarchy | None = None
    is_traced = parameters.method == "brown" and n <= _TRACED  # then it is quickly done again
    finished = checkpoint("start")
    saved = finished.load()
    if parameters.method == "seeds":
        class_of: Any = seeds(n, m)
    elif parameters.refine and not is_traced and _are_classes(saved, n, m):
        class_of = saved["class_of"]
        if parameters.method == "spectral":
            facts["gamma"] = float(saved["gamma"]) if parameters.clustering == "ward" else None
    else:
        if parameters.method == "brown":
            brown = BrownClasses(m, threads=threads).fit_bigrams(bigrams, checkpoint("brown"))
            start, trace = brown.hierarchy_, list(brown.trace()) if is_traced else []
        else:
            spectral = SpectralClasses(
                m, parameters.contexts, parameters.kappa, parameters.transform, parameters.clustering,
                threads=threads,
            ).fit_counts(counts, bigrams, checkpoint("vectors"))  # fmt: skip
            start, facts["gamma"] = spectral.hierarchy_, spectral.gamma_
        class_of = classes_in_order(start, bigrams)
        if parameters.refine:
            finished.save(class_of=class_of, gamma=np.float64(facts.get("gamma") or 0.0))
    if parameters.refine:
        made = {k: v for k, v in parameters.parameters().items() if k != "n_classes"}
        refiner = ExchangeRefiner(threads=threads).fit_bigrams(
            class_of, bigrams, checkpoint("exchange"), made
        )
        hierarchy, facts["passes"] = refiner.hierarchy_, refiner.history_
    else:
        hierarchy = cast(Hierarchy, start)
    information = mutual_information(cast(Any, hierarchy.follow), hierarchy.tokens)
    return hierarchy, {**facts, "mutual_information": information}, trace
