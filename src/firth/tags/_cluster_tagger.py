"""Tags from word classes."""

from __future__ import annotations

import numpy as np

from firth.classes import Hierarchy
from firth.compute import Engine
from firth.corpus import Corpus
from firth.errors import InputError, ParameterError, check_count, wrong_parameter
from firth.tags._spelling import SpellingGroups
from firth.tags._tagger import Tagger
from firth.tags._unseen import tendencies

__all__ = ["ClusterTagger"]


class ClusterTagger(Tagger):
    """Takes word classes for tags: every word has the tag of its class.

    Words that have no class are tagged by their spelling.

    Parameters
    ----------
    classes : Hierarchy
        Any tree of classes.
    n_tags : int, optional
        Where to cut the tree; by default every class is a tag.
    threads : int, optional
        All cores by default.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["the", "cat", "sleeps"], ["the", "dog", "sleeps"]])
    >>> classes = firth.Hierarchy.from_classes(["the", "cat", "dog", "sleeps"], ["D", "N", "N", "V"])
    >>> ClusterTagger(classes).fit(corpus).tag([["the", "dog"], ["the", "cat"]])
    [['1', '0'], ['1', '0']]
    """

    def __init__(
        self, classes: Hierarchy, n_tags: int | None = None, *, threads: int | Engine | None = None
    ) -> None:
        if not isinstance(classes, Hierarchy):
            raise wrong_parameter("ClusterTagger", "classes", "a Hierarchy", type(classes).__name__)
        if n_tags is not None:
            check_count("ClusterTagger", "n_tags", n_tags)
            if n_tags > classes.n_classes:
                raise ParameterError(
                    f"{n_tags} tags cannot be made of {classes.n_classes} classes.",
                    "Ask for fewer tags, or learn more classes.",
                )
        self.classes = classes if n_tags is None else classes.cut(n_tags)
        self.parameters = {"n_tags": n_tags}
        self.threads = threads

    def fit(self, corpus: Corpus) -> ClusterTagger:
        """Learn from a corpus how often tags follow each other."""
        if not isinstance(corpus, Corpus):
            raise wrong_parameter("ClusterTagger.fit", "corpus", "a Corpus", type(corpus).__name__)
        class_of = {
            word: int(c) for word, c in zip(self.classes, self.classes.class_of, strict=True)
        }
        words = [word in class_of for word in corpus.vocabulary]
        if not any(words):
            raise InputError(
                "None of the words of the corpus has a class.", "Are they of the same language?"
            )
        n = len(words) - words[::-1].index(True)  # up to the rarest word that has a class
        m = self.classes.n_classes
        learned = list(corpus.vocabulary)[:n]
        classes = np.array([class_of.get(word, -1) for word in learned])
        groups, group = SpellingGroups.learn(learned)
        memberships = np.zeros((n, m))
        memberships[classes >= 0] = np.eye(m)[classes[classes >= 0]]
        told = tendencies(memberships, np.asarray(corpus.vocabulary.counts[:n]), group, len(groups))
        memberships[classes < 0] = told[group[classes < 0]]
        tags = np.full(corpus.n_types, -1)
        tags[:n] = classes
        of_tokens = tags[np.asarray(corpus.ids)]
        first = np.zeros(corpus.n_tokens, bool)
        first[np.append(0, corpus.ends[:-1])] = True
        before, after = of_tokens[:-1], of_tokens[1:]
        there = (before >= 0) & (after >= 0) & ~first[1:]
        pairs = np.bincount(before[there] * m + after[there], minlength=m * m).reshape(m, m)
        starts = np.bincount(of_tokens[first & (of_tokens >= 0)], minlength=m)
        alike = groups, group
        return self._finish(
            corpus, memberships, starts.astype(float), pairs.astype(float), alike, {}
        )
