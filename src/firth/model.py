"""A model: one folder, opened; its parts are read when they are first asked for."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from firth.corpus import Corpus
from firth.counts import Counts
from firth.errors import ModelError
from firth.store import Part, Store

__all__ = ["Model", "load"]


class Model:
    """An opened model folder.

    Attributes
    ----------
    path : Path
    parts : dict of str to Part
        What the manifest says about each part.
    corpus : Corpus
    counts : Counts
    """

    def __init__(self, path: str | Path) -> None:
        self._store = Store(path)
        self.path = self._store.path

    def __repr__(self) -> str:
        return f"<Model {self.path}: {', '.join(sorted(self.parts)) or 'empty'}>"

    def __contains__(self, name: object) -> bool:
        return name in self.parts

    @property
    def parts(self) -> dict[str, Part]:
        return self._store.parts

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus, checked and mapped into memory."""
        part = self._store.part("corpus")
        return Corpus(part.path, part.parameters)

    @cached_property
    def counts(self) -> Counts:
        """The counts, checked and mapped into memory."""
        part = self._store.part("counts")
        self._check_fresh(part)
        return Counts(part.path, list(part.files), part.parameters)

    def is_stale(self, name: str) -> bool:
        """Whether a part was made from an older version of another part."""
        made_from = self.parts[name].made_from
        return any(other in self.parts and made_from.get(other, content) != content
                   for other, content in ((o, p.content) for o, p in self.parts.items()))  # fmt: skip

    def _check_fresh(self, part: Part) -> None:
        if self.is_stale(part.name):
            raise ModelError(
                f"The {part.name} of {self.path} were made from an older corpus.",
                f"Bring them up to date: firth {part.name} learn {self.path}",
            )

    def history(self) -> list[dict[str, Any]]:
        """When and how long each part was made, oldest first."""
        return self._store.history()


def load(path: str | Path) -> Model:
    """Open a model folder.

    Parameters
    ----------
    path : str or Path
        The folder that was given to ``firth learn -o``.

    Raises
    ------
    ModelError
        The folder is no model, is damaged, or comes from a newer Firth.
    """
    return Model(path)
