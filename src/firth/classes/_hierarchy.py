"""A tree of word classes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.classes import _labels as labels
from firth.classes._drawing import drawing
from firth.classes._information import information_shares, mutual_information
from firth.classes._saving import read, save
from firth.classes._spelling import Spelling
from firth.classes._tree import Integers, Tree
from firth.corpus import MOST_TOKENS, Corpus, TextData, Vocabulary
from firth.errors import (
    InputError,
    check_choice,
    check_count,
    wrong_parameter,
)  # fmt: skip
from firth.formats import (
    CLASS_FORMATS,
    Backend,
    frame_of,
    library_of,
    read_classes,
    write_classes,
)
from firth.notebook import Shown
from firth.progress import count_of
from firth.store import Part

__all__ = ["Assignment", "Context", "Hierarchy", "Member"]

_DRAWN = 8
"""Classes of the picture in a notebook."""


@dataclass(frozen=True)
class Member:
    """A word of a class, and its count."""

    word: str
    count: int


@dataclass(frozen=True)
class Context:
    """A word that occurs beside the words of a class more often than by chance."""

    word: str
    count: int
    pmi: float
    """Pointwise mutual information, in bits."""


class Assignment(NamedTuple):
    """The class of a word, and how it was determined."""

    word: str
    path: str | None
    """None if the class is unknown."""
    source: str
    """``vocabulary``, ``contexts``, ``spelling`` or ``unknown``."""


class Hierarchy(Shown):
    """Words in classes, and classes in a binary tree.

    Every class has a *path* from the root: 0 for the left branch and 1 for the right one. The words of
    a class share its path. The left branch is the one with the more frequent first word.

    Attributes
    ----------
    vocabulary : Vocabulary
    class_of : array of int32
        The number of the class of each word; classes are numbered from left to right.
    tree : Tree
        Paths, merges and heights.
    tokens : array of int64
        The number of tokens of each class.
    follow : array of int64, shape (n_classes, n_classes), or None
        How often class d follows class c: ``follow[c, d]``.
    rare : int or None
        The class of the rare symbol, which stands for all words that are too rare to be learned.
    made : mapping
        How the classes were learned.
    names : dict of str to str
        Names that a person gave to nodes of the tree, by path.

    Examples
    --------
    >>> classes = Hierarchy.from_paths(["cat", "dog", "sat"], ["00", "00", "1"], [5, 4, 9])
    >>> classes.path("dog")
    '00'
    >>> classes.members("0")
    [Member(word='cat', count=5), Member(word='dog', count=4)]
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        class_of: npt.NDArray[np.int32],
        tree: Tree,
        tokens: Integers,
        follow: Integers | None = None,
        rare: int | None = None,
        contexts: tuple[npt.NDArray[Any], ...] | None = None,
        made: Mapping[str, Any] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.class_of = class_of
        self.tree = tree
        self.tokens = tokens
        self.follow = follow
        self.rare = rare
        self.made = dict(made or {})
        self.names = dict(names or {})
        self._contexts = contexts

    @classmethod
    def from_paths(
        cls, words: Iterable[str], paths: Iterable[str], counts: Iterable[int] | None = None
    ) -> Hierarchy:
        """Make a hierarchy from words, the path of each word, and counts.

        The order of merges is not known, so ``cut`` splits the nodes nearest to the root first.

        Parameters
        ----------
        words, paths : iterable of str
        counts : iterable of int, optional
        """
        listed, of_words = list(words), list(paths)
        numbers = [0] * len(listed) if counts is None else list(counts)
        if not listed or not len(listed) == len(of_words) == len(numbers):
            raise InputError("The numbers of words, paths and counts must be equal, and not zero.")
        tree = Tree.from_paths(sorted(set(of_words)))
        at = {path: i for i, path in enumerate(tree.paths)}
        class_of = np.array([at[path] for path in of_words], np.int32)
        return cls._plain(listed, class_of, tree, numbers, {"imported": "paths"})

    @classmethod
    def from_classes(cls, words: Iterable[str], classes: Iterable[str]) -> Hierarchy:
        """Make a hierarchy from words and the class of each word; the tree only numbers the classes."""
        listed, given = list(words), [str(c) for c in classes]
        if not listed or len(listed) != len(given):
            raise InputError("The numbers of words and classes must be equal, and not zero.")
        whole = all(c.isdecimal() and c.isascii() for c in given)
        order = sorted(set(given), key=lambda c: (len(c.lstrip("0")), c) if whole else (0, c))
        at = {c: i for i, c in enumerate(order)}
        bits = max(1, (len(order) - 1).bit_length())
        tree = Tree.from_paths([f"{i:0{bits}b}" for i in range(len(order))])
        class_of = np.array([at[c] for c in given], np.int32)
        names = {} if whole else dict(zip(tree.paths, order, strict=True))
        made = {"imported": "clustercat"}
        plain = cls._plain(listed, class_of, tree, [0] * len(listed), made)
        plain.names = names
        return plain

    @classmethod
    def _plain(
        cls, words: list[str], class_of: Any, tree: Tree, counts: list[int], made: Any
    ) -> Hierarchy:
        import pyarrow as pa

        if len(set(words)) < len(words):
            raise InputError("Every word must occur once only.")
        if min(counts) < 0 or sum(counts) > MOST_TOKENS:
            raise InputError("Counts must be at least 0, and their sum at most 2**53.")
        numbers = np.array(counts, np.int64)
        tokens = np.zeros(len(tree), np.int64)
        np.add.at(tokens, class_of, numbers)
        vocabulary = Vocabulary(pa.array(words, pa.large_string()), numbers)
        return cls(vocabulary, class_of, tree, tokens, made=made)

    @classmethod
    def read(cls, path: str | Path, format: str | None = None) -> Hierarchy:  # noqa: A002
        """Read classes from a file: ``paths`` of wcluster, or ``word TAB class`` of ClusterCat."""
        table = read_classes(path, format)
        if table.counts is None:
            return cls.from_classes(table.words, table.labels)
        return cls.from_paths(table.words, table.labels, table.counts)

    def write(self, file: str | Path | BinaryIO, format: str = "paths") -> int:  # noqa: A002
        """Write a file for other programs; returns the number of words.

        Parameters
        ----------
        file : str, Path or binary file
        format : {"paths", "clustercat"}
            ``bits TAB word TAB count``, or ``word TAB class``.
        """
        check_choice("Hierarchy.write", "format", format, CLASS_FORMATS)
        if format == "paths":
            of_words = [self.tree.paths[c] for c in self.class_of.tolist()]
        else:
            of_words = [str(c) for c in self.class_of.tolist()]
        return write_classes(file, self.words, of_words, self.vocabulary.counts.tolist(), format)

    def _notebook_picture(self) -> str:
        few = self.cut(min(_DRAWN, self.n_classes))
        return drawing(few.paths, [self.label(path) for path in few.paths])

    def __repr__(self) -> str:
        return f"<Hierarchy of {len(self):,} words in {self.n_classes:,} classes>"

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __iter__(self) -> Iterator[str]:
        return iter(self.vocabulary)

    @property
    def words(self) -> list[str]:
        return list(self.vocabulary)

    @property
    def n_classes(self) -> int:
        return len(self.tree)

    @property
    def paths(self) -> list[str]:
        """The path of each class, from left to right."""
        return self.tree.paths

    @property
    def linkage_(self) -> npt.NDArray[np.float64]:
        """The tree as a SciPy linkage matrix; heights are the mutual information lost so far."""
        return self.tree.linkage()

    def id(self, word: str) -> int:
        """The number of the class of a word; raises WordError if the word has no class."""
        return int(self.class_of[self.vocabulary.id(word, "has no class")])

    def path(self, word: str) -> str:
        """The path of the class of a word."""
        return self.tree.paths[self.id(word)]

    @cached_property
    def _by_count(self) -> Integers:
        """The ids of all words by decreasing count, ties by id; the position of a word is its rank."""
        return np.argsort(-np.asarray(self.vocabulary.counts), kind="stable")

    @cached_property
    def _by_class(self) -> tuple[Integers, Integers]:
        """The ranks of the words class by class, ascending in each, and where each class begins."""
        class_of = np.asarray(self.class_of)[self._by_count]
        ranks = np.argsort(class_of, kind="stable")
        starts = np.searchsorted(class_of[ranks], np.arange(self.n_classes + 1))
        return ranks, starts

    @cached_property
    def _known_tokens(self) -> Integers:
        """The tokens of each class without those of the rare symbol."""
        tokens = np.zeros(self.n_classes, np.int64)
        np.add.at(tokens, self.class_of, self.vocabulary.counts)
        return tokens

    @property
    def n_rare(self) -> int:
        """The number of tokens of the rare symbol."""
        return (
            0 if self.rare is None else int(self.tokens[self.rare] - self._known_tokens[self.rare])
        )

    def rare_below(self, prefix: str) -> int:
        """The number of tokens below a node that are those of the rare symbol."""
        begin, end = self.tree.span(prefix)
        return self.n_rare if self.rare is not None and begin <= self.rare < end else 0

    def is_rare(self, prefix: str) -> bool:
        """Whether a node is the class of the rare symbol, and has more of its tokens than of known words."""
        begin, end = self.tree.span(prefix)
        return end - begin == 1 and 2 * self.rare_below(prefix) > int(self.tokens[begin])

    def share(self, prefix: str) -> float | None:
        """The share of a node in the tokens of known words; None if there are no counts."""
        begin, end = self.tree.span(prefix)
        total = int(self._known_tokens.sum())
        return int(self._known_tokens[begin:end].sum()) / total if total else None

    def ids_below(self, prefix: str) -> Integers:
        """The ids of the words below a node, the most frequent first."""
        return self._ids_below(prefix, None)

    def _ids_below(self, prefix: str, n: int | None) -> Integers:
        begin, end = self.tree.span(prefix)
        ranks, starts = self._by_class
        below = ranks[starts[begin] : starts[end]]
        if n is not None and 0 < n < len(below):
            below = np.partition(below, n - 1)[:n]
        return self._by_count[np.sort(below)[:n]]

    def members(self, prefix: str = "", n: int | None = None) -> list[Member]:
        """The words below a node of the tree, the most frequent first.

        Parameters
        ----------
        prefix : str
            A path, or the beginning of one.
        n : int, optional
            Maximum number of words.
        """
        ids = self._ids_below(prefix, n)
        words = self.vocabulary.words.take(ids).to_pylist() if len(ids) else []
        counts = np.asarray(self.vocabulary.counts)[ids].tolist()
        return [Member(word, count) for word, count in zip(words, counts, strict=True)]

    def sizes(self) -> Integers:
        """The number of words in each class."""
        return np.bincount(self.class_of, minlength=self.n_classes)

    def cut(self, k: int) -> Hierarchy:
        """The hierarchy with ``k`` classes: only the last ``k - 1`` merges are undone."""
        check_count("Hierarchy.cut", "k", k)
        if k > self.n_classes:
            raise wrong_parameter(
                "Hierarchy.cut", "k", f"at most {self.n_classes:,}, the number of classes", k
            )
        return self._pruned(self.tree.cut(k))

    def truncate(self, bits: int) -> Hierarchy:
        """The hierarchy with every path cut to its first ``bits`` bits."""
        check_count("Hierarchy.truncate", "bits", bits)
        return self._pruned(self.tree.truncate(bits))

    def _pruned(self, pruned: tuple[Tree, Integers]) -> Hierarchy:
        tree, new_of = pruned
        k = len(tree)
        tokens = np.zeros(k, np.int64)
        np.add.at(tokens, new_of, self.tokens)
        follow = None
        if self.follow is not None:
            rows = np.zeros((k, self.n_classes), np.int64)
            np.add.at(rows, new_of, self.follow)
            follow = np.zeros((k, k), np.int64)
            np.add.at(follow.T, new_of, rows.T)
        rare = None if self.rare is None else int(new_of[self.rare])
        class_of = new_of[self.class_of].astype(np.int32)
        return Hierarchy(
            self.vocabulary, class_of, tree, tokens, follow, rare, None, self.made, self.names
        )

    def restrict(self, words: int) -> Hierarchy:
        """The hierarchy of the most frequent ``words`` words; classes without words stay in the tree."""
        check_count("Hierarchy.restrict", "words", words)
        counts = np.asarray(self.vocabulary.counts)
        kept = np.sort(np.argsort(-counts, kind="stable")[:words])
        vocabulary = Vocabulary(self.vocabulary.words.take(kept), counts[kept])
        return Hierarchy(
            vocabulary, self.class_of[kept], self.tree, self.tokens, self.follow, self.rare, None,
            self.made, self.names,
        )  # fmt: skip

    def renamed(self, names: Mapping[str, str]) -> Hierarchy:
        """The same hierarchy with other names for its nodes."""
        other = copy(self)
        other.names = dict(names)
        return other

    def label(self, prefix: str) -> str:
        """A short label of a node: the name that a person gave it, or typical words."""
        if prefix in self.names:
            return self.names[prefix]
        return self.automatic_label(prefix)

    def automatic_label(self, prefix: str) -> str:
        """A label made of typical words and what most words have in common."""
        begin, end = self.tree.span(prefix)
        ranks, starts = self._by_class
        if starts[begin] == starts[end] or self.is_rare(prefix):
            return labels.RARE
        largest = begin + np.argsort(-self._known_tokens[begin:end], kind="stable")
        heads = self._by_count[ranks[[starts[c] for c in largest if starts[c] < starts[c + 1]]]]
        if len(heads) < labels.N_WORDS:
            heads = self._ids_below(prefix, labels.N_LOOKED_AT)
        counts = self.vocabulary.counts
        least = labels.LEAST_SHARE * counts[heads[0]]  # rare words are not typical
        typical = [self.vocabulary[i] for i in heads[: labels.N_LOOKED_AT] if counts[i] >= least]
        return labels.label_of(
            typical, [(m.word, m.count) for m in self.members(prefix, labels.N_LOOKED_AT)]
        )

    @cached_property
    def information(self) -> npt.NDArray[np.float64] | None:
        """The share of each class in the mutual information of adjacent classes; None if unknown.

        Every pair of classes contributes half to its first and half to its second class. The shares sum
        to 1.
        """
        return None if self.follow is None else information_shares(self.follow, self.tokens)

    def contexts(self, prefix: str, n: int = 10) -> dict[str, list[Context]] | None:
        """The distinctive words before and after the words of a node; None if they are unknown.

        Rare contexts are left out, because their mutual information can be high by chance alone.

        Parameters
        ----------
        prefix : str
            The path of a class or an inner node.
        n : int
            Maximum number of words on each side.
        """
        if self._contexts is None or prefix not in self.tree.node_of:
            return None
        words, counts, pmi = (array[self.tree.node_of[prefix]] for array in self._contexts)
        return {
            side: [
                Context(self.vocabulary[w], int(counts[i][j]), round(float(pmi[i][j]), 3))
                for j, w in enumerate(words[i][:n])
                if w >= 0
            ]
            for i, side in enumerate(("before", "after"))
        }

    def assign(self, words: Sequence[str], text: TextData | None = None) -> list[Assignment]:
        """Assign classes to words, including words that were never learned.

        A word of the vocabulary has its class. A new word gets a class from its contexts if it occurs in
        ``text``, or else from its spelling: the class of rare words with the same ending and shape. If
        both fail, its class is unknown.

        Parameters
        ----------
        words : list of str
        text : Corpus, list of token lists, list of str, str or Path, optional
            Text with contexts of the new words; see ``Corpus.of``.
        """
        from firth.classes._new_words import classes_from_contexts

        wanted = [words] if isinstance(words, str) else list(words)
        known = dict(zip(wanted, self.vocabulary.find_all(wanted), strict=True))
        new = [word for word, i in known.items() if i is None]
        found: dict[str, int] = {}
        if text is not None and new:
            corpus = Corpus.of(text, "Hierarchy.assign", "text")
            found = classes_from_contexts(self, corpus, new)
        answers = []
        for word in wanted:
            i = known[word]
            if i is not None:
                answers.append(Assignment(word, self.tree.paths[self.class_of[i]], "vocabulary"))
            elif word in found:
                answers.append(Assignment(word, self.tree.paths[found[word]], "contexts"))
            else:
                c = self.spelling.class_of(word)
                path = None if c is None else self.tree.paths[c]
                answers.append(Assignment(word, path, "unknown" if path is None else "spelling"))
        return answers

    @cached_property
    def spelling(self) -> Spelling:
        """The classes that endings and shapes of words suggest."""
        return Spelling.learn(self.vocabulary, self.class_of)

    def to_table(self) -> Any:
        """An Arrow table with columns ``path``, ``word``, ``count``, ``class`` and ``label``."""
        import pyarrow as pa

        named = [self.label(path) for path in self.paths]
        return pa.table(
            {
                "path": [self.paths[c] for c in self.class_of.tolist()],
                "word": self.vocabulary.words,
                "count": np.asarray(self.vocabulary.counts),
                "class": np.asarray(self.class_of),
                "label": [named[c] for c in self.class_of.tolist()],
            }
        )

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """A frame with a row for each word.

        Parameters
        ----------
        backend : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or Polars, or an Arrow table.
        """
        library_of(backend)  # before the work
        return frame_of(self.to_table(), backend)

    def to_newick(self) -> str:
        """The tree in Newick format; leaves are named by path and label."""
        return self.tree.newick([f"{path} {self.label(path)}" for path in self.paths])

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        save(self, folder)

    @property
    def stored_contexts(self) -> tuple[npt.NDArray[Any], ...] | None:
        """Words, counts and pointwise mutual information of the contexts of all nodes."""
        return self._contexts

    def describe(self) -> dict[str, Any]:
        """The sizes of the tree."""
        return {"n_words": len(self), "n_classes": self.n_classes, "rare": self.rare}

    def summary(self) -> tuple[str, list[str]]:
        """Sizes and training options, for a person."""
        how = [str(self.made.get("method", "imported"))]
        how += ["refined"] * bool(self.made.get("refine"))
        if self.follow is not None:
            bits = mutual_information(self.follow, self.tokens) / math.log(2)
            how.append(f"mutual information {bits:.3f} bits")
        return f"{count_of(len(self), 'word')} in {self.n_classes:,} classes", how

    @classmethod
    def load(cls, part: Part) -> Hierarchy:
        """Map the files of a part into memory and check them."""
        hierarchy = cls(*read(part))
        hierarchy.made = dict(part.parameters)
        return hierarchy
