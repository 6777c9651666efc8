"""Brown's classes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from firth.classes._bigrams import Bigrams, bigrams_of, counted
from firth.classes._build import check_n_classes, hierarchy_from_merges, numbered
from firth.classes._merging import add_words, merge_classes
from firth.classes._parameters import BrownParameters, default_n_classes
from firth.classes._trace import Merge
from firth.compute import engine_for
from firth.corpus import TextData
from firth.counts import Counts
from firth.estimator import Estimator
from firth.store import Checkpoint

__all__ = ["BrownClasses"]


class BrownClasses(BrownParameters, Estimator):
    """Brown's classes (Brown et al. 1992), exactly as the plain algorithm finds them.

    Words become active one by one, the most frequent first. Whenever there are more than ``n_classes``
    classes, the two whose merge loses the least mutual information are merged. If losses are equal, as
    rounded integers, the most frequent word of the first class decides, then that of the second.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    merges_ : array of int64, shape (n_rows - 1, 2)
        All merges in order. A class is identified by the rank of its most frequent word; the first of a
        pair identifies the merged class.
    losses_ : array of float64
        The mutual information that each merge lost, in bits.

    Examples
    --------
    >>> import firth
    >>> sentences = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> classes = firth.BrownClasses(n_classes=3, min_count=1).fit(sentences).hierarchy_
    >>> [member.word for member in classes.members(classes.path("cat"))]
    ['cat', 'dog']
    """

    def fit(self, text: TextData | Counts) -> BrownClasses:
        """Learn classes from text.

        Parameters
        ----------
        text : Corpus, list of token lists, list of str, str, Path or Counts
            The text (see ``Corpus.of``), or counts of R1, LR1 or LR2 contexts.
        """
        self.check()
        return self.fit_bigrams(bigrams_of(counted(self, text, "R1")))

    def fit_bigrams(self, bigrams: Bigrams, checkpoint: Checkpoint | None = None) -> BrownClasses:
        """Learn classes from counts of adjacent words; interrupted work continues from a checkpoint."""
        engine = engine_for("BrownClasses", self.threads)
        n = bigrams.n_words
        m = default_n_classes(n) if self.n_classes is None else self.n_classes
        check_n_classes("BrownClasses", m, n)
        merges, losses, names = add_words(bigrams, m, engine, checkpoint or Checkpoint())
        class_of = numbered(names)
        first = np.unique(names)
        last, last_losses = merge_classes(bigrams, class_of, m, engine)
        self.merges_ = np.concatenate([merges, first[last]])
        per_bit = bigrams.n_pairs * math.log(2)
        self.losses_ = np.maximum(np.concatenate([losses, last_losses]), 0) / per_bit
        made = {"method": "brown", "refine": False}
        self.hierarchy_ = hierarchy_from_merges(
            bigrams, class_of, last, last_losses / per_bit, made, engine
        )
        self._order = bigrams.order
        return self

    def trace(self) -> Iterator[Merge]:
        """Every merge with its words and its loss; for teaching, with small texts."""
        self._check_fitted()
        words = [*self.hierarchy_.vocabulary, "(rare)"]
        name = [words[i] for i in self._order]
        n, n_active = len(name), self.hierarchy_.n_classes
        members = {i: [name[i]] for i in range(n)}
        for step, ((a, b), loss) in enumerate(
            zip(self.merges_.tolist(), self.losses_.tolist(), strict=True)
        ):
            added = name[n_active + step] if n_active + step < n else None
            yield Merge(added, tuple(members[a]), tuple(members[b]), loss)
            members[a] += members.pop(b)
