"""Words that are more frequent in one text than in another.

The measures are those of corpus linguistics: the log-likelihood ratio G2 of a table of two by two
(Dunning 1993), with the sign of the difference; the binary logarithm of the ratio of relative frequencies
(Hardie 2014); the difference in per cent (Gabrielatos and Marchi 2012); and two measures of dispersion
(Gries 2008; Juilland), because a word that one document repeats is not typical of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compare._parameters import CompareParameters
from firth.compare._text import Text
from firth.counts import g2
from firth.errors import check_choice, check_count
from firth.formats import Framed, Rows

__all__ = ["Comparison", "Keyword", "compare_texts"]

Floats = npt.NDArray[np.float64]
_HALF = 0.5
"""Takes the place of a count of 0 in a ratio."""
_MILLION = 1e6


@dataclass(frozen=True)
class Keyword:
    """A word in two texts.

    Attributes
    ----------
    word : str
    count_a, count_b : int
        How often it occurs.
    per_million_a, per_million_b : float
    g2 : float
        The log-likelihood ratio; negative if the word is less frequent in A than in B.
    log_ratio : float
        The binary logarithm of the ratio of relative frequencies; 1 means twice as frequent in A.
    difference : float or None
        How much more frequent it is in A, in per cent of B; None if it does not occur in B.
    p : float
        The probability of so large a G2 if the word were as frequent in both, corrected for the number of
        words.
    parts_a, parts_b : int
        The number of documents, or stretches, in which it occurs.
    dp_a, dp_b : float
        Gries's deviation of proportions: 0 if it is spread as evenly as the text, near 1 if it is all in
        one place.
    d_a, d_b : float
        Juilland's D: 1 if it is equally frequent in all parts, 0 if it occurs in one of them.
    """

    word: str
    count_a: int
    count_b: int
    per_million_a: float
    per_million_b: float
    g2: float
    log_ratio: float
    difference: float | None
    p: float
    parts_a: int
    parts_b: int
    dp_a: float
    dp_b: float
    d_a: float
    d_b: float


@dataclass(frozen=True)
class Comparison(Framed):
    """Two texts, word by word.

    Attributes
    ----------
    a, b : Text
    words : list of str
    ids : tuple of two arrays
        Their ids in each text; -1 for words that the text does not know.
    frequencies : mapping of str to array
        The attributes of ``Keyword`` up to ``p``, in the order of ``words``.
    """

    a: Text
    b: Text
    words: list[str]
    ids: tuple[npt.NDArray[Any], npt.NDArray[Any]]
    frequencies: Mapping[str, npt.NDArray[Any]]
    _columns = tuple(field.name for field in fields(Keyword))

    @cached_property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """All attributes of ``Keyword`` but the word, in the order of ``words``."""
        return self._of(np.arange(len(self)))

    def _of(self, chosen: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """The columns of some words; how these are spread is worked out here, because that takes longest."""
        columns = {name: column[chosen] for name, column in self.frequencies.items()}
        for side, text, ids in zip("ab", (self.a, self.b), self.ids, strict=True):
            known = ids[chosen]
            for name, values, missing in zip(
                ("parts", "dp", "d"),
                text.dispersion_of(np.maximum(known, 0)),
                (0, 1, 0),
                strict=True,
            ):
                columns[f"{name}_{side}"] = np.where(
                    known >= 0, values, np.asarray(missing, values.dtype)
                )
        return {name: columns[name] for name in self._columns if name != "word"}

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Comparison of {self.a.name} and {self.b.name}: {len(self):,} words>"

    def top(self, n: int = 20, of: str = "a", by: str = "g2", level: float = 0.05) -> Rows[Keyword]:
        """The words that are most typical of one of the texts.

        Parameters
        ----------
        n : int
        of : {"a", "b"}
        by : {"g2", "ratio"}
            Which words come first: those with the largest G2, of which there is the most evidence, or those
            with the largest ratio of frequencies.
        level : float
            The largest corrected p-value.
        """
        check_count("Comparison.top", "n", n)
        check_choice("Comparison.top", "of", of, ("a", "b"))
        check_choice("Comparison.top", "by", by, ("g2", "ratio"))
        sign = 1 if of == "a" else -1
        signed = sign * self.frequencies["g2"]
        first = signed if by == "g2" else sign * self.frequencies["log_ratio"]
        order = np.lexsort([np.arange(len(self)), -signed, -first])
        kept = order[(signed[order] > 0) & (self.frequencies["p"][order] <= level)][:n]
        columns = self._of(kept)
        found = (_keyword(self.words[i], columns, k) for k, i in enumerate(kept.tolist()))
        return Rows(found, Keyword)

    def keyword(self, i: int) -> Keyword:
        """What is known about a word, by its index."""
        return _keyword(self.words[i], self.columns, i)

    def rows(self) -> list[dict[str, Any]]:
        """All words as plain data."""
        return [asdict(self.keyword(i)) for i in range(len(self))]


def _keyword(word: str, columns: Mapping[str, npt.NDArray[Any]], i: int) -> Keyword:
    values: dict[str, Any] = {name: column[i].item() for name, column in columns.items()}
    if not np.isfinite(values["difference"]):
        values["difference"] = None
    return Keyword(word, **values)


def compare_texts(a: Text, b: Text, parameters: CompareParameters | None = None) -> Comparison:
    """Compare the frequencies of all words in two texts."""
    how = parameters or CompareParameters()
    words, ids_a, ids_b = _shared(a, b, how.min_count)
    counts = [_taken(text.counts, ids) for text, ids in ((a, ids_a), (b, ids_b))]
    sizes = a.n_tokens, b.n_tokens
    rates = [count / size * _MILLION for count, size in zip(counts, sizes, strict=True)]
    smooth = [np.maximum(count, _HALF) / size for count, size in zip(counts, sizes, strict=True)]
    signed = g2(counts[0], counts[1], *sizes) * np.sign(rates[0] - rates[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = 100 * (rates[0] - rates[1]) / rates[1]
    frequencies: dict[str, npt.NDArray[Any]] = {
        "count_a": counts[0], "count_b": counts[1], "per_million_a": rates[0], "per_million_b": rates[1],
        "g2": signed, "log_ratio": np.log2(smooth[0] / smooth[1]), "difference": difference,
        "p": _CORRECTIONS[how.correction](_p(np.abs(signed))),
    }  # fmt: skip
    return Comparison(a, b, words, (ids_a, ids_b), frequencies)


def _p(statistic: Floats) -> Floats:
    """The upper tail of chi-squared with one degree of freedom."""
    from scipy.special import erfc

    found: Floats = erfc(np.sqrt(np.maximum(statistic, 0) / 2))
    return found


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(p * len(p), 1)


def _benjamini_hochberg(p: Floats) -> Floats:
    order = np.argsort(-p, kind="stable")
    ranks = np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.minimum.accumulate(p[order] * len(p) / ranks), 1)
    return corrected


_CORRECTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "benjamini-hochberg": _benjamini_hochberg,
    "bonferroni": _bonferroni,
    "none": lambda p: p,
}


def _shared(a: Text, b: Text, least: int) -> tuple[list[str], npt.NDArray[Any], npt.NDArray[Any]]:
    """The words that are frequent enough in both texts together, and their ids in each; -1 for none."""
    if a.corpus is b.corpus:
        ids = np.flatnonzero(a.counts + b.counts >= max(1, least))
        return a.corpus.vocabulary.words.take(ids).to_pylist(), ids, ids
    others = b.corpus.vocabulary.places_among(
        a.corpus.vocabulary.words
    )  # ids in A of the words of B
    in_b = np.full(a.corpus.n_types, -1, np.int64)
    known = np.flatnonzero(others >= 0)
    in_b[others[known]] = known
    both = a.counts + _taken(b.counts, in_b)
    first = np.flatnonzero(both >= max(1, least))
    new = np.flatnonzero((others < 0) & (b.counts >= max(1, least)))
    words = a.corpus.vocabulary.words.take(first).to_pylist()
    words += b.corpus.vocabulary.words.take(new).to_pylist()
    return words, np.append(first, np.full(len(new), -1)), np.append(in_b[first], new)


def _taken(values: npt.NDArray[Any], ids: npt.NDArray[Any], missing: float = 0) -> npt.NDArray[Any]:
    """Some of the values; ``missing`` for an id of -1."""
    return np.where(ids >= 0, values[np.maximum(ids, 0)], np.asarray(missing, values.dtype))
