"""Counts of adjacent words: what Brown's algorithm and exchange learn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._parameters import BrownParameters, ExchangeParameters, SpectralParameters
from firth.classes._tree import Integers
from firth.compute import ONE_THREAD, Engine, engine_for
from firth.corpus import Corpus, TextData, Vocabulary
from firth.counts import Counts, Entries, count
from firth.errors import InputError, ParameterError
from firth.store import Room

__all__ = ["Bigrams", "bigrams_of", "counted"]


@dataclass(frozen=True)
class Bigrams:
    """How often words follow each other.

    Words are in the order in which classes are learned: by decreasing count. The rare symbol, which
    stands for all words that are not kept, is one of them.
    """

    vocabulary: Vocabulary
    """The words that are kept, without the rare symbol."""
    counts: Integers
    """Tokens of each word, in order."""
    order: Integers
    """The id of each word in the vocabulary, in order; that of the rare symbol is ``len(vocabulary)``."""
    after: Entries
    """How often the word of the column follows the word of the row; int64."""
    before: Entries
    """The same, transposed."""
    across_lines: bool

    @property
    def n_words(self) -> int:
        """The number of words, including the rare symbol if there is one."""
        return len(self.counts)

    @property
    def n_tokens(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def n_pairs(self) -> int:
        return int(self.after.data.sum())

    @cached_property
    def rare(self) -> int | None:
        """The position of the rare symbol, or None."""
        found = np.flatnonzero(self.order == len(self.vocabulary))
        return int(found[0]) if len(found) else None

    def between(self, class_of: npt.NDArray[Any], n_classes: int) -> Integers:
        """How often classes follow each other; words of class -1 are ignored."""
        from firth.classes import _bigram_kernels as kernels  # here, because it imports Numba

        add_between: Any = kernels.add_between
        together = np.zeros((n_classes, n_classes), np.int64)
        add_between(*self.after[:3], class_of.astype(np.int64), together)
        return together

    def sums(self, class_of: npt.NDArray[Any], n_classes: int) -> Integers:
        """The tokens of each class; words of class -1 are ignored."""
        totals = np.zeros(n_classes + 1, np.int64)
        np.add.at(totals, class_of, self.counts)
        return totals[:n_classes]


def bigrams_of(counts: Counts, room: Room | None = None, engine: Engine = ONE_THREAD) -> Bigrams:
    """The counts of adjacent words, from counts of contexts that keep the next word apart.

    Parameters
    ----------
    counts : Counts
    room : Room, optional
        For the counts, which take 24 bytes for each pair of words.
    engine : Engine
    """
    if counts.scale != 1 or counts.contexts.block_of(1) is None:
        raise ParameterError(
            f"Contexts {counts.contexts.name} do not keep the next word apart.",
            "Count R1, LR1 or LR2 contexts, without weights.",
        )
    room = room or Room()
    tokens = np.asarray(counts.word_counts)
    order = np.argsort(-tokens, kind="stable")
    # the first transpose puts words into their order, the second one sorts the rows of the other side
    before = counts.entries.transposed(room, engine, counts.block_columns(1), order, np.int64)
    if not len(before.data):
        raise InputError(
            "The text has no adjacent words to learn classes from.",
            "Use more text, or count across sentence boundaries: --across-lines.",
        )
    return Bigrams(
        counts.vocabulary, tokens[order], order, before.transposed(room, engine), before,
        counts.parameters.across_lines,
    )  # fmt: skip


def counted(
    how: BrownParameters | SpectralParameters | ExchangeParameters,
    text: TextData | Counts,
    contexts: str,
) -> Counts:
    """The counts to learn from: those given, or those of a text."""
    if isinstance(text, Counts):
        return text
    owner = type(how).__name__
    return count(
        Corpus.of(text, f"{owner}.fit", "text"),
        contexts,
        how.min_count,
        how.vocabulary,
        across_lines=how.across_lines,
        threads=engine_for(owner, how.threads),
    )
