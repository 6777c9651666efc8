"""The memory that a method needs, and the memory that there is."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from firth.cluster._clusterer import Clusterer, make_clusterer
from firth.cluster._methods import CLUSTER_METHODS
from firth.errors import InputError
from firth.progress import size

__all__ = ["available_bytes", "check_memory", "needed_bytes"]

_CGROUP = Path("/sys/fs/cgroup")


def needed_bytes(method: Clusterer, n: int, dim: int, sparse: bool) -> int:
    """The memory for tables of distances, and for dense copies of sparse rows.

    >>> from firth.cluster import BottomUpClusters
    >>> needed_bytes(BottomUpClusters(2, "complete", "cosine"), 1000, 10, sparse=False)
    4000000
    >>> needed_bytes(BottomUpClusters(2, "group-average", "cosine"), 1000, 10, sparse=False)
    0
    """
    copies = 8 * n * dim if sparse and not method.keeps_sparse else 0
    return copies + method.distance_bytes(n)


def available_bytes() -> int:
    """The memory that is available to this process."""
    import psutil

    found = [int(psutil.virtual_memory().available)]
    with suppress(OSError, ValueError):  # a container may have less than its machine
        most = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        found.append(max(0, most - used))
    return min(found)


def check_memory(name: str, method: Clusterer, n: int, dim: int, sparse: bool) -> None:
    """Raise InputError if the memory will not be enough."""
    needed, there = needed_bytes(method, n, dim, sparse), available_bytes()
    if needed <= there:
        return
    if not method.distance_bytes(n):
        raise InputError(
            f"{name} needs dense rows: {size(needed)} of memory for {n:,} objects. "
            f"Available: {size(there)}.",
            "k-means and distributional keep rows sparse.",
        )
    raise InputError(
        f"{name} needs a table of all distances: {size(needed)} for {n:,} objects. "
        f"Available: {size(there)}.",
        f"Use fewer objects, or a method without such a table: {', '.join(_without_tables())}.",
    )


def _without_tables() -> list[str]:
    """The methods for vectors that need no table of distances, at least with some metric."""
    found = []
    for name in CLUSTER_METHODS.choices:
        row: Any = CLUSTER_METHODS.of[name]
        metrics = [metric for metric in row.metrics if metric != "precomputed"] or [None]
        made = {metric: make_clusterer(name, metric) for metric in metrics}
        free = [metric for metric, method in made.items() if not method.distance_bytes(1)]
        if free and not made[metrics[0]].takes_counts:
            some = "" if len(free) == len(metrics) else f" (with {' or '.join(map(str, free))})"
            found.append(name + some)
    return found
