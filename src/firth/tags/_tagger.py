"""A tagger: a hidden Markov model whose symbols are words, seen ones and unseen ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus, Reading, Vocabulary, fold_word
from firth.errors import (
    InputError,
    check_choice,
    check_count,
    check_fitted,
    wrong_parameter,
)
from firth.formats import Framed, Rows
from firth.notebook import Shown, bars
from firth.parts import write_part
from firth.progress import count_of
from firth.store import Part, has_structure, write_array, write_text, writing
from firth.tags._hmm import HMM, normalised
from firth.tags._latent import LatentStates
from firth.tags._observations import Observations
from firth.tags._parameters import DECODES
from firth.tags._spelling import SpellingGroups
from firth.tags._unseen import with_unseen

__all__ = ["TagWord", "Tagger"]

WORDS, EMISSION, TRANSITION, INITIAL, PRIOR = (
    "words.arrow", "emission.f32", "transition.f64", "initial.f64", "prior.f64",
)  # fmt: skip
GROUPS = "groups.json"
_FACTS = {"tags": [str], "anchors": [str], "lowercase": bool, "digits": str}
_SHOWN = 12
"""Tags that a notebook shows."""
_MOST = 1.001
"""Probabilities in single precision may be a little larger than one."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TagWord:
    """A word that is typical of a tag."""

    word: str
    count: int
    share: float
    """The share of the word's occurrences that have the tag, from what is known of the word alone."""


class Tagger(Shown, Framed):
    """Gives tags to words; what ``AnchorTagger`` and the others become when they have learned.

    Attributes
    ----------
    hmm_ : HMM
        Its states are the tags, its symbols the words of ``vocabulary_`` and then, one for each group of
        words that are spelled alike, words that were never seen.
    vocabulary_ : Vocabulary
    prior_ : array of shape (n_tags,)
        The share of each tag in the text.
    tags_ : list of str
        The names of the tags: numbers from 0 on, the most frequent first, or what a person called them.
    anchors_ : list of str
        The anchor word of each tag; empty where the method has none.
    facts_ : dict
        How it was learned.
    latent_ : LatentStates or None
        Hidden states of the tags, which count when words are tagged by position; see ``LatentTagger``.
    """

    decode: Any = "type"
    threads: Any = None
    method_: str = ""
    """The method that the manifest of the model names."""
    _reading = Reading()
    _lookup: dict[str, int] | None = None
    _memberships: Floats | None = None
    hmm_: HMM
    latent_: LatentStates | None = None

    def _learned(
        self, hmm: HMM, prior: Floats, vocabulary: Vocabulary, groups: SpellingGroups, tags: Sequence[str],
        reading: Reading, facts: dict[str, Any], anchors: Sequence[str] = (),
    ) -> Self:  # fmt: skip
        """Keep what was learned."""
        self.hmm_, self.prior_ = hmm, prior
        self.vocabulary_, self.groups_ = vocabulary, groups
        self.tags_, self.anchors_ = list(tags), list(anchors)
        self._first_names = list(tags)
        self._reading, self._lookup, self._memberships = reading, None, None
        self.facts_ = {
            "n_tags": hmm.n_states, "n_words": len(vocabulary), "tags": list(tags), "anchors": list(anchors),
            "lowercase": reading.lowercase, "digits": reading.digits, **facts,
        }  # fmt: skip
        if reading.tokens not in ("words", "whitespace"):
            self.facts_["tokens"] = reading.tokens
        for name in ("language", "phrases"):
            if getattr(reading, name) is not None:
                self.facts_[name] = getattr(reading, name)
        return self

    @property
    def reading(self) -> Reading:
        """How words were folded, and text was split if not into words."""
        return self._reading

    def _finish(
        self, corpus: Corpus, memberships: Floats, starts: Floats, pairs: Floats,
        alike: tuple[SpellingGroups, npt.NDArray[np.int64]], facts: dict[str, Any],
        anchors: Sequence[str] = (), tags: Sequence[str] | None = None, smoothing: float = 1.0,
    ) -> Self:  # fmt: skip
        """Keep what was learned of the first words of a corpus: a model from the tags of each word.

        ``starts`` and ``pairs`` say how often tags begin a sentence and follow each other; ``alike`` is what
        ``SpellingGroups.learn`` says of the words. So that no step is impossible, the shares of the tags
        count as ``smoothing`` more steps from each tag. Tags are put in order of their frequency, unless
        they have names.
        """
        n, m = memberships.shape
        counts = np.asarray(corpus.vocabulary.counts[:n])
        vocabulary = Vocabulary(corpus.vocabulary.words[:n], counts)
        groups, group = alike
        emission, prior = with_unseen(memberships, counts.astype(np.float64), group, len(groups))
        order = np.argsort(-prior, kind="stable") if tags is None else np.arange(m)
        emission, prior = np.ascontiguousarray(emission[:, order]), prior[order]
        more = smoothing * normalised(counts @ memberships[:, order], 0)
        follow, first = pairs[np.ix_(order, order)] + more, starts[order] + more
        hmm = HMM(normalised(first, 0), normalised(follow, 1), emission, self.threads)
        return self._learned(
            hmm, prior, vocabulary, groups, tags or [str(k) for k in range(m)], corpus.reading,
            {"n_tokens": corpus.n_tokens, **facts}, [anchors[int(k)] for k in order] if anchors else (),
        )  # fmt: skip

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        return [
            (self.tags_[k], " ".join(each.word for each in self.typical(k, 8)))
            for k in range(min(self.n_tags_, _SHOWN))
        ]

    def _notebook_picture(self) -> str:
        shares = zip(self.tags_[:_SHOWN], self.prior_.tolist(), strict=False)
        return bars(list(shares), "share of the text")

    def __repr__(self) -> str:
        return f"<Tagger: {self.n_tags_} tags, {len(self.vocabulary_):,} words>"

    @property
    def n_tags_(self) -> int:
        """The number of tags."""
        return self._hmm.n_states

    @property
    def n_tags(self) -> Any:
        """The number of tags; estimators have a parameter of this name."""
        return self.n_tags_

    @property
    def _hmm(self) -> HMM:
        check_fitted(self, hasattr(self, "hmm_"))
        return self.hmm_

    @property
    def memberships_(self) -> Floats:
        """The probability of each tag for each symbol of the model, from what is known of the word alone."""
        if self._memberships is None:
            self._memberships = normalised(self._hmm.emission * self.prior_, 1)
        return self._memberships

    def encode(self, sentences: Iterable[Sequence[str]]) -> Observations:
        """Sentences of words as symbols of the model."""
        self._hmm  # noqa: B018  an error now
        if self._lookup is None:
            self._lookup = {word: number for number, word in enumerate(self.vocabulary_)}
        known, groups, n = self._lookup, self.groups_, len(self.vocabulary_)
        symbols: list[int] = []
        ends: list[int] = []
        for sentence in sentences:
            if isinstance(sentence, str) or not isinstance(sentence, Iterable):
                raise InputError(
                    "A sentence must be a list of words, not text.", "Cut it: text.split()"
                )
            for word in sentence:
                number = known.get(word) if isinstance(word, str) else None
                if number is None:
                    if not isinstance(word, str) or not word:
                        raise InputError(f"A word must be text that is not empty; got {word!r}.")
                    folded = fold_word(word, self._reading)
                    number = known.get(folded)
                    if number is None:
                        number = n + groups.find(folded)
                symbols.append(number)
            ends.append(len(symbols))
        return Observations(np.array(symbols, np.int32), np.array(ends, np.int64))

    def tag(self, sentences: Iterable[Sequence[str]], decode: str | None = None) -> list[list[str]]:
        """The tags of the words of some sentences.

        Parameters
        ----------
        sentences : iterable of sequences of str
        decode : {"type", "posterior", "viterbi"}, optional
            By the word alone; the most probable tag of each place; the most probable tags of the whole
            sentence. By default what ``decode`` is for the tagger.
        """
        observed = self.encode(sentences)
        names = np.array(self.tags_, object)
        return [
            names[states].tolist() for states in observed.split(self.tag_observed(observed, decode))
        ]

    def tag_observed(
        self, observed: Observations, decode: str | None = None
    ) -> npt.NDArray[np.int32]:
        """The number of the tag of each token."""
        decode = decode or self.decode
        check_choice("Tagger", "decode", decode, tuple(DECODES))
        if decode == "type":
            of_symbol = self._of_symbol()
            return of_symbol[observed.symbols]
        if decode == "posterior" and self.latent_ is not None:
            return self.latent_.decode_all(self._hmm, observed)
        return self._hmm.decode_all(observed, decode)

    def tag_of_word(self) -> npt.NDArray[np.int32]:
        """The number of the most probable tag of each word of the vocabulary, from the word alone."""
        return self._of_symbol()[: len(self.vocabulary_)]

    def _of_symbol(self) -> npt.NDArray[np.int32]:
        """The most probable tag of each symbol."""
        return np.asarray((self._hmm.emission * self.prior_).argmax(axis=1), np.int32)

    def score(self, sentences: Iterable[Sequence[str]]) -> float:
        """The logarithm of the probability of some sentences, given their lengths.

        A word that was never seen has the probability of all unseen words that are spelled alike.
        """
        observed = self.encode(sentences)
        if self.latent_ is not None:
            return self.latent_.score(self._hmm, observed)
        return self._hmm.score(observed.split(observed.symbols))

    def typical(self, tag: int, n: int = 10) -> Rows[TagWord]:
        """The words that make up most of a tag, among those that mostly have it.

        Parameters
        ----------
        tag : int
            The number of the tag.
        n : int
            The most words to give.
        """
        check_count("Tagger.typical", "n", n)
        if not isinstance(tag, int) or not 0 <= tag < self.n_tags_:
            raise wrong_parameter("Tagger.typical", "tag", f"from 0 to {self.n_tags_ - 1}", tag)
        seen = len(self.vocabulary_)
        share = self.memberships_[:seen]
        mostly = share.argmax(axis=1) == tag
        weight = np.where(mostly, share[:, tag] * self.vocabulary_.counts, 0)
        best = np.argsort(-weight, kind="stable")[:n]
        words = (
            TagWord(self.vocabulary_[int(i)], int(self.vocabulary_.counts[i]), float(share[i, tag]))
            for i in best
            if weight[i] > 0
        )
        return Rows(words, TagWord)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each tag: its name, share, anchor and typical words."""
        for k, name in enumerate(self.tags_):
            yield {
                "tag": k,
                "name": name,
                "share": float(self.prior_[k]),
                "anchor": self.anchors_[k] if self.anchors_ else None,
                "first": float(self.hmm_.initial[k]),
                "words": " ".join(found.word for found in self.typical(k)),
            }

    def renamed(self, names: Mapping[str, str]) -> Tagger:
        """The same tagger with other names for tags, by their numbers; the rest have their first names."""
        self._hmm  # noqa: B018  an error now
        other = Tagger()
        other.__dict__.update(self.__dict__)
        other.tags_ = [names.get(str(k), tag) for k, tag in enumerate(self._first_names)]
        other.facts_ = {**self.facts_, "tags": other.tags_}
        return other

    def write(self, model: str | Path) -> None:
        """Put this tagger into a model folder, where ``firth.load(model).tags`` finds it.

        Parameters
        ----------
        model : str or Path
            The folder. Its tags, if it has any, are replaced.
        """
        self._hmm  # noqa: B018  an error now
        made = {"method": type(self).__name__, "decode": self.decode, "tags": self.tags_}
        with writing(model) as writer:
            write_part(writer, "tags", self, made)

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        hmm = self._hmm
        self.vocabulary_.save(folder / WORDS)
        write_array(folder / EMISSION, hmm.emission)
        for name, array in (
            (TRANSITION, hmm.transition),
            (INITIAL, hmm.initial),
            (PRIOR, self.prior_),
        ):
            write_array(folder / name, array)
        text = json.dumps(self.groups_.keys, ensure_ascii=False)
        write_text(folder / GROUPS, text)
        if self.latent_ is not None:
            self.latent_.save(folder)

    def describe(self) -> dict[str, Any]:
        """What was learned, and how."""
        return self.facts_

    def summary(self) -> tuple[str, list[str]]:
        """Sizes and method, for a person."""
        how = [self.method_] if self.method_ else []
        if self.latent_ is not None:
            how.append(f"up to {count_of(self.latent_.n_states, 'state')}")
        named = sum(a != b for a, b in zip(self.tags_, self._first_names, strict=True))
        how += [f"{named} named"] * bool(named)
        return f"{count_of(self.n_tags_, 'tag')}, {count_of(len(self.vocabulary_), 'word')}", how

    @classmethod
    def load(cls, part: Part) -> Tagger:
        """Read the files of a part and check them."""
        facts = part.facts
        part.require(has_structure(facts, _FACTS), "its manifest is incomplete")
        tags, anchors, keys = facts["tags"], facts["anchors"], part.json(GROUPS, [str])
        part.require(
            tags and all(tags) and len(set(tags)) == len(tags) and all(anchors)
            and len(anchors) in (0, len(tags)),
            "tag names are missing or repeated",
        )  # fmt: skip
        part.require(keys, "its spelling groups are missing")
        vocabulary = Vocabulary.load(part, WORDS, ordered=False)
        m, n = len(tags), len(vocabulary) + len(keys)
        emission, transition, initial, prior = (
            part.array(name, shape, 0, _MOST).astype(np.float64)
            for name, shape in (
                (EMISSION, (n, m)), (TRANSITION, (m, m)), (INITIAL, m), (PRIOR, m)
            )
        )  # fmt: skip
        sums = emission.sum(axis=0), np.atleast_1d(prior.sum())
        part.require(
            all((np.abs(some - 1) < _MOST - 1).all() for some in sums),
            "its probabilities do not sum to one",
        )
        # single precision adds up to one only nearly
        hmm = HMM(initial, transition, normalised(emission, 0))
        reading = Reading.restored(facts)
        tagger = Tagger()
        decode = part.parameters.get("decode")
        tagger.decode = decode if decode in tuple(DECODES) else "type"
        tagger.method_ = str(part.parameters.get("method", ""))
        if "n_states" in facts:
            tagger.latent_ = LatentStates.load(part, n, m)
        known = {"n_tags", "n_words", "tags", "anchors", "lowercase", "digits", "language"}
        rest = {name: value for name, value in facts.items() if name not in known}
        return tagger._learned(
            hmm,
            normalised(prior, 0),
            vocabulary,
            SpellingGroups(keys),
            tags,
            reading,
            rest,
            anchors,
        )
