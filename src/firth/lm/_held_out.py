"""Some sentences of a corpus, and which of them are held out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.lm._texts import Sentences, stretches, whole_text
from firth.lm._trees import Text
from firth.store import Room

__all__ = ["Selection", "held_out_sentences"]

_AT_ONCE = 1 << 18
"""About how many tokens of a corpus are read at a time."""
_BLOCKS = 10
"""Held-out sentences are this number of blocks, so that the recent words of a sentence are held out too."""
_MOST_TOKENS = 200_000

Integers = npt.NDArray[np.int64]


class Selection:
    """Some sentences of a corpus.

    Parameters
    ----------
    corpus : Corpus
    chosen : array of bool
        Which sentences.
    """

    def __init__(self, corpus: Corpus, chosen: npt.NDArray[np.bool_]) -> None:
        self.corpus, self._chosen = corpus, chosen
        self.n_sentences = int(np.count_nonzero(chosen))

    def _sentences(self, numbers: npt.NDArray[np.int32]) -> Iterator[Sentences]:
        """The sentences; ``numbers`` has the number of each word, by its id."""
        ends = np.asarray(self.corpus.ends)
        for sentences, places in stretches(ends, _AT_ONCE):
            chosen = self._chosen[sentences]
            if chosen.any():
                ids = np.asarray(self.corpus.ids[places])
                some = Sentences(numbers[ids], ends[sentences] - places.start)
                yield some if chosen.all() else some.some(chosen)

    def text(self, numbers: npt.NDArray[np.int32], n_words: int, room: Room) -> Text:
        """All sentences, with symbols for their beginnings and ends."""
        if not self.n_sentences:
            raise InputError("There are no sentences to learn from.")
        n = 2 * self.n_sentences
        ends = np.asarray(self.corpus.ends)
        for sentences, places in stretches(ends, _AT_ONCE):
            lengths = np.diff(ends[sentences], prepend=places.start)
            n += int(lengths[self._chosen[sentences]].sum())
        return whole_text(self._sentences(numbers), n_words, n, room)

    def count_ids(self) -> Integers:
        """How often each word occurs, by its id."""
        n = self.corpus.n_types
        same, total = np.arange(n, dtype=np.int32), np.zeros(n, np.int64)
        for some in self._sentences(same):
            total += np.bincount(some.symbols, minlength=n)
        return total

    def spelled(self, most: int) -> Iterator[list[str]]:
        """The sentences as words, up to some number of tokens."""
        total = 0
        for number in np.flatnonzero(self._chosen).tolist():
            sentence = self.corpus.sentence(number)
            yield sentence
            total += len(sentence)
            if total >= most:
                return


def held_out_sentences(
    corpus: Corpus, held_out: float | Corpus, needed: bool
) -> npt.NDArray[np.bool_]:
    """Which sentences are held out: blocks of them, evenly spread; at least one sentence."""
    chosen = np.zeros(corpus.n_sentences, bool)
    if isinstance(held_out, Corpus):
        return chosen
    if isinstance(held_out, bool) or not isinstance(held_out, int | float) or not 0 <= held_out < 1:
        expected = "a share from 0 to below 1, or a Corpus"
        raise wrong_parameter("LanguageModel.fit", "held_out", expected, held_out)
    if not held_out:
        if needed:
            raise ParameterError(
                "Interpolation with classes needs held-out text.",
                "Hold out a share, such as 5%, or use no classes.",
            )
        return chosen
    n = corpus.n_sentences
    if n < 2:
        if needed:
            raise InputError(
                "There is only one sentence, so nothing can be held out.",
                "Use more text, with one sentence per line, or a file for --held-out.",
            )
        return chosen
    most = max(1, n * _MOST_TOKENS // max(corpus.n_tokens, 1))
    n_held = min(max(1, int(n * held_out)), most)
    edges = n_held * np.arange(min(_BLOCKS, n_held) + 1) // min(_BLOCKS, n_held)
    for k, size in enumerate(np.diff(edges).tolist()):
        middle = (2 * k + 1) * n // (2 * (len(edges) - 1))
        begin = max(0, middle - size // 2)
        chosen[begin : begin + size] = True
    return chosen
