"""A search for queries, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.compute import ONE_THREAD, Engine
from firth.errors import QueryError, check_choice, check_count, wrong_parameter
from firth.find._folding import FoldedWords, fold_words
from firth.find._lexicon import Lexicon
from firth.find._parameters import FindParameters
from firth.find._patterns import Pattern, Reader
from firth.find._query import parse
from firth.find._search import Places, Ranges, search
from firth.find._writing import write_lines
from firth.formats import Rows, check_output
from firth.parameters import documents

if TYPE_CHECKING:
    from firth.corpus import Corpus, Documents, Hit, Index

__all__ = ["Finder", "Matches"]


class Matches:
    """What a query has found in a corpus; see ``Model.find``.

    Attributes
    ----------
    starts, ends : arrays of int64
        The first token of each match, ascending, and the one after its last.
    missing : list of str
        The words of the query that do not occur in the corpus.

    Examples
    --------
    >>> import firth
    >>> from firth.find import Finder
    >>> corpus = firth.Corpus.from_sentences([["the", "old", "cat"], ["the", "Old", "dog"]])
    >>> found = Finder(corpus).find("the ~old (cat|dog)")
    >>> found
    <2 matches>
    >>> found.starts.tolist(), found.ends.tolist()
    ([0, 3], [3, 6])
    >>> [hit.word for hit in found.lines(sort="M2")]
    ['the Old dog', 'the old cat']
    """

    def __init__(self, corpus: Corpus, places: Places, missing: Iterable[str] = ()) -> None:
        self._corpus = corpus
        self.starts, self.ends = places
        self.missing = list(dict.fromkeys(missing))

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        return f"<{len(self):,} match{'es' * (len(self) != 1)}>"

    @documents(FindParameters)
    def lines(
        self,
        n: int | None = 20,
        context: int | str = FindParameters.context,
        sort: str | None = FindParameters.sort,
        sample: str = FindParameters.sample,
        seed: int = FindParameters.seed,
        quick: bool = False,
        remote: bool = FindParameters.remote,
    ) -> Rows[Hit]:
        """Matches in context: a concordance.

        Lines come from the original text if it still exists and has not changed, or else from the
        tokens.

        Parameters
        ----------
        n : int, optional
            Maximum number of lines; None for all.
        quick : bool
            Use the original text only if it can be read quickly, as for ``Corpus.find``.
        """
        from firth.corpus import Hit

        return Rows(self._iter_lines(n, context, sort, sample, seed, quick, remote), Hit)

    def _iter_lines(
        self, n: int | None, context: int | str, sort: str | None, sample: str, seed: int, quick: bool, remote: bool
    ) -> Iterator[Hit]:  # fmt: skip
        chosen = self._chosen(n, sample, seed)
        starts, ends = self.starts[chosen], self.ends[chosen]
        if not sort:
            return self._corpus.iter_lines(starts, ends, context, quick, remote)
        order = _order(self._corpus, starts, ends, sort)
        return iter(self._corpus.lines(starts[order], ends[order], context, quick, remote))

    def page(
        self,
        first: int,
        n: int,
        context: int | str = FindParameters.context,
        sort: str | None = FindParameters.sort,
        quick: bool = False,
        remote: bool = FindParameters.remote,
    ) -> tuple[Rows[Hit], Places]:
        """Some of all matches in order, and where they are: ``n`` lines from number ``first`` on.

        Parameters
        ----------
        first : int
            How many lines come before.
        n : int
        context : int or str
        sort : str, optional
            Positions such as ``L1,R1``; in the order of the text without it. All matches are sorted.
        quick, remote : bool
            As for ``lines``.

        Examples
        --------
        >>> import firth
        >>> from firth.find import Finder
        >>> corpus = firth.Corpus.from_sentences([["a", "z"], ["a", "x"], ["a", "y"]])
        >>> lines, (starts, ends) = Finder(corpus).find("a").page(1, 2, sort="R1")
        >>> [line.right.strip() for line in lines], starts.tolist()
        (['y', 'z'], [4, 0])
        """
        order = _order(self._corpus, self.starts, self.ends, sort) if sort else slice(None)
        starts, ends = (places[order][first : first + n] for places in (self.starts, self.ends))
        return self._corpus.lines(starts, ends, context, quick, remote), Places(starts, ends)

    @documents(FindParameters)
    def write(
        self,
        path: str | Path,
        n: int | None = None,
        context: int | str = FindParameters.context,
        sort: str | None = FindParameters.sort,
        sample: str = FindParameters.sample,
        seed: int = FindParameters.seed,
        remote: bool = FindParameters.remote,
        documents: Documents | None = None,
    ) -> int:
        """Write the lines to a file, with the name of the source beside each; returns their number.

        Parameters
        ----------
        path : str or Path
            The file: ``.csv``, ``.tsv`` or ``.json``. It is replaced when all is written.
        n : int, optional
            Maximum number of lines; all by default.
        documents : Documents, optional
            The documents of the corpus: what is known about them is written beside each line. A column
            that lines have, too, such as ``source``, is called ``document_source``.
        """
        check_output(path)
        chosen = len(self) if n is None else min(n, len(self))
        lines = self._iter_lines(n, context, sort, sample, seed, False, remote)
        return write_lines(path, lines, len(self), chosen, documents)

    def _chosen(self, n: int | None, sample: str, seed: int) -> npt.NDArray[np.int64]:
        """Which matches are shown, ascending."""
        check_choice("Matches.lines", "sample", sample, ("even", "random", "first"))
        if n is not None:
            check_count("Matches.lines", "n", n)
        if n is None or n >= len(self):
            return np.arange(len(self))
        if sample == "random":
            chance = np.random.default_rng(seed)
            return np.sort(chance.choice(len(self), n, replace=False, shuffle=False))
        return (
            np.arange(n) if sample == "first" else np.linspace(0, len(self) - 1, n).astype(np.int64)
        )


def _order(
    corpus: Corpus, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], sort: str
) -> npt.NDArray[np.int64]:
    """Matches sorted by the words at some positions, then by their place."""
    wanted = [name.strip() for name in sort.split(",")] if sort else []
    if not all(re.fullmatch("[LMR][1-9][0-9]?", name) for name in wanted):
        rule = "positions such as L1,R1: words before (L), in (M) and after (R) a match"
        raise wrong_parameter("Matches.lines", "sort", rule, sort)
    if not len(starts):
        return np.arange(0)
    sentences = np.searchsorted(corpus.ends, starts, side="right")
    ends_of, keys = np.asarray(corpus.ends), []
    begins = np.where(sentences > 0, ends_of[sentences - 1], 0)
    for name in reversed(wanted):
        far = int(name[1:])
        at = {"L": starts - far, "M": starts + far - 1, "R": ends + far - 1}[name[0]]
        inside = (at >= begins) & (at < (ends if name[0] == "M" else ends_of[sentences]))
        keys.append(_ranks(corpus, np.where(inside, at, 0), inside))
    return np.lexsort(keys) if keys else np.arange(len(starts))


def _ranks(corpus: Corpus, at: npt.NDArray[np.int64], inside: npt.NDArray[np.bool_]) -> Any:
    """The rank of the word at each position in the order of words; nothing comes first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    there = np.asarray(corpus.ids)[at[inside]]
    rank = np.zeros(corpus.n_types, np.int64)
    rank[there] = 1
    ids = np.flatnonzero(rank)
    words = corpus.vocabulary.words.take(ids)
    folded = fold_words(words, corpus.reading.language)
    table = pa.table({"folded": folded, "word": words})
    order = pc.sort_indices(table, [("folded", "ascending"), ("word", "ascending")])
    rank[ids[order.to_numpy()]] = np.arange(1, len(ids) + 1)
    ranks = np.zeros(len(at), np.int64)
    ranks[inside] = rank[there]
    return ranks


def _no_parts(name: str) -> Any:
    raise wrong_parameter("Finder", "part", f"given, to open the {name} of a model", None)


class Finder:
    """Finds queries in a corpus.

    Parameters
    ----------
    corpus : Corpus
    index : Index, optional
        The positions of all words; without it, all tokens are scanned.
    part : callable, optional
        Opens ``classes``, ``tags`` or ``vectors`` for slots, or raises an error that says how to make it.
    folded : FoldedWords, optional
        The words of the corpus without case and accents, if they are known.
    """

    def __init__(
        self,
        corpus: Corpus,
        index: Index | None = None,
        part: Callable[[str], Any] = _no_parts,
        folded: FoldedWords | None = None,
    ) -> None:
        self._corpus, self._index = corpus, index
        self._lexicon = Lexicon(corpus, part, folded)

    def find(
        self,
        *queries: str,
        ranges: Ranges | None = None,
        engine: Engine = ONE_THREAD,
        most: int | None = None,
    ) -> Matches:
        """All matches of one of some queries.

        Where several matches start at the same token, the shortest counts. No match extends over the end
        of a sentence.

        Parameters
        ----------
        *queries : str
            See the page "Find" of the documentation.
        ranges : Ranges, optional
            Ranges of tokens, ascending and apart, in which a match must be; by default anywhere.
        engine : Engine
        most : int, optional
            Raise InputError if there are more matches; by default there is no limit.

        Raises
        ------
        QueryError
            A query cannot be read.
        """
        if not queries or not all(isinstance(query, str) for query in queries):
            raise wrong_parameter("find", "queries", "one or more str", queries)
        patterns: list[Pattern] = []
        missing: list[str] = []
        for query in queries:
            reader = Reader(self._lexicon, query)
            read = self._patterns(reader, query)
            patterns += [pattern for pattern in read if all(map(len, pattern.slots))]
            missing += reader.missing
        places = search(self._corpus, patterns, self._index, ranges, engine, most)
        return Matches(self._corpus, places, missing)

    def words(self, *queries: str) -> npt.NDArray[np.int64]:
        """The ids of the words that queries for single words stand for, ascending."""
        found = [np.empty(0, np.int64)]
        for query in queries:
            for pattern in self._patterns(Reader(self._lexicon, query), query):
                if len(pattern.slots) != 1:
                    raise QueryError(
                        "This stands for several words in a row.",
                        "Give a pattern for single words, such as econom* or [tag=4].",
                        query,
                        0,
                    )
                found.append(np.asarray(pattern.slots[0], np.int64))
        return np.unique(np.concatenate(found))

    def warm(self) -> None:
        """Compile what searches need, or load it, so that the first of them is quick."""
        rarest = np.array([self._corpus.n_types - 1])
        search(self._corpus, [Pattern((rarest, rarest), ((0, 0), (0, 0)))], self._index)

    def _patterns(self, reader: Reader, query: str) -> list[Pattern]:
        """The patterns of a query; operators may be a word of the text: ``?`` alone is a question mark."""
        word_id = self._corpus.vocabulary.find(query.strip())
        itself = [] if word_id is None else [Pattern((np.array([word_id]),), ((0, 0),))]
        if itself and not any(map(unicode.is_alnum, query)):
            return itself
        try:
            return reader.patterns(parse(query))
        except QueryError:
            if itself:
                return itself
            raise
