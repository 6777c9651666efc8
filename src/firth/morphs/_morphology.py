"""The estimator: morphs of a language, learned from its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.corpus import Corpus, TextData, Vocabulary
from firth.errors import InputError
from firth.estimator import Estimator
from firth.morphs._given import check_split, fixed_letters
from firth.morphs._graphemes import graphemes, has_parts
from firth.morphs._lattice import Lattice, spell
from firth.morphs._learning import Learned, learn_morphs
from firth.morphs._parameters import MorphologyParameters
from firth.morphs._splitter import CACHES, Splitter

__all__ = ["Morphology"]


class Morphology(MorphologyParameters, Splitter, Estimator):
    """Morphological segmentation: words into prefixes, stems and suffixes, from a list of words alone.

    A hidden Markov model with the states prefix, stem and suffix generates each word; a word may have
    several stems. Each state has a lexicon, a Pitman-Yor process over strings. EM sums over all splits
    of all words. An affix counts by the share of its remainders that are words themselves, and an affix
    that consists of two affixes is divided. Learning is deterministic.

    Attributes
    ----------
    words_ : Vocabulary
        The words that it was learned from.
    morphs_ : Vocabulary
        The lexicon: morphs that occur in several words.
    affixes_ : list of Affix
        Prefixes and suffixes with the number of their words.
    paradigms_ : list of Paradigm
        Sets of endings that go together, with their stems.
    log_likelihoods_ : list of float
        Of each iteration. (They are not the objective: affixes are weighted by attestation.)

    Examples
    --------
    >>> import firth
    >>> stems, endings = ["walk", "talk", "jump", "climb", "start", "paint"], ["", "s", "ed", "ing"]
    >>> words = [stem + ending for stem in stems for ending in endings]
    >>> morphology = firth.Morphology().fit([word for word in words if word != "painting"])
    >>> morphology.split("walked"), morphology.split("painting")
    (['walk', 'ed'], ['paint', 'ing'])
    """

    _repr_html_ = Estimator._repr_html_  # an estimator is shown as scikit-learn shows it

    def fit(
        self, words: TextData | Vocabulary, known: Mapping[str, Sequence[str]] | None = None
    ) -> Morphology:
        """Learn from words.

        Parameters
        ----------
        words : list of str, Vocabulary, Corpus, list of token lists, str or Path
            Words; or text in any form that estimators accept. A list of str is a list of words, unless
            one of them has a blank in it: then it is a list of sentences.
        known : mapping of str to sequence of str, optional
            Splits to respect: words, and their parts.
        """
        self.check()
        vocabulary = _with_known(_words_of(words, self.min_count), known or {})
        texts = list(vocabulary)
        if not texts:
            raise InputError(
                "There are no words to learn from: no word consists of letters.",
                "Give words, or text, with a smaller min_count.",
            )
        letters = sorted({letter for word in texts for letter in graphemes(word)})
        spelled = spell(texts, {letter: k for k, letter in enumerate(letters)})
        lattice = Lattice(spelled, len(letters))
        learned = learn_morphs(
            lattice, fixed_letters(texts, spelled, known or {}), len(letters), self
        )
        self._keep(vocabulary, lattice, learned)
        self.facts_ = self._facts(len(known or {}))
        return self

    def _keep(self, vocabulary: Vocabulary, lattice: Lattice, learned: Learned) -> None:
        for name in CACHES:
            self.__dict__.pop(name, None)
        state = learned.state
        rows = np.flatnonzero(state.shares.any(axis=1))
        counts = lattice.tallies[rows, ::2].sum(axis=1).astype(np.int64)
        self.words_ = vocabulary
        self.morphs_ = _vocabulary([lattice.text(row) for row in rows.tolist()], counts)
        self.log_likelihoods_ = learned.log_likelihoods
        self._marks, self._moves = learned.marks, state.moves
        self._fresh = np.minimum(state.fresh, 1.0)  # a sum of shares may be rounded up
        self._shares, self._attested = state.shares[rows], lattice.is_stem[rows].astype(np.uint32)
        self._made = self.parameters()
        self.corrections_ = {}


def _words_of(words: Any, min_count: int) -> Vocabulary:
    """The words of anything that ``fit`` accepts, that may have parts."""
    if not isinstance(words, Corpus | Vocabulary | str | Path | Mapping) and isinstance(
        words, Iterable
    ):
        words = list(words)
        single = all(isinstance(word, str) and word and not word.split()[1:] for word in words)
        if not words:
            raise InputError("There are no words to learn from.", "Give a list of words, or text.")
        if single:
            counts: dict[str, int] = {}
            for word in words:
                word = unicode.nfc(word.strip())
                counts[word] = counts.get(word, 0) + 1
            return _kept(counts.items(), min_count)
    if not isinstance(words, Vocabulary):
        words = Corpus.of(words, "Morphology.fit", "words").vocabulary
    found: Vocabulary = words
    return _kept(zip(found, found.counts.tolist(), strict=True), min_count)


def _kept(counts: Iterable[tuple[str, int]], min_count: int) -> Vocabulary:
    """Words that may have parts, in the order of their spelling, so that only the set of words counts."""
    kept = sorted((word, n) for word, n in counts if n >= min_count and has_parts(word))
    return _vocabulary([word for word, _ in kept], np.array([n for _, n in kept], np.int64))


def _vocabulary(words: Sequence[str], counts: npt.NDArray[np.int64]) -> Vocabulary:
    import pyarrow as pa

    return Vocabulary(pa.array(words, pa.large_string()), counts)


def _with_known(vocabulary: Vocabulary, known: Mapping[str, Sequence[str]]) -> Vocabulary:
    """A vocabulary with the words whose splits are given; checks these."""
    for word, parts in known.items():
        check_split(word, parts)
    counts = dict(zip(vocabulary, vocabulary.counts.tolist(), strict=True))
    more = {word: 1 for word in map(unicode.nfc, known) if word not in counts}
    return _kept({**counts, **more}.items(), 1) if more else vocabulary
