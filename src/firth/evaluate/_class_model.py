"""The class bigram model: how well classes predict the next word, and how many classes it needs.

The model is that of Brown et al. (1992), as in Manning and Schütze (1999), equation (14.10):
``p(w2 | w1) = p(c2 | c1) p(w2 | c2)``, where c1 and c2 are the classes of w1 and w2.

``p(w | c)`` is the count of the word divided by the tokens of the class. The rare symbol is a word of
its class; its count is the tokens of the class less the counts of the other words.

``p(c2 | c1)`` has absolute discounting: with the count C(c1, c2) of a pair of classes, the sum R(c1) of
its row and the number K(c1) of nonzero cells in the row, ::

    p(c2 | c1) = (max(C(c1, c2) - d, 0) + d K(c1) p(c2)) / R(c1)

where p(c2) is the share of the class in all tokens. It is used alone if R(c1) is 0, and for the first
word of a sentence. The discount d is ``n1 / (n1 + 2 n2)`` with the numbers of cells that are 1 and 2
(Ney, Essen and Kneser 1994), limited to 0.1 to 0.9; it is 0.5 if there are no such cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes import Hierarchy, mutual_information
from firth.compute.portable import exps, logs
from firth.corpus import Corpus
from firth.errors import InputError, check_count, wrong_parameter
from firth.formats import Backend, Rows

__all__ = ["Curve", "CurveRow", "Perplexity", "curve", "perplexity"]

Integers = npt.NDArray[np.int64]
_AT_ONCE = 1 << 22
_NEAR_BEST = 1.01
_LEAST_DISCOUNT, _MOST_DISCOUNT, _NO_DISCOUNT = 0.1, 0.9, 0.5


@dataclass(frozen=True)
class Perplexity:
    """Perplexity of a text under the class bigram model.

    Attributes
    ----------
    perplexity : float
        ``exp(-log_prob / n_tokens)``. Only models with the same vocabulary can be compared, because all
        other words are one rare symbol.
    log_prob : float
        Log probability of the whole text, in nats.
    n_tokens : int
        The number of tokens that were predicted.
    n_rare : int
        The number of them that are not in the vocabulary, and were predicted as the rare symbol.
    n_skipped : int
        The number of tokens left out because they are not in the vocabulary and there is no rare symbol.
    """

    perplexity: float
    log_prob: float
    n_tokens: int
    n_rare: int
    n_skipped: int

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON."""
        return asdict(self)


class CurveRow(NamedTuple):
    """A tree cut to some classes, and how well they predict."""

    k: int
    mutual_information: float
    """Of adjacent classes, in bits."""
    perplexity: float


@dataclass(frozen=True)
class Curve:
    """How well different numbers of classes, all cut from one tree, predict.

    Attributes
    ----------
    kind : str
        ``held-out`` if the perplexity is that of a given text, or ``leave-one-out``.
    rows : tuple of CurveRow
        In the order of k.
    """

    kind: str
    rows: tuple[CurveRow, ...]

    @property
    def suggestion(self) -> int:
        """The smallest k whose perplexity is within 1 % of the best."""
        best = min(row.perplexity for row in self.rows)
        return next(row.k for row in self.rows if row.perplexity <= _NEAR_BEST * best)

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """A row for each number of classes; ``backend`` as for other results."""
        return Rows(self.rows, CurveRow).to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """The rows and the suggestion by name, for JSON."""
        rows = [row._asdict() for row in self.rows]
        return {"kind": self.kind, "suggestion": self.suggestion, "rows": rows}


class _Text(NamedTuple):
    """What must be predicted of a text, counted by class."""

    pairs: Integers
    """Tokens of a class (column) right after a class (row)."""
    firsts: Integers
    """Tokens without a token before them."""
    tokens: Integers
    word_log: float
    """The sum, over all tokens, of the logarithm of the count of the word in the model."""
    n_rare: int = 0
    n_skipped: int = 0

    @property
    def n_tokens(self) -> int:
        return int(self.tokens.sum())


def perplexity(hierarchy: Hierarchy, corpus: Corpus) -> Perplexity:
    """Predict every word of a text from the class of the word before.

    A word outside the vocabulary is the rare symbol. If the model has none, such tokens are left out,
    and the next word is predicted like the first word of a sentence. Classes that were learned across
    sentence boundaries predict across them.

    Parameters
    ----------
    hierarchy : Hierarchy
        Classes learned by Firth; imported classes do not include how often classes follow each other.
    corpus : Corpus
        Held-out text, read in the same way as the text that the classes were learned from.

    Raises
    ------
    InputError
        The classes were imported, or no word of the text can be predicted.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> classes = firth.BrownClasses(n_classes=3, min_count=1).fit(corpus).hierarchy_
    >>> new = firth.Corpus.from_sentences([["a", "cat", "sat"], ["the", "bird", "sat"]])
    >>> result = perplexity(classes, new)
    >>> round(result.perplexity, 2), result.n_tokens, result.n_skipped
    (3.93, 5, 1)
    """
    follow = _follow(hierarchy)
    text = _text_of(hierarchy, corpus)
    log_prob = _log_prob(follow, np.asarray(hierarchy.tokens), text)
    of_each = float(exps(-log_prob / text.n_tokens))
    return Perplexity(of_each, log_prob, text.n_tokens, text.n_rare, text.n_skipped)


def curve(
    hierarchy: Hierarchy, corpus: Corpus | None = None, sizes: Iterable[int] | None = None
) -> Curve:
    """Mutual information and perplexity of a tree cut to different numbers of classes.

    With a text, the perplexity at k is that of ``perplexity(hierarchy.cut(k), corpus)``. Without a text,
    every token of the training text is predicted from the counts without it (leave-one-out): the counts
    of its pair of classes, of their row, of its class, of its word and of all tokens are lowered by one,
    and the number of kinds of pairs is lowered by one if it was the only one of its pair. The discount
    stays the same. Counts of a class or a word that would become 0 are kept at 1:

    * a class seen once is as frequent without its token as with it;
    * so is a word seen once, which leave-one-out cannot predict. This changes the perplexity by the same
      factor at every k, so words seen once do not favour many classes or few.

    The classes themselves have seen all tokens, so leave-one-out favours many classes; held-out text is
    more reliable.

    Parameters
    ----------
    hierarchy : Hierarchy
        Classes learned by Firth.
    corpus : Corpus, optional
        Held-out text.
    sizes : iterable of int, optional
        Numbers of classes; by default 2, 3, 4, 6, 8, 12, 16 and so on, up to all classes.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> classes = firth.BrownClasses(n_classes=6, min_count=1).fit(corpus).hierarchy_
    >>> found = curve(classes)
    >>> [(row.k, round(row.perplexity, 2)) for row in found.rows]
    [(2, 4.59), (3, 3.59), (4, 3.69), (6, 4.32)]
    >>> found.kind, found.suggestion
    ('leave-one-out', 3)
    """
    follow, tokens = _follow(hierarchy), np.asarray(hierarchy.tokens)
    wanted = _sizes(hierarchy.n_classes, sizes)
    without = int(corpus is None)
    text = _text_of(hierarchy, corpus) if corpus is not None else _text_learned_from(hierarchy)
    rows = []
    for k in wanted:
        starts = np.searchsorted(hierarchy.tree.cut(k)[1], np.arange(k))
        cells, of_class = _blocks(follow, starts), np.add.reduceat(tokens, starts)
        log_prob = _log_prob(cells, of_class, _cut_text(text, starts), without)
        bits = mutual_information(cells, of_class) / math.log(2)
        rows.append(CurveRow(k, bits, float(exps(-log_prob / text.n_tokens))))
    return Curve("leave-one-out" if without else "held-out", tuple(rows))


def _follow(hierarchy: Hierarchy) -> Integers:
    """How often a class follows another."""
    if hierarchy.follow is None:
        raise InputError(
            "These classes were imported: how often they follow each other is unknown.",
            "Learn classes from text: firth classes learn TEXT -o MODEL",
        )
    return np.asarray(hierarchy.follow)


def _sizes(n_classes: int, sizes: Iterable[int] | None) -> list[int]:
    """Numbers of classes, sorted and without duplicates."""
    if sizes is None:
        powers = [2**i for i in range(1, n_classes.bit_length())]
        between = [3 * power // 2 for power in powers]
        return sorted({n_classes, *(k for k in powers + between if k < n_classes)})
    wanted = sorted(set(sizes))
    if not wanted:
        raise wrong_parameter("curve", "sizes", "at least one number of classes", wanted)
    for k in wanted:
        check_count("curve", "sizes", k)
    if wanted[-1] > n_classes:
        expected = f"at most {n_classes:,}, the number of classes"
        raise wrong_parameter("curve", "sizes", expected, wanted[-1])
    return wanted


def _word_counts(hierarchy: Hierarchy) -> tuple[Integers, Integers]:
    """The class and the count of every word, and last of the rare symbol: class -1 if there is none."""
    counts, class_of = np.asarray(hierarchy.vocabulary.counts), np.asarray(hierarchy.class_of)
    rare, left = -1, 0
    if hierarchy.rare is not None:
        left = int(hierarchy.tokens[hierarchy.rare] - counts[class_of == hierarchy.rare].sum())
        rare = hierarchy.rare if left > 0 else -1
    return np.append(class_of, rare).astype(np.int64), np.append(counts, left)


def _text_of(hierarchy: Hierarchy, corpus: Corpus) -> _Text:
    """What must be predicted of a corpus."""
    if not isinstance(corpus, Corpus):
        raise wrong_parameter("perplexity", "corpus", "a Corpus", type(corpus).__name__)
    ids = hierarchy.vocabulary.ids(list(corpus.vocabulary))
    # -1 is the last entry of the arrays: the rare symbol
    word_of = np.array([-1 if i is None else i for i in ids], np.int64)
    class_of, counts = (array[word_of] for array in _word_counts(hierarchy))
    met, known = np.asarray(corpus.vocabulary.counts), class_of >= 0
    if not known.any():
        raise InputError(
            "No word of the text has a class.",
            "Give a text in the same language, read in the same way.",
        )
    m = hierarchy.n_classes
    pairs, firsts = _adjacent(class_of, corpus, m, bool(hierarchy.made.get("across_lines")))
    tokens = np.zeros(m, np.int64)
    np.add.at(tokens, class_of[known], met[known])
    word_log = float((met[known] * logs(counts[known])).sum())
    n_rare, n_skipped = int(met[known & (word_of < 0)].sum()), int(met[~known].sum())
    return _Text(pairs, firsts, tokens, word_log, n_rare, n_skipped)


def _adjacent(
    class_of: Integers, corpus: Corpus, m: int, across_lines: bool
) -> tuple[Integers, Integers]:
    """How often classes follow each other in a text, and how often each comes first."""
    pairs, firsts = np.zeros(m * m, np.int64), np.zeros(m, np.int64)
    starts = np.asarray(corpus.ends)[:-1]
    last = -1
    with progress.stage("predicting words", corpus.n_tokens, "tokens", brief=1.0) as stage:
        for begin in range(0, corpus.n_tokens, _AT_ONCE):
            here = class_of[np.asarray(corpus.ids[begin : begin + _AT_ONCE])]
            before = np.concatenate([[last], here[:-1]])
            if not across_lines:
                low, high = np.searchsorted(starts, [begin, begin + len(here)])
                before[starts[low:high] - begin] = -1
            known, alone = here >= 0, before < 0
            firsts += np.bincount(here[known & alone], minlength=m)
            both = known & ~alone
            pairs += np.bincount(before[both] * m + here[both], minlength=m * m)
            last = int(here[-1])
            stage.advance(len(here))
    return pairs.reshape(m, m), firsts


def _text_learned_from(hierarchy: Hierarchy) -> _Text:
    """What must be predicted of the training text, each token without itself."""
    follow, tokens = _follow(hierarchy), np.asarray(hierarchy.tokens)
    _, counts = _word_counts(hierarchy)
    firsts = np.maximum(tokens - follow.sum(axis=0), 0)
    return _Text(follow, firsts, tokens, float((counts * logs(np.maximum(counts - 1, 1))).sum()))


def _blocks(cells: Integers, starts: Integers) -> Integers:
    """A square matrix in which neighbouring rows and neighbouring columns are summed."""
    rows = np.add.reduceat(cells, starts, axis=0)
    summed: Integers = np.add.reduceat(rows, starts, axis=1)
    return summed


def _cut_text(text: _Text, starts: Integers) -> _Text:
    firsts, tokens = (np.add.reduceat(a, starts) for a in (text.firsts, text.tokens))
    return text._replace(pairs=_blocks(text.pairs, starts), firsts=firsts, tokens=tokens)


def _discount(follow: Integers) -> float:
    """The discount of the count of each pair of classes that was seen."""
    ones, twos = (int(np.count_nonzero(follow == n)) for n in (1, 2))
    if not ones + twos:
        return _NO_DISCOUNT
    return min(max(ones / (ones + 2 * twos), _LEAST_DISCOUNT), _MOST_DISCOUNT)


def _log_prob(follow: Integers, tokens: Integers, text: _Text, without: int = 0) -> float:
    """The log probability of a text, in nats.

    Parameters
    ----------
    follow, tokens
        The counts of the model.
    text : _Text
    without : {0, 1}
        1 if every token of the text is also in the counts, and is predicted without itself.
    """
    discount = _discount(follow)
    of_class = np.maximum(tokens - without, 1)
    share = of_class / (tokens.sum() - without)
    c, d = np.nonzero(text.pairs)
    seen = follow[c, d]
    kinds = np.count_nonzero(follow, axis=1)[c] - without * (seen == 1)
    row = follow.sum(axis=1)[c] - without
    kept = np.maximum(seen - without - discount, 0)
    smoothed = (kept + discount * kinds * share[d]) / np.maximum(row, 1)
    follows = np.where(row > 0, smoothed, share[d])
    classes = (text.pairs[c, d] * logs(follows)).sum() + (text.firsts * logs(share)).sum()
    return float(classes + text.word_log - (text.tokens * logs(of_class)).sum())
