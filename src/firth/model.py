"""A model: one folder, opened; its parts are read when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firth import progress
from firth.compute import Engine, engine_for
from firth.errors import ModelError, check_choice, check_count
from firth.hub import ADDRESS, download
from firth.names import Names
from firth.notebook import facts_table
from firth.parts import PARTS, load_part, missing_part, new_part
from firth.store import Part, Store, writing

if TYPE_CHECKING:
    from firth.classes import Hierarchy
    from firth.corpus import Corpus, Documents, Index
    from firth.counts import Counts
    from firth.exploring import Exploring
    from firth.find import Finder, Matches
    from firth.grammar import Grammar
    from firth.lm import InterpolatedModel
    from firth.maps import WordMap
    from firth.morphs import Corrections, Splitter
    from firth.ner import EntityRecogniser
    from firth.tags import Tagger
    from firth.vectors import WordVectors

__all__ = ["Model", "load"]


class Model:
    """An opened model folder.

    Attributes
    ----------
    path : Path
    parts : dict of str to Part
        The manifest's entry of each part.
    changed : list of str
        The parts that ``firth.learn`` has just made; empty for a model that was only opened.
    corpus : Corpus
    documents : Documents
    counts : Counts
    vectors : WordVectors
    grammar_vectors : WordVectors
    classes : Hierarchy
    map : WordMap
    morphs : Splitter
    ner : EntityRecogniser
    tags : Tagger
    grammar : Grammar
    lm : InterpolatedModel
    index : Index
    report : Report
    """

    if TYPE_CHECKING:  # for type checkers alone; parts are found through the table
        corpus: Corpus
        documents: Documents
        counts: Counts
        vectors: WordVectors
        grammar_vectors: WordVectors
        classes: Hierarchy
        map: WordMap
        morphs: Splitter
        ner: EntityRecogniser
        tags: Tagger
        grammar: Grammar
        lm: InterpolatedModel
        index: Index

    def __init__(self, path: str | Path) -> None:
        self._store = Store(path)
        self.path = self._store.path
        self.changed: list[str] = []

    def __repr__(self) -> str:
        return f"<Model {self.path}: {', '.join(sorted(self.parts)) or 'empty'}>"

    def _repr_html_(self) -> str:
        return facts_table(f"Model {self.path}", self._notebook_rows())

    def _notebook_rows(self) -> Iterator[tuple[str, str]]:
        """The parts in words; one that is out of date is not opened."""
        for name, kind in PARTS.items():
            if name in self and kind.listed:
                if self.is_stale(name):
                    yield name, f"out of date, {self.why_stale(name)}"
                else:
                    what, how = getattr(self, name).summary()
                    yield name, "; ".join([what, *how])

    def __contains__(self, name: object) -> bool:
        return name in self.parts

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.parts})

    def __getattr__(self, name: str) -> Any:
        if name not in PARTS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        opened = self._load(name)
        self.__dict__[name] = opened  # from now on an ordinary attribute
        return opened

    @property
    def parts(self) -> dict[str, Part]:
        return self._store.parts

    @property
    def names(self) -> Names:
        """The names given to nodes of the class tree, by path."""
        found: Names = self._names("names")
        return found

    @property
    def tag_names(self) -> Names:
        """The names given to tags, by number."""
        found: Names = self._names("tag_names")
        return found

    @property
    def corrections(self) -> Corrections:
        """Splits of words that a person has corrected; they stay when the morphology is learned again."""
        found: Corrections = self._names("corrections")
        return found

    def _names(self, name: str) -> Any:
        """Names, unless they belong to classes or tags that have been replaced; or corrections."""
        if name not in self or self.is_stale(name):
            return PARTS[name].type()
        return self._open(name)

    def _with_names(self, name: str, opened: Any) -> Any:
        """A part with the names given to its members, or with corrections."""
        kind = PARTS[name]
        return getattr(opened, kind.naming)(self._names(kind.names)) if kind.names else opened

    def _load(self, name: str) -> Any:
        """A part, checked and read or mapped into memory, with the names given to its members."""
        self._check_fresh(name)
        return self._with_names(name, self._open(name))

    def _open(self, name: str) -> Any:
        """Verify a part and read it; once more if a writer has made or replaced it meanwhile."""
        if name not in self:
            self._store.reload()
        if name not in self:
            raise missing_part(name, self.path, has_corpus="corpus" in self)
        needs = {other: getattr(self, other) for other in PARTS[name].needs}
        try:
            return load_part(self._store.part(name), needs)
        except ModelError:
            before = self.parts.get(name)
            self._store.reload()
            if self.parts.get(name) == before:
                raise
            return load_part(self._store.part(name), needs)

    def is_stale(self, name: str) -> bool:
        """Whether a part was made from an older version of another part."""
        return bool(self._changed_sources(name))

    def _changed_sources(self, name: str) -> list[str]:
        """The parts that were replaced after this one was made from them."""
        made_from, parts = self.parts[name].made_from, self.parts.items()
        return [
            other for other, part in parts if made_from.get(other, part.content) != part.content
        ]

    def why_stale(self, name: str) -> str:
        """Which parts have changed since this one was made, in words."""
        kinds = [kind for source, kind in PARTS.items() if source in self._changed_sources(name)]
        many = len(kinds) > 1 or any(kind.plural for kind in kinds)
        titles = " and the ".join(kind.title for kind in kinds)
        return f"the {titles} {'have' if many else 'has'} changed"

    def _check_fresh(self, name: str) -> None:
        if name in self.parts and self.is_stale(name):
            kind = PARTS[name]
            raise ModelError(
                f"The {kind.title} of {self.path} {'are' if kind.plural else 'is'} out of date: "
                f"{self.why_stale(name)}.",
                f"Retrain: {kind.how(self.path, anew=True)}",
            )

    def refreshed(self) -> Model:
        """The model as it is on disk now; what has not changed is not read again."""
        now = Model(self.path)
        if now.parts == self.parts:
            return self
        for name, opened in list(self.__dict__.items()):  # others may be opening parts just now
            same = name in now.parts and now.parts[name] == self.parts.get(name)
            if same and not now.is_stale(name):
                kind = PARTS[name]
                renamed = now.parts.get(kind.names) != self.parts.get(kind.names)
                now.__dict__[name] = now._with_names(name, opened) if renamed else opened
        return now

    def find(
        self, *queries: str, where: str | None = None, threads: int | Engine | None = 1
    ) -> Matches:
        """Find words, phrases and patterns in the corpus.

        Parameters
        ----------
        *queries : str
            Queries in the language of ``firth find``, such as ``"united states"``, ``"~econom*"``,
            ``"in (January|March)"``, ``"from {0,3} to"`` or ``"[class=0101*] of"``. Several are
            alternatives.
        where : str, optional
            Only in documents for which this holds, such as ``year >= 1900 and party == "D"``.
        threads : int, optional
            Number of threads; None for all cores.

        Returns
        -------
        Matches
            The positions of all matches; its ``lines`` shows them in context.

        Raises
        ------
        QueryError
            A query cannot be read.
        """
        from firth.find import ranges_where

        ranges = None if where is None else ranges_where(self.part("documents"), where)
        engine = engine_for("Model.find", threads)
        return self.finder.find(*queries, ranges=ranges, engine=engine)

    def explore(self, height: int = 700) -> Exploring:
        """Explore the model in a notebook, in a frame below the cell.

        The explorer runs in a process of its own, on this machine only, as ``firth explore`` does; what is
        returned has its ``address``, and ``stop()`` ends it.

        Parameters
        ----------
        height : int
            The height of the frame, in pixels.
        """
        from firth.exploring import Exploring

        check_count("Model.explore", "height", height)
        made = {"index": "corpus", "map": "vectors", "grammar_map": "grammar_vectors"}
        now = self.refreshed()
        if any(source in now and name not in now for name, source in made.items()):
            progress.notice(
                "The explorer makes maps and an index first, which can take minutes.",
                "To see how far it is: with firth.show_progress(): explorer = model.explore()",
            )
        return Exploring(self.path, height)

    @cached_property
    def finder(self) -> Finder:
        """What finds queries in the corpus; it uses the word index if the model has one."""
        from firth.find import Finder

        corpus = self.part("corpus")
        has_index = "index" in self and not self.is_stale("index")
        return Finder(corpus, self.index if has_index else None, self.part)

    def part(self, name: str) -> Any:
        """A part by its name; an error says how to make it if it is missing."""
        if name not in self:
            raise missing_part(name, self.path, has_corpus="corpus" in self)
        return getattr(self, name)

    def vectors_of(self, kind: str) -> WordVectors:
        """The word vectors of one kind.

        Parameters
        ----------
        kind : {"meaning", "grammar"}
            By ``meaning``, words are similar that go with the same topics; by ``grammar``, words that can
            replace each other.
        """
        from firth.vectors import KINDS

        check_choice("Model.vectors_of", "kind", kind, tuple(KINDS))
        found: WordVectors = self.part(KINDS[kind])
        return found

    def copy_to(self, folder: str | Path, parts: Iterable[str] | None = None) -> Model:
        """Copy parts of the model to another model folder; returns that model.

        Parameters
        ----------
        folder : str or Path
            The folder. Parts that it has of the same name are replaced.
        parts : iterable of str, optional
            The parts to copy, with names given to their members; all of them by default. Without
            ``corpus``, ``documents`` and ``index``, the copy does not contain the text.
        """
        from firth.corpus import CONTENT

        wanted = set(self.parts if parts is None else parts)
        wanted |= {PARTS[name].names for name in wanted & set(PARTS)} & set(self.parts)
        for name in wanted - set(self.parts):
            self.part(name)  # an error that says how to make it
        with writing(folder) as writer:
            for name in (name for name in PARTS if name in wanted):
                self._check_fresh(name)
                part = self._store.part(name)
                with new_part(writer, name, part.version) as draft:
                    part.copy_to(draft.folder)
                    draft.parameters, draft.made_from = dict(part.parameters), dict(part.made_from)
                    draft.facts = dict(part.facts)
                    draft.content = CONTENT if name == "corpus" else None
        return Model(folder)

    def history(self) -> list[dict[str, Any]]:
        """When and how long each part was made, oldest first."""
        return self._store.history()


def load(path: str | Path) -> Model:
    """Open a model folder.

    Parameters
    ----------
    path : str or Path
        The folder that was given to ``firth learn -o``; or ``hf://USER/NAME``, a model on the Hugging Face
        Hub, which is downloaded if this version of it is not on the machine yet.

    Raises
    ------
    ModelError
        The folder is not a model, is damaged, or comes from a newer version of Firth.
    """
    if str(path).startswith(ADDRESS):
        path = download(str(path))
    return Model(path)
