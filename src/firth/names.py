"""Names that a person gave to word classes or tags: a small part of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

from firth.store import Part, write_text

__all__ = ["Names"]

_FILE = "names.json"
_LONGEST = 10_000


class Names(dict[str, str]):
    """Names by what they stand for: the path of a class, or the number of a tag."""

    @classmethod
    def load(cls, part: Part) -> Self:
        """Read the names of a part of a model."""
        names = part.json(_FILE, dict)
        part.require(
            all(isinstance(name, str) and len(name) <= _LONGEST for name in names.values()),
            f"{_FILE} does not contain valid names",
        )
        return cls(names)

    def text(self) -> str:
        """The names as they are stored."""
        return json.dumps(self, indent=1, sort_keys=True)

    def save(self, folder: Path) -> None:
        """Write the file of a part."""
        write_text(folder / _FILE, self.text())

    def describe(self) -> dict[str, Any]:
        """The number of names."""
        return {"n_names": len(self)}

    def summary(self) -> tuple[str, list[str]]:
        """The names in words."""
        return f"{len(self):,} names", []
