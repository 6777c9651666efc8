"""A quick tagger from text that people have tagged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from firth.corpus import Corpus
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.estimator import Estimator
from firth.tags._hmm import normalised
from firth.tags._parameters import SupervisedParameters
from firth.tags._spelling import SpellingGroups
from firth.tags._tagger import Tagger

__all__ = ["SupervisedTagger"]


class SupervisedTagger(SupervisedParameters, Estimator, Tagger):
    """A hidden Markov model estimated from tagged text.

    Counts are smoothed: a rare word also gets the tags of words that are spelled alike, and an
    unseen transition is as probable as its tag is frequent.

    Examples
    --------
    >>> text = [[("the", "D"), ("cat", "N"), ("sleeps", "V")], [("a", "D"), ("dog", "N"), ("barks", "V")]]
    >>> SupervisedTagger().fit(text).tag([["a", "cat", "barks"]])
    [['D', 'N', 'V']]
    """

    def fit(self, sentences: Iterable[Sequence[tuple[str, str]]]) -> SupervisedTagger:
        """Learn from sentences of (word, tag), as ``firth.formats.read_tagged`` gives them."""
        self.check()
        text = [_checked(sentence) for sentence in sentences]
        text = [sentence for sentence in text if sentence]
        if not text:
            raise InputError("There are no tagged words to learn from.")
        corpus = Corpus.from_sentences([[word for word, _ in sentence] for sentence in text])
        tags = sorted({tag for sentence in text for _, tag in sentence})
        number = {tag: k for k, tag in enumerate(tags)}
        m, n = len(tags), corpus.n_types
        of_tokens = np.array([number[tag] for sentence in text for _, tag in sentence])
        counted = np.zeros((n, m))
        np.add.at(counted, (np.asarray(corpus.ids), of_tokens), 1)
        groups, group = SpellingGroups.learn(corpus.vocabulary)
        alike = np.zeros((len(groups), m))
        rare = 1 / np.asarray(corpus.vocabulary.counts)
        np.add.at(alike, group, counted * rare[:, None])
        memberships = normalised(counted + self.sharing * normalised(alike, 1)[group], 1)
        first = np.zeros(corpus.n_tokens, bool)
        first[np.append(0, corpus.ends[:-1])] = True
        steps = of_tokens[:-1] * m + of_tokens[1:]
        pairs = np.bincount(steps[~first[1:]], minlength=m * m).reshape(m, m)
        starts = np.bincount(of_tokens[first], minlength=m)
        return self._finish(
            corpus, memberships, starts.astype(float), pairs.astype(float), (groups, group), {}, (),
            tags, self.smoothing,
        )  # fmt: skip


def _checked(sentence: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    if isinstance(sentence, str):
        raise wrong_parameter("SupervisedTagger.fit", "sentences", "lists of (word, tag)", "text")
    try:
        given = list(sentence)
        pairs = [(word, tag) for word, tag in given]
        if any(isinstance(pair, str) for pair in given):  # words of two letters
            raise ValueError
    except (TypeError, ValueError):
        raise ParameterError(
            "SupervisedTagger: every word of a sentence needs a tag: (word, tag).",
            "firth.formats.read_tagged reads such sentences from a file.",
        ) from None
    for word, tag in pairs:
        if not (isinstance(word, str) and word and isinstance(tag, str) and tag):
            raise InputError(
                f"A word and its tag must be text that is not empty; got {(word, tag)!r}."
            )
    return pairs
