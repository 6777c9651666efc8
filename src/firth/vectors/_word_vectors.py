"""Word vectors: words, a matrix, and searches in it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.compute import Engine, engine_for
from firth.corpus import Corpus, TextData, Vocabulary
from firth.counts import CountsParameters
from firth.errors import (
    FirthError,
    InputError,
    ParameterError,
    WordError,
    check_choice,
    check_count,
    wrong_parameter,
)  # fmt: skip
from firth.formats import (
    WRITTEN_FORMATS,
    Backend,
    Rows,
    frame_of,
    library_of,
    read_vectors,
    vector_format_of,
    write_fasttext,
    write_vectors,
)
from firth.notebook import Shown, outline
from firth.progress import count_of
from firth.store import Part, replacing, write_array
from firth.vectors import _search as search
from firth.vectors._grammar_parameters import GrammarParameters
from firth.vectors._guesser import GUESSES, Guesser, learn_guesser, unmixed
from firth.vectors._parameters import ANALOGY_METHODS, AnalogyOption, VectorsParameters
from firth.vectors._projection import CONTEXTS, MARGINS, Projection

if TYPE_CHECKING:
    from firth.vectors._alignment import Alignment
    from firth.vectors._shortlist import Shortlist

__all__ = ["Neighbour", "WordVectors"]

WORDS, MATRIX, VALUES = "words.arrow", "vectors.f32", "values.f64"

UNLIKE = "no three letters of it occur in a word that has one"
"""Why no vector can be guessed."""

Floats32 = npt.NDArray[np.float32]


class Neighbour(NamedTuple):
    """A word and its cosine, or its score as the answer to an analogy."""

    word: str
    similarity: float


class WordVectors(Shown):
    """A vector for every word.

    Attributes
    ----------
    vocabulary : Vocabulary
        The words in the order of the rows, with their counts (0 if unknown).
    matrix : array of float32, shape (n_words, dim)
        The vectors as they were learned (of unit length) or imported. A word that never occurred in
        a context has a vector of zeros.
    singular_values : array of float64, or None
        The largest first; None for imported vectors.
    made : mapping
        How the vectors were made: the parameters of counting and learning.
    projection : Projection or None
        Needed by ``fold_in``.
    guesser : Guesser or None
        Needed by ``guess``; learned when it is first used if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> vectors = WordVectors.from_arrays(["a", "b", "c"], np.array([[1, 0], [0.6, 0.8], [0, 1]]))
    >>> vectors.most_similar("a", n=1)
    [Neighbour(word='b', similarity=0.6...)]
    >>> round(vectors.similarity("b", "c"), 3)
    0.8
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        matrix: Floats32,
        singular_values: npt.NDArray[np.float64] | None = None,
        made: Mapping[str, Any] | None = None,
        projection: Projection | None = None,
        guesser: Guesser | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.matrix = matrix
        self.singular_values = singular_values
        self.made = dict(made or {})
        self.projection = projection
        self.guesser = guesser
        self._shortlist: Shortlist | None = None

    @classmethod
    def from_arrays(
        cls, words: Iterable[str], matrix: Any, counts: Sequence[int] | None = None
    ) -> WordVectors:
        """Vectors from a list of distinct words and a matrix with a row for each."""
        import pyarrow as pa

        listed = list(words)
        names = pa.array(listed, pa.large_string())
        rows = np.asarray(matrix)
        numbers = np.zeros(len(names), np.int64) if counts is None else np.array(counts, np.int64)
        if (
            rows.ndim != 2
            or len(rows) != len(names)
            or not rows.size
            or rows.dtype.kind not in "fiu"
        ):
            raise ParameterError(
                f"A matrix of shape {rows.shape} and type {rows.dtype} does not match {len(names):,} words."
            )
        if len(numbers) != len(names) or np.any(numbers < 0):
            raise wrong_parameter(
                "WordVectors.from_arrays", "counts", "an int of at least 0 for each word", counts
            )
        if len(set(listed)) < len(listed) or not all(listed):
            again = next((w for w in listed if not w or listed.count(w) > 1), "")
            raise InputError(f"Words must be distinct and not empty. Got {again!r} more than once.")
        with np.errstate(over="ignore"):
            rows = np.ascontiguousarray(rows, np.float32)
        if not np.isfinite(rows).all():
            raise InputError(
                f"The vector of {names[int(np.argmin(np.isfinite(rows).all(axis=1)))]} is not finite."
            )
        return cls(Vocabulary(names, numbers), rows)

    @classmethod
    def read(cls, path: str | Path) -> WordVectors:
        """Read vectors from a file: word2vec (text or binary), GloVe, Parquet, npz, safetensors; possibly compressed.

        Parameters
        ----------
        path : str or Path
            The format is detected from the content; see ``firth.formats.read_vectors``.
        """
        table = read_vectors(path)
        return cls.from_arrays(table.words, table.matrix, table.counts)

    def write(self, file: str | Path | BinaryIO, format: str | None = None) -> int:  # noqa: A002
        """Write the vectors to a file that other programs can read; returns the number of vectors.

        Vectors of zeros are left out.

        Parameters
        ----------
        file : str, Path or binary file
        format : str, optional
            One of ``word2vec``, ``word2vec-binary``, ``glove``, ``parquet``, ``npz``, ``safetensors``,
            ``fasttext`` and ``spacy``. By default from the suffix of the file: ``.txt .vec .bin .parquet
            .npz .safetensors``. ``fasttext`` is the binary model of fastText, from which other programs
            compute the vectors of unseen words that ``guess`` returns. ``spacy`` is the text format of
            word2vec, for ``spacy init vectors``.
        """
        import pyarrow as pa

        name = str(file) if isinstance(file, str | Path) else ""
        form = format or vector_format_of(name)
        if form is None:
            raise ParameterError(
                f"The format cannot be inferred from the name {name!r}.",
                "Give one: " + ", ".join(WRITTEN_FORMATS) + ".",
            )
        check_choice("WordVectors.write", "format", form, WRITTEN_FORMATS)
        kept = self.matrix.any(axis=1)
        words, matrix, counts = self.vocabulary.words, self.matrix, self.counts
        if not kept.all():
            words, matrix, counts = words.filter(pa.array(kept)), matrix[kept], counts[kept]
        with replacing(file) if isinstance(file, str | Path) else nullcontext(file) as opened:
            if form == "fasttext":
                write_fasttext(opened, words, matrix, counts, self.require_guesser())
            else:
                plain = "word2vec" if form == "spacy" else form
                write_vectors(opened, plain, words, matrix, counts)
        return len(matrix)

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        return [("first words", " ".join(self.vocabulary.words.slice(0, 12).to_pylist()))]

    def _notebook_picture(self) -> str:
        values = self.singular_values
        return (
            ""
            if values is None
            else outline(values.tolist(), "singular values, from the largest to the smallest")
        )

    def __repr__(self) -> str:
        return f"<WordVectors of {len(self):,} words in {self.dim} dimensions>"

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __iter__(self) -> Iterator[str]:
        return iter(self.vocabulary)

    def __getitem__(self, word: str) -> Floats32:
        """The vector of a word."""
        return np.array(self.matrix[self.id(word)])

    @property
    def dim(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def words(self) -> list[str]:
        return list(self.vocabulary)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        return self.vocabulary.counts

    @cached_property
    def unit(self) -> Floats32:
        """The vectors at unit length; vectors of zeros stay zero. The matrix itself if it is normalised."""
        lengths = np.sqrt(np.einsum("ij,ij->i", self.matrix, self.matrix, dtype=np.float64))
        if np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0)):
            return self.matrix
        unit: Any = self.matrix / np.where(lengths > 0, lengths, 1)[:, None]
        return np.asarray(unit, np.float32)

    def prepare_search(self) -> None:
        """Make single searches two or three times as fast, for a quarter of the memory of the vectors.

        Results stay the same: a rounded copy of the vectors selects candidates, and the vectors
        themselves decide among them.
        """
        from firth.vectors._shortlist import Shortlist

        self._shortlist = Shortlist(self.unit)

    def id(self, word: str) -> int:
        """The row of a word; raises WordError if it has none."""
        return self.vocabulary.id(word, "has no vector")

    def find(self, words: Iterable[str]) -> dict[str, int | None]:
        """The row of each word, or else of its lower-case form, or else None."""
        wanted = list(dict.fromkeys([words] if isinstance(words, str) else words))
        exact = self.vocabulary.ids(wanted)
        lower = self.vocabulary.ids([unicode.lower(word) for word in wanted])
        return {
            word: b if a is None else a for word, a, b in zip(wanted, exact, lower, strict=True)
        }

    def similarity(self, a: str, b: str) -> float:
        """The cosine of two words."""
        return float(self.unit[self.id(a)] @ self.unit[self.id(b)])

    def most_similar(
        self,
        words: str | Sequence[str] | npt.NDArray[Any],
        negative: str | Sequence[str] = (),
        n: int = 10,
        guess: bool = False,
    ) -> Rows[Neighbour]:
        """The most similar words, by cosine.

        Parameters
        ----------
        words : str, list of str, or array
            A word; or several, whose unit vectors are added; or a vector. The words themselves are
            left out of the result.
        negative : str or list of str
            Words whose unit vectors are subtracted.
        n : int
        guess : bool
            Whether words without a vector get one from their spelling; see ``guess``.

        Returns
        -------
        list of Neighbour
            The most similar first; ties in the order of the vocabulary.
        """
        check_count("WordVectors.most_similar", "n", n)
        taken: list[int] = []
        query = np.zeros(self.dim, np.float32)
        if isinstance(words, np.ndarray):
            if words.shape != (self.dim,):
                raise ParameterError(
                    f"The vector must have {self.dim} numbers. Got an array of shape {words.shape}."
                )
            if not np.isfinite(words).all():
                raise ParameterError("The vector must be finite.")
            query += words
        else:
            taken, toward = self._units(words, guess)
            query += toward.sum(axis=0)
        away, from_it = self._units(negative, guess)
        query -= from_it.sum(axis=0)
        length = float(np.linalg.norm(query))
        if length == 0:
            raise WordError("No word can be similar: the vectors add up to zero.")
        asked = (query / length)[None]
        (found,) = search.nearest(self.unit, asked, n, [[*taken, *away]], self._shortlist)
        return self._named(*found)

    def neighbours(
        self, words: Sequence[str], n: int = 10, guess: bool = False
    ) -> list[Rows[Neighbour]]:
        """The most similar words, by cosine, for each of many words; none for a vector of zeros.

        Parameters
        ----------
        words : list of str
        n : int
        guess : bool
            Whether words without a vector get one from their spelling; see ``guess``.
        """
        check_count("WordVectors.neighbours", "n", n)
        listed = [words] if isinstance(words, str) else words
        queries = self._units(listed, guess)[1]
        without = [[] if i is None else [i] for i in self.vocabulary.find_all(listed)]
        found = search.nearest(self.unit, queries, n, without, self._shortlist)
        return [
            self._named(*answer) if query.any() else Rows((), Neighbour)
            for query, answer in zip(queries, found, strict=True)
        ]

    def analogy(
        self, a: str, b: str, c: str, n: int = 10, method: str = AnalogyOption.method
    ) -> Rows[Neighbour]:
        """Words that are to ``c`` as ``b`` is to ``a``.

        Parameters
        ----------
        a, b, c : str
            As in "paris is to france as rome is to ...".
        n : int
        method : {"mul", "add"}
            3CosMul (Levy and Goldberg 2014) or 3CosAdd (Mikolov et al. 2013).
        """
        check_count("WordVectors.analogy", "n", n)
        check_choice("WordVectors.analogy", "method", method, ANALOGY_METHODS)
        ids = [self.id(word) for word in (a, b, c)]
        scores = search.analogy_scores(self.unit, ids, method)
        found = search.best(scores, min(n, len(self) - len(set(ids))))
        return self._named(found, scores[found])

    def answers(
        self,
        questions: Any,
        method: str = AnalogyOption.method,
        threads: int | Engine | None = None,
        device: str = "cpu",
    ) -> Any:
        """The row of the best answer to each analogy; ``questions`` are rows ``(a, b, c)`` of row numbers."""
        check_choice("WordVectors.answers", "method", method, ANALOGY_METHODS)
        asked = np.asarray(questions, np.int64).reshape(-1, 3)
        return search.best_answers(self.unit, asked, method, engine_for("answers", threads, device))

    def _ids(self, words: str | Sequence[str]) -> list[int]:
        return [self.id(word) for word in ([words] if isinstance(words, str) else words)]

    def _units(self, words: str | Sequence[str], guess: bool) -> tuple[list[int], Floats32]:
        """The rows of words that have vectors, and the unit vectors of all; some may be guesses."""
        listed = [words] if isinstance(words, str) else list(words)
        if not guess:
            ids = self._ids(listed)
            return ids, self.unit[ids]
        found = self.vocabulary.find_all(listed)
        units = np.zeros((len(listed), self.dim), np.float32)
        known = [(row, i) for row, i in enumerate(found) if i is not None]
        for row, i in known:
            units[row] = self.unit[i]
        others = [row for row, i in enumerate(found) if i is None]
        if others:
            guesses = self.guesses([listed[row] for row in others])
            lengths = np.linalg.norm(guesses, axis=1, keepdims=True)
            units[others] = guesses / np.where(lengths > 0, lengths, 1)
        return [i for _, i in known], units

    def _named(self, ids: Any, scores: Any) -> Rows[Neighbour]:
        found = (Neighbour(self.vocabulary[i], float(s)) for i, s in zip(ids, scores, strict=True))
        return Rows(found, Neighbour)

    def restrict(self, words: int | Sequence[str]) -> WordVectors:
        """The vectors of the first ``words`` words, or of the words in a list."""
        import pyarrow as pa

        if isinstance(words, int):
            check_count("WordVectors.restrict", "words", words)
            ids = np.arange(min(words, len(self)))
        else:
            ids = np.array(list(dict.fromkeys(self._ids(words))), np.int64)
        vocabulary = Vocabulary(self.vocabulary.words.take(pa.array(ids)), self.counts[ids])
        return WordVectors(
            vocabulary, self.matrix[ids], self.singular_values, self.made, self.projection, self.guesser
        )  # fmt: skip

    def beside(self, other: WordVectors) -> WordVectors:
        """Both vectors of each word side by side; words that only one of the two has are left out.

        The cosine of two words is the mean of their two cosines.

        Parameters
        ----------
        other : WordVectors
            Vectors of the same text, such as those of the other kind.
        """
        words = [word for word in self.words if word in other]
        if not words:
            raise InputError("The two have no words in common.")
        mine, theirs = self.restrict(words), other.restrict(words)
        both = np.hstack([mine.unit, theirs.unit]) * np.float32(math.sqrt(0.5))
        return WordVectors(mine.vocabulary, both)

    def align(
        self, other: WordVectors, pairs: Mapping[str, str] | Iterable[Sequence[str]] | None = None
    ) -> Alignment:
        """Rotate these vectors into the space of others, so that words of both can be compared.

        Parameters
        ----------
        other : WordVectors
            Vectors of another text, or of another language.
        pairs : mapping or iterable of (str, str), optional
            Words here and there that mean the same; by default all words that both have. Pairs of which a
            word has no vector are left out, with a notice.

        Examples
        --------
        >>> import numpy as np
        >>> chance = np.random.default_rng(0)
        >>> words = ["sea", "ship", "king", "law", "year", "man"]
        >>> english = WordVectors.from_arrays(words, chance.normal(size=(6, 3)))
        >>> turn = np.linalg.qr(chance.normal(size=(3, 3)))[0]
        >>> words = ["See", "Schiff", "König", "Gesetz", "Jahr", "Mann"]
        >>> german = WordVectors.from_arrays(words, english.matrix @ turn)
        >>> pairs = zip(english.words[:5], german.words[:5])
        >>> english.align(german, pairs).most_similar("man", n=1)[0].word
        'Mann'
        """
        from firth.vectors._alignment import align

        return align(self, other, pairs)

    def fold_in(
        self,
        text: TextData,
        words: Sequence[str] | None = None,
        min_count: int = 1,
    ) -> WordVectors:
        """Compute vectors for new words from their contexts in a text, without retraining.

        Parameters
        ----------
        text : Corpus, list of token lists, list of str, str or Path
            The text; see ``Corpus.of``.
        words : list of str, optional
            The words to compute vectors for; by default all words of the text without a vector.
        min_count : int
            Words that occur less often in the text are skipped.
        """
        projection = self.require_projection()
        corpus = Corpus.of(text, "WordVectors.fold_in", "text")
        named = [words] if isinstance(words, str) else words
        return projection.fold_in(self, corpus, named, min_count)

    def guess(self, word: str) -> Floats32:
        """The vector of a word as its spelling suggests, whether it has a vector or not.

        The guess is the mean of vectors of the character n-grams of the word, which were learned by ridge
        regression from the words that have vectors. The longer it is, the more the spelling says.

        Parameters
        ----------
        word : str

        Raises
        ------
        WordError
            No n-gram of the word occurs in a known word.
        """
        return np.array(self.guesses([word])[0])

    def guesses(self, words: Sequence[str]) -> Floats32:
        """The vectors of many words as their spellings suggest; see ``guess``."""
        listed = [words] if isinstance(words, str) else list(words)
        found, known = self.require_guesser().guess([unicode.nfc(word) for word in listed])
        for row in np.flatnonzero(~known):
            self.vocabulary.id(listed[row], f"has no vector, and {UNLIKE}")  # raises an error
        if not np.isfinite(found).all():
            raise FirthError(
                "No vector can be guessed: the vectors are too large.", "Scale them to unit length."
            )
        return found

    def by_contexts(
        self, rows: npt.NDArray[np.int64], threads: int | Engine | None = None
    ) -> Floats32:
        """Some vectors at unit length, with less of what they have from the spelling of words.

        The vectors of ``firth learn`` are mixed with guesses from spelling, which makes them better for most
        purposes. But then, rare words are near words that are spelled alike. On a map, this hides which words
        go together. Vectors that were learned without ``spelling`` stay as they are.

        Parameters
        ----------
        rows : array of int64
            The numbers of words.
        threads : int, optional
            Number of threads; all cores by default.
        """
        import pyarrow as pa

        unit = self.unit[rows]
        half = float(self.made.get("spelling") or 0)
        if not half or self.guesser is None:
            return unit
        words = Vocabulary(self.vocabulary.words.take(pa.array(rows)), self.counts[rows])
        engine = engine_for("WordVectors.by_contexts", threads)
        return unmixed(unit, words, self.guesser, half, engine)

    def require_guesser(self, threads: int | Engine | None = None) -> Guesser:
        """What ``guess`` needs; learned from the vectors if they were stored without it."""
        if self.guesser is None:
            engine = engine_for("guess", threads)
            self.guesser = learn_guesser(self.vocabulary, self.matrix, engine)
        return self.guesser

    def require_projection(self) -> Projection:
        """What ``fold_in`` needs; an error for imported vectors."""
        if self.projection is None and self.made.get("kind") == "grammar":
            raise FirthError(
                "Grammatical vectors of new words cannot be computed from their contexts.",
                "Learn them again with the new text, or use the other kind: --kind meaning",
            )
        if self.projection is None:
            raise FirthError(
                "No vectors for new words can be computed: the vectors were imported.",
                "Learn vectors from text: firth vectors learn TEXT -o MODEL",
            )
        return self.projection

    def to_table(self) -> Any:
        """An Arrow table with the columns ``word``, ``count`` and ``vector``."""
        import pyarrow as pa

        vectors = pa.FixedSizeListArray.from_arrays(pa.array(self.matrix.ravel()), self.dim)
        return pa.table({"word": self.vocabulary.words, "count": self.counts, "vector": vectors})

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """A frame with a row for each word and a column for each dimension.

        Parameters
        ----------
        backend : {"pandas", "polars", "arrow"}
            A DataFrame of pandas, with the words as its index; or a DataFrame of Polars or an Arrow table,
            with the words as the column ``word``.
        """
        library = library_of(backend)
        if backend != "pandas":
            import pyarrow as pa

            columns = {str(i): np.ascontiguousarray(self.matrix[:, i]) for i in range(self.dim)}
            return frame_of(pa.table({"word": self.vocabulary.words, **columns}), backend)
        return library.DataFrame(
            np.array(self.matrix), index=library.Index(self.words, name="word")
        )

    def to_gensim(self) -> Any:
        """``KeyedVectors`` of gensim, with the counts of the words; vectors of zeros are left out."""
        from firth.vectors._libraries import to_gensim

        return to_gensim(self)

    @classmethod
    def from_gensim(cls, model: Any) -> WordVectors:
        """Vectors that gensim has made or read.

        Parameters
        ----------
        model : gensim.models.KeyedVectors, or a model such as Word2Vec
            Of a FastText model, only the vectors of its words are taken.
        """
        from firth.vectors._libraries import from_gensim

        return from_gensim(cls, model)

    def to_torch(self, freeze: bool = True) -> Any:
        """A ``torch.nn.Embedding``: row i is the word with id i, and the last row is of zeros.

        Parameters
        ----------
        freeze : bool
            Whether training leaves the vectors as they are.

        Returns
        -------
        torch.nn.Embedding
            Its ``padding_idx`` is ``len(vectors)``, the row of zeros for padding and unknown words.
        """
        from firth.vectors._libraries import to_torch

        return to_torch(self, freeze)

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        self.vocabulary.save(folder / WORDS)
        write_array(folder / MATRIX, self.matrix)
        if self.singular_values is not None:
            write_array(folder / VALUES, self.singular_values)
        if self.projection is not None and self.projection.vocabulary is self.vocabulary:
            self.projection.save(folder)
        if self.guesser is not None and self.guesser.vocabulary is self.vocabulary:
            self.guesser.save(folder)

    def describe(self) -> dict[str, Any]:
        """The sizes of the matrix."""
        return {"n_words": len(self), "dim": self.dim}

    def summary(self) -> tuple[str, list[str]]:
        """Sizes and training options, for a person."""
        made, how = self.made, ["imported"]
        if made.get("kind") == "grammar":
            how = [f"{made['contexts']} contexts and spelling", f"beta {made['beta']:g}"]
        elif "transform" in made:
            how = [f"{made['contexts']} contexts"]
            how += [f"weights by {made['weights']}"] * (made["weights"] != "none")
            how += [f"{made['transform']} {made['scale']}"]
            how += [f"{name} {made[name]:g}" for name in ("alpha", "beta")]
            how += [f"kappa {made['kappa']:g}"] * (made["kappa"] > 0)
            how += [f"spelling {made.get('spelling', 0):g}"] * ("spelling" in made)
        return f"{count_of(len(self), 'word')} in {count_of(self.dim, 'dimension')}", how

    @classmethod
    def load(cls, part: Part) -> WordVectors:
        """Memory-map the files of a part and check them."""
        names = part.files
        vocabulary = Vocabulary.load(part, WORDS, ordered=False)
        part.require(len(vocabulary), "it has no words")
        matrix = part.array(MATRIX, (len(vocabulary), -1), -math.inf, math.inf)
        part.require(matrix.size, "the vectors are empty")
        values = None
        if VALUES in names:
            values = part.array(VALUES, matrix.shape[1], 5e-324, math.inf, copy=True)
        projection = None
        if values is not None and CONTEXTS in names and MARGINS in names:
            projection = Projection.load(part, values, vocabulary)
        guesser = None
        if GUESSES in names:
            guesser = Guesser.load(part, vocabulary, matrix.shape[1])
        made = dict(part.parameters)
        is_grammar = made.get("kind") == "grammar"
        if is_grammar or "transform" in made:  # learned, not imported
            for stage in (CountsParameters, GrammarParameters if is_grammar else VectorsParameters):
                made |= stage.restored(made).parameters()
            if "spelling" in made and not is_grammar:
                made["spelling"] = VectorsParameters.restored(made).spelling_for(len(vocabulary))
        return cls(vocabulary, matrix, values, made, projection, guesser)
