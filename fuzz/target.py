"""What can be fuzzed: a target draws cases and runs them."""

from __future__ import annotations

import random
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from firth.errors import FirthError

Case = list[Any]
"""A case as plain data, which JSON can hold."""


class Target(ABC):
    """Something that reads files."""

    name: str

    def missing(self) -> str | None:
        """The module that is needed but not installed."""
        return None

    @abstractmethod
    def prepare(self, samples: Path, work: Path) -> None:
        """Get ready in a process: read the sample, and set up an empty folder to work in."""

    def plain(self) -> list[Case]:
        """Cases without any change."""
        return [[]]

    @abstractmethod
    def draw(self, chance: random.Random) -> Case:
        """A random case."""

    @abstractmethod
    def run(self, case: Case) -> None:
        """Run a case; only a ``FirthError`` may come out."""

    def case(self, seed: int, number: int) -> Case:
        """A case by its number."""
        return self.draw(random.Random(f"{seed} {self.name} {number}"))

    def smaller(self, case: Case) -> Iterator[Case]:
        """Simpler cases: those with one change less."""
        first = 0 if not case or isinstance(case[0], list) else 1
        for i in range(first, len(case)):
            yield case[:i] + case[i + 1 :]


@dataclass(frozen=True)
class Finding:
    """A case that should not have ended as it did."""

    target: str
    kind: str
    """``error``, ``crash``, ``hang`` or ``memory``."""
    what: str
    where: str
    case: Case

    @property
    def signature(self) -> tuple[str, str, str, str]:
        """The same for cases that have the same cause."""
        return self.target, self.kind, self.what.split(":")[0], self.where

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.target}-{sha256(dumps(self.case).encode()).hexdigest()[:12]}.json"

    def line(self) -> str:
        """All of it in one line, as JSON."""
        return dumps(asdict(self)) + "\n"

    def text(self) -> str:
        """The contents of its file."""
        return dumps(asdict(self), indent=1) + "\n"


def check(target: Target, case: Case) -> str | Finding:
    """Run a case: ``accepted``, ``refused`` or a finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            target.run(case)
        except FirthError as error:
            str(error).encode()  # messages can be printed
            return "refused"
        except Exception as error:  # noqa: BLE001  this is what we are looking for
            return Finding(
                target.name, "error", f"{type(error).__name__}: {error}"[:500], _place(error), case
            )
    return "accepted"


def _place(error: BaseException) -> str:
    """The innermost line of Firth in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if "/firth/" in f.filename]
    if not inside:
        return ""
    last = inside[-1]
    return f"firth/{last.filename.rpartition('/firth/')[2]}:{last.name}"


def smallest(target: Target, found: Finding, tries: int = 200) -> Finding:
    """The simplest case with the same cause that can be found quickly."""
    again = True
    while again and tries > 0:
        again = False
        for case in target.smaller(found.case):
            tries -= 1
            other = check(target, case)
            if isinstance(other, Finding) and other.signature == found.signature:
                found, again = other, True
                break
            if tries <= 0:
                break
    return found
