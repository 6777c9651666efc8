"""A tagger whose tags have hidden states: a special case of a grammar with hidden states.

A tagged sentence is a right-branching tree (Cohen, Stratos, Collins, Foster and Ungar 2012, section 8), so the
spectral estimates of a grammar are those of a hidden Markov model in which each tag has states.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import limit_blas
from firth.grammar._features import inside_features, outside_features
from firth.grammar._lexicon import Lexicon
from firth.grammar._smoothing import Moments
from firth.grammar._spectral import project
from firth.grammar._state_learning import word_features
from firth.grammar._treebank import Treebank
from firth.tags import LatentParameters, LatentStates, SupervisedTagger

__all__ = ["LatentTagger"]

_SLOW = 20.0
"""Smoothing of tensors, as in grammars."""
_ALIKE = 5.0
"""Weight of words that are spelled alike in the vector of a word with a tag, in occurrences."""
_RARE = 2
"""Words that are not more frequent than this are represented by their spelling."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class LatentTagger(LatentParameters, SupervisedTagger):
    """A hidden Markov model whose tags have hidden states, estimated from tagged text.

    States can distinguish, for example, articles from possessives among determiners. They are not
    annotated; they are estimated spectrally, from what is before and after a word (Cohen, Stratos, Collins,
    Foster and Ungar 2012, section 8). Words are tagged by position; without hidden states (``decode`` by
    word or by sentence) this is a ``SupervisedTagger``.

    Examples
    --------
    >>> text = [[("the", "D"), ("cat", "N"), ("sleeps", "V")], [("a", "D"), ("dog", "N"), ("barks", "V")]]
    >>> LatentTagger(n_states=2).fit(text).tag([["a", "cat", "barks"]])
    [['D', 'N', 'V']]
    """

    def fit(self, sentences: Iterable[Sequence[tuple[str, str]]]) -> LatentTagger:
        """Learn from sentences of (word, tag), as ``firth.formats.read_tagged`` gives them."""
        given = list(sentences)
        super().fit(given)
        text = [sentence for sentence in given if len(sentence)]
        number = {tag: k for k, tag in enumerate(self.tags_)}
        tags = np.array([number[tag] for sentence in text for _, tag in sentence], np.int64)
        words = [[word for word, _ in sentence] for sentence in text]
        with limit_blas(1):  # so that the result does not depend on the number of threads
            self.latent_ = self._estimated(words, tags)
        self.facts_["n_states"] = self.latent_.n_states
        return self

    def _estimated(self, sentences: list[list[str]], tags: Integers) -> LatentStates:
        observed = self.encode(sentences)
        bank = Treebank.of_tagged(
            tags, observed.symbols.astype(np.int64), observed.ends, self.n_tags_
        )
        with progress.stage("extracting features", unit="", brief=1.0):
            leaves = bank.words >= 0
            heads = np.where(leaves, np.arange(len(bank)), np.arange(len(bank)) + 1)
            known, end = np.where(leaves, bank.words, -1), 2 * self.n_tags_
            known[leaves & (bank.symbols != end)] = self._without_rare(observed.symbols)
            spelling = word_features(bank, [[*sentence, ""] for sentence in sentences])
            inside = inside_features(bank, heads, [known, *spelling[1:]])
            outside = outside_features(bank, heads, known)
        with progress.stage("computing singular vectors", unit="", brief=1.0):
            found = project(bank, inside, outside, self.n_states)
        with progress.stage("estimating tags", unit="", brief=1.0):
            pairs = _pairs(bank)
            moments = Moments.of_nodes(bank, pairs, found.inside, found.outside)
            return self._states(bank, pairs, moments)

    def _groups_of_words(self) -> Integers:
        """The symbol of unseen words that are spelled like each word."""
        n = len(self.vocabulary_)
        return n + np.array([self.groups_.find(word) for word in self.vocabulary_], np.int64)

    def _without_rare(self, symbols: npt.NDArray[np.int32]) -> Integers:
        """The symbols of tokens; those of rare words are replaced by that of their spelling."""
        rare = np.asarray(self.vocabulary_.counts) <= _RARE
        return np.where(rare[symbols], self._groups_of_words()[symbols], symbols)

    def _states(self, bank: Treebank, pairs: Lexicon, moments: Moments) -> LatentStates:
        """The tensor form of the tagger."""
        n = self.n_tags_
        a, _, b = bank.table.T
        follow, last = _transitions(bank, n, self.smoothing)
        means = moments.symbol_around[:n], moments.symbol_below[n : 2 * n], moments.symbol_below
        steps = np.einsum("ai,aj,bk->abijk", *means[:2], means[2][:n])
        finals = np.einsum("ai,aj,k->aijk", *means[:2], means[2][2 * n])
        tensors = moments.tensors(bank, _SLOW)
        is_end = b == 2 * n
        steps[a[~is_end], b[~is_end]] = tensors[~is_end]
        finals[a[is_end]] = tensors[is_end]
        [at_end] = moments.of_pairs[pairs.tags == 2 * n]
        starts, tags, vectors = self._vectors(pairs, moments)
        return LatentStates(
            starts, tags, vectors, moments.symbol_around[n : 2 * n],
            np.ascontiguousarray(steps * follow[:, :, None, None, None], np.float32),
            finals @ at_end * last[:, None, None], moments.roots[:n],
        )  # fmt: skip

    def _vectors(self, pairs: Lexicon, moments: Moments) -> tuple[Integers, Integers, Floats]:
        """Vectors of words, and of unseen words by their spelling, with each tag that they have."""
        n, groups = self.n_tags_, self._groups_of_words()
        words = pairs.tags < 2 * n
        symbols, tags = pairs.words[words], pairs.tags[words] - n
        counts, own = pairs.counts[words, None].astype(np.float64), moments.of_pairs[words]
        usual = moments.symbol_around[n : 2 * n]
        # rare words tell most about unseen ones; every word has the same weight
        keys, place = np.unique(groups[symbols] * n + tags, return_inverse=True)
        sums, sizes = _ALIKE * usual[keys % n], np.full((len(keys), 1), _ALIKE)
        np.add.at(sums, place, own)
        np.add.at(sizes, place, 1.0)
        alike = sums / sizes
        of_words = (counts * own + _ALIKE * alike[place]) / (counts + _ALIKE)
        # symbols of unseen words have higher numbers than words, and pairs are sorted by symbol
        all_symbols = np.concatenate([symbols, keys // n])
        starts = np.searchsorted(all_symbols, np.arange(self.hmm_.n_symbols + 1))
        return starts, np.concatenate([tags, keys % n]), np.concatenate([of_words, alike])


def _pairs(bank: Treebank) -> Lexicon:
    """All pairs of tag and word; their probabilities are those of the tagger."""
    places = np.flatnonzero(bank.words >= 0)
    keys, counts = np.unique(bank.words[places] << 32 | bank.symbols[places], return_counts=True)
    return Lexicon(keys & 0xFFFFFFFF, keys >> 32, np.ones(len(keys)), counts)


def _transitions(bank: Treebank, n_tags: int, smoothing: float) -> tuple[Floats, Floats]:
    """The probability of each next tag, and of the end of the sentence, after each tag."""
    counts = np.zeros((n_tags, n_tags + 1))
    a, _, b = bank.table.T
    counts[a, np.minimum(b, n_tags)] = bank.rule_counts
    usual = np.append(bank.symbol_counts[:n_tags], bank.n_trees).astype(np.float64)
    counts += smoothing * usual / usual.sum()
    p = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    return p[:, :n_tags], p[:, n_tags]
