"""Snapshots of a model folder: every request is answered from one version of the model."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from firth import progress
from firth.corpus import (
    Reading,
    Vocabulary,
    check_large_sources,
    fold_word,
    joined,
    sentence_texts,
    tokenise,
    tokens_of,
)
from firth.errors import FirthError, ModelError
from firth.explore._background import in_background, is_leaving, result_of
from firth.explore._completion import Completion
from firth.explore._parameters import ExplorerParameters
from firth.explore._parsing import example, known_words, parsed
from firth.explore._tagging import TagWords, tagged
from firth.find import Finder
from firth.model import Model
from firth.parts import PARTS
from firth.store import MANIFEST
from firth.tags import DECODES

if TYPE_CHECKING:
    from firth.classes import Hierarchy
    from firth.corpus import Corpus, Documents, Index
    from firth.counts import Counts
    from firth.grammar import Grammar
    from firth.lm import InterpolatedModel
    from firth.maps import WordMap
    from firth.measure import Report
    from firth.morphs import Splitter
    from firth.tags import Tagger
    from firth.vectors import WordVectors

__all__ = ["SHOWN", "WITH_WORDS", "MissingPartError", "ModelWatcher", "Snapshot"]

Answer = TypeVar("Answer")
SHOWN = tuple(kind.name for kind in PARTS.values() if kind.explored)
"""The parts that the explorer shows, in the order in which they are opened."""
WITH_WORDS = tuple(name for name in SHOWN if PARTS[name].vocabulary)
"""The parts that have a vocabulary."""


class MissingPartError(FirthError):
    """A request for a part that the model does not have."""


class Snapshot:
    """A model as it was at one moment.

    All parts are verified and opened in the background; access to a part waits until it is open.

    Attributes
    ----------
    model : Model
    parts : set of str
        The parts that can be shown: present and up to date.
    version : str
        Changes whenever a part of the model changes.
    remote : bool
        Whether lines of text at network addresses are shown.
    """

    if TYPE_CHECKING:  # for type checkers alone; parts are found through the table
        corpus: Corpus
        documents: Documents
        counts: Counts
        vectors: WordVectors
        grammar_vectors: WordVectors
        classes: Hierarchy
        map: WordMap
        grammar_map: WordMap
        morphs: Splitter
        tags: Tagger
        grammar: Grammar
        lm: InterpolatedModel
        report: Report

    def __init__(self, model: Model, remote: bool = False) -> None:
        self.model, self.remote = model, remote
        listed = dict(model.parts)
        self.parts = {name for name in SHOWN if name in model and not model.is_stale(name)}
        for name in sorted(self.parts):
            if not PARTS[name].listed and not set(PARTS[name].learned_from) <= self.parts:
                self.parts.discard(name)  # the index or map of a part that is out of date
        self._listed = listed
        waiting = [name for name in SHOWN if name in self.parts]
        self._opening: dict[str, Future[Any]] = {name: Future() for name in waiting}
        for _ in range(2):
            in_background(lambda: self._open_all(waiting))
        contents = sorted((name, part.content) for name, part in listed.items())
        self.version = hashlib.sha256(repr(contents).encode()).hexdigest()[:16]
        self._answers: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()

    def is_whole(self) -> bool:
        """Whether the model still has the parts it had when the snapshot was taken."""
        return self.model.parts == self._listed

    def _open_all(self, waiting: list[str]) -> None:
        """Open parts from a list that several threads share."""
        while waiting:
            try:
                name = waiting.pop(0)
            except IndexError:
                return
            try:
                if is_leaving():  # no request may be left waiting
                    raise ModelError("The program is ending.")
                self._opening[name].set_result(self._open(name))
            except BaseException as error:  # noqa: BLE001  raised where the part is used
                self._opening[name].set_exception(error)

    def _open(self, name: str) -> Any:
        if name != "corpus" and "corpus" in self._opening:
            wait([self._opening["corpus"]])  # search needs it first, and some parts need it
        opened = getattr(self.model, name)
        if not self.is_whole():
            raise ModelError("The model was replaced while it was being opened.", "Try again.")
        return opened

    def wait(self) -> None:
        """Wait until all parts are open; raises ModelError if one is damaged."""
        for opening in self._opening.values():
            result_of(opening)

    def __getattr__(self, name: str) -> Any:
        if name not in SHOWN:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._part(name)

    def _part(self, name: str) -> Any:
        if name not in self.parts:
            raise self.missing(name)
        return result_of(self._opening[name])

    def missing(self, name: str) -> MissingPartError:
        """The error for a part that is missing or out of date, with the command that makes it."""
        kind = PARTS[name]
        stale = name in self.model
        problem = (
            f"The {kind.title} of this model {'are' if kind.plural else 'is'} out of date."
            if stale
            else f"This model has no {kind.title}."
        )
        needed = next((source for source in kind.learned_from if source not in self.parts), "")
        if needed and not kind.listed:  # the map and the index follow from other parts
            source = PARTS[needed]
            article = "" if source.plural else "a "
            return MissingPartError(
                problem, f"It needs {article}{source.title}. {self.missing(needed).hint}"
            )
        verb = "Make" if not kind.listed else "Retrain" if stale else "Learn"
        command = kind.how("MODEL", anew="corpus" in self.model)
        return MissingPartError(problem, f"{verb} {'them' if kind.plural else 'it'}: {command}")

    @property
    def index_if_any(self) -> Index | None:
        """The index, or None if it is missing or out of date."""
        return self._part("index") if "index" in self.parts else None

    @property
    def has_words(self) -> bool:
        """Whether there are words to look up; those of a grammar do not count."""
        return not self.parts.isdisjoint(WITH_WORDS)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the corpus, or of the first other part that has a vocabulary."""
        for name in WITH_WORDS:
            if name in self.parts:
                return self.vocabulary_of(name)
        raise MissingPartError("This model has no words yet.", "Learn them: firth learn --help")

    def vocabulary_of(self, part: str) -> Vocabulary:
        """The vocabulary of a part."""
        opened = getattr(self, part)
        found: Vocabulary = getattr(opened, PARTS[part].vocabulary)
        return found

    @cached_property
    def tag_words(self) -> TagWords:
        """The words of each tag."""
        return TagWords(self.tags)

    @cached_property
    def words_of_grammar(self) -> frozenset[str]:
        """The words of the training trees of the grammar."""
        return known_words(self.grammar)

    @property
    def _reading(self) -> Reading:
        return self.corpus.reading if "corpus" in self.parts else Reading()

    @property
    def _split_typed(self) -> str:
        """How a text that was typed or pasted is split into sentences, where the corpus has a line for each."""
        return "paragraphs" if self._reading.split == "paragraphs" else "sentences"

    def tokenise_typed(self, text: str, how: Reading | None = None) -> list[list[str]]:
        """Sentences of tokens as those of the corpus, or of another text, wherever a sentence ends."""
        how = how or self._reading
        splitter = self.model.morphs if how.tokens == "morphs" else None
        found = tokenise(text, how.tokens, self._split_typed, splitter)
        if how.phrases is None:
            return found
        phrases = self.corpus.phrases
        return [tokens_of([fold_word(word, how) for word in words], phrases) for words in found]

    def sentences_typed(self, text: str) -> list[str]:
        """The same sentences as they are written."""
        return sentence_texts(text, self._reading.cuts, self._split_typed)

    def as_text(self, tokens: list[str]) -> str:
        """Tokens of the corpus as text that ``tokenise_typed`` splits into the same tokens, as a rule."""
        how = self._reading.tokens
        return (
            joined(tokens) if how == "morphs" else ("" if how == "characters" else " ").join(tokens)
        )

    def parts_of(self, words: Sequence[str]) -> list[list[str]]:
        """The parts of words that have several; none if the model has no morphs, or its tokens are morphs."""
        if "morphs" not in self.parts or self._reading.tokens == "morphs":
            return [[] for _ in words]
        found = self.morphs.split_all(words)
        return [parts if len(parts) > 1 else [] for parts in found]

    def cut_to_parse(self, text: str) -> list[str]:
        """The words of a text, taken as one sentence and tokenised like the corpus."""
        return [word for part in tokenise(text, self._reading.cuts, "none") for word in part]

    def example_to_parse(self) -> str:
        """An example sentence, or an empty string."""
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
        return Completion(self.vocabulary, self._reading.language)

    @cached_property
    def finder(self) -> Finder:
        """What finds queries in the corpus."""
        return Finder(
            self.corpus,
            self.index_if_any,
            lambda name: self._part(name),
            self.completion.folded,
        )

    def id_in(self, part: str, word: str) -> int | None:
        """The id of a word in a part; None if the part is missing or does not have the word.

        Most words have the same id in all parts, so that one is tried first.
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
        """Compute in advance what many requests need."""
        steps: list[Callable[[], object]] = []
        if self.has_words:
            steps.append(lambda: self.completion.fold_all())
        if "corpus" in self.parts:
            first = self.vocabulary[0]
            steps.append(lambda: self.corpus.find(first, 1, 0, self.index_if_any, quick=True))
            steps.append(lambda: self.finder.warm())
        if "vectors" in self.parts:
            steps.append(lambda: self.vectors.prepare_search())
        if "classes" in self.parts:
            steps += [lambda: self.classes.spelling, lambda: self.classes.information]
        if "morphs" in self.parts:
            steps += [
                lambda: self.morphs.index,
                lambda: self.morphs.affixes_,
                lambda: self.morphs.paradigms_,
                lambda: self.morphs.n_best("word"),
            ]
        if "tags" in self.parts:
            steps += [lambda: self.tag_words, self._warm_tagging]
        if "grammar" in self.parts:
            steps.append(self._warm_parsing)
        if "lm" in self.parts:
            steps.append(lambda: self.lm.word_scores(["word"], self.lm.recent()))
        if "corpus" in self.parts:
            steps.append(lambda: check_large_sources(self.corpus))
        for step in steps:
            progress.check_interrupted()
            step()

    def _warm_tagging(self) -> None:
        """Tag a word, so that everything that tagging loads on first use is loaded."""
        sentences = tokenise(self.vocabulary[0][:100])
        for decode in DECODES:
            tagged(self.tags, sentences, decode)

    def _warm_parsing(self) -> None:
        """Parse a sentence, for the same reason."""
        parsed(self.grammar, self.cut_to_parse(self.example_to_parse()), 2)

    def once(self, name: str, make: Callable[[], Answer]) -> Answer:
        """The result of a function, computed on first use and kept as long as the snapshot.

        It is computed to the end even if the first who asked is gone: others need it as well.
        """
        with self._lock:
            mine = name not in self._answers
            answer = self._answers.setdefault(name, Future())
        if mine:
            try:
                with progress.while_wanted(lambda: not is_leaving()):
                    answer.set_result(make())
            except BaseException as error:
                del self._answers[name]  # the next request tries again
                answer.set_exception(error)
                raise
        found: Answer = result_of(answer)
        return found


def _imported(snapshot: Snapshot, part: str) -> bool:
    return "corpus" not in snapshot.model.parts[part].made_from


class ModelWatcher:
    """Watches a model folder, and takes a new snapshot when the model has changed.

    Parameters
    ----------
    path : str or Path
        A model folder.
    remote : bool
        Whether lines of text at the network addresses that the model names are shown.

    Attributes
    ----------
    warmed : callable
        Called when all parts of a snapshot are open and warm.
    """

    def __init__(self, path: str | Path, remote: bool = ExplorerParameters.remote) -> None:
        self.path, self.remote = Path(path), remote
        self.warmed: Callable[[], object] = lambda: None
        self._lock = threading.Lock()
        model = Model(self.path)  # raises an error if it is not a model
        self._stamp = self._look()
        self._snapshot = Snapshot(model.refreshed(), remote)

    def _look(self) -> tuple[int, int, int]:
        """What changes when the manifest is replaced: a writer puts a new file in its place."""
        try:
            found = (self.path / MANIFEST).stat()
        except OSError:
            raise ModelError(
                f"The model folder {self.path} is gone.", "Put it back, or stop the server."
            ) from None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def wait(self) -> None:
        """Wait until all parts are open; raises ModelError if one is damaged.

        Errors of a model that has been replaced in the meantime are ignored: requests report the
        errors of the new one.
        """
        snapshot = self._snapshot
        try:
            snapshot.wait()
            snapshot.warm()
            self.warmed()
        except ModelError:
            if self._shows(snapshot):
                raise

    def _shows(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot shows the current content of the folder."""
        with suppress(ModelError):
            return snapshot is self._snapshot and snapshot.is_whole() and self.is_current()
        return False

    def is_current(self) -> bool:
        """Whether the manifest is the one that was last read; this is quick."""
        return self._look() == self._stamp

    def snapshot(self) -> Snapshot:
        """The current state of the model."""
        if self._look() != self._stamp:
            with self._lock:
                stamp = self._look()
                if stamp != self._stamp:
                    old = self._snapshot
                    # a model that was replaced while it was being opened is opened from scratch
                    model = old.model.refreshed() if old.is_whole() else Model(self.path)
                    if model is not old.model:
                        self._snapshot = Snapshot(model, self.remote)
                        in_background(self._warm)
                    self._stamp = stamp
        return self._snapshot

    def _warm(self) -> None:
        with suppress(FirthError):  # requests for a damaged part report it
            self._snapshot.warm()
            self.warmed()
