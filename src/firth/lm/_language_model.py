"""A language model: how probable a sentence is, and what may come next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes import Hierarchy
from firth.corpus import Corpus, Reading, Vocabulary
from firth.errors import InputError, ParameterError, check_count, wrong_parameter
from firth.lm._arpa import END, UNKNOWN, read_arpa, write_arpa
from firth.lm._buckets import BUCKETS, Histories
from firth.lm._classes import ClassModel
from firth.lm._entropy import entropy_of_counts
from firth.lm._mixture import Counted, Discounts, Mixture, Sentences
from firth.lm._results import NextWord, SentenceScores, TextScore
from firth.lm._saving import FACTS, Saved, read_model, unsound, write_model
from firth.lm._scoring import Sums, sentence_scores
from firth.lm._words import KnownWords, classes_of
from firth.progress import count_of
from firth.store import Part

__all__ = ["MOST_TOGETHER", "LanguageModel"]

MOST_TOGETHER = 3
"""The longest sequences of words."""
_AT_ONCE = 1 << 19
"""How many words of a corpus are looked up at once."""

Classes = Hierarchy | Mapping[str, Any]
Integers = npt.NDArray[np.int64]


class LanguageModel:
    """Words by the words before them, and by the classes of the words before them.

    The model of words is one of up to three together, with modified Kneser-Ney smoothing (Chen and Goodman 1998). A
    model of classes is P(w | before) = P(c | classes before) P(w | c) (Brown and others 1992). The probabilities of all
    models are added up, with weights that depend on how often what comes before was seen, and that make held-out text
    as probable as they can.

    Words outside the vocabulary are one symbol, the unknown word, which has a probability like any other and is a class
    of its own.

    Parameters
    ----------
    order : int
        The longest sequences of words: 1, 2 or 3.
    class_order : int, optional
        The longest sequences of classes: 2 or 3; as of words by default.
    min_count : int
        Words with fewer occurrences are unknown. With 1, unknown words are never met in learning, and so are held
        very improbable.
    vocabulary : int or None
        The most words to know; None for no limit.
    refit : bool
        Whether all is counted again with the held-out sentences, once weights are known.

    Attributes
    ----------
    words_ : KnownWords
        The words by number, and how text is read.
    facts_ : dict
        How it was learned: sizes, discounts, figures of each model of classes, perplexity of held-out text.
    weights_ : array
        A row for each kind of history (see ``bucket_names``), a column for each model; words first.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran", "the cat ran", "a dog sat"] * 3
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> classes = firth.BrownClasses(n_classes=3, min_count=1).fit(corpus).hierarchy_
    >>> model = LanguageModel(order=2).fit(corpus, classes, held_out=0.2)
    >>> round(math.exp(model.log_prob(["a", "cat", "sat"])), 3)
    0.047
    >>> [found.word for found in model.next_words(["the"], 2)]
    ['cat', 'dog']
    """

    def __init__(
        self, order: int = 3, *, class_order: int | None = None, min_count: int = 2,
        vocabulary: int | None = 200_000, refit: bool = True,
    ) -> None:  # fmt: skip
        check_count("LanguageModel", "order", order)
        if order > MOST_TOGETHER:
            raise wrong_parameter("LanguageModel", "order", "1, 2 or 3", order)
        if class_order is not None and class_order not in (2, 3):
            raise wrong_parameter("LanguageModel", "class_order", "2 or 3", class_order)
        check_count("LanguageModel", "min_count", min_count)
        if vocabulary is not None:
            check_count("LanguageModel", "vocabulary", vocabulary)
        if not isinstance(refit, bool):
            raise wrong_parameter("LanguageModel", "refit", "True or False", refit)
        self.order, self.class_order = order, class_order
        self.min_count, self.vocabulary, self.refit = min_count, vocabulary, refit
        self.facts_: dict[str, Any] = {}
        self._made: Mixture | None = None

    def __repr__(self) -> str:
        if self._made is None:
            return "<LanguageModel: has not learned yet>"
        return f"<LanguageModel of {len(self.words_):,} words: {', '.join(self.component_names)}>"

    def parameters(self) -> dict[str, Any]:
        """How it learns."""
        return {
            "order": self.order, "class_order": self.class_order, "min_count": self.min_count,
            "vocabulary": self.vocabulary, "refit": self.refit,
        }  # fmt: skip

    @property
    def _mixture(self) -> Mixture:
        if self._made is None:
            raise ParameterError(
                "This LanguageModel has not learned yet.", "Call fit first, or open a model."
            )
        return self._made

    @property
    def weights_(self) -> npt.NDArray[np.float64]:
        return self._mixture.weights

    @property
    def component_names(self) -> list[str]:
        """What its models are called: words first, then classes."""
        sizes = [model.ngrams.n_words for model in self._mixture.classes]
        return ["words", *(f"{n:,} class{'es' if n > 1 else ''}" for n in sizes)]

    def fit(
        self, corpus: Corpus, classes: Classes | Sequence[Classes] | None = None,
        held_out: float | Corpus = 0.05,
    ) -> LanguageModel:  # fmt: skip
        """Learn from a corpus.

        Parameters
        ----------
        corpus : Corpus
        classes : Hierarchy, mapping of str to class, or a list of these, optional
            Classes of words; each makes a model of its own. A tree can be given several times, cut to different
            numbers of classes. Words without a class get one from their contexts or their spelling.
        held_out : float or Corpus
            The text to learn weights from: a share of the sentences, evenly spread, or another text. Without
            classes there are no weights to learn, and 0 is allowed.
        """
        given = _listed(classes)
        _check_corpus("corpus", corpus)
        chosen = _held_out(corpus, held_out, bool(given))
        counts = np.asarray(corpus.vocabulary.counts)
        if not self.refit and chosen.any():
            lengths = np.diff(corpus.ends, prepend=0)
            tokens = np.asarray(corpus.ids)[~np.repeat(chosen, lengths)]
            counts = np.bincount(tokens, minlength=corpus.n_types)
        self.words_ = KnownWords.choose(corpus, counts, self.min_count, self.vocabulary)
        with progress.stage("classes of words", unit="", brief=1.0):
            of_words = [
                ClassModel.classes_of(classes_of(self.words_, one, corpus)) for one in given
            ]
        text = self._sentences(corpus)
        part = text.some(~chosen) if chosen.any() else text
        aside = self._sentences(held_out) if isinstance(held_out, Corpus) else text.some(chosen)
        self.facts_ = {"buckets": [0] * BUCKETS, "held_out": None}
        counted = self._count(part, of_words)
        mixture, discounts = Mixture.of(counted)
        if len(aside.ends):
            mixture = self._weigh(mixture, counted, aside)
        if self.refit and chosen.any():
            counted += self._count(aside, of_words)
            mixture, discounts = Mixture.of(counted, mixture.weights)
        self._made = mixture
        self.facts_ |= self._facts(counted, discounts)
        return self

    def _count(self, text: Sentences, of_words: Sequence[Integers]) -> Counted:
        longest = self.class_order or max(2, self.order)
        return Counted.count(text, len(self.words_), self.order, of_words, longest)

    def _weigh(self, mixture: Mixture, counted: Counted, aside: Sentences) -> Mixture:
        """Learn weights, and note how well held-out text is predicted with them."""
        # words that are met only there are not known to what was counted so far
        met = counted.tokens > 0
        held = Sentences(np.where(met[aside.symbols], aside.symbols, len(self.words_)), aside.ends)
        weighted, sizes = mixture.weighted(held)
        self._made = weighted
        self.facts_["buckets"] = sizes.tolist()
        self.facts_["held_out"] = self._evaluate([held]).to_dict()
        return weighted

    def _facts(self, counted: Counted, discounts: Discounts) -> dict[str, Any]:
        return {
            "n_words": len(self.words_), "n_sentences": counted.n_sentences, "n_tokens": int(counted.tokens.sum()),
            "n_unknown": int(counted.tokens[-1]), "n_grams": [len(self.words_) + 3, *map(len, counted.words.rows[1:])],
            "discounts": [list(some) for some in discounts],
            "classes": [
                {
                    "n_classes": counts.n_words, "order": counts.order,
                    **entropy_of_counts(counts, counted.tokens, counted.n_sentences, class_of).to_dict(),
                }
                for counts, class_of in zip(counted.classes, counted.class_of, strict=True)
            ],
        }  # fmt: skip

    def _sentences(self, corpus: Corpus) -> Sentences:
        numbers = self.words_.numbers_of(corpus)
        return Sentences(numbers[np.asarray(corpus.ids)], np.asarray(corpus.ends))

    def log_prob(self, sentence: Sequence[str]) -> float:
        """The natural logarithm of the probability of a sentence, its end included.

        Parameters
        ----------
        sentence : sequence of str
            Its words.
        """
        return float(self.scores([sentence]).log_prob[0])

    def scores(self, sentences: Iterable[Sequence[str]]) -> SentenceScores:
        """The logarithms of the probabilities of sentences, and how many of their words are not known.

        Parameters
        ----------
        sentences : iterable of sequences of str
        """
        mixture = self._mixture
        text = Sentences(*self.words_.numbered(sentences))
        return sentence_scores(mixture, text)

    def evaluate(self, corpus: Corpus) -> TextScore:
        """How well the words of a text are predicted: by all models together, and by each alone.

        Parameters
        ----------
        corpus : Corpus
            Text that was read the same way as that learned from, but another one.
        """
        self._mixture  # noqa: B018  an error now
        _check_corpus("corpus", corpus)
        return self._evaluate(self._pieces(corpus))

    def _pieces(self, corpus: Corpus) -> Iterator[Sentences]:
        """Some sentences at a time."""
        numbers, ends, first = self.words_.numbers_of(corpus), np.asarray(corpus.ends), 0
        with progress.stage("predicting words", corpus.n_tokens, "tokens", brief=1.0) as stage:
            while first < len(ends):
                begin = int(ends[first - 1]) if first else 0
                last = max(first + 1, int(np.searchsorted(ends, begin + _AT_ONCE, side="right")))
                ids = np.asarray(corpus.ids[begin : int(ends[last - 1])])
                yield Sentences(numbers[ids], ends[first:last] - begin)
                stage.advance(len(ids))
                first = last

    def _evaluate(self, pieces: Iterable[Sentences]) -> TextScore:
        sums = Sums(len(self.component_names))
        for text in pieces:
            sums.add(self._mixture, text)
        return sums.result(self.component_names)

    def score(self, corpus: Corpus) -> float:
        """The mean logarithm of the probability of a token of a text: larger is better.

        Parameters
        ----------
        corpus : Corpus
        """
        found = self.evaluate(corpus)
        return found.log_prob / found.n_tokens

    def perplexity(self, corpus: Corpus) -> float:
        """The perplexity of a text, unknown words included; see ``evaluate`` for more.

        Parameters
        ----------
        corpus : Corpus
        """
        return self.evaluate(corpus).perplexity

    def next_words(self, before: Sequence[str], n: int | None = 10) -> list[NextWord]:
        """The words that may come next, the most probable first; equals in the order of their counts.

        Parameters
        ----------
        before : sequence of str
            The beginning of a sentence; the last two words count.
        n : int, optional
            The most words to give; all by default.
        """
        mixture, unknown = self._mixture, len(self.words_)
        numbers, _ = self.words_.numbered([before])
        history = [mixture.begin, *numbers.tolist()[-(MOST_TOGETHER - 1) :]]
        every = np.array([*range(unknown + 1), mixture.words.end])
        text = np.empty((len(every), len(history) + 1), np.int64)
        text[:, :-1], text[:, -1] = history, every
        log_p = mixture.log_probs(text.ravel()).reshape(text.shape)[:, -1]
        order = np.argsort(-log_p, kind="stable")[:n]
        names = [*self.words_.words, UNKNOWN, END]
        return [NextWord(names[k], math.exp(log_p[k])) for k in order]

    def write_arpa(self, file: IO[str]) -> None:
        """Write the model of words alone in ARPA's format, which other programs read.

        Parameters
        ----------
        file : text file
        """
        write_arpa(self._mixture.words, self.words_.words, file)

    @classmethod
    def from_arpa(cls, lines: Iterable[str], name: str | Path = "the file") -> LanguageModel:
        """A model of words from a file in ARPA's format; its text is cut at blanks.

        Parameters
        ----------
        lines : iterable of str
        name : str or Path
            What the file is called in errors.
        """
        import pyarrow as pa

        model, words = read_arpa(lines, name)
        if not words:
            raise InputError(f"{name} has no words in it.")
        made = cls(model.order, min_count=1, vocabulary=None)
        counts = np.zeros(len(words), np.int64)
        vocabulary = Vocabulary(pa.array(words, pa.large_string()), counts)
        made.words_ = KnownWords(vocabulary, Reading("whitespace"))
        made._made = Mixture(model, Histories.unknown(model), (), np.ones((BUCKETS, 1)))
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
        """What was learned from what, and how well."""
        return self.facts_

    def summary(self) -> tuple[str, list[str]]:
        """The same for a person."""
        how = list(self.component_names[1:])
        if (held := self.facts_["held_out"]) and held["perplexity"]:
            how.append(f"held-out perplexity {held['perplexity']:,.1f}")
        return f"{count_of(len(self.words_), 'word')}, n-grams up to {self.order}", how

    @classmethod
    def load(cls, part: Part) -> LanguageModel:
        """Read the files of a part and check them."""
        file, parameters = part.path, part.parameters
        saved = read_model(file)
        names = ("class_order", "min_count", "vocabulary", "refit")
        known: dict[str, Any] = {name: parameters.get(name) for name in names}
        try:
            made = cls(saved.mixture.words.order, **known)
        except ParameterError as error:
            raise unsound(file(FACTS).parent, error.message.rstrip(".")) from None
        made._made, made.words_, made.facts_ = saved.mixture, saved.words, saved.facts
        return made


def _listed(classes: Classes | Sequence[Classes] | None) -> list[Classes]:
    if classes is None:
        return []
    return [classes] if isinstance(classes, Hierarchy | Mapping) else list(classes)


def _check_corpus(name: str, corpus: Any) -> None:
    if not isinstance(corpus, Corpus):
        raise wrong_parameter("LanguageModel", name, "a Corpus", type(corpus).__name__)


def _held_out(corpus: Corpus, held_out: float | Corpus, needed: bool) -> npt.NDArray[np.bool_]:
    """Which sentences are held out: so many as asked for, evenly spread, at least one."""
    chosen = np.zeros(corpus.n_sentences, bool)
    if isinstance(held_out, Corpus):
        return chosen
    if isinstance(held_out, bool) or not isinstance(held_out, int | float) or not 0 <= held_out < 1:
        expected = "a share from 0 to below 1, or a Corpus"
        raise wrong_parameter("LanguageModel.fit", "held_out", expected, held_out)
    if not held_out:
        if needed:
            raise ParameterError(
                "Weights of classes need held-out text.",
                "Hold out some, such as 5%, or use no classes.",
            )
        return chosen
    n = corpus.n_sentences
    if n < 2:
        if needed:
            raise InputError(
                "There is one sentence only: nothing can be held out of it.",
                "Give more text, one sentence a line, or a text for --held-out.",
            )
        return chosen
    n_held = max(1, int(n * held_out))
    chosen[(2 * np.arange(n_held) + 1) * n // (2 * n_held)] = True
    return chosen
