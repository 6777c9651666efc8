"""How much memory a method needs, and how much there is."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from firth.cli._cluster_options import Settings
from firth.errors import InputError
from firth.progress import size

_CGROUP = Path("/sys/fs/cgroup")
_FREE = "group-average (with cosine), single, ward, k-means and mixture need no such table."


def needed_bytes(settings: Settings, n: int, dim: int, sparse: bool) -> int:
    """The most memory that tables of distances take, and rows that are not sparse any more.

    >>> needed_bytes(Settings("complete", "cosine"), 1000, 10, sparse=False)
    4000000
    >>> needed_bytes(Settings("group-average", "cosine"), 1000, 10, sparse=False)
    0
    """
    keeps_sparse = settings.method in ("complete", "average", "k-means", "k-medoids", "distributional")  # fmt: skip
    rows = 8 * n * dim if sparse and not keeps_sparse else 0
    return rows + _table_bytes(settings, n)


def _table_bytes(settings: Settings, n: int) -> int:
    square, method, metric = n * n, settings.method, settings.metric
    if method == "top-down":
        return max(_split_bytes(settings, square), _coherence_bytes(settings, square))
    if metric == "precomputed":
        return (32 if method == "group-average" else 20) * square
    if method == "group-average":
        return 0 if metric == "cosine" else 20 * square
    if method == "k-medoids":
        return 8 * square
    return 4 * square if method in ("complete", "average") else 0


def _coherence_bytes(settings: Settings, square: int) -> int:
    by_sums = settings.coherence == "group-average" and settings.metric == "cosine"
    return 0 if by_sums or settings.coherence == "single" else 4 * square


def _split_bytes(settings: Settings, square: int) -> int:
    by_sums = settings.split == "group-average" and settings.metric == "cosine"
    if by_sums or settings.split in ("k-means", "single", "ward"):
        return 0
    return {"k-medoids": 8, "group-average": 20}.get(settings.split, 4) * square


def available_bytes() -> int | None:
    """The memory that is free for this process, where that can be known."""
    found = []
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        found.append(int(line.split()[1]) << 10)
    with suppress(OSError, ValueError):  # a container may have less than its machine
        most = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        found.append(max(0, most - used))
    if not found:
        with suppress(OSError, ValueError, AttributeError):
            found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min(found, default=None)


def check_memory(settings: Settings, n: int, dim: int, sparse: bool) -> None:
    """Say so before beginning where the memory will not be enough."""
    needed, there = needed_bytes(settings, n, dim, sparse), available_bytes()
    if there is None or needed <= there:
        return
    if not _table_bytes(settings, n):
        raise InputError(
            f"With all their zeros the rows of {n:,} objects need {size(needed)} of memory; there are {size(there)}.",
            "k-means and distributional leave zeros out.",
        )
    raise InputError(
        f"{settings} needs a table of all distances: {size(needed)} for {n:,} objects; there are {size(there)}.",
        f"{_FREE} Or take fewer objects: --top N",
    )
