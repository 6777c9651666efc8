"""A model: one folder, opened; its parts are read when they are first asked for."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from firth.classes import Hierarchy
from firth.corpus import Corpus, Index
from firth.counts import Counts
from firth.errors import ModelError
from firth.maps import WordMap
from firth.ner import EntityTagger
from firth.store import Part, Store
from firth.tags import Tagger
from firth.vectors import WordVectors

if TYPE_CHECKING:
    from firth.grammar import LPCFG
    from firth.lm import LanguageModel

__all__ = ["NAMES", "TAG_NAMES", "Model", "load"]

Opened = TypeVar("Opened")
NAMES = "names.json"
TAG_NAMES = "tag_names"
"""The part with the names a person gave to tags; that of classes is called ``names``."""


class Model:
    """An opened model folder.

    Attributes
    ----------
    path : Path
    parts : dict of str to Part
        What the manifest says about each part.
    changed : list of str
        The parts that ``firth.learn`` has just made anew; empty for a model that was only opened.
    corpus : Corpus
    counts : Counts
    vectors : WordVectors
    classes : Hierarchy
    map : WordMap
    ner : EntityTagger
    tags : Tagger
    grammar : LPCFG
    lm : LanguageModel
    index : Index
    """

    def __init__(self, path: str | Path) -> None:
        self._store = Store(path)
        self.path = self._store.path
        self.changed: list[str] = []

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
        return self._open("corpus", lambda part: Corpus(part.path, part.parameters))

    @cached_property
    def counts(self) -> Counts:
        """The counts, checked and mapped into memory."""
        self._check_fresh("counts")
        return self._open(
            "counts", lambda part: Counts(part.path, list(part.files), part.parameters)
        )

    @cached_property
    def vectors(self) -> WordVectors:
        """The word vectors, checked and mapped into memory."""
        self._check_fresh("vectors")
        return self._open(
            "vectors", lambda part: WordVectors.load(part.path, list(part.files), part.parameters)
        )

    @cached_property
    def classes(self) -> Hierarchy:
        """The word classes, checked and mapped into memory, with the names a person gave them."""
        self._check_fresh("classes")
        hierarchy = self._open(
            "classes",
            lambda part: Hierarchy.load(part.path, list(part.files), part.facts, part.parameters),
        )
        hierarchy.names.update(self.names)
        return hierarchy

    @cached_property
    def map(self) -> WordMap:
        """The map of the words, checked and mapped into memory."""
        self._check_fresh("map")
        return self._open(
            "map", lambda part: WordMap.load(part.path, list(part.files), part.parameters)
        )

    @cached_property
    def ner(self) -> EntityTagger:
        """The tagger of names, checked and mapped into memory; it has its own copy of what it uses."""
        return self._open(
            "ner",
            lambda part: EntityTagger.load(
                part.path, list(part.files), part.facts, part.parameters
            ),
        )

    @cached_property
    def tags(self) -> Tagger:
        """The tagger of parts of speech, checked and read, with the names a person gave to tags."""
        self._check_fresh("tags")
        tagger = self._open(
            "tags", lambda part: Tagger.load(part.path, part.facts, part.parameters)
        )
        return tagger.renamed(self.tag_names)

    @cached_property
    def grammar(self) -> LPCFG:
        """The grammar, checked and read; it has its own copy of what it uses."""
        from firth.grammar import LPCFG  # late: it needs compiled kernels

        return self._open(
            "grammar", lambda part: LPCFG.load(part.path, part.facts, part.parameters)
        )

    @cached_property
    def lm(self) -> LanguageModel:
        """The language model, checked and read; it has its own copy of what it uses."""
        from firth.lm import LanguageModel  # late: it needs compiled kernels

        self._check_fresh("lm")
        return self._open("lm", lambda part: LanguageModel.load(part.path, part.parameters))

    @cached_property
    def index(self) -> Index:
        """Where the words stand in the corpus, checked and mapped into memory."""
        self._check_fresh("index")
        corpus = self.corpus
        return self._open("index", lambda part: Index(part.path, list(part.files), corpus))

    @property
    def names(self) -> dict[str, str]:
        """The names a person gave to nodes of the tree of classes, by path; of this very tree only."""
        return self._names("names", "classes")

    @property
    def tag_names(self) -> dict[str, str]:
        """The names a person gave to tags, by number; of these very tags only."""
        return self._names(TAG_NAMES, "tags")

    def _names(self, part: str, of: str) -> dict[str, str]:
        if part not in self or self.is_stale(part):
            return {}
        content = self._open(part, lambda part: part.path(NAMES).read_bytes())
        try:
            names = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"The names of {of} in {self.path} cannot be read: {error}.") from None
        if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
            raise ModelError(f"The names of {of} in {self.path} cannot be read.")
        return names

    def _open(self, name: str, read: Callable[[Part], Opened]) -> Opened:
        """Verify a part and read it; once more where a writer has replaced it meanwhile."""
        try:
            return read(self._store.part(name))
        except OSError:
            self._store.reload()
            return read(self._store.part(name))

    def is_stale(self, name: str) -> bool:
        """Whether a part was made from an older version of another part."""
        made_from = self.parts[name].made_from
        return any(
            made_from.get(other, part.content) != part.content for other, part in self.parts.items()
        )

    def _check_fresh(self, name: str) -> None:
        if name in self.parts and self.is_stale(name):
            one, called = name in ("map", "index", "lm"), {"lm": "language model"}.get(name, name)
            command = "firth explore" if name in ("map", "index") else f"firth {name} learn"
            how = "was made from older data" if one else "were made from an older corpus"
            raise ModelError(
                f"The {called} of {self.path} {how}.",
                f"Bring {'it' if one else 'them'} up to date: {command} {shlex.quote(str(self.path))}",
            )

    def refreshed(self) -> Model:
        """The model as it is on disk now; what has not changed of it is not read again."""
        now = Model(self.path)
        if now.parts == self.parts:
            return self
        for name, opened in list(self.__dict__.items()):  # others may be opening parts just now
            same = name in now.parts and now.parts[name] == self.parts.get(name)
            if same and not now.is_stale(name):
                now.__dict__[name] = opened
        if "classes" in now.__dict__:
            now.__dict__["classes"] = self.classes.renamed(now.names)
        if "tags" in now.__dict__:
            now.__dict__["tags"] = self.tags.renamed(now.tag_names)
        return now

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
