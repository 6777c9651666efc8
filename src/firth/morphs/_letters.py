"""How probable letters are in stems: trigrams with absolute discounting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["LetterModel"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
_DISCOUNT = 0.75


class LetterModel:
    """Unigrams, bigrams and trigrams of letters, counted with weights.

    Parameters
    ----------
    codes : array of int
        The letters of all words, one word after the other.
    starts : array of int
        Where each word begins, and the end.
    n_letters : int
        Letters are numbers below this; it stands for the beginning of a word.
    """

    def __init__(self, codes: npt.NDArray[np.int32], starts: Longs, n_letters: int) -> None:
        self.n_letters = n_letters
        self._codes = codes
        self._contexts, self._grams, self._of_context, self._of_gram = [], [], [], []
        for context in self._histories(codes, starts):
            contexts, of_context = np.unique(context, return_inverse=True)
            grams, of_gram = np.unique(of_context * n_letters + codes, return_inverse=True)
            self._contexts.append(contexts)
            self._grams.append(grams)
            self._of_context.append(of_context)
            self._of_gram.append(of_gram)

    def _histories(self, codes: npt.NDArray[np.int32], starts: Longs) -> list[Longs]:
        """The letter before each letter, and the two letters before it, as numbers."""
        before = np.full((2, len(codes)), self.n_letters, np.int64)
        for k in (1, 2):
            before[k - 1, k:] = codes[:-k]
            for place in range(k):  # there is nothing before the beginning of a word
                at = starts[:-1] + place
                before[k - 1, at[at < starts[1:]]] = self.n_letters
        return [before[0], before[1] * (self.n_letters + 1) + before[0]]

    def weigh(self, weights: Floats) -> Floats:
        """Count each letter of the words with a weight; returns ``probabilities`` of the words."""
        single = np.bincount(self._codes, weights, self.n_letters) + 1.0
        self.unigrams = single / single.sum()
        self._tables = []
        found = [self.unigrams[self._codes]]
        tables = zip(self._contexts, self._grams, self._of_context, self._of_gram, strict=True)
        for contexts, grams, of_context, of_gram in tables:
            counts = np.bincount(of_gram, weights, len(grams))
            cut = _DISCOUNT * np.minimum(counts, 1.0)
            owner = grams // self.n_letters
            sums = np.bincount(owner, counts, len(contexts)) + 1e-9
            rest = (np.bincount(owner, cut, len(contexts)) + 1e-9) / sums
            seen = (counts - cut) / sums[owner]
            self._tables.append((seen, rest))
            found.append(seen[of_gram] + rest[of_context] * found[-1])
        return np.stack(found, axis=1)

    def probabilities(self, codes: npt.NDArray[np.int32], starts: Longs) -> Floats:
        """The probability of each letter of other words: alone, after one and after two letters.

        Unknown letters are given as ``n_letters``, and are as probable as the rarest letter.
        """
        known = codes < self.n_letters
        safe = np.where(known, codes, 0)
        found = [np.where(known, self.unigrams[safe], self.unigrams.min())]
        histories = self._histories(codes, starts)
        for context, contexts, grams, (seen, rest) in zip(
            histories, self._contexts, self._grams, self._tables, strict=True
        ):
            at = np.minimum(np.searchsorted(contexts, context), len(contexts) - 1)
            has_context = contexts[at] == context
            gram = at * self.n_letters + safe
            place = np.minimum(np.searchsorted(grams, gram), len(grams) - 1)
            hit = has_context & known & (grams[place] == gram)
            backed = np.where(has_context, rest[at], 1.0) * found[-1]
            found.append(np.where(hit, seen[place], 0.0) + backed)
        return np.stack(found, axis=1)
