"""Phrases: words that occur in a row more often than by chance.

Sequences of two to five words are counted exactly, length by length: a sequence can occur often only if
the two sequences that lack its last and its first word do. So only these are numbered, and the memory
depends on the number of different sequences, not on the size of the text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt

from firth import progress, unicode
from firth.compare import Text, text_of
from firth.corpus import Corpus, Phrases, Reading, phrases_of
from firth.counts import association
from firth.errors import check_choice, check_count, wrong_parameter
from firth.formats import Rows
from firth.measure._measures import PhraseMeasure
from firth.model import Model
from firth.progress import count_of

__all__ = ["Phrase", "joining", "phrases"]

_LONGEST = 5
_JOINED: dict[str, Any] = {"measure": "npmi", "length": _LONGEST, "min_count": 10}
"""How phrases are found that become tokens."""
_AT_ONCE = 1 << 22
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Phrase:
    """Words in a row.

    Attributes
    ----------
    words : tuple of str
    count : int
    score : float
        The measure of association where the words hang together least: the smallest of those between
        the words before and after each place in it.
    """

    words: tuple[str, ...]
    count: int
    score: float
    columns: ClassVar[tuple[str, ...]] = ("phrase", "length", "count", "score")

    def rows(self) -> list[dict[str, Any]]:
        """Its row in a table."""
        values = " ".join(self.words), len(self.words), self.count, self.score
        return [dict(zip(self.columns, values, strict=True))]


@dataclass(frozen=True)
class _Level:
    """The frequent sequences of one length, numbered by their keys.

    A key is the number of the sequence without its last word, times the number of words, plus the last
    word. ``suffixes`` are the numbers of the sequences without their first words.
    """

    keys: Longs
    counts: Longs
    suffixes: Longs


def phrases(
    source: Model | Corpus | str | Path,
    length: int = _LONGEST,
    measure: str = "npmi",
    min_count: int = 10,
    where: str = "",
) -> Rows[Phrase]:
    """Sequences of words by a measure of association, the strongest first.

    They are within sentences, and of words with a letter or a digit.

    Parameters
    ----------
    source : Model, Corpus, str or Path
        A model or a corpus; or the name of a model folder or of a text file.
    length : int
        The longest sequences, from 2 to 5 words.
    measure : {"npmi", "g2", "pmi", "t", "logdice"}
        The measure; of three words or more, it is that of the weakest joint.
    min_count : int
        The least frequency.
    where : str
        Only in documents for which this holds, such as ``year >= 1900``.

    Examples
    --------
    >>> import firth
    >>> text = [["in", "New", "York"], ["to", "New", "York"], ["in", "a", "new", "car"]]
    >>> phrases(firth.Corpus.from_sentences(text), min_count=2)
    [Phrase(words=('New', 'York'), count=2, score=1.0)]
    """
    check_count("phrases", "length", length, least=2)
    if length > _LONGEST:
        raise wrong_parameter("phrases", "length", f"an int from 2 to {_LONGEST}", length)
    check_count("phrases", "min_count", min_count)
    check_choice("phrases", "measure", measure, get_args(PhraseMeasure))
    text = text_of(source, where)
    counts = text.counts
    wanted = (counts >= min_count) & _with_letters(text.corpus, counts >= min_count)
    words = _Level(np.flatnonzero(wanted), counts[wanted], np.zeros(int(wanted.sum()), np.int64))
    levels = [words]
    with progress.stage(
        "counting phrases", text.n_tokens * (length - 1), "tokens", brief=1.0
    ) as stage:
        for _ in range(2, length + 1):
            level = _next_level(text, levels, min_count, stage)
            if not len(level.keys):
                break
            levels.append(level)
    return _ranked(text, levels, measure)


def joining(reading: Reading) -> tuple[Callable[[Corpus], Phrases] | None, dict[str, Any]]:
    """What finds the phrases of a corpus that become tokens, None if none do; and what the manifest tells about it.

    A file is read at once, and only once: a mistake in it is an error before hours of reading, and what is told
    is what was joined.
    """
    wanted = reading.phrases
    if wanted is None:
        return None, {}
    if not isinstance(wanted, int):
        given = phrases_of(wanted, reading)
        digest = hashlib.sha256(json.dumps(list(given)).encode()).hexdigest()
        return lambda _: given, {"phrases": {"sha256": digest}}

    def strongest(corpus: Corpus) -> Phrases:
        found = [p for p in phrases(corpus, **_JOINED) if p.score > 0][:wanted]
        if not found:
            progress.notice(
                f"There are no phrases to join: none occurs {_JOINED['min_count']} times.",
                "For a small text, give a file with phrases: --phrases FILE",
            )
        elif len(found) < wanted:
            progress.notice(
                f"The text has only {count_of(len(found), 'phrase')} to join, and weak ones are among them, such as "
                f"{' '.join(found[-1].words)!r}.",
                "Ask for fewer, or give a list that you have looked at: --phrases FILE",
            )
        return Phrases(phrase.words for phrase in found)

    return strongest, {"phrases": _JOINED}


def _with_letters(corpus: Corpus, among: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    found = np.zeros(corpus.n_types, bool)
    ids = np.flatnonzero(among)
    words = corpus.vocabulary.words.take(ids).to_pylist()
    found[ids] = [any(map(unicode.is_alnum, word)) for word in words]
    return found


def _next_level(text: Text, levels: list[_Level], least: int, stage: progress.Stage) -> _Level:
    """Count the sequences that are a word longer."""
    keys, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    suffixes = np.empty(0, np.int64)
    for ids, sentences in _pieces(text):
        numbers = _numbered(ids, levels[0].keys)
        for k, level in enumerate(levels[1:], 1):
            numbers = _longer(numbers, ids, sentences, levels[0].keys, level, k)
        _, here, after = _keys(numbers, ids, sentences, levels[0].keys, len(levels))
        some, first, times = np.unique(here, return_index=True, return_counts=True)
        every = np.concatenate([keys, some])
        keys, place = np.unique(every, return_inverse=True)
        total, joined = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
        np.add.at(total, place, np.concatenate([counts, times]))
        joined[place] = np.concatenate([suffixes, after[first]])
        counts, suffixes = total, joined
        stage.advance(len(ids))
    kept = counts >= least
    return _Level(keys[kept], counts[kept], suffixes[kept])


def _pieces(text: Text) -> Iterator[tuple[Longs, Longs]]:
    """The ids of a text and the sentences they are in, some at a time; no sentence is divided."""
    ends, corpus = np.asarray(text.corpus.ends), text.corpus
    joins = np.append(text.starts[1:] == text.ends[:-1], False)
    starts, stops = text.starts[~np.append(False, joins[:-1])], text.ends[~joins]
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        begin = start
        while begin < stop:
            progress.check_interrupted()
            last = int(np.searchsorted(ends, min(begin + _AT_ONCE, stop), side="right"))
            end = int(ends[last - 1]) if last else 0
            if end <= begin:  # a very long sentence
                end = min(int(ends[last]), stop)
            first = int(np.searchsorted(ends, begin, side="right"))
            here = ends[first : int(np.searchsorted(ends, end, side="left")) + 1]
            lengths = np.diff(np.minimum(here, end), prepend=begin)
            yield (
                np.asarray(corpus.ids[begin:end]).astype(np.int64),
                np.repeat(np.arange(len(lengths)), lengths),
            )
            begin = end


def _numbered(values: Longs, keys: Longs) -> Longs:
    """The places of some values among sorted keys; -1 where they are not there."""
    places = np.minimum(np.searchsorted(keys, values), max(0, len(keys) - 1))
    return np.where(keys[places] == values, places, -1) if len(keys) else np.full(len(values), -1)


def _keys(
    numbers: Longs, ids: Longs, sentences: Longs, words: Longs, length: int
) -> tuple[Longs, Longs, Longs]:
    """Where sequences that are a word longer begin, their keys, and the numbers of their suffixes.

    ``numbers`` are those of the sequences of ``length`` words that begin at each token.
    """
    n = max(0, len(ids) - length)
    same = sentences[:n] == sentences[length : length + n]
    at = np.flatnonzero(same & (numbers[:n] >= 0) & (numbers[1 : n + 1] >= 0))
    last = np.searchsorted(words, ids[at + length])
    return at, numbers[at] * len(words) + last, numbers[at + 1]


def _longer(
    numbers: Longs, ids: Longs, sentences: Longs, words: Longs, level: _Level, length: int
) -> Longs:
    """The numbers of the sequences that are a word longer and begin at each token; -1 for rare ones."""
    found = np.full(len(ids), -1)
    at, keys, _ = _keys(numbers, ids, sentences, words, length)
    found[at] = _numbered(keys, level.keys)
    return found


def _ranked(text: Text, levels: list[_Level], measure: str) -> Rows[Phrase]:
    """All sequences with their scores, the strongest first."""
    n_words, size = len(levels[0].keys), float(text.n_tokens)
    vocabulary = text.corpus.vocabulary.words
    spelled: list[tuple[str, ...]] = [(w,) for w in vocabulary.take(levels[0].keys).to_pylist()]
    found: list[tuple[float, int, tuple[str, ...]]] = []
    single = spelled
    for k in range(1, len(levels)):
        prefix, last = np.divmod(levels[k].keys, max(1, n_words))
        scores = np.full(len(prefix), np.inf)
        left, right = _parts(levels, k)
        for before, after in zip(left, right, strict=True):
            score = association(measure, levels[k].counts.astype(np.float64), before, after, size)
            scores = np.minimum(scores, score)
        spelled = [
            (*spelled[p], *single[w]) for p, w in zip(prefix.tolist(), last.tolist(), strict=True)
        ]
        found += zip(scores.tolist(), levels[k].counts.tolist(), spelled, strict=True)
    found.sort(key=lambda row: (-row[0], -row[1], row[2]))
    return Rows((Phrase(words, count, score) for score, count, words in found), Phrase)


def _parts(levels: list[_Level], k: int) -> tuple[list[Any], list[Any]]:
    """For each place to divide sequences at, the frequencies of what is before and after it."""
    n_words = max(1, len(levels[0].keys))
    left: list[Any] = []
    right: list[Any] = []
    prefix = suffix = np.arange(len(levels[k].keys))
    for level in range(k, 0, -1):
        prefix = levels[level].keys[prefix] // n_words
        left.append(levels[level - 1].counts[prefix].astype(np.float64))
        suffix = levels[level].suffixes[suffix]
        right.append(levels[level - 1].counts[suffix].astype(np.float64))
    return left, right[::-1]
