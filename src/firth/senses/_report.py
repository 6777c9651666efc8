"""A report on the senses of a word of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firth.corpus import Corpus, Index
from firth.errors import InputError
from firth.formats import Rows
from firth.notebook import Shown, bars
from firth.progress import count_of
from firth.senses._contexts import Contexts
from firth.senses._description import Description
from firth.senses._parameters import WINDOW, ReportParameters, SenseParameters
from firth.senses._senses import WordSenses
from firth.senses._typical import TypicalWord, company

__all__ = ["LEAST", "Sense", "SenseLine", "SenseReport", "check_frequent", "report_senses"]

LEAST = 10
"""Minimum number of occurrences of a word."""


@dataclass(frozen=True)
class SenseLine:
    """A line of the corpus that is typical of a sense."""

    left: str
    word: str
    right: str
    source: str
    original: bool
    """Whether this is the original text, not tokens joined by spaces."""
    membership: float
    """The probability of the sense in this context."""


@dataclass(frozen=True)
class Sense:
    """A sense of a word."""

    share: float
    n_contexts: int
    """Number of occurrences whose most probable sense this is."""
    words: list[TypicalWord]
    lines: list[SenseLine]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row; its words are joined by blanks."""
        words = " ".join(one.word for one in self.words)
        yield {"share": self.share, "n_contexts": self.n_contexts, "words": words}


@dataclass(frozen=True)
class SenseReport(Shown):
    """A word with its senses, the most frequent first."""

    word: str
    count: int
    n_contexts: int
    """Number of occurrences that the senses were learned from."""
    window: int | None
    given: bool
    """Whether the number of senses was given, not chosen."""
    descriptions: list[Description]
    """For each number of senses that was tried."""
    senses: Rows[Sense]

    def summary(self) -> tuple[str, list[str]]:
        """The word and its senses in words."""
        times, senses = count_of(self.count, "occurrence"), count_of(len(self.senses), "sense")
        how = [f"from {count_of(self.n_contexts, 'occurrence')}"]
        return f"{self.word}: {times}, {senses}", how

    def _notebook_rows(self) -> Iterator[tuple[str, str]]:
        for k, sense in enumerate(self.senses, 1):
            yield f"sense {k}", " ".join(one.word for one in sense.words)

    def _notebook_picture(self) -> str:
        shares = [(f"sense {k}", sense.share) for k, sense in enumerate(self.senses, 1)]
        return bars(shares, f"shares of the senses of {self.word}")


def report_senses(
    corpus: Corpus,
    word: str,
    n_senses: int | None = SenseParameters.n_senses,
    *,
    window: int | None = WINDOW,
    max_senses: int = SenseParameters.max_senses,
    seed: int = SenseParameters.seed,
    n_words: int = ReportParameters.n_words,
    n_lines: int = ReportParameters.n_lines,
    width: int = 50,
    most: int | None = None,
    index: Index | None = None,
    quick: bool = False,
    remote: bool = ReportParameters.remote,
) -> SenseReport:
    """Learn the senses of a word, and describe each of them.

    Parameters
    ----------
    corpus : Corpus
    word : str
    n_senses : int, optional
        By default the number with the shortest description of the contexts.
    window : int or None
        Number of tokens on either side; None for the whole sentence.
    max_senses : int
        Maximum number of senses to try.
    seed : int
        Random seed.
    n_words, n_lines : int
        Maximum numbers of typical words and of lines of each sense.
    width : int
        Maximum number of characters on either side in a line.
    most : int, optional
        Maximum number of occurrences to learn from, evenly spread; all by default.
    index : Index, optional
        The index of the corpus; without it, all tokens are scanned.
    quick : bool
        Show the original text only if it can be read at once.
    remote : bool
        Show the original text also from network addresses, as for ``Corpus.find``.

    Examples
    --------
    >>> import firth
    >>> from firth.senses import report_senses
    >>> lines = ["the bank of the river", "a bank near the water", "my bank lends money", "the bank counts money"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines * 5])
    >>> report = report_senses(corpus, "bank", 2)
    >>> [round(sense.share, 2) for sense in report.senses]
    [0.5, 0.5]
    """
    ReportParameters(window, n_words, n_lines, most, remote).check()
    learned = WordSenses(n_senses, max_senses=max_senses, seed=seed)
    learned.check()
    count = check_frequent(corpus, word)
    contexts = Contexts.of(corpus, word, window, most=most, index=index)
    learned.fit(contexts)
    alone = learned.n_senses_ == 1
    senses = [
        Sense(
            share=float(learned.shares_[k]),
            n_contexts=int((learned.labels_ == k).sum()),
            words=company(corpus, contexts, n_words)
            if alone
            else learned.typical_words(k, n_words),
            lines=_lines(corpus, learned, k, n_lines, width, (quick, remote)),
        )
        for k in range(learned.n_senses_)
    ]
    return SenseReport(
        word,
        count,
        len(contexts),
        window,
        n_senses is not None,
        learned.descriptions_,
        Rows(senses, Sense),
    )


def check_frequent(corpus: Corpus, word: str) -> int:
    """The number of occurrences of a word; an error if they are too few for senses."""
    count = int(corpus.vocabulary.counts[corpus.vocabulary.id(word)])
    if count < LEAST:
        times = "once" if count == 1 else f"{count} times"
        raise InputError(
            f"The word {word!r} occurs {times}; at least {LEAST} occurrences are needed to find senses.",
            "Choose a more frequent word, or learn from more text.",
        )
    return count


def _lines(
    corpus: Corpus,
    learned: WordSenses,
    sense: int,
    n: int,
    width: int,
    opening: tuple[bool, bool],
) -> list[SenseLine]:
    if not n:
        return []
    chosen = learned.typical_contexts(sense, n)
    assert learned.contexts_.places is not None  # noqa: S101
    places = learned.contexts_.places[chosen]
    hits = corpus.lines(places, places + 1, f"{width}c", *opening)
    shares = learned.memberships_[chosen, sense].tolist()
    return [
        SenseLine(hit.left, hit.word, hit.right, hit.source, hit.original, share)
        for hit, share in zip(hits, shares, strict=True)
    ]
