"""The words of each tag, text with the probabilities of its tags, and an example sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus
from firth.tags import HMM, Observations, Tagger, TagWord

__all__ = ["TagGuess", "TaggedWord", "TagWords", "example", "guesses", "tagged", "word_shares"]

_LEAST = 0.005
"""Tags with a smaller probability are left out."""
_MOST_GUESSES = 6
_LOOKED_AT = 400
_SHORTEST, _LONGEST = 8, 14
_CUT_TO = 12

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TagGuess:
    """A possible tag of a word, and its probability."""

    tag: int
    share: float


@dataclass(frozen=True)
class TaggedWord:
    """A word of a text with its tag."""

    word: str
    tag: int
    known: bool
    """Whether the word is in the vocabulary of the tagger; otherwise its spelling is used."""
    guesses: list[TagGuess]
    """The most probable tags, most probable first; the chosen tag is always included."""
    parts: list[str]
    """Its parts, if there are several and the model has morphs."""


class TagWords:
    """The words that mostly have each tag, those with the most tokens first; computed for all tags at once."""

    def __init__(self, tagger: Tagger) -> None:
        self._vocabulary = tagger.vocabulary_
        n = len(self._vocabulary)
        memberships = tagger.memberships_[:n]
        mostly = memberships.argmax(axis=1)
        self._shares = memberships[np.arange(n), mostly]
        weights = self._shares * self._vocabulary.counts
        order = np.argsort(-weights, kind="stable")
        order = order[weights[order] > 0]
        self._ids = [order[mostly[order] == tag] for tag in range(tagger.n_tags_)]

    def typical(self, tag: int, n: int) -> list[TagWord]:
        """As ``Tagger.typical``, but fast."""
        counts = self._vocabulary.counts
        return [
            TagWord(self._vocabulary[i], int(counts[i]), round(float(self._shares[i]), 4))
            for i in self._ids[tag][:n].tolist()
        ]

    def n_words(self, tag: int) -> int:
        """Number of words that mostly have the tag."""
        return len(self._ids[tag])


def word_shares(tagger: Tagger, symbols: npt.NDArray[np.integer]) -> Floats:
    """The probability of each tag given the symbol, without context."""
    weights = tagger.hmm_.emission[symbols] * tagger.prior_
    totals = weights.sum(axis=1, keepdims=True)
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), 1 / tagger.n_tags_)


def guesses(shares: Floats, given: int | None = None) -> list[TagGuess]:
    """The tags that are probable enough, most probable first; the chosen one is always included."""
    order = np.argsort(-shares, kind="stable")[:_MOST_GUESSES].tolist()
    kept = [k for i, k in enumerate(order) if i == 0 or shares[k] >= _LEAST]
    if given is not None and given not in kept:
        kept = [*kept[: _MOST_GUESSES - 1], given]
    return [TagGuess(k, round(float(shares[k]), 4)) for k in kept]


def tagged(
    tagger: Tagger,
    sentences: Sequence[Sequence[str]],
    decode: str,
    split: Callable[[list[str]], list[list[str]]] = lambda words: [[]] * len(words),
) -> list[list[TaggedWord]]:
    """Sentences with their tags and tag probabilities: of the word alone, or at its position."""
    observed = tagger.encode(sentences)
    if not len(observed.symbols):
        return []
    used, places = np.unique(observed.symbols, return_inverse=True)
    local = Observations(places.astype(np.int32), observed.ends)
    if decode == "type":
        shares = word_shares(tagger, used)[places]
        chosen = shares.argmax(axis=1)
    elif decode == "posterior" and tagger.latent_ is not None:
        shares = tagger.latent_.shares(tagger.hmm_, observed)
        chosen = tagger.tag_observed(observed, decode)
    else:
        hmm = _reduced(tagger.hmm_, used)
        shares = np.concatenate([hmm.posteriors(part) for part in local.split(local.symbols)])
        chosen = hmm.decode_all(local, decode)
    known = observed.symbols < len(tagger.vocabulary_)
    words = [word for sentence in sentences for word in sentence]
    flat = [
        TaggedWord(word, int(chosen[i]), bool(known[i]), guesses(shares[i], int(chosen[i])), parts)
        for i, (word, parts) in enumerate(zip(words, split(words), strict=True))
    ]
    ends = observed.ends.tolist()
    return [flat[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _reduced(hmm: HMM, used: npt.NDArray[np.integer]) -> HMM:
    """The same model reduced to the symbols of a short text, and one symbol for all others."""
    emission = hmm.emission[used]
    rest = np.maximum(0, 1 - emission.sum(axis=0))
    return HMM(hmm.initial, hmm.transition, np.vstack([emission, rest]), threads=1)


def example(corpus: Corpus, tagger: Tagger) -> list[str]:
    """An example sentence of a corpus: of medium length, of known words, with many different tags."""
    step = max(1, corpus.n_sentences // _LOOKED_AT)
    candidates: list[list[str]] = []
    for i in range(0, corpus.n_sentences, step):
        begin, end = corpus.bounds(i)
        if _SHORTEST <= end - begin <= _LONGEST:
            candidates.append(corpus.words_between(begin, end))
    if not candidates:
        begin, end = corpus.bounds(0)
        return corpus.words_between(begin, min(end, begin + _CUT_TO))
    observed = tagger.encode(candidates)
    tags = word_shares(tagger, observed.symbols).argmax(axis=1)
    known = observed.symbols < len(tagger.vocabulary_)
    split = zip(observed.split(known), observed.split(tags), strict=True)
    scores = [(bool(seen.all()), len(np.unique(of))) for seen, of in split]
    return candidates[scores.index(max(scores))]
