"""Word classes for the experiments: learned once, timed, and cached in the working folder for all scripts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from experiments.common import Cost, Run, file_name, measured

import firth
from firth.classes import bigrams_of, mutual_information
from firth.store import Checkpoint

THREADS = 1


@dataclass(frozen=True)
class Learned:
    """Classes and their measurements.

    Attributes
    ----------
    name : str
        An identifier.
    hierarchy : Hierarchy
        Read from a file: words and paths.
    facts : dict
        Mutual information in ``nats``, ``cpu`` and ``wall`` seconds from counts to classes; for spectral classes also
        ``svd`` (the CPU seconds of the decomposition) and ``gamma``.
    """

    name: str
    hierarchy: firth.Hierarchy
    facts: dict[str, Any]


class _Clock(Checkpoint):
    """Saves nothing, but records the cost of the decomposition when it is finished."""

    def __init__(self, cost: Cost) -> None:
        super().__init__()
        self._measured, self.svd = cost, Cost()

    def beside(self, name: str) -> Checkpoint:
        return Checkpoint().beside(name)

    def save(self, *_: Any, **__: Any) -> None:
        self.svd = self._measured.so_far()


@lru_cache(maxsize=1)
def _counts(run: Run, text: str, contexts: str, n_words: int) -> firth.Counts:
    return firth.count(run.corpus(text), contexts, 1, n_words, threads=THREADS)


def classes_of(
    run: Run, text: str, method: str, n_classes: int, n_words: int,
    contexts: str = "LR2", kappa: float = 200.0,
) -> Learned:  # fmt: skip
    """Classes of the most frequent words:
    ``spectral``, ``Brown``, ``exchange`` (refined Brown classes) or ``spectral, exchange`` (refined
    spectral classes).
    """
    name = f"{text} {method} m={n_classes} n={n_words}"
    if method.startswith("spectral"):
        name += f" {contexts} kappa={kappa:g}"
    path = run.shelf("classes") / f"{file_name(name)}.paths"

    def work() -> dict[str, Any]:
        hierarchy, facts = _learn(run, text, method, n_classes, n_words, contexts, kappa)
        hierarchy.write(path)
        follow = cast(Any, hierarchy.follow)
        return {"nats": mutual_information(follow, hierarchy.tokens), **facts}

    facts = run.remember(name, work, shelf="classes")
    return Learned(name, firth.Hierarchy.read(path), facts)


def _learn(
    run: Run, text: str, method: str, n_classes: int, n_words: int, contexts: str, kappa: float
) -> tuple[firth.Hierarchy, dict[str, Any]]:
    if method == "spectral":
        counts = _counts(run, text, contexts, n_words)
        learner = firth.SpectralClasses(n_classes, contexts, kappa, threads=THREADS)
        with measured() as cost:
            clock = _Clock(cost)
            learner.fit_counts(counts, bigrams_of(counts), clock)
        svd = {"svd": clock.svd.cpu, "svd_wall": clock.svd.wall, "gamma": learner.gamma_}
        return learner.hierarchy_, {"cpu": cost.cpu, "wall": cost.wall, **svd}
    counts = _counts(run, text, "R1", n_words)
    if method == "Brown":
        with measured() as cost:
            found = firth.BrownClasses(n_classes, threads=THREADS).fit(counts).hierarchy_
        return found, {"cpu": cost.cpu, "wall": cost.wall}
    before = "spectral" if method.startswith("spectral") else "Brown"
    start = classes_of(run, text, before, n_classes, n_words, contexts, kappa)
    with measured() as cost:
        refined = firth.ExchangeRefiner(threads=THREADS).fit(start.hierarchy, counts)
    return refined.hierarchy_, {
        "cpu": cost.cpu + start.facts["cpu"],
        "wall": cost.wall + start.facts["wall"],
    }


def compile_kernels() -> None:
    """Learn classes of a few words, so that later timings do not include compilation."""
    corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"], ["is", "it", "so"]] * 9)
    firth.BrownClasses(2, min_count=1).fit(corpus)
    firth.SpectralClasses(2, min_count=1).fit(corpus)
