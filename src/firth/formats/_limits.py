"""Limits of what a file may ask for: far above what any honest file needs, and each with an option.

A limit changes no result: a file is read, or there is an error that names the option that raises the
limit. So limits are no parameters of a stage, and no model stores them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any

from firth.errors import InputError
from firth.parameters import Param, Parameters, documents, parse_size
from firth.progress import size

__all__ = ["FileLimits", "LabelLimits", "Limits", "TextLimits", "current_limits", "limits"]

_UNCHECKED = 64 << 20
"""What grows to no more than this number of bytes is not compared with the size of its file."""
_KEPT = 10
"""What is kept in memory as a whole may grow less than what is only passed through, by this factor."""


@dataclass(frozen=True)
class FileLimits(Parameters):
    """Limits for any file."""

    owner = "limits"

    max_line: Annotated[
        int | str,
        Param(
            "Longest line or record of a file, such as 500M or 2G.",
            "Lines of plain text can have any length.",
            metavar="SIZE",
            panel="Expert",
            stored=False,
            checked=False,
        ),
    ] = "128M"
    max_ratio: Annotated[
        int,
        Param(
            "How many times as large as a compressed file its content may be.",
            "A tenth of that for files that are kept in memory, such as vectors and labelled text. "
            "Content of up to 64 MiB is not checked.",
            panel="Expert",
            stored=False,
            least=1,
        ),
    ] = 1000


@dataclass(frozen=True)
class TextLimits(FileLimits):
    """Limits for text that becomes a corpus."""

    max_types: Annotated[
        int,
        Param(
            "Maximum number of different words of a text.",
            panel="Expert",
            stored=False,
            least=1,
        ),
    ] = 100_000_000


@dataclass(frozen=True)
class LabelLimits(FileLimits):
    """Limits for text with labels or tags."""

    max_labels: Annotated[
        int,
        Param(
            "Maximum number of different labels or tags of a text.",
            panel="Expert",
            stored=False,
            least=1,
        ),
    ] = 5_000


@dataclass(frozen=True)
class Limits(TextLimits, LabelLimits):
    """All limits."""

    def __post_init__(self) -> None:
        self.check()
        parse_size(self.owner, "max_line", self.max_line)

    @property
    def line_bytes(self) -> int:
        """The longest line, in bytes."""
        return parse_size(self.owner, "max_line", self.max_line)

    def check_line(self, n_bytes: int, where: str) -> None:
        """Raise InputError for a line or record that is too long; ``where`` names it."""
        if n_bytes > self.line_bytes:
            raise InputError(
                f"{where} is longer than {size(self.line_bytes)}, the limit of --max-line.",
                "If the file is sound, raise the limit, for example: --max-line 1G",
            )

    def check_growth(self, n_bytes: int, n_file: int, name: str, kept: bool = True) -> None:
        """Raise InputError for a file that contains far more than its size tells.

        Parameters
        ----------
        n_bytes : int
            How much of its content there is so far.
        n_file : int
            How many bytes of the file that took.
        name : str
        kept : bool
            Whether the content is kept in memory, or only passed through.
        """
        ratio = max(1, self.max_ratio // _KEPT) if kept else self.max_ratio
        if n_bytes > _UNCHECKED and n_bytes > ratio * n_file:
            limit = (
                "a tenth of --max-ratio, as it is kept in memory"
                if kept
                else "the limit of --max-ratio"
            )
            raise InputError(
                f"The content of {name} is more than {ratio:,} times as large as the file, {limit}.",
                "If you trust the file, raise the limit, for example: "
                f"--max-ratio {10 * self.max_ratio}",
            )

    def check_types(self, n: int, where: str) -> None:
        """Raise InputError for too many different words; ``where`` is where they were read."""
        if n > self.max_types:
            raise InputError(
                f"{where}: there are more than {self.max_types:,} different words, "
                "the limit of --max-types.",
                "Is this text? If it is, raise the limit, for example: "
                f"--max-types {10 * self.max_types}",
            )

    def check_labels(self, n: int, name: str) -> None:
        """Raise InputError for too many different labels or tags."""
        if n > self.max_labels:
            raise InputError(
                f"{name} has {n:,} different labels, more than the {self.max_labels:,} of --max-labels.",
                "Is this the right column? If it is, raise the limit; memory grows with its square.",
            )


_CURRENT: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039


def current_limits() -> Limits:
    """The limits that hold now."""
    return _CURRENT.get()


@documents(Limits)
@contextmanager
def limits(**values: Any) -> Iterator[Limits]:
    """Other limits for the files that are read inside a ``with`` block; those not given stay.

    Examples
    --------
    >>> with limits(max_line="1G") as now:
    ...     now.line_bytes
    1073741824
    """
    token = _CURRENT.set(dataclasses.replace(current_limits(), **values))
    try:
        yield current_limits()
    finally:
        _CURRENT.reset(token)
