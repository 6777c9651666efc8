"""The model that is shown: one opened version of its folder at a time, never two of them mixed."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from firth.corpus import Reading, Vocabulary, tokenise
from firth.errors import FirthError, ModelError
from firth.explore._background import in_background, is_leaving
from firth.explore._completion import Completion
from firth.explore._parsing import example, known_words, parsed
from firth.explore._tagging import TagWords, tagged
from firth.model import Model
from firth.parts import PARTS
from firth.store import MANIFEST
from firth.tags import DECODES

if TYPE_CHECKING:
    from firth.classes import Hierarchy
    from firth.corpus import Corpus, Index
    from firth.counts import Counts
    from firth.grammar import Grammar
    from firth.maps import WordMap
    from firth.tags import Tagger
    from firth.vectors import WordVectors

__all__ = ["WITH_WORDS", "Book", "Edition", "MissingPartError"]

Answer = TypeVar("Answer")
SHOWN = tuple(kind.name for kind in PARTS.values() if kind.explored)
"""The parts that the explorer shows, in the order in which they are opened."""
WITH_WORDS = tuple(name for name in SHOWN if PARTS[name].vocabulary)
"""The parts that have words."""


class MissingPartError(FirthError):
    """A question about a part that the model does not have."""


class Edition:
    """A model as its folder was at one moment.

    All parts are checked and opened in the background, from the beginning on; who asks for a part
    waits for it.

    Attributes
    ----------
    model : Model
    parts : set of str
        The parts that can be shown: those that are there and were made from what is there now.
    version : str
        Changes whenever a part of the model changes.
    """

    if TYPE_CHECKING:  # for type checkers alone; parts are found through the table
        corpus: Corpus
        counts: Counts
        vectors: WordVectors
        classes: Hierarchy
        map: WordMap
        tags: Tagger
        grammar: Grammar

    def __init__(self, model: Model) -> None:
        self.model = model
        listed = dict(model.parts)
        self.parts = {name for name in SHOWN if name in model and not model.is_stale(name)}
        for name in sorted(self.parts):
            if not PARTS[name].listed and not set(PARTS[name].learned_from) <= self.parts:
                self.parts.discard(name)  # an index or a map of what is itself out of date
        self._listed = listed
        waiting = [name for name in SHOWN if name in self.parts]
        self._opening: dict[str, Future[Any]] = {name: Future() for name in waiting}
        for _ in range(2):
            in_background(lambda: self._open_all(waiting))
        told = sorted((name, part.content) for name, part in listed.items())
        self.version = hashlib.sha256(repr(told).encode()).hexdigest()[:16]
        self._answers: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()

    def is_whole(self) -> bool:
        """Whether the parts that were opened are those that were listed."""
        return self.model.parts == self._listed

    def _open_all(self, waiting: list[str]) -> None:
        """Take parts from a list that others take from too, and open them."""
        while waiting:
            try:
                name = waiting.pop(0)
            except IndexError:
                return
            try:
                if is_leaving():  # nobody may be left waiting
                    raise ModelError("The program is ending.")
                self._opening[name].set_result(self._open(name))
            except BaseException as error:  # noqa: BLE001  who asks for the part gets it
                self._opening[name].set_exception(error)

    def _open(self, name: str) -> Any:
        if name != "corpus" and "corpus" in self._opening:
            wait([self._opening["corpus"]])  # search comes first, and some parts need it
        opened = getattr(self.model, name)
        if not self.is_whole():
            raise ModelError("The model was replaced while it was being opened.", "Try again.")
        return opened

    def wait(self) -> None:
        """Wait until all parts are opened; raises ModelError where one cannot be trusted."""
        for opening in self._opening.values():
            opening.result()

    def __getattr__(self, name: str) -> Any:
        if name not in SHOWN:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._part(name)

    def _part(self, name: str) -> Any:
        if name not in self.parts:
            kind = PARTS[name]
            raise MissingPartError(
                f"The {kind.title} of this model {'are' if kind.plural else 'is'} out of date."
                if name in self.model
                else f"This model has no {kind.title}.",
                f"Run: {kind.command}",
            )
        return self._opening[name].result()

    @property
    def index_if_any(self) -> Index | None:
        """The index, if the model has one that is up to date."""
        return self._part("index") if "index" in self.parts else None

    @property
    def has_words(self) -> bool:
        """Whether there are words to be looked up: those of a grammar alone are not."""
        return not self.parts.isdisjoint(WITH_WORDS)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All words there are: those of the corpus, or else of the first part that has words."""
        for name in WITH_WORDS:
            if name in self.parts:
                return self.vocabulary_of(name)
        raise MissingPartError("This model has no words yet.", "Learn some: firth learn --help")

    def vocabulary_of(self, part: str) -> Vocabulary:
        """The words of a part that has words."""
        opened = getattr(self, part)
        found: Vocabulary = getattr(opened, PARTS[part].vocabulary)
        return found

    @cached_property
    def tag_words(self) -> TagWords:
        """The words of each tag."""
        return TagWords(self.tags)

    @cached_property
    def words_of_grammar(self) -> frozenset[str]:
        """The words that the grammar has seen."""
        return known_words(self.grammar)

    @property
    def _reading(self) -> Reading:
        return self.corpus.reading if "corpus" in self.parts else Reading()

    def cut_to_parse(self, text: str) -> list[str]:
        """The words of a text, all of it one sentence, cut as the corpus was."""
        return [word for part in tokenise(text, self._reading.tokens, "none") for word in part]

    def example_to_parse(self) -> str:
        """A sentence to begin with; empty where there is none."""
        return self.once("example to parse", self._example_to_parse)

    def _example_to_parse(self) -> str:
        blank = "" if self._reading.tokens == "characters" else " "
        corpus = self.corpus if "corpus" in self.parts else None
        return blank.join(
            example(
                self.grammar, self.words_of_grammar, corpus,
                lambda words: self.cut_to_parse(blank.join(words)) == words,
            )
        )  # fmt: skip

    @cached_property
    def completion(self) -> Completion:
        return Completion(self.vocabulary)

    def id_in(self, part: str, word: str) -> int | None:
        """The number of a word in a part; None where the part is not there, or does not know it.

        Words mostly have the same number everywhere, so that is looked at first.
        """
        if part not in self.parts:
            return None
        vocabulary = self.vocabulary_of(part)
        guess = self.vocabulary.find(word)
        if guess is not None and guess < len(vocabulary) and vocabulary[guess] == word:
            return guess
        if guess is None and "corpus" in self.parts and not _imported(self, part):
            return None
        return vocabulary.find(word)

    def warm(self) -> None:
        """Make what many answers need, before it is asked for."""
        steps: list[Callable[[], object]] = []
        if self.has_words:
            steps.append(lambda: self.completion.fold_all())
        if "corpus" in self.parts:
            first = self.vocabulary[0]
            steps.append(lambda: self.corpus.find(first, 1, 0, self.index_if_any, quick=True))
        if "vectors" in self.parts:
            steps.append(lambda: self.vectors.prepare_search())
        if "classes" in self.parts:
            steps += [lambda: self.classes.spelling, lambda: self.classes.information]
        if "tags" in self.parts:
            steps += [lambda: self.tag_words, self._warm_tagging]
        if "grammar" in self.parts:
            steps.append(self._warm_parsing)
        for step in steps:
            if not is_leaving():
                step()

    def _warm_tagging(self) -> None:
        """Tag a word: what text is cut and tagged with is loaded when it is first used."""
        sentences = tokenise(self.vocabulary[0][:100])
        for decode in DECODES:
            tagged(self.tags, sentences, decode)

    def _warm_parsing(self) -> None:
        """Parse a sentence, for the same reason."""
        parsed(self.grammar, self.cut_to_parse(self.example_to_parse()), 2)

    def once(self, name: str, make: Callable[[], Answer]) -> Answer:
        """An answer that is made when it is first asked for, and kept as long as the edition."""
        with self._lock:
            mine = name not in self._answers
            answer = self._answers.setdefault(name, Future())
        if mine:
            try:
                answer.set_result(make())
            except BaseException as error:
                del self._answers[name]  # the next one tries again
                answer.set_exception(error)
                raise
        found: Answer = answer.result()
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
        model = Model(self.path)  # says what is wrong with the folder
        self._stamp = self._look()
        self._edition = Edition(model.refreshed())

    def _look(self) -> tuple[int, int, int]:
        """What tells that the manifest was replaced: a writer puts a new file in its place."""
        try:
            found = (self.path / MANIFEST).stat()
        except OSError:
            raise ModelError(
                f"The model folder {self.path} is gone.", "Put it back, or stop the server."
            ) from None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def wait(self) -> None:
        """Wait until all of the model is opened; raises ModelError where a part cannot be trusted.

        What was replaced meanwhile is not waited for: who asks for it waits, and is told what is wrong with it.
        """
        edition = self._edition
        try:
            edition.wait()
            edition.warm()
        except ModelError:
            if self._shows(edition):
                raise

    def _shows(self, edition: Edition) -> bool:
        """Whether an edition is what is in the folder now."""
        with suppress(ModelError):
            return edition is self._edition and edition.is_whole() and self.is_current()
        return False

    def is_current(self) -> bool:
        """Whether the folder is as it was when it was last opened; quickly told."""
        return self._look() == self._stamp

    def edition(self) -> Edition:
        """The model as it is on disk now."""
        if self._look() != self._stamp:
            with self._lock:
                stamp = self._look()
                if stamp != self._stamp:
                    old = self._edition
                    # what was replaced while it was being opened is opened anew, lest it be mixed
                    model = old.model.refreshed() if old.is_whole() else Model(self.path)
                    if model is not old.model:
                        self._edition = Edition(model)
                        in_background(self._warm)
                    self._stamp = stamp
        return self._edition

    def _warm(self) -> None:
        with suppress(FirthError):  # who asks for a part that cannot be opened is told
            self._edition.warm()
