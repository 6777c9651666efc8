"""The corpus: text as numbered tokens on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, Engine, engine_for
from firth.corpus._concordance import Context, Hit, concordance, positions_of
from firth.corpus._find_sources import find_sources
from firth.corpus._memory_sources import SentenceSource
from firth.corpus._morphs import WordSplitter, needed
from firth.corpus._original_text import Opening
from firth.corpus._phrases import Phrases, Units, maker_of, phrases_of
from firth.corpus._reading import (
    DESCRIBED,
    ENDS,
    GIVEN_WORDS,
    IDS,
    PHRASES,
    PLACES,
    SOURCES,
    WORDS,
    Digits,
    Errors,
    Format,
    Language,
    Reading,
    Split,
    Tokens,
)  # fmt: skip
from firth.corpus._sources import Source
from firth.corpus._vocabulary import Vocabulary
from firth.errors import InputError, ParameterError, check_count, wrong_parameter
from firth.formats import Rows
from firth.notebook import Shown
from firth.parameters import MEMORY, Resources, documents
from firth.progress import count_of
from firth.store import Part, TemporaryFolder, count_ids

if TYPE_CHECKING:
    from firth.corpus._documents import Documents
    from firth.corpus._index import Index

__all__ = ["Corpus", "TextData"]


TextData: TypeAlias = "Corpus | Iterable[Sequence[str]] | Iterable[str] | str | Path"
"""Text in any form that estimators accept; see ``Corpus.of``."""


class Corpus(Shown):
    """Text as numbered tokens, memory-mapped from disk.

    All types are kept. Ids are in order of decreasing count, ties by code point, so a vocabulary is a
    prefix of the ids, chosen when counting. Make one with ``from_files`` or ``from_sentences``, or
    get it from a model: ``firth.load("MODEL").corpus``.

    Attributes
    ----------
    ids : array of uint32, shape (n_tokens,)
        The id of every token.
    ends : array of int64, shape (n_sentences,)
        The number of tokens up to the end of each sentence.
    places : array of int64, shape (n_sentences,)
        Where each sentence begins, counted through all sources in bytes or records.
    vocabulary : Vocabulary
    sources : list of dict
        Name, kind, path, size and checksum of each input.
    phrases : Phrases or None
        The phrases that are one token each.
    documents : Documents or None
        The documents of a corpus made by ``from_texts``. Those of a model are ``model.documents``.

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

    def __init__(self, part: Part) -> None:
        self._part = part
        self.documents: Documents | None = None
        self.reading = Reading.restored(part.parameters)
        self.sources = part.json(SOURCES, [DESCRIBED])
        self.vocabulary = Vocabulary.load(part, WORDS)
        part.require(self.sources, f"{SOURCES} is empty")
        n_types, extent = len(self.vocabulary), sum(source["extent"] for source in self.sources)
        self.ids: npt.NDArray[np.uint32] = part.array(IDS, -1, 0, n_types - 1)
        n = len(self.ids)
        self.ends: npt.NDArray[np.int64] = part.array(ENDS, -1, 1, n, "always rises")
        self.places: npt.NDArray[np.int64] = part.array(
            PLACES, len(self.ends), 0, max(extent - 1, 0), "never falls"
        )
        part.require(n and self.ends[-1] == n, "the sentences do not contain all tokens")
        counted = count_ids(self.ids, n_types)
        part.require(np.array_equal(counted, self.vocabulary.counts), "ids and counts do not match")
        self.phrases: Phrases | None = None
        if self.reading.phrases is not None:
            self.phrases = Phrases(part.json(PHRASES, [[str]]))
            tokens = self.vocabulary.find_all(list(self.phrases.words))
            part.require(None not in tokens, "a phrase is not a token")

    @classmethod
    def load(cls, part: Part) -> Corpus:
        """Memory-map the files of a part and check them."""
        return cls(part)

    @property
    def files(self) -> tuple[Path, Path]:
        """The files of ids and of sentence ends, for other processes that can see them."""
        return self._part.path(IDS).absolute(), self._part.path(ENDS).absolute()

    def save(self, folder: Path) -> None:
        """Copy the files of the corpus into a folder."""
        self._part.copy_to(folder)

    def describe(self) -> dict[str, Any]:
        """The sizes of the corpus, and the version of Unicode that its words follow, if it is known."""
        sizes = {"n_tokens": self.n_tokens, "n_types": self.n_types}
        sizes |= {} if self.phrases is None else {"n_phrases": len(self.phrases)}
        rules = {"unicode": self.unicode} if self.unicode else {}
        rules |= {"segmenter": self.segmenter} if self.segmenter else {}
        return {**sizes, "n_sentences": self.n_sentences, **rules}

    def summary(self) -> tuple[str, list[str]]:
        """Sizes and reading options, for a person."""
        reading = self.reading
        how = [f"tokens: {reading.tokens}", f"split by {reading.split}"]
        if {source["kind"] for source in self.sources} <= set(GIVEN_WORDS):
            how = ["tokens and sentences as given"]
        how += [self.segmenter] if self.segmenter else []
        how += [f"language: {reading.language}"] if reading.language else []
        how += [] if self.phrases is None else [f"{count_of(len(self.phrases), 'phrase')} joined"]
        how += ["lower-cased"] * reading.lowercase + ["digits as 0"] * (reading.digits == "zero")
        how.append(f"Unicode {self.unicode}" if self.unicode else "Unicode as in Python")
        sizes = (self.n_tokens, "token"), (self.n_types, "type"), (self.n_sentences, "sentence")
        return ", ".join(count_of(n, name) for n, name in sizes), how

    @classmethod
    @documents(Reading, Resources, skip=["phrases"])
    def from_files(
        cls,
        *inputs: str | Path,
        tokens: Tokens = Reading.tokens,
        split: Split = Reading.split,
        lowercase: bool = Reading.lowercase,
        digits: Digits = Reading.digits,
        errors: Errors = Reading.errors,
        column: str = Reading.column,
        language: Language | None = Reading.language,
        read_as: Format | None = Reading.read_as,
        phrases: Iterable[Sequence[str]] | str | Path | None = None,
        memory: int | str = MEMORY,
        threads: int | Engine | None = None,
        morphs: WordSplitter | None = None,
    ) -> Corpus:
        """Read files, folders or patterns into a corpus in a temporary folder.

        Parameters
        ----------
        *inputs : str or Path
            Files (plain text, CSV, JSON Lines, Parquet, Arrow, CoNLL-U, TEI, VRT, Toolbox, FLExText,
            ELAN; compressed ones too: ``.gz .bz2 .xz .zst``), folders, patterns or network addresses
            such as ``s3://bucket/*.txt``.
        phrases : list of lists of str, str or Path, optional
            Phrases that are one token each; or a file with them, as for ``firth corpus learn --phrases``.
        morphs : Morphology, optional
            What divides words into parts, for the tokens ``morphs``.
        """
        reading = Reading(tokens, split, lowercase, digits, errors, column, language, read_as)
        units = needed(tokens, morphs) if phrases is None else phrases_of(phrases, reading)
        engine = engine_for("Corpus.from_files", threads)
        return cls._temporary(
            find_sources(inputs, column, read_as=read_as), reading, engine, memory, units
        )

    @classmethod
    def read(
        cls, inputs: Iterable[str | Path], reading: Reading, units: Units | None = None
    ) -> Corpus:
        """Read files as another text was read: ``units`` are what divides its words, or its phrases."""
        sources = find_sources(list(inputs), reading.column, read_as=reading.read_as)
        return cls._temporary(sources, reading, engine_for("Corpus.read", None), MEMORY, units)

    @classmethod
    def from_sentences(
        cls,
        sentences: Iterable[Sequence[str]],
        lowercase: bool = Reading.lowercase,
        digits: Digits = Reading.digits,
        language: Language | None = Reading.language,
    ) -> Corpus:
        """Make a corpus from sentences that are lists of tokens; tokens may contain any character.

        Parameters
        ----------
        sentences : iterable of sequences of str
        lowercase : bool
            Whether words are lower-cased.
        digits : {"keep", "zero"}
            Whether digits become ``0``.
        language : {"tr", "az", "lt"} or None
            Lower-case as in Turkish, Azerbaijani or Lithuanian.
        """
        reading = Reading(lowercase=lowercase, digits=digits, language=language)
        return cls._temporary([SentenceSource(sentences)], reading, ONE_THREAD)

    @classmethod
    @documents(Reading, Resources, skip=["errors", "column", "phrases"])
    def from_texts(
        cls,
        data: Any,
        column: str = Reading.column,
        metadata: Any = None,
        *,
        tokens: Tokens = Reading.tokens,
        split: Split = Reading.split,
        lowercase: bool = Reading.lowercase,
        digits: Digits = Reading.digits,
        language: Language | None = Reading.language,
        phrases: Iterable[Sequence[str]] | str | Path | None = None,
        memory: int | str = MEMORY,
        threads: int | Engine | None = None,
        morphs: WordSplitter | None = None,
    ) -> Corpus:
        """Make a corpus from texts in memory, each a document.

        Parameters
        ----------
        data : iterable of str or of mappings, mapping of str to list, or a frame
            Texts; records such as those of Hugging Face's ``datasets``; columns by name; or a frame or column
            of pandas, Polars, Arrow or any other library that Narwhals knows. Missing texts are left out.
        column : str
            The column with the text. The others become metadata.
        metadata : mapping of str to list, frame, or list of mappings, optional
            What else is known about each text.
        phrases : list of lists of str, str or Path, optional
            As for ``from_files``.
        morphs : Morphology, optional
            What divides words into parts, for the tokens ``morphs``.

        Examples
        --------
        >>> import firth
        >>> rows = [{"text": "A rose is a rose.", "year": 1913}, {"text": "Call me Ishmael.", "year": 1851}]
        >>> corpus = firth.Corpus.from_texts(rows)
        >>> corpus.documents.values("year")
        [1913, 1851]
        """
        from firth.corpus._find_documents import find_documents
        from firth.corpus._memory_sources import RecordSource
        from firth.corpus._texts import records_of

        reading = Reading(tokens, split, lowercase, digits, column=column, language=language)
        source = RecordSource(records_of(data, column, metadata))
        units = needed(tokens, morphs) if phrases is None else phrases_of(phrases, reading)
        engine = engine_for("Corpus.from_texts", threads)
        corpus = cls._temporary([source], reading, engine, memory, units)
        corpus.documents = find_documents(corpus, [source])
        return corpus

    @classmethod
    def of(cls, text: TextData, owner: str = "Corpus.of", name: str = "corpus") -> Corpus:
        """A corpus from text in any form that estimators accept.

        Parameters
        ----------
        text : Corpus, list of token lists, list of str, str or Path
            A corpus; sentences as lists of tokens; sentences as raw text, which is tokenised; or the
            name of a file, a folder or a pattern, which is read with the default options.
        owner, name : str
            The function and the parameter that an error message names.

        Examples
        --------
        >>> Corpus.of(["A rose is a rose."])
        <Corpus of 6 tokens, 5 types, 1 sentence>
        """
        if isinstance(text, Corpus):
            return text
        if isinstance(text, str | Path):
            return cls.from_files(text)
        if isinstance(text, Iterable) and not isinstance(text, Mapping | bytes):
            rest: Iterator[Any] = iter(text)
            first = list(islice(rest, 1))  # decides what all of them are
            sentences = chain(first, rest)
            if not first or (isinstance(first[0], Sequence) and not isinstance(first[0], str)):
                return cls.from_sentences(sentences)
            if isinstance(first[0], str):
                return cls.from_sentences(map(_tokens, sentences))
        expected = "a Corpus, a list of token lists, a list of str (a sentence each) or a file name"
        raise wrong_parameter(owner, name, expected, type(text).__name__)

    @classmethod
    def _temporary(
        cls,
        sources: Sequence[Source],
        reading: Reading,
        engine: Engine,
        memory: int | str = MEMORY,
        units: Units | None = None,
    ) -> Corpus:
        from firth.corpus._build import build

        if isinstance(units, Phrases):
            reading = replace(reading, phrases=reading.phrases or "given")
        with TemporaryFolder() as folder:
            facts = build(sources, reading, folder.path, engine, memory, **maker_of(units))
            corpus = cls(Part.in_folder(folder.path, reading.parameters(), **facts))
            folder.keep_for(corpus)
        return corpus

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        return [("most frequent words", " ".join(self.vocabulary.words.slice(0, 12).to_pylist()))]

    def _notebook_picture(self) -> str:
        return self.vocabulary.drawing()

    def __repr__(self) -> str:
        return f"<Corpus of {self.summary()[0]}>"

    @property
    def unicode(self) -> str | None:
        """The version of Unicode that decided about tokens, case and normal form.

        Earlier versions of Firth took the functions of Python, whose version is not recorded: None.
        """
        found = self._part.facts.get("unicode")
        return found if isinstance(found, str) else None

    @property
    def segmenter(self) -> str | None:
        """What segmented the text, with its version; None for rules of Firth's own."""
        found = self._part.facts.get("segmenter")
        return found if isinstance(found, str) else None

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
        """The index of the first token of a sentence, and of the token after its last."""
        return int(self.ends[sentence - 1]) if sentence else 0, int(self.ends[sentence])

    def words_between(self, start: int, end: int) -> list[str]:
        """The words of the tokens ``start`` to ``end - 1``."""
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
        """Iterate over the sentences."""
        return (self.sentence(i) for i in range(self.n_sentences))

    def find(
        self,
        word: str,
        n: int = 20,
        width: int = 40,
        index: Index | None = None,
        quick: bool = False,
        remote: bool = False,
    ) -> Rows[Hit]:
        """A concordance: up to ``n`` occurrences of a word in context, evenly spread over the corpus.

        Lines come from the original text if it still exists and has not changed, or else from the
        tokens.

        Parameters
        ----------
        word : str
        n : int
            Maximum number of occurrences.
        width : int
            Maximum number of characters on each side.
        index : Index, optional
            The word index; without it, all tokens are searched.
        quick : bool
            Use the original text only if it can be read quickly: not from compressed files or tables,
            and not from far inside a long record.
        remote : bool
            Open the original text at network addresses, too. A model can name any address, so do this
            only with models that you trust.

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
        word_id = self.vocabulary.id(word)
        found = self.positions_of(word_id) if index is None else index.spread(word_id, n)
        if len(found) > n:
            found = found[np.linspace(0, len(found) - 1, n).astype(np.int64)]
        return self.lines(found, found + 1, f"{width}c", quick, remote)

    def positions_of(self, word_id: int) -> npt.NDArray[np.int64]:
        """The positions of a word among the tokens, from a scan of all of them."""
        return positions_of(self.ids, word_id)

    def lines(
        self,
        starts: Sequence[int] | npt.NDArray[np.int64],
        ends: Sequence[int] | npt.NDArray[np.int64],
        context: int | str = "40c",
        quick: bool = False,
        remote: bool = False,
    ) -> Rows[Hit]:
        """Tokens in context, as ``find`` shows them.

        Parameters
        ----------
        starts, ends : arrays of int
            The first token of each line, and the one after its last; a line is in one sentence.
        context : int or str
            What is shown on either side: a number of words (``20``), of characters (``"20c"``), or
            ``"sentence"``.
        quick, remote : bool
            As for ``find``.

        Examples
        --------
        >>> import firth
        >>> corpus = firth.Corpus.from_sentences([["the", "old", "cat", "sat"]])
        >>> hit = corpus.lines([1], [3], 1)[0]
        >>> (hit.left, hit.word, hit.right)
        ('the ', 'old cat', ' sat')
        """
        first, last = np.asarray(starts, np.int64), np.asarray(ends, np.int64)
        order = np.argsort(first, kind="stable")
        found = self.iter_lines(first[order], last[order], context, quick, remote)
        hits = dict(zip(order.tolist(), found, strict=True))
        return Rows((hits[i] for i in range(len(hits))), Hit)

    def iter_lines(
        self,
        starts: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
        context: int | str,
        quick: bool = False,
        remote: bool = False,
    ) -> Iterator[Hit]:
        """The same one by one, for many lines; ``starts`` must not fall."""
        return concordance(self, starts, ends, Context.of(context), Opening(quick, remote))

    def coverage(self, n_words: int) -> float:
        """The share of tokens that are among the ``n_words`` most frequent words."""
        return float(self.vocabulary.counts[:n_words].sum() / self.n_tokens)


def _tokens(sentence: Any) -> list[str]:
    """The tokens of a sentence of raw text."""
    from firth.corpus._tokeniser import tokenise  # late: it has compiled kernels

    if not isinstance(sentence, str):
        raise ParameterError(
            f"All sentences must be str, because the first one is. Got {type(sentence).__name__}."
        )
    return list(chain.from_iterable(tokenise(sentence, split="none")))
