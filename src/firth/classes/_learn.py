"""Learn the classes of a model: one method after the other, with checkpoints."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams, bigrams_of
from firth.classes._build import check_n_classes, numbered
from firth.classes._hierarchy import Hierarchy
from firth.classes._information import mutual_information
from firth.classes._merging import add_words
from firth.classes._parameters import ClassesParameters, ExchangeParameters, default_n_classes
from firth.classes._refining import classes_in_order, refine, seeds
from firth.classes._trace import Merge
from firth.compute import Engine
from firth.counts import Counts
from firth.errors import InputError
from firth.store import Checkpoint, Room, Saved

__all__ = ["learn_hierarchy"]

_MOST_TRACED = 20_000
"""The largest vocabulary for which merges are traced."""


def learn_hierarchy(
    counts: Counts,
    parameters: ClassesParameters,
    engine: Engine,
    folder: Path | None = None,
    trace: list[Merge] | None = None,
    room: Room | None = None,
) -> tuple[Hierarchy, dict[str, Any]]:
    """Learn classes from counts; interrupted work continues from the checkpoints in ``folder``.

    Returns the hierarchy and facts about the learning. Every merge of Brown's algorithm is appended
    to ``trace``. Arrays that grow with the text are made in ``room``.
    """
    room = room or Room()
    bigrams = bigrams_of(counts, room, engine)
    n = bigrams.n_words
    m = parameters.n_classes or default_n_classes(n)
    check_n_classes(parameters.owner, m, n)
    if trace is not None and n > _MOST_TRACED:
        raise InputError(
            f"{n:,} words are too many for a trace: the limit is {_MOST_TRACED:,}.",
            "Use a small text or a larger --min-count.",
        )

    def checkpoint(name: str) -> Checkpoint:
        return Checkpoint(folder / f"{name}.state" if folder else None)

    facts: dict[str, Any] = {}
    if parameters.refine:
        class_of = _start(counts, bigrams, m, parameters, engine, checkpoint, facts, trace, room)
        made = {k: v for k, v in parameters.parameters().items() if k != "n_classes"}
        hierarchy, facts["passes"] = refine(
            class_of, bigrams, ExchangeParameters(), engine, checkpoint("exchange"), made
        )
    else:
        hierarchy = _unrefined(
            counts, bigrams, m, parameters, engine, checkpoint, facts, trace, room
        )
    nats = mutual_information(cast(Any, hierarchy.follow), hierarchy.tokens)
    return hierarchy, {**facts, "mutual_information": {"bits": nats / math.log(2), "nats": nats}}


def _unrefined(
    counts: Counts, bigrams: Bigrams, m: int, parameters: ClassesParameters, engine: Engine,
    checkpoint: Callable[[str], Checkpoint], facts: dict[str, Any], trace: list[Merge] | None,
    room: Room,
) -> Hierarchy:  # fmt: skip
    """The hierarchy of Brown's algorithm or of spectral clustering."""
    # estimators are imported where they are used: scikit-learn takes a second
    if parameters.method == "brown":
        from firth.classes._brown import BrownClasses

        brown = BrownClasses(m, threads=engine).fit_bigrams(bigrams, checkpoint("brown"))
        if trace is not None:
            trace.extend(brown.trace())
        return brown.hierarchy_
    from firth.classes._spectral import SpectralClasses

    chosen = {name: getattr(parameters, name) for name in ("kappa", "transform", "clustering")}
    spectral = SpectralClasses(m, parameters.contexts, **chosen, threads=engine)
    spectral.fit_counts(counts, bigrams, checkpoint("vectors"), room)
    facts |= engine.facts
    facts["gamma"] = spectral.gamma_
    return spectral.hierarchy_


def _start(
    counts: Counts, bigrams: Bigrams, m: int, parameters: ClassesParameters, engine: Engine,
    checkpoint: Callable[[str], Checkpoint], facts: dict[str, Any], trace: list[Merge] | None,
    room: Room,
) -> Any:  # fmt: skip
    """The classes that refinement begins with, for each word in the order of the bigrams."""
    n = bigrams.n_words
    if parameters.method == "seeds":
        return seeds(n, m)
    finished = checkpoint("start")
    saved = None if trace is not None else finished.load(lambda saved: _classes(saved, n, m))
    if saved is not None:
        if parameters.method == "spectral":
            facts["gamma"] = saved[1] if parameters.clustering == "ward" else None
        return saved[0]
    if parameters.method == "brown" and trace is None:  # its tree is not needed
        class_of = numbered(add_words(bigrams, m, engine, checkpoint("brown"))[2])
    else:
        start = _unrefined(counts, bigrams, m, parameters, engine, checkpoint, facts, trace, room)
        class_of = classes_in_order(start, bigrams)
    finished.save(class_of=class_of, gamma=np.array([facts.get("gamma") or 0.0]))
    return class_of


def _classes(saved: Saved, n: int, m: int) -> tuple[npt.NDArray[np.int64], float]:
    """The classes of ``n`` words and the cost of a checkpoint."""
    class_of = saved.array("class_of.i64", n, 0, m - 1)
    saved.require(len(np.unique(class_of)) == m, "a class is empty")
    return class_of, float(saved.array("gamma.f64", 1, -math.inf, math.inf)[0])
