"""A trace of Brown's algorithm: every merge, for teaching."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from firth.store import replacing

__all__ = ["Merge", "write_trace"]

_NO_BREAKS = str.maketrans("\t\n\r", "   ")


class Merge(NamedTuple):
    """One step of Brown's algorithm."""

    added: str | None
    """The word that became active in this step; None when all words are active."""
    left: tuple[str, ...]
    right: tuple[str, ...]
    loss: float
    """The loss of mutual information, in bits."""


def write_trace(path: str | Path, merges: Iterable[Merge]) -> None:
    """Write merges to a tab-separated file, one line each.

    Parameters
    ----------
    path : str or Path
        The file to write; ``-`` for standard output.
    merges : iterable of Merge
    """
    with replacing(path) as file:
        file.write(b"step\tadded\tleft\tright\tloss in bits\n")
        for step, merge in enumerate(merges, 1):
            cells = [
                str(step),
                merge.added or "",
                " ".join(merge.left),
                " ".join(merge.right),
                f"{merge.loss:.9f}",
            ]
            plain = [cell.translate(_NO_BREAKS) for cell in cells]
            file.write(("\t".join(plain) + "\n").encode())
