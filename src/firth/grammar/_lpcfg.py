"""A parser that learns from a treebank."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import InputError, ParameterError, check_choice, check_count
from firth.grammar._features import inside_features, outside_features
from firth.grammar._heads import find_heads, head_leaves
from firth.grammar._lexicon import Lexicon
from firth.grammar._numbering import Symbols
from firth.grammar._parser import CoarseGrammar, Parser
from firth.grammar._preparing import Preparation
from firth.grammar._spectral import project, smoothed_grammar
from firth.grammar._tensors import TensorGrammar
from firth.grammar._treebank import Treebank
from firth.grammar._words import GrammarWords
from firth.trees import Tree, clean

__all__ = ["LPCFG", "METHODS", "Parse"]

METHODS = ("spectral", "pcfg")

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Parse:
    """What a parser says of a sentence.

    Attributes
    ----------
    tree : Tree
    found : bool
        Whether the grammar has a tree for the sentence; if not, the tree only holds the words together.
    """

    tree: Tree
    found: bool


class LPCFG:
    """A latent-variable grammar, learned from trees (Cohen, Stratos, Collins, Foster and Ungar 2012).

    Every symbol has hidden states, which tell a subject from an object, or a verb with one object from one with two.
    They are not in the treebank; what is below and around a node tells enough of them.

    Parameters
    ----------
    n_states : int
        The most states of a symbol.
    method : {"spectral", "pcfg"}
        Spectral estimates; or no states at all, for comparison.
    vertical, horizontal : int
        How trees are made binary; see ``Preparation``.
    threshold : float
        Phrases that a grammar without states holds less probable than this are given up.

    Attributes
    ----------
    facts_ : dict
        How it was learned: trees, rules, symbols, states.

    Examples
    --------
    >>> from firth.trees import parse_trees
    >>> text = "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog)))) (S (NP (N dogs)) (VP (V see) (NP (N cats))))"
    >>> LPCFG(n_states=1).fit(parse_trees(text)).parse("the dog sees cats".split())
    (S (NP (D the) (N dog)) (VP (V sees) (NP (N cats))))
    """

    def __init__(
        self,
        n_states: int = 16,
        *,
        method: str = "spectral",
        vertical: int = 1,
        horizontal: int = 0,
        threshold: float = 1e-3,
    ) -> None:
        check_count("LPCFG", "n_states", n_states)
        check_choice("LPCFG", "method", method, METHODS)
        if not isinstance(threshold, int | float) or not 0 <= threshold < 1:
            raise ParameterError(
                f"LPCFG: threshold must be a number from 0 to below 1. Got {threshold!r}."
            )
        self.n_states, self.method, self.threshold = n_states, method, threshold
        self.preparation = Preparation(vertical, horizontal)
        self.facts_: dict[str, Any] = {}
        self._parser: Parser | None = None

    def __repr__(self) -> str:
        if not self.facts_:
            return "<LPCFG: has not learned yet>"
        return (
            f"<LPCFG of {self.facts_['n_symbols']:,} symbols and {self.facts_['n_rules']:,} rules>"
        )

    def fit(self, trees: Iterable[Tree]) -> LPCFG:
        """Learn from trees; traces and function tags in them are taken away first."""
        plain = [tree for tree in map(clean, trees) if tree is not None]
        if not plain:
            raise InputError("There are no trees to learn from.")
        binary = [self.preparation.binary(tree) for tree in plain]
        self.symbols_ = Symbols.of(binary)
        sentences = [tree.words for tree in plain]
        self.words_ = GrammarWords.learn(sentences)
        numbered = [
            self.symbols_.numbered(tree, self.words_.numbers(words))
            for tree, words in zip(binary, sentences, strict=True)
        ]
        bank = Treebank.of([node for node in numbered if node is not None], len(self.symbols_))
        lexicon = Lexicon.count(bank, self.words_.group_of(), len(self.words_.groups))
        coarse = CoarseGrammar.count(bank, lexicon)
        fine = (
            _plain(coarse, lexicon)
            if self.method == "pcfg"
            else self._spectral(bank, lexicon, sentences)
        )
        self._parser = Parser(coarse, fine, self.threshold)
        self._root = self.symbols_.name(
            int(np.argmax(coarse.roots[: len(self.symbols_.phrases)] + 1e-9))
        )
        self.facts_ = {
            "n_trees": len(plain), "n_tokens": sum(map(len, sentences)), "n_symbols": len(self.symbols_),
            "n_rules": len(bank.table), "n_words": len(self.words_.words), "dim": fine.dim,
        }  # fmt: skip
        return self

    def _spectral(
        self, bank: Treebank, lexicon: Lexicon, sentences: list[list[str]]
    ) -> TensorGrammar:
        with progress.stage("features of phrases", unit="", brief=1.0):
            heads = head_leaves(bank, find_heads(bank, self.symbols_.families()))
            inside = inside_features(bank, heads, _spelling(bank, sentences))
            outside = outside_features(bank, heads, bank.words)
        with progress.stage("singular vectors", unit="", brief=1.0):
            projection = project(bank, inside, outside, self.n_states)
        with progress.stage("tensors of rules", unit="", brief=1.0):
            return smoothed_grammar(bank, lexicon, projection)

    def parse(self, words: Sequence[str]) -> Tree:
        """The tree of a sentence; every sentence gets one."""
        return self.parses([words])[0].tree

    def parses(self, sentences: Iterable[Sequence[str]]) -> list[Parse]:
        """The trees of some sentences, and whether the grammar has them."""
        if self._parser is None:
            raise ParameterError("This LPCFG has not learned yet.", "Call fit first.")
        return [self._parse(self._parser, _checked(words)) for words in sentences]

    def _parse(self, parser: Parser, words: list[str]) -> Parse:
        numbers = self.words_.numbers(words)
        node = parser.parse(numbers)
        if node is not None:
            return Parse(self.preparation.restored(self.symbols_.named(node, words)), True)
        tags = [self._usual_tag(parser, number) for number in numbers]
        leaves = [Tree(tag, word) for tag, word in zip(tags, words, strict=True)]
        held = [self.preparation.restored(leaf) for leaf in leaves]
        return Parse(
            Tree(self.preparation.restored(Tree(self._root, leaves[:1])).label, held), False
        )

    def _usual_tag(self, parser: Parser, word: int) -> str:
        tags = parser.coarse.of_words.get(word)
        best = max(tags, key=lambda pair: pair[1])[0] if tags else len(self.symbols_.phrases)
        return self.symbols_.name(best)

    def log_prob(self, tree: Tree) -> float:
        """The logarithm of the probability of a tree; -inf where the grammar has none for it.

        Spectral estimates may be below zero; their size is taken.
        """
        if self._parser is None:
            raise ParameterError("This LPCFG has not learned yet.", "Call fit first.")
        plain = clean(tree)
        if plain is None:
            return -math.inf
        node = self.symbols_.numbered(
            self.preparation.binary(plain), self.words_.numbers(plain.words)
        )
        p = abs(self._parser.fine.tree_probability(node)) if node is not None else 0.0
        return math.log(p) if p > 0 else -math.inf


def _plain(coarse: CoarseGrammar, lexicon: Lexicon) -> TensorGrammar:
    """A grammar without states, in tensor form."""
    words = {
        (tag, word): np.array([p])
        for tag, word, p in zip(
            lexicon.tags.tolist(), lexicon.words.tolist(), lexicon.p.tolist(), strict=True
        )
    }
    return TensorGrammar(coarse.rules, coarse.p[:, None, None, None], words, coarse.roots[:, None])


def _spelling(bank: Treebank, sentences: list[list[str]]) -> list[Integers]:
    """What is told of the word of each tag: its number, itself, its last letters, its form."""
    tags = np.flatnonzero(bank.words >= 0)
    words = [word for sentence in sentences for word in sentence]

    def told(of: Callable[[str], Any]) -> Integers:
        known: dict[Any, int] = {}
        found = np.full(len(bank), -1, np.int64)
        found[tags] = [known.setdefault(of(word), len(known)) for word in words]
        return found

    def form(word: str) -> Any:
        return word[:1].isupper(), any(c.isdigit() for c in word), "-" in word

    endings = [told(lambda word, n=n: word[-n:]) for n in (1, 2, 3)]  # type: ignore[misc]
    return [bank.words, told(lambda word: word), *endings, told(form)]


def _checked(words: Sequence[str]) -> list[str]:
    if isinstance(words, str):
        raise InputError("A sentence must be a list of words, not text.", "Cut it: text.split()")
    found = list(words)
    if not found or not all(isinstance(word, str) and word for word in found):
        raise InputError(
            "A sentence must have words, and every word must be text that is not empty."
        )
    return found
