"""A trained language model: probabilities of sentences, perplexity, and the most probable next words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.corpus import Corpus, Reading, TextData, Vocabulary
from firth.errors import InputError, check_fitted
from firth.formats import Framed, Rows
from firth.lm._arpa import END, read_arpa, write_arpa
from firth.lm._buckets import BUCKETS, bucket_names
from firth.lm._cache import Recent
from firth.lm._compact import CompactModel, open_compact, write_compact
from firth.lm._designs import MOST_DISTANT, Design
from firth.lm._mixture import Mixture, class_rows
from firth.lm._ngram_trees import n_counted
from firth.lm._parameters import LanguageModelParameters
from firth.lm._results import NextWord, SentenceScores, TextScore, WordScore
from firth.lm._sampling import draw_sentence
from firth.lm._saving import Saved, read_model, write_model
from firth.lm._scoring import Sums, sentence_scores
from firth.lm._spelling import Spelling
from firth.lm._table import NGramTable
from firth.lm._table_making import LARGEST, exact_table, suits
from firth.lm._texts import Sentences, stretches
from firth.lm._trees import Text
from firth.lm._words import KnownWords
from firth.notebook import Shown, bars
from firth.progress import count_of
from firth.store import Part

__all__ = ["InterpolatedModel"]

_AT_ONCE = 1 << 19
"""About how many words of a corpus are looked up at once."""


class InterpolatedModel(Shown, Framed):
    """An n-gram model of words, interpolated with n-gram models of classes.

    This is what a model folder contains; ``LanguageModel`` adds the training. ``to_frame`` has its weights: a
    row for each kind of history, a column for each model.

    Attributes
    ----------
    order : int
        The order of the word n-grams.
    words_ : KnownWords
        The vocabulary, and how text is read.
    facts_ : dict
        Sizes, discounts, entropies of the class models, perplexity of the held-out text.
    weights_ : array
        Interpolation weights: a row for each kind of history (see ``bucket_names``), a column for each
        model, words first.
    """

    order: Any = 0
    words_: KnownWords
    facts_: dict[str, Any]
    mixture_: Mixture
    spelling_: Spelling | None = None

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        return [("components", ", ".join(self.component_names))]

    def _notebook_picture(self) -> str:
        sizes = [(f"{k}-grams", n) for k, n in enumerate(self.facts_["n_grams"], 1)]
        return bars(sizes, "number of different n-grams of words")

    def __repr__(self) -> str:
        return f"<InterpolatedModel of {len(self.words_):,} words: {count_of(len(self.component_names), 'model')}>"

    @property
    def _mixture(self) -> Mixture:
        check_fitted(self, hasattr(self, "mixture_"))
        return self.mixture_

    @cached_property
    def _table(self) -> NGramTable | None:
        """For a model of words alone, a table that scores sentences faster."""
        mixture, tree = self._mixture, self._mixture.trees[0][0]
        if len(mixture.designs) > 1 or not suits(tree, LARGEST):
            return None
        return NGramTable(exact_table(tree, self.words_, mixture.order), self.words_)

    @property
    def weights_(self) -> npt.NDArray[np.float64]:
        return self._mixture.weights

    @property
    def component_names(self) -> list[str]:
        """The names of its models: words first, then classes; without the cache."""
        return self._mixture.names

    def rows(self) -> Iterator[dict[str, Any]]:
        """The weights of its models by history, as plain data."""
        weights = self._mixture.weights.tolist()
        for before, n, row in zip(bucket_names(), self.facts_["buckets"], weights, strict=True):
            yield {
                "before": before, "held_out_words": n, **dict(zip(self.component_names, row, strict=True)),
            }  # fmt: skip

    def log_prob(self, sentence: Sequence[str]) -> float:
        """The natural logarithm of the probability of a sentence, its end included.

        Parameters
        ----------
        sentence : sequence of str
            Its words; or text, which is split into words as the training text was.
        """
        if (table := self._table) is not None:
            return table.log_prob(sentence)
        return float(self.scores([sentence]).log_prob[0])

    def scores(self, sentences: Iterable[Sequence[str]]) -> SentenceScores:
        """The log probabilities of sentences, and the numbers of their unknown words.

        Parameters
        ----------
        sentences : iterable of sequences of str
            The words of each; or text, which is split into words as the training text was.
        """
        mixture, some = self._mixture, self.words_.split(sentences)
        if (table := self._table) is not None:
            found = table.scores(some)
        else:
            found = sentence_scores(mixture, Sentences(*self.words_.numbered(some)))
        if self.spelling_ is not None:
            found = replace(found, log_prob_letters=self._letters(some, found.n_unknown))
        return found

    def _letters(
        self, sentences: list[Sequence[str]], n_unknown: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """The log probability of the letters of the unknown words of each sentence."""
        found = np.zeros(len(sentences))
        numbers = np.flatnonzero(n_unknown)
        if not len(numbers) or self.spelling_ is None:
            return found
        some = [sentences[k] for k in numbers]
        symbols, _ = self.words_.numbered(some)
        words = [word for sentence in some for word in sentence]
        unknown = np.flatnonzero(symbols == len(self.words_))
        log_p = self.spelling_.log_probs([words[k] for k in unknown.tolist()])
        np.add.at(found, np.repeat(numbers, n_unknown[numbers]), log_p)
        return found

    def word_scores(self, sentence: Sequence[str], recent: Recent | None = None) -> Rows[WordScore]:
        """The log probability of each word of a sentence, given those before it, and of its end.

        Parameters
        ----------
        sentence : sequence of str
            Its words, or text.
        recent : Recent, optional
            What ``recent()`` returned, or was used with earlier sentences of the same text.
        """
        mixture, [words] = self._mixture, self.words_.split([sentence])
        text = mixture.padded(Sentences(*self.words_.numbered([words])))
        log_p = mixture.log_probs(text, recent)[1:].tolist()
        known = text.symbols[1:] != mixture.n_words
        letters = np.zeros(len(known))
        if self.spelling_ is not None:
            unknown = np.flatnonzero(~known)
            letters[unknown] = self.spelling_.log_probs([words[k] for k in unknown.tolist()])
        rows = zip([*words, END], log_p, known.tolist(), letters.tolist(), strict=True)
        return Rows((WordScore(*row) for row in rows), WordScore)

    def recent(self) -> Recent | None:
        """An empty cache of recent words; None if the model has none."""
        return self._mixture.recent()

    def sample(self, n: int = 1, seed: int = 0, longest: int = 200) -> list[list[str]]:
        """Draw sentences from the model.

        Parameters
        ----------
        n : int
            Number of sentences.
        seed : int
            Random seed.
        longest : int
            Maximum number of words of a sentence.
        """
        mixture, names = self._mixture, self.words_.names
        rng = np.random.default_rng(seed)
        return [[names[k] for k in draw_sentence(mixture, rng, longest)] for _ in range(n)]

    def evaluate(self, corpus: TextData) -> TextScore:
        """The perplexity of a text: of the interpolated model, and of each model alone.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            Text that the model was not trained on, read in the same way.
        """
        mixture, corpus = self._mixture, Corpus.of(corpus, "LanguageModel.evaluate")
        sums, recent = Sums(mixture.names, mixture.weights, mixture.cache_weights), mixture.recent()
        letters = 0.0
        by_word = self._letters_by_word(corpus)
        for ids, some in self._pieces(corpus):
            text = mixture.padded(some)
            found, inside = mixture.look_up(text), text.places > 0
            p = found.p if recent is None else mixture.with_recent(text, found, recent)
            unknown = text.symbols[inside] == mixture.n_words
            sums.add(p[inside], found.buckets[inside], unknown, len(some.ends))
            letters += float(by_word[ids].sum())
        sums.log_prob_letters = letters if self.spelling_ is not None else math.nan
        return sums.result()

    def _letters_by_word(self, corpus: Corpus) -> npt.NDArray[np.float64]:
        """The log probability of the letters of each unknown word of a corpus; 0 for the others."""
        found = np.zeros(corpus.n_types)
        if self.spelling_ is not None:
            unknown = np.flatnonzero(self.words_.numbers_of(corpus) == len(self.words_))
            words = corpus.vocabulary.words.take(unknown).to_pylist()
            found[unknown] = self.spelling_.log_probs(words)
        return found

    def _pieces(self, corpus: Corpus) -> Iterator[tuple[Any, Sentences]]:
        """The sentences of a corpus, some at a time: ids of words, and their numbers."""
        numbers, ends = self.words_.numbers_of(corpus), np.asarray(corpus.ends)
        with progress.stage("predicting words", corpus.n_tokens, "tokens", brief=1.0) as stage:
            for sentences, places in stretches(ends, _AT_ONCE):
                ids = np.asarray(corpus.ids[places])
                yield ids, Sentences(numbers[ids], ends[sentences] - places.start)
                stage.advance(len(ids))

    def score(self, corpus: TextData) -> float:
        """The mean log probability of a token: larger is better.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
        """
        found = self.evaluate(corpus)
        return found.log_prob / found.n_tokens

    def perplexity(self, corpus: TextData) -> float:
        """The perplexity of a text, unknown words included; see ``evaluate`` for more.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
        """
        return self.evaluate(corpus).perplexity

    def next_words(self, before: Sequence[str], n: int | None = 10) -> Rows[NextWord]:
        """The most probable next words; ties are ordered by frequency.

        Parameters
        ----------
        before : sequence of str
            The beginning of a sentence, words or text; the last five words matter at most.
        n : int, optional
            Maximum number of words; all by default.
        """
        mixture = self._mixture
        numbers, _ = self.words_.numbered([before])
        every = np.array([*range(mixture.n_words + 1), mixture.end])
        history = [mixture.begin, *numbers.tolist()]
        places = np.arange(max(0, len(history) - MOST_DISTANT), len(history) + 1)
        row = np.array([*history[places[0] :], 0], np.int32)
        text = Text(np.tile(row, len(every)), np.tile(places.astype(np.int32), len(every)))
        text.symbols.reshape(len(every), -1)[:, -1] = every
        log_p = mixture.log_probs(text).reshape(len(every), -1)[:, -1]
        order = np.argsort(-log_p, kind="stable")[:n]
        names = self.words_.names
        return Rows((NextWord(names[k], math.exp(log_p[k])) for k in order), NextWord)

    def write_arpa(self, file: IO[str]) -> None:
        """Write the word model, without classes, in the ARPA format.

        Parameters
        ----------
        file : text file
        """
        write_arpa(self._mixture.trees[0][0], self.order, self.words_.words, file)

    def write_compact(self, file: IO[bytes]) -> None:
        """Write the word model, without classes, as a compact file; see ``open``.

        Parameters
        ----------
        file : binary file
        """
        tree = self._mixture.trees[0][0]
        if not suits(tree):
            raise InputError(
                "The model has too many n-grams for a compact file.",
                "Export it as .arpa.gz instead.",
            )
        write_compact(tree, self.words_, self.order, self.facts_["n_grams"], file)

    @staticmethod
    def open(path: str | Path, verify: bool = True) -> CompactModel:
        """Open a compact file of a word model, which ``firth lm export -o FILE.firthlm`` writes.

        Parameters
        ----------
        path : str or Path
        verify : bool
            Whether the checksum of the file is compared, which takes about a second for a gigabyte.

        Examples
        --------
        >>> import tempfile, firth
        >>> from pathlib import Path
        >>> corpus = firth.Corpus.of(["the cat sat", "the dog sat", "a dog ran"])
        >>> model = firth.LanguageModel(order=2, min_count=1).fit(corpus, held_out=0)
        >>> path = Path(tempfile.mkdtemp(), "animals.firthlm")
        >>> with path.open("wb") as file:
        ...     model.write_compact(file)
        >>> small = firth.LanguageModel.open(path)
        >>> small
        <CompactModel of 6 words, n-grams up to 2>
        >>> round(small.log_prob("a dog sat") - model.log_prob("a dog sat"), 6)
        0.0
        """
        return open_compact(path, verify)

    @classmethod
    def from_arpa(cls, lines: Iterable[str], name: str | Path = "the file") -> InterpolatedModel:
        """A word model from a file in the ARPA format; it splits text at whitespace.

        Parameters
        ----------
        lines : iterable of str
        name : str or Path
            The name of the file, for error messages.
        """
        import pyarrow as pa

        tree, words, sizes = read_arpa(lines, name)
        if not words:
            raise InputError(f"{name} contains no words.")
        made = InterpolatedModel()
        made.order = len(sizes)
        counts = np.zeros(len(words), np.int64)
        vocabulary = Vocabulary(pa.array(words, pa.large_string()), counts)
        made.words_ = KnownWords(vocabulary, Reading("whitespace"))
        design = Design("words", tuple(("word", k) for k in range(1, len(sizes))))
        maps, tokens = class_rows(len(words), []), np.zeros(n_counted(tree), np.int64)
        made.mixture_ = Mixture(maps, (design,), ((tree,),), tokens, np.ones((BUCKETS, 1)))
        made.facts_ = {
            "buckets": [0] * BUCKETS, "held_out": None, "n_words": len(words), "n_sentences": 0, "n_tokens": 0,
            "n_unknown": 0, "n_grams": sizes, "discounts": [], "classes": [],
        }  # fmt: skip
        return made

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        write_model(folder, Saved(self._mixture, self.words_, self.spelling_, self.facts_))

    def describe(self) -> dict[str, Any]:
        """Sizes, discounts, entropies and held-out perplexity, as the manifest stores them."""
        return self.facts_

    def summary(self) -> tuple[str, list[str]]:
        """The size of the model, and its components, in words."""
        how = (
            [count_of(len(self.component_names), "model")] if len(self.component_names) > 1 else []
        )
        if self._mixture.cache_weights is not None:
            how.append("cache")
        if (held := self.facts_["held_out"]) and held["perplexity"]:
            how.append(f"held-out perplexity {held['perplexity']:,.1f}")
        return f"{count_of(len(self.words_), 'word')}, n-grams up to {self.order}", how

    @classmethod
    def load(cls, part: Part) -> InterpolatedModel:
        """Read the files of a part and check them."""
        saved = read_model(part)
        LanguageModelParameters.restored({**part.parameters, "order": saved.mixture.order})
        made = InterpolatedModel()
        made.order = saved.mixture.order
        made.mixture_, made.words_, made.facts_ = saved.mixture, saved.words, saved.facts
        made.spelling_ = saved.spelling
        return made
