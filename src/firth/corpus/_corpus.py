"""The corpus: text as numbered words on disk, all of it, whatever its size."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, Engine, engine_for
from firth.corpus._concordance import Hit, concordance
from firth.corpus._reading import (
    ENDS,
    IDS,
    PLACES,
    SOURCES,
    WORDS,
    Reading,
    check_sources,
)  # fmt: skip
from firth.corpus._sources import SentenceSource, Source, find_sources
from firth.corpus._vocabulary import Vocabulary
from firth.errors import InputError, ModelError, check_count
from firth.store import read_array

if TYPE_CHECKING:
    from firth.corpus._index import Index

__all__ = ["Corpus"]


class Corpus:
    """Text as numbered words, mapped from disk.

    Every type is kept. Ids are given in order of decreasing count, ties by code point, so a
    vocabulary is a prefix of the ids, chosen when counting. Make one with ``from_files`` or
    ``from_sentences``, or get it from a model: ``firth.load("MODEL").corpus``.

    Attributes
    ----------
    ids : array of uint32, shape (n_tokens,)
        The id of every token.
    ends : array of int64, shape (n_sentences,)
        The number of tokens up to the end of each sentence.
    places : array of int64, shape (n_sentences,)
        Where each sentence begins, counted through all sources.
    vocabulary : Vocabulary
    sources : list of dict
        Name, kind, path, size and checksum of what was read.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["the", "cat", "sat"], ["the", "dog", "sat"]])
    >>> corpus
    <Corpus of 6 tokens, 4 types, 2 sentences>
    >>> list(corpus.vocabulary)
    ['sat', 'the', 'cat', 'dog']
    >>> corpus.ids.tolist(), corpus.ends.tolist()
    ([1, 2, 0, 1, 3, 0], [3, 6])
    """

    def __init__(self, file: Callable[[str], Path], parameters: Mapping[str, Any]) -> None:
        try:
            self.reading = Reading(**parameters)
            self.sources = check_sources(json.loads(file(SOURCES).read_text(encoding="utf-8")))
        except (TypeError, ValueError, RecursionError) as error:
            raise ModelError(f"{file(SOURCES)} cannot be trusted: {error}.") from error
        self.vocabulary = Vocabulary.load(file(WORDS))
        self.ids: npt.NDArray[np.uint32] = read_array(file(IDS))
        self.ends: npt.NDArray[np.int64] = read_array(file(ENDS))
        self.places: npt.NDArray[np.int64] = read_array(file(PLACES))
        self._check(file(IDS).parent)

    def _check(self, folder: Path) -> None:
        """Kernels trust these arrays, so nothing in them may point outside."""
        sound = (
            len(self.ids) > 0
            and len(self.ends) == len(self.places)
            and len(self.ends) > 0
            and int(self.ends[-1]) == len(self.ids)
            and int(self.ends[0]) > 0
            and bool(np.all(self.ends[1:] > self.ends[:-1]))
            and int(self.places[0]) >= 0
            and bool(np.all(self.places[1:] >= self.places[:-1]))
            and int(self.ids.max()) < len(self.vocabulary)
            and int(self.vocabulary.counts.max()) <= len(self.ids)
            and int(self.vocabulary.counts.sum()) == len(self.ids)
        )
        if not sound:
            raise ModelError(
                f"{folder} cannot be trusted: ids, sentences and words do not fit together.",
                "Learn the corpus again.",
            )

    @classmethod
    def from_files(
        cls,
        *inputs: str | Path,
        tokens: str = "words",
        split: str = "lines",
        lowercase: bool = False,
        digits: str = "keep",
        errors: str = "strict",
        column: str = "text",
        threads: int | Engine | None = None,
    ) -> Corpus:
        """Read files, folders or patterns into a corpus in a temporary folder.

        Parameters
        ----------
        *inputs : str or Path
            Files (plain, ``.gz .bz2 .xz .zst``, JSON Lines, Parquet, Arrow, CoNLL-U), folders,
            patterns.
        tokens : {"words", "whitespace", "characters"}
            What a token is; see the page on tokenising.
        split : {"lines", "sentences", "none"}
            What a sentence is.
        lowercase : bool
            Whether words are lower-cased.
        digits : {"keep", "zero"}
            Whether digits become ``0``.
        errors : {"strict", "replace"}
            What happens to bytes that are not UTF-8.
        column : str
            The column that holds the text, in JSON Lines, Parquet and Arrow files.
        threads : int, optional
            All cores by default. The result does not depend on it.
        """
        reading = Reading(tokens, split, lowercase, digits, errors, column)
        return cls._temporary(
            find_sources(inputs, column), reading, engine_for("Corpus.from_files", threads)
        )

    @classmethod
    def from_sentences(
        cls, sentences: Iterable[Sequence[str]], lowercase: bool = False, digits: str = "keep"
    ) -> Corpus:
        """Make a corpus from sentences that are lists of words; words may hold any character.

        Parameters
        ----------
        sentences : iterable of sequences of str
        lowercase : bool
            Whether words are lower-cased.
        digits : {"keep", "zero"}
            Whether digits become ``0``.
        """
        return cls._temporary(
            [SentenceSource(sentences)], Reading(lowercase=lowercase, digits=digits), ONE_THREAD
        )

    @classmethod
    def _temporary(cls, sources: Sequence[Source], reading: Reading, engine: Engine) -> Corpus:
        from firth.corpus._build import build

        folder = Path(tempfile.mkdtemp(prefix="firth-"))
        try:
            build(sources, reading, folder, engine)
            corpus = cls(folder.joinpath, reading.parameters())
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(corpus, shutil.rmtree, folder, ignore_errors=True)
        return corpus

    def __repr__(self) -> str:
        return f"<Corpus of {self.n_tokens:,} tokens, {self.n_types:,} types, {self.n_sentences:,} sentences>"

    @property
    def n_tokens(self) -> int:
        return len(self.ids)

    @property
    def n_types(self) -> int:
        return len(self.vocabulary)

    @property
    def n_sentences(self) -> int:
        return len(self.ends)

    def bounds(self, sentence: int) -> tuple[int, int]:
        """The first token of a sentence, and the one after its last."""
        return int(self.ends[sentence - 1]) if sentence else 0, int(self.ends[sentence])

    def words_between(self, start: int, end: int) -> list[str]:
        """The words of the tokens from ``start`` to before ``end``."""
        words: list[str] = self.vocabulary.words.take(np.asarray(self.ids[start:end])).to_pylist()
        return words

    def sentence(self, index: int) -> list[str]:
        """The words of one sentence.

        Examples
        --------
        >>> import firth
        >>> firth.Corpus.from_sentences([["a", "b"], ["c"]]).sentence(1)
        ['c']
        """
        if not 0 <= index < self.n_sentences:
            raise InputError(f"There is no sentence {index}; the corpus has {self.n_sentences:,}.")
        return self.words_between(*self.bounds(index))

    def sentences(self) -> Iterator[list[str]]:
        """All sentences, one after the other."""
        return (self.sentence(i) for i in range(self.n_sentences))

    def find(
        self,
        word: str,
        n: int = 20,
        width: int = 40,
        index: Index | None = None,
        quick: bool = False,
    ) -> list[Hit]:
        """A concordance: up to ``n`` occurrences of a word, evenly spread, in their contexts.

        The original text is shown where the source is still there and unchanged, else the words.

        Parameters
        ----------
        word : str
        n : int
            The most occurrences to show.
        width : int
            The most characters on either side.
        index : Index, optional
            Where the words stand; without it, all tokens are looked at.
        quick : bool
            Show the original text only where it can be had at once: not from compressed files and
            tables, and not from far inside a long record.

        Examples
        --------
        >>> import firth
        >>> corpus = firth.Corpus.from_sentences([["the", "cat", "sat"]])
        >>> hit = corpus.find("cat")[0]
        >>> (hit.left, hit.word, hit.right)
        ('the ', 'cat', ' sat')
        """
        check_count("Corpus.find", "n", n)
        check_count("Corpus.find", "width", width, least=0)
        return list(concordance(self, word, n, width, index, quick))

    def coverage(self, n_words: int) -> float:
        """The share of tokens that the ``n_words`` most frequent words make up."""
        return float(self.vocabulary.counts[:n_words].sum() / self.n_tokens)
