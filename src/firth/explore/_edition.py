"""The model that is shown: one opened version of its folder at a time, never two of them mixed."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from firth.classes import Hierarchy
from firth.corpus import Corpus, Index, Vocabulary
from firth.counts import Counts
from firth.errors import FirthError, ModelError
from firth.explore._completion import Completion
from firth.maps import WordMap
from firth.model import Model
from firth.store import MANIFEST
from firth.vectors import WordVectors

__all__ = ["Book", "Edition", "MissingPartError"]

Answer = TypeVar("Answer")
SHOWN = ("corpus", "vectors", "counts", "classes", "map", "index")
"""The parts that the page shows, those that take longest to open first."""


class MissingPartError(FirthError):
    """A question about a part that the model does not have."""


class Edition:
    """A model with all its parts opened, as the folder was at one moment.

    Attributes
    ----------
    model : Model
    parts : set of str
        The parts that can be shown: those that are there and were made from what is there now.
    version : str
        Changes whenever a part of the model changes.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        listed = dict(model.parts)
        self.parts = {name for name in SHOWN if name in model and not model.is_stale(name)}
        for part, source in (("index", "corpus"), ("map", "vectors")):
            if source not in self.parts:
                self.parts.discard(part)  # made from what is itself out of date
        with ThreadPoolExecutor(2, thread_name_prefix="firth-open") as pool:
            for opened in [
                pool.submit(getattr, model, name) for name in SHOWN if name in self.parts
            ]:
                opened.result()
        if dict(model.parts) != listed:
            raise ModelError("The model was replaced while it was being opened.", "Try again.")
        told = sorted((name, part.content) for name, part in listed.items())
        self.version = hashlib.sha256(repr(told).encode()).hexdigest()[:16]
        self._answers: dict[str, Any] = {}
        self._lock = threading.RLock()

    def _part(self, name: str) -> Any:
        if name not in self.parts:
            stale = name in self.model
            raise MissingPartError(
                f"The {name} of this model {'is' if name in ('map', 'index', 'corpus') else 'are'} out of date."
                if stale
                else f"This model has no {name}.",
                f"Learn it: firth {name} learn --help"
                if name not in ("map", "index")
                else "It is made when the page is started: firth explore MODEL",
            )
        return getattr(self.model, name)

    @property
    def corpus(self) -> Corpus:
        found: Corpus = self._part("corpus")
        return found

    @property
    def counts(self) -> Counts:
        found: Counts = self._part("counts")
        return found

    @property
    def vectors(self) -> WordVectors:
        found: WordVectors = self._part("vectors")
        return found

    @property
    def classes(self) -> Hierarchy:
        found: Hierarchy = self._part("classes")
        return found

    @property
    def map(self) -> WordMap:
        found: WordMap = self._part("map")
        return found

    @property
    def index(self) -> Index | None:
        return self._part("index") if "index" in self.parts else None

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All words there are: those of the corpus, or else of the first part that has words."""
        for name in ("corpus", "vectors", "classes", "counts"):
            if name in self.parts:
                found: Vocabulary = getattr(self, name).vocabulary
                return found
        raise MissingPartError("This model has no words yet.", "Learn some: firth learn --help")

    @cached_property
    def completion(self) -> Completion:
        return Completion(self.vocabulary)

    def id_in(self, part: str, word: str) -> int | None:
        """The number of a word in a part; None where the part is not there, or does not know it.

        Words mostly have the same number everywhere, so that is looked at first.
        """
        if part not in self.parts:
            return None
        vocabulary: Vocabulary = getattr(self, part).vocabulary
        guess = self.vocabulary.find(word)
        if guess is not None and guess < len(vocabulary) and vocabulary[guess] == word:
            return guess
        if (
            "corpus" in self.parts
            and guess is None
            and part != "corpus"
            and not _imported(self, part)
        ):
            return None
        return vocabulary.find(word)

    def warm(self) -> None:
        """Make what many answers need, before it is asked for."""
        if self.parts:
            self.completion  # noqa: B018
        if "vectors" in self.parts:
            self.vectors.unit  # noqa: B018
        if "classes" in self.parts:
            self.classes.spelling, self.classes.information  # noqa: B018

    def once(self, name: str, make: Callable[[], Answer]) -> Answer:
        """An answer that is made when it is first asked for, and kept as long as the edition."""
        with self._lock:
            if name not in self._answers:
                self._answers[name] = make()
            found: Answer = self._answers[name]
            return found


def _imported(edition: Edition, part: str) -> bool:
    return "corpus" not in edition.model.parts[part].made_from


class Book:
    """A model folder and its current edition.

    Parameters
    ----------
    path : str or Path
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._stamp = self._look()
        self._edition = Edition(Model(self.path))

    def _look(self) -> tuple[int, int, int]:
        """What tells that the manifest was replaced: a writer puts a new file in its place."""
        try:
            found = (self.path / MANIFEST).stat()
        except OSError:
            raise ModelError(
                f"The model folder {self.path} is gone.", "Put it back, or stop the server."
            ) from None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def is_current(self) -> bool:
        """Whether the folder is as it was when it was last opened; quickly told."""
        return self._look() == self._stamp

    def edition(self) -> Edition:
        """The model as it is on disk now."""
        if self._look() != self._stamp:
            with self._lock:
                stamp = self._look()
                if stamp != self._stamp:
                    model = self._edition.model.refreshed()
                    if model is not self._edition.model:
                        self._edition = Edition(model)
                        self._edition.warm()
                    self._stamp = stamp
        return self._edition
