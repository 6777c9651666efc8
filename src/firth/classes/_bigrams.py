"""Adjacent pairs of words: what Brown's algorithm and exchange learn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._tree import Integers
from firth.compute import Engine
from firth.corpus import Corpus, Vocabulary
from firth.counts import Counts, count
from firth.errors import InputError, ParameterError, wrong_parameter

__all__ = ["Bigrams", "bigrams_of", "counted"]


@dataclass(frozen=True)
class Bigrams:
    """How often words follow each other.

    Words stand in the order in which classes are learned: decreasing count. The rare symbol, which
    stands for all words that are not kept, has its place among them.
    """

    vocabulary: Vocabulary
    """The kept words. The rare symbol is not among them."""
    counts: Integers
    """Tokens of each word, in order."""
    order: Integers
    """The id of each word in the vocabulary, in order; that of the rare symbol is ``len(vocabulary)``."""
    after: Any
    """CSR array: ``after[x, y]`` is how often y follows x."""
    before: Any
    """The same, transposed."""
    across_lines: bool

    @property
    def n_words(self) -> int:
        """All words, and the rare symbol where there is one."""
        return len(self.counts)

    @property
    def n_tokens(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def n_pairs(self) -> int:
        return int(self.after.data.sum())

    @cached_property
    def rare(self) -> int | None:
        """The place of the rare symbol, None where there is none."""
        found = np.flatnonzero(self.order == len(self.vocabulary))
        return int(found[0]) if len(found) else None

    def between(self, class_of: npt.NDArray[Any], n_classes: int) -> Integers:
        """How often classes follow each other; words of class -1 do not count."""
        from scipy.sparse import coo_array

        pairs = self.after.tocoo()
        a, b = class_of[pairs.row].astype(np.int64), class_of[pairs.col].astype(np.int64)
        known = (a >= 0) & (b >= 0)
        cells = coo_array((pairs.data[known], (a[known], b[known])), shape=(n_classes, n_classes))
        together: Integers = cells.toarray()
        return together

    def sums(self, class_of: npt.NDArray[Any], n_classes: int) -> Integers:
        """The tokens of each class; words of class -1 do not count."""
        totals = np.zeros(n_classes + 1, np.int64)
        np.add.at(totals, class_of, self.counts)
        return totals[:n_classes]


def bigrams_of(counts: Counts) -> Bigrams:
    """The pairs of adjacent words among counts of any contexts that keep the next word apart."""
    from scipy.sparse import csr_array

    if counts.scale != 1 or counts.contexts.bag or 1 not in counts.contexts.offsets:
        raise ParameterError(
            f"Contexts {counts.contexts.name} do not keep the next word apart.",
            "Count R1, LR1 or LR2 contexts, without weights.",
        )
    tokens = np.asarray(counts.word_counts)
    order = np.argsort(-tokens, kind="stable")
    after = csr_array(counts.block(1)).astype(np.int64)
    if not after.nnz:
        raise InputError(
            "No two words stand side by side in the text: there is nothing to learn classes from.",
            "Use more text, or count across line ends: --across-lines.",
        )
    if np.any(order[1:] < order[:-1]):
        after = after[order][:, order]
    after.sort_indices()
    before = csr_array(after.T)
    before.sort_indices()
    return Bigrams(
        counts.vocabulary, tokens[order], order, after, before, counts.parameters.across_lines
    )


def counted(
    owner: str, text: Corpus | Counts, contexts: str, min_count: int, vocabulary: int | None,
    across_lines: bool, engine: Engine,
) -> Counts:  # fmt: skip
    """The counts to learn from: those given, or those of a corpus."""
    if isinstance(text, Counts):
        return text
    if isinstance(text, Corpus):
        return count(
            text, contexts, min_count, vocabulary, across_lines=across_lines, threads=engine
        )
    raise wrong_parameter(
        f"{owner}.fit", "text", "a Corpus or the result of firth.count", type(text).__name__
    )
