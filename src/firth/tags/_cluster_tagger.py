"""Tags from word classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.classes import BrownClasses, Hierarchy
from firth.corpus import Corpus, TextData
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.estimator import Estimator
from firth.tags._parameters import ClusterParameters
from firth.tags._spelling import SpellingGroups
from firth.tags._tagger import Tagger
from firth.tags._unseen import tendencies

__all__ = ["ClusterTagger"]

_TOKENS = 1 << 20
"""Tokens that are looked at at a time."""


class ClusterTagger(ClusterParameters, Estimator, Tagger):
    """Word classes as tags: every word has the tag of its class.

    Words that have no class are tagged by their spelling.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["the", "cat", "sleeps"], ["the", "dog", "sleeps"]])
    >>> classes = firth.Hierarchy.from_classes(["the", "cat", "dog", "sleeps"], ["D", "N", "N", "V"])
    >>> ClusterTagger(classes).fit(corpus).tag([["the", "dog"], ["the", "cat"]])
    [['1', '0'], ['1', '0']]
    """

    def fit(self, corpus: TextData) -> ClusterTagger:
        """Learn from text how tags follow each other.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            The text; see ``Corpus.of``.
        """
        self.check()
        corpus = Corpus.of(corpus, "ClusterTagger.fit")
        classes = self._classes_for(corpus)
        class_of = {word: int(c) for word, c in zip(classes, classes.class_of, strict=True)}
        words = [word in class_of for word in corpus.vocabulary]
        if not any(words):
            raise InputError(
                "None of the words of the corpus has a class.", "Are they of the same language?"
            )
        n = len(words) - words[::-1].index(True)  # up to the rarest word that has a class
        m = classes.n_classes
        learned = list(corpus.vocabulary)[:n]
        found = np.array([class_of.get(word, -1) for word in learned])
        groups, group = SpellingGroups.learn(learned)
        memberships = np.zeros((n, m))
        memberships[found >= 0] = np.eye(m)[found[found >= 0]]
        told = tendencies(memberships, np.asarray(corpus.vocabulary.counts[:n]), group, len(groups))
        memberships[found < 0] = told[group[found < 0]]
        tags = np.full(corpus.n_types, -1)
        tags[:n] = found
        starts, pairs = _transitions(corpus, tags, m)
        alike = groups, group
        return self._finish(
            corpus, memberships, starts.astype(float), pairs.astype(float), alike, {}
        )

    def _classes_for(self, corpus: Corpus) -> Hierarchy:
        """The classes that become tags: those given, or Brown classes of the corpus, cut to size."""
        classes = self.classes
        if classes is None:
            classes = BrownClasses(threads=self.threads).fit(corpus).hierarchy_
        if not isinstance(classes, Hierarchy):
            raise wrong_parameter("ClusterTagger", "classes", "a Hierarchy", type(classes).__name__)
        if self.n_tags is None:
            return classes
        if self.n_tags > classes.n_classes:
            raise ParameterError(
                f"{self.n_tags} tags cannot be made of {classes.n_classes} classes.",
                "Ask for fewer tags, or learn more classes.",
            )
        return classes.cut(self.n_tags)


def _transitions(
    corpus: Corpus, tags: npt.NDArray[np.int64], m: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """How often each tag begins a sentence, and how often tags follow each other; -1 is no tag."""
    starts, pairs = np.zeros(m, np.int64), np.zeros(m * m, np.int64)
    for begin in range(0, corpus.n_tokens, _TOKENS):
        end = min(begin + _TOKENS, corpus.n_tokens)
        first = np.zeros(end - begin, bool)
        first[0] = begin == 0
        a, b = np.searchsorted(corpus.ends, [begin, end])
        first[np.asarray(corpus.ends[a:b]) - begin] = True  # after the end of another sentence
        after = tags[corpus.ids[begin:end]]
        before = np.append(tags[corpus.ids[begin - 1]] if begin else -1, after[:-1])
        there = (before >= 0) & (after >= 0) & ~first
        pairs += np.bincount(before[there] * m + after[there], minlength=m * m)
        starts += np.bincount(after[first & (after >= 0)], minlength=m)
    return starts, pairs.reshape(m, m)
