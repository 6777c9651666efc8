"""The vocabulary of a language model, and the classes of its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes import Hierarchy
from firth.corpus import Corpus, Reading, Vocabulary, fold_word, tokenise
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.lm._arpa import BEGIN, END, UNKNOWN

__all__ = ["KnownWords", "classes_of", "not_a_word", "split_sentences"]

Integers = npt.NDArray[np.int64]


class KnownWords:
    """The words of a model, numbered from the most frequent; the next number is the unknown word.

    ``<s>`` and ``</s>`` in a text are unknown words, too; ``<unk>`` is a word like any other.

    Parameters
    ----------
    vocabulary : Vocabulary
    reading : Reading
        How the training text was read; other text must be read in the same way.
    """

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        self.vocabulary = vocabulary
        self.reading = reading

    def __len__(self) -> int:
        return len(self.vocabulary)

    @classmethod
    def choose(
        cls, corpus: Corpus, counts: Integers, min_count: int, most: int | None
    ) -> KnownWords:
        """The words of a corpus that are frequent enough, given the counts of all its words."""
        import pyarrow as pa

        reserved = pa.array([BEGIN, END], pa.large_string())
        special = np.flatnonzero(corpus.vocabulary.places_among(reserved) >= 0)
        frequent = np.setdiff1d(np.flatnonzero(counts >= min_count), special, assume_unique=True)
        kept = frequent[np.argsort(-counts[frequent], kind="stable")][:most]
        if not len(kept):
            raise InputError(
                f"No word occurs at least {min_count:,} times.",
                "Use a smaller --min-count, or more text.",
            )
        words = corpus.vocabulary.words.take(kept)
        return cls(Vocabulary(words, counts[kept]), corpus.reading)

    @cached_property
    def words(self) -> list[str]:
        return list(self.vocabulary)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return _Numbers(self.words, self.reading)

    @cached_property
    def names(self) -> list[str]:
        """The words, and what the unknown word and the end of a sentence are called."""
        unknown = UNKNOWN if UNKNOWN not in self._numbers else "<unknown>"
        return [*self.words, unknown, END]

    def numbers_of(self, corpus: Corpus) -> npt.NDArray[np.int32]:
        """The number of each word of a corpus, by its id there."""
        places = corpus.vocabulary.places_among(self.vocabulary.words)
        return np.where(places >= 0, places, np.int32(len(self)))

    def split(self, sentences: Iterable[Sequence[str]]) -> list[Sequence[str]]:
        """The words of sentences; a sentence that is text is split into words as the training text was."""
        return split_sentences(sentences, self.reading)

    def numbered(
        self, sentences: Iterable[Sequence[str]]
    ) -> tuple[npt.NDArray[np.int32], Integers]:
        """Sentences as numbers of words, and the end of each sentence."""
        numbers = self._numbers
        found: list[int] = []
        ends: list[int] = []
        for sentence in self.split(sentences):
            found += map(numbers.__getitem__, sentence)
            ends.append(len(found))
        return np.array(found, np.int32), np.array(ends, np.int64)


def split_sentences(sentences: Iterable[Sequence[str]], reading: Reading) -> list[Sequence[str]]:
    """The words of sentences; a sentence that is text is split into words."""
    if isinstance(sentences, str):
        raise ParameterError("Sentences must be a list, not one string.", 'Try ["..."]')
    return [_split(one, reading) if isinstance(one, str) else one for one in sentences]


def _split(text: str, reading: Reading) -> list[str]:
    if reading.phrases is not None:  # which are in the corpus
        raise ParameterError(
            "The model has phrases as tokens, so a sentence must be a list of its tokens.",
            "Join them: model.corpus.phrases.joined(words)",
        )
    found = tokenise(text, reading.tokens, "none")
    return [word for sentence in found for word in sentence]


def not_a_word(word: Any) -> ParameterError:
    return ParameterError(f"Every word must be a string. Got {word!r}.")


class _Numbers(dict[str, int]):
    """The number of each word; another word is first folded as text is read, and else is unknown."""

    def __init__(self, words: list[str], reading: Reading) -> None:
        super().__init__(zip(words, range(len(words)), strict=True))
        self._reading = reading

    def __missing__(self, word: Any) -> int:
        if not isinstance(word, str):
            raise not_a_word(word)
        return self.get(fold_word(word, self._reading), len(self))


def classes_of(
    words: KnownWords, given: Hierarchy | Mapping[str, Any], corpus: Corpus | None
) -> Integers:
    """The number of the class of each known word, without gaps.

    A word without a class gets one from its contexts in the corpus or, failing that, from its spelling.
    If neither helps, it gets the class of rare words, or one class shared by all such words.
    """
    if isinstance(given, Mapping):
        names = {name: k for k, name in enumerate(dict.fromkeys(given.values()))}
        found = np.array([names[given[w]] if w in given else len(names) for w in words.words])
    elif isinstance(given, Hierarchy):
        found = _classes_of_tree(words, given, corpus)
    else:
        expected = "a Hierarchy, a mapping from words to classes, or a list of these"
        raise wrong_parameter("LanguageModel.fit", "classes", expected, type(given).__name__)
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _classes_of_tree(words: KnownWords, tree: Hierarchy, corpus: Corpus | None) -> Integers:
    known = words.vocabulary.places_among(tree.vocabulary.words)
    found = np.where(known >= 0, np.asarray(tree.class_of)[known], -1).astype(np.int64)
    new = [words.words[i] for i in np.flatnonzero(known < 0)]
    if new:
        number = {path: k for k, path in enumerate(tree.paths)}
        other = tree.n_classes if tree.rare is None else tree.rare
        answers = tree.assign(new, corpus if tree.follow is not None else None)
        found[found < 0] = [other if a.path is None else number[a.path] for a in answers]
    return found
