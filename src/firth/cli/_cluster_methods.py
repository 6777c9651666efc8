"""Grouping itself: a method, objects, and how many groups."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.cli._cluster_input import Objects
from firth.cli._cluster_options import Settings, Wanted
from firth.errors import FirthError, InputError

if TYPE_CHECKING:
    from firth.compute import Engine

_SMALL = 1 << 26
"""Numbers to look at for which more than one thread is no help."""

Labels = npt.NDArray[np.int64]


@dataclass
class Found:
    """Groups, and what else a method tells."""

    labels: Labels
    k: int
    tree: Any = None
    memberships: Any = None
    centres: Any = None
    log_likelihoods: Any = None
    converged: bool | None = None
    split_betas: Any = None
    how_many: Any = None
    notes: list[str] = field(default_factory=list)


def group(objects: Objects, settings: Settings, wanted: Wanted, whole_tree: bool) -> Found:
    """Group objects; ``whole_tree`` asks for a tree of all of them where it could end with the groups."""
    from firth.compute import engine_for, limit_blas

    against = len(objects) if settings.is_tree else wanted.high
    few = len(objects) * objects.dim * against < _SMALL
    engine = engine_for("cluster", 1 if settings.threads is None and few else settings.threads)
    with _calmly() as notes, limit_blas(engine.threads):
        found = _group(_Work(objects, settings, engine), wanted, whole_tree)
    found.notes += [note for note in dict.fromkeys(notes) if note not in found.notes]
    if found.k < wanted.low:
        found.notes.append(f"There are only {found.k:,} groups: many objects are the same.")
    n_found = len(np.unique(found.labels))
    if n_found < found.k and not settings.is_soft:
        found.notes.append(
            f"Only {n_found:,} of {found.k:,} groups have objects: many objects are the same."
        )
    return found


@contextmanager
def _calmly() -> Iterator[list[str]]:
    """Warnings about numbers become notes, and what libraries raise our errors.

    What other warnings are about (few groups, no end of EM, trees that are not monotonic) is said in our own words.
    """
    notes: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield notes
        notes += [
            str(warning.message).splitlines()[0]
            for warning in caught
            if issubclass(warning.category, RuntimeWarning)
        ]  # fmt: skip
    except FirthError:
        raise
    except MemoryError:
        raise InputError(
            "There is not enough memory.", "Take fewer objects, for example: --top 5000"
        ) from None
    except (ValueError, FloatingPointError, ArithmeticError) as error:
        why = (str(error).splitlines() or [""])[0].rstrip(".")
        raise InputError(
            f"These objects cannot be grouped so: {why}.", "Try another --method."
        ) from error


class _Work:
    """The rows as a method wants them, and the trees made so far."""

    def __init__(self, objects: Objects, settings: Settings, engine: Engine) -> None:
        from firth.cluster import unit_rows

        self.settings, self.engine = settings, engine
        self.rows: Any = objects.rows
        if settings.metric == "cosine":
            self.rows = unit_rows(self.rows, objects.names)
        elif settings.method == "distributional":
            _check_counts(self.rows, objects.names)
        self._made: dict[bytes, Any] = {}

    def dense(self) -> Any:
        return self.rows if isinstance(self.rows, np.ndarray) else self.rows.toarray()

    def linkage(self, rows: Any) -> Any:
        """The tree of rows from the bottom up, made once for all numbers of groups."""
        from firth.cluster import linkage

        metric = "euclidean" if self.settings.method == "ward" else str(self.settings.metric)
        return self._once(
            rows, "", lambda: linkage(rows, self.settings.method, metric, threads=self.engine)
        )

    def splits(self, rows: Any, k: int, seed: int, whole: bool = False) -> Any:
        """Groups from the top down, ``k`` of them, or on to single objects."""
        from firth.cluster import TopDownClusters

        how = self.settings
        return self._once(
            rows, f"{seed} {k} {whole}",
            lambda: TopDownClusters(
                k, coherence=how.coherence, split=how.split, metric=str(how.metric), whole=whole, random_state=seed
            ).fit(rows),
        )  # fmt: skip

    def _once(self, rows: Any, how: str, make: Callable[[], Any]) -> Any:
        if not isinstance(rows, np.ndarray):
            return make()
        key = (
            hashlib.sha256(np.ascontiguousarray(rows).data).digest()
            + f"{how} {rows.shape}".encode()
        )
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def flat(self, rows: Any, k: int, seed: int) -> Any:
        from firth.cluster import FlatClusters

        metric = "l1" if self.settings.method == "k-medoids" else "euclidean"
        return FlatClusters(k, metric=metric, init=self.settings.start, random_state=seed).fit(rows)

    def mixture(self, rows: Any, k: int, seed: int) -> Any:
        from firth.cluster import MixtureClusters

        return MixtureClusters(k, covariance=self.settings.covariance, random_state=seed).fit(rows)

    def distributional(self, k: int) -> Found:
        from firth.cluster import DistributionalClusters

        how = self.settings
        found = DistributionalClusters(
            k, hard=not how.soft, random_state=how.seed, threads=self.engine
        ).fit(self.rows)
        return Found(
            found.labels_, found.n_clusters_, found.linkage_, found.memberships_ if how.soft else None,
            found.centroids_, split_betas=found.split_betas_,
        )  # fmt: skip


def _group(work: _Work, wanted: Wanted, whole_tree: bool) -> Found:
    how_many, k = None, wanted.high
    if wanted.is_auto:
        how_many = _choose(work, wanted)
        k = how_many.chosen
    found = _with(work, k, wanted.high, whole_tree)
    found.how_many = how_many
    return found


def _choose(work: _Work, wanted: Wanted) -> Any:
    """Figures for several numbers of groups."""
    from firth.cluster import choose_n_clusters, cut_tree

    def labels(rows: Any, k: int, seed: int) -> Labels:
        method = work.settings.method
        with progress.silently():
            if method == "top-down":
                split = work.splits(rows, min(wanted.high, len(rows)), seed)
                return np.asarray(cut_tree(split.linkage_, k)[split.labels_])
            if method in ("k-means", "k-medoids"):
                return np.asarray(work.flat(rows, k, seed).labels_)
            if method == "mixture":
                return np.asarray(work.mixture(rows, k, seed).labels_)
            return cut_tree(work.linkage(rows), k)

    return choose_n_clusters(
        work.dense(), labels, range(wanted.low, wanted.high + 1), seeded=work.settings.by_chance,
        seed=work.settings.seed,
    )  # fmt: skip


def _with(work: _Work, k: int, most: int, whole_tree: bool) -> Found:
    """Just so many groups."""
    from firth.cluster import cut_tree

    method, seed = work.settings.method, work.settings.seed
    if method == "top-down":
        if whole_tree:
            tree = work.splits(work.dense(), k, seed, whole=True)
            return Found(tree.labels_, k, tree.linkage_)
        part = work.splits(work.dense(), most, seed)
        return Found(cut_tree(part.linkage_, k)[part.labels_], k)
    if method in ("k-means", "k-medoids"):
        flat = work.flat(work.rows, k, seed)
        return Found(flat.labels_, k, centres=flat.cluster_centers_)
    if method == "mixture":
        soft = work.mixture(work.dense(), k, seed)
        stopped = f"EM was stopped after {soft.n_iter_:,} rounds, before it had settled."
        notes = [] if soft.converged_ else [stopped]
        return Found(
            soft.labels_, k, memberships=soft.memberships_, centres=soft.means_,
            log_likelihoods=soft.log_likelihoods_, converged=soft.converged_, notes=notes,
        )  # fmt: skip
    if method == "distributional":
        return work.distributional(k)
    tree = work.linkage(work.rows)
    return Found(cut_tree(tree, k), k, tree)


def _check_counts(rows: Any, names: list[str]) -> None:
    """Raise unless every object has counts, and nothing below zero."""
    least = rows.min(axis=1) if isinstance(rows, np.ndarray) else rows.min(axis=1).toarray().ravel()
    sums = np.asarray(rows.sum(axis=1)).ravel()
    for wrong, what in ((least < 0, "has counts below zero"), (sums == 0, "has no counts")):
        if wrong.any():
            raise InputError(
                f"The object {names[int(np.argmax(wrong))][:60]!r} {what}, so it has no distribution.",
                "Leave it out. Rows are counts of what objects occur with.",
            )
