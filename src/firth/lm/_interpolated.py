"""A trained language model: probabilities of sentences, perplexity, and the most probable next words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.corpus import Corpus, Reading, TextData, Vocabulary
from firth.errors import InputError, check_fitted
from firth.lm._arpa import END, UNKNOWN, read_arpa, write_arpa
from firth.lm._buckets import BUCKETS, Histories
from firth.lm._counting import stretches
from firth.lm._mixture import Mixture, Sentences
from firth.lm._parameters import LanguageModelParameters
from firth.lm._results import NextWord, SentenceScores, TextScore
from firth.lm._saving import Saved, read_model, write_model
from firth.lm._scoring import Sums, sentence_scores
from firth.lm._words import KnownWords
from firth.progress import count_of
from firth.store import Part

__all__ = ["InterpolatedModel"]

_HISTORY = 2
"""The longest history, in words."""
_AT_ONCE = 1 << 19
"""About how many words of a corpus are looked up at once."""


class InterpolatedModel:
    """An n-gram model of words, interpolated with n-gram models of classes.

    This is what a model folder contains; ``LanguageModel`` adds the training.

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

    def __repr__(self) -> str:
        return (
            f"<InterpolatedModel of {len(self.words_):,} words: {', '.join(self.component_names)}>"
        )

    @property
    def _mixture(self) -> Mixture:
        check_fitted(self, hasattr(self, "mixture_"))
        return self.mixture_

    @property
    def weights_(self) -> npt.NDArray[np.float64]:
        return self._mixture.weights

    @property
    def component_names(self) -> list[str]:
        """The names of its models: words first, then classes."""
        sizes = [model.ngrams.n_words for model in self._mixture.classes]
        return ["words", *(f"{n:,} class{'es' if n > 1 else ''}" for n in sizes)]

    def log_prob(self, sentence: Sequence[str]) -> float:
        """The natural logarithm of the probability of a sentence, its end included.

        Parameters
        ----------
        sentence : sequence of str
            Its words.
        """
        return float(self.scores([sentence]).log_prob[0])

    def scores(self, sentences: Iterable[Sequence[str]]) -> SentenceScores:
        """The log probabilities of sentences, and the numbers of their unknown words.

        Parameters
        ----------
        sentences : iterable of sequences of str
        """
        mixture = self._mixture
        text = Sentences(*self.words_.numbered(sentences))
        return sentence_scores(mixture, text)

    def evaluate(self, corpus: TextData) -> TextScore:
        """The perplexity of a text: of the interpolated model, and of each model alone.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            Text that the model was not trained on, read in the same way.
        """
        self._mixture  # noqa: B018  raises an error if it is not fitted
        return self._evaluate(self._pieces(Corpus.of(corpus, "LanguageModel.evaluate")))

    def _pieces(self, corpus: Corpus) -> Iterator[Sentences]:
        """The sentences of a corpus, some at a time."""
        numbers, ends = self.words_.numbers_of(corpus), np.asarray(corpus.ends)
        with progress.stage("predicting words", corpus.n_tokens, "tokens", brief=1.0) as stage:
            for sentences, places in stretches(ends, _AT_ONCE):
                ids = np.asarray(corpus.ids[places])
                yield Sentences(numbers[ids], ends[sentences] - places.start)
                stage.advance(len(ids))

    def _evaluate(self, pieces: Iterable[Sentences]) -> TextScore:
        sums = Sums(len(self.component_names))
        for text in pieces:
            n = len(text.symbols) + len(text.ends)
            sums.add(self._mixture, self._mixture.looked_up([text], n))
        return sums.result(self.component_names)

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

    def next_words(self, before: Sequence[str], n: int | None = 10) -> list[NextWord]:
        """The most probable next words; ties are ordered by frequency.

        Parameters
        ----------
        before : sequence of str
            The beginning of a sentence; the last two words matter.
        n : int, optional
            Maximum number of words; all by default.
        """
        mixture, unknown = self._mixture, len(self.words_)
        numbers, _ = self.words_.numbered([before])
        history = [mixture.begin, *numbers.tolist()[-_HISTORY:]]
        every = np.array([*range(unknown + 1), mixture.words.end])
        text = np.empty((len(every), len(history) + 1), np.int64)
        text[:, :-1], text[:, -1] = history, every
        log_p = mixture.log_probs(text.ravel()).reshape(text.shape)[:, -1]
        order = np.argsort(-log_p, kind="stable")[:n]
        names = [*self.words_.words, UNKNOWN, END]
        return [NextWord(names[k], math.exp(log_p[k])) for k in order]

    def write_arpa(self, file: IO[str]) -> None:
        """Write the word model, without classes, in the ARPA format.

        Parameters
        ----------
        file : text file
        """
        write_arpa(self._mixture.words, self.words_.words, file)

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

        model, words = read_arpa(lines, name)
        if not words:
            raise InputError(f"{name} contains no words.")
        made = InterpolatedModel()
        made.order = model.order
        counts = np.zeros(len(words), np.int64)
        vocabulary = Vocabulary(pa.array(words, pa.large_string()), counts)
        made.words_ = KnownWords(vocabulary, Reading("whitespace"))
        made.mixture_ = Mixture(model, Histories.unknown(model), (), np.ones((BUCKETS, 1)))
        sizes = [len(words) + 3, len(model.words2), len(model.words3)][: model.order]
        made.facts_ = {
            "buckets": [0] * BUCKETS, "held_out": None, "n_words": len(words), "n_sentences": 0, "n_tokens": 0,
            "n_unknown": 0, "n_grams": sizes, "discounts": [], "classes": [],
        }  # fmt: skip
        return made

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        write_model(folder, Saved(self._mixture, self.words_, self.facts_))

    def describe(self) -> dict[str, Any]:
        """Sizes, discounts, entropies and held-out perplexity, as the manifest stores them."""
        return self.facts_

    def summary(self) -> tuple[str, list[str]]:
        """The size of the model, and its components, in words."""
        how = list(self.component_names[1:])
        if (held := self.facts_["held_out"]) and held["perplexity"]:
            how.append(f"held-out perplexity {held['perplexity']:,.1f}")
        return f"{count_of(len(self.words_), 'word')}, n-grams up to {self.order}", how

    @classmethod
    def load(cls, part: Part) -> InterpolatedModel:
        """Read the files of a part and check them."""
        saved = read_model(part)
        LanguageModelParameters.restored({**part.parameters, "order": saved.mixture.words.order})
        made = InterpolatedModel()
        made.order = saved.mixture.words.order
        made.mixture_, made.words_, made.facts_ = saved.mixture, saved.words, saved.facts
        return made
