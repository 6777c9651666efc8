"""A parser that learns from a treebank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import (
    InputError,
    ParameterError,
    check_choice,
    check_count,
    wrong_parameter,
)
from firth.grammar._checking import checked_trees, checked_words, length_of, paired
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._em import log_probs
from firth.grammar._estimating import METHODS, ROUNDS, Estimate, Estimator
from firth.grammar._lexicon import Lexicon
from firth.grammar._numbering import Symbols
from firth.grammar._parser import DECODERS, Leaf, Parser
from firth.grammar._prefixes import prefix_log_probs
from firth.grammar._preparing import Preparation
from firth.grammar._results import Parse, Phrase, States, check_facts, checked_states
from firth.grammar._sampling import Sampler
from firth.grammar._saving import Saved, read_grammar, unsound, write_grammar
from firth.grammar._tensors import Node
from firth.grammar._treebank import Treebank
from firth.grammar._words import GrammarWords
from firth.parts import write_part
from firth.progress import count_of
from firth.store import Part, writing
from firth.trees import Tree, clean, retagged

__all__ = ["LONGEST", "LPCFG", "METHODS"]

LONGEST = 300
"""Sentences of more words get no tree by the grammar: with 240 symbols the charts of so many take over a gigabyte."""

_MOST_TREES = 10_000
"""Of a sentence, that can be asked for."""

Integers = npt.NDArray[np.int64]


class LPCFG:
    """A latent-variable grammar, learned from trees (Cohen, Stratos, Collins, Foster and Ungar 2012).

    Every symbol has hidden states, which tell a subject from an object, or a verb with one object from one with two.
    They are not in the treebank; what is below and around a node tells enough of them.

    Parameters
    ----------
    n_states : int
        The most states of a symbol. One that occurs seldom, or whose trees differ little, has fewer.
    method : {"spectral", "clustering", "em", "product", "pcfg"}
        Spectral estimates; clusters of phrases, counted; expectation maximisation from a random start; spectral
        estimates and clusters, which decide together: the most accurate, at half the speed; no states at all.
    rounds : int, optional
        Rounds of EM: 40 for ``em``; for ``clustering`` (0) and ``product`` (5) they begin at the clusters.
    vertical, horizontal : int
        How trees are made binary; see ``Preparation``.
    threshold : float
        Phrases that a grammar without states holds less probable than this are given up.
    decode : {"phrases", "rules"}, optional
        Which tree is the best: that with the largest sum of the probabilities of its phrases, or the largest product
        of those of its rules. By default the first for ``spectral``, the second for all others.
    cut : float
        States whose singular values are smaller than this share of the first are left out: with many states allowed and
        a larger cut, the data decide how many a symbol has.
    held_out : float
        The share of trees that are not learned from, to see how probable they are; EM ends when they are no longer
        more probable.
    seed : int
        Of clusters, and of what EM begins with.

    Attributes
    ----------
    facts_ : dict
        How it was learned: trees, rules, symbols, words, rounds; ``held_out`` tells of trees that were held out.
    states_ : list of States

    Examples
    --------
    >>> from firth.trees import parse_trees
    >>> text = "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog)))) (S (NP (N dogs)) (VP (V see) (NP (N cats))))"
    >>> LPCFG(n_states=1).fit(parse_trees(text)).parse("the dog sees cats".split())
    (S (NP (D the) (N dog)) (VP (V sees) (NP (N cats))))
    """

    def __init__(
        self, n_states: int = 16, *, method: str = "spectral", rounds: int | None = None, vertical: int = 1,
        horizontal: int = 0, threshold: float = 1e-3, decode: str | None = None, cut: float = 1e-3,
        held_out: float = 0.0, seed: int = 0,
    ) -> None:  # fmt: skip
        check_count("LPCFG", "n_states", n_states)
        check_choice("LPCFG", "method", method, METHODS)
        if rounds is not None:
            check_count("LPCFG", "rounds", rounds, least=1 if method == "em" else 0)
            if rounds and method not in ROUNDS:
                raise ParameterError(f"LPCFG: method {method} has no rounds.", "Leave rounds out.")
        for name, value in (("threshold", threshold), ("cut", cut), ("held_out", held_out)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
                raise wrong_parameter("LPCFG", name, "a number from 0 to below 1", value)
        if decode is not None:
            check_choice("LPCFG", "decode", decode, DECODERS)
        check_count("LPCFG", "seed", seed, least=0)
        self.n_states, self.method, self.threshold, self.decode = (
            n_states,
            method,
            float(threshold),
            decode,
        )
        self.rounds = ROUNDS.get(method, 0) if rounds is None else rounds
        self.cut, self.held_out, self.seed = float(cut), float(held_out), seed
        self.preparation = Preparation(vertical, horizontal)
        self.facts_: dict[str, Any] = {}
        self.states_: list[States] = []
        self._made: Parser | None = None

    def __repr__(self) -> str:
        if self._made is None:
            return "<LPCFG: has not learned yet>"
        return (
            f"<LPCFG of {self.facts_['n_symbols']:,} symbols and {self.facts_['n_rules']:,} rules>"
        )

    def parameters(self) -> dict[str, Any]:
        """How it learns and parses."""
        return {
            "n_states": self.n_states, "method": self.method, "rounds": self.rounds, "threshold": self.threshold,
            "decode": self.decode, "cut": self.cut, "held_out": self.held_out, "seed": self.seed,
            **self.preparation.parameters(),
        }  # fmt: skip

    @property
    def _parser(self) -> Parser:
        if self._made is None:
            raise ParameterError(
                "This LPCFG has not learned yet.", "Call fit first, or open a model."
            )
        return self._made

    def fit(self, trees: Iterable[Tree], classes: Mapping[str, str] | None = None) -> LPCFG:
        """Learn from trees; traces and function tags in them are taken away first.

        Parameters
        ----------
        trees : iterable of Tree
        classes : mapping of str to str, optional
            Classes of words from other text, for words that are rare in the treebank or not in it.
        """
        plain = [tree for tree in map(clean, checked_trees(trees)) if tree is not None]
        if not plain:
            raise InputError("There are no trees to learn from.")
        n_held = int(len(plain) * self.held_out)
        held = [plain[(2 * k + 1) * len(plain) // (2 * n_held)] for k in range(n_held)]
        known = {id(tree) for tree in held}
        plain = [tree for tree in plain if id(tree) not in known]
        with progress.stage("binary trees", unit="", brief=1.0):
            binary = [self.preparation.binary(tree) for tree in plain]
            self.symbols_ = Symbols.of(binary)
            sentences = [tree.words for tree in plain]
            self.words_ = GrammarWords.learn(sentences, classes)
            bank = Treebank.of(self._nodes(binary), len(self.symbols_))
            lexicon = Lexicon.count(bank, self.words_.group_of(), self.words_.n_groups)
        coarse = CoarseGrammar.count(bank, lexicon)
        aside = self._nodes(map(self.preparation.binary, held))
        estimator = Estimator(
            bank, coarse, self.symbols_.families(), sentences,
            Treebank.of(aside, len(self.symbols_)) if aside else None,
        )  # fmt: skip
        found = estimator.learn(self.method, self.n_states, self.rounds, self.cut, self.seed)
        fine = [grammar.compact() for grammar in found.fine]
        self._made = Parser(coarse, fine, self.threshold, self._decoder())
        self.states_ = self._told(bank, found)
        self.facts_ = {
            "n_trees": len(plain), "n_tokens": sum(map(len, sentences)), "n_symbols": len(self.symbols_),
            "n_rules": len(bank.table), "n_words": len(self.words_.words), "dim": found.fine[0].dim,
            "rounds": found.rounds,
        }  # fmt: skip
        if held:
            self.facts_["held_out"] = self._of_held_out(len(held), aside)
        return self

    def _decoder(self) -> str:
        return self.decode or ("phrases" if self.method == "spectral" else "rules")

    def _nodes(self, binary: Iterable[Tree]) -> list[Node]:
        """Binary trees as numbers; those with symbols that are not known are left out."""
        nodes = (self.symbols_.numbered(tree, self.words_.numbers(tree.words)) for tree in binary)
        return [node for node in nodes if node is not None]

    def _told(self, bank: Treebank, found: Estimate) -> list[States]:
        """How each symbol was split."""
        p, n = found.projection, len(self.symbols_)
        ranks = p.ranks if p else np.full(n, found.fine[0].dim)
        largest, smallest = (p.largest, p.smallest) if p else (np.zeros(n), np.zeros(n))
        return [
            States(
                self.symbols_.name(k), int(bank.symbol_counts[k]), int(ranks[k]), float(largest[k]),
                float(smallest[k]),
            )
            for k in range(n)
        ]  # fmt: skip

    def _of_held_out(self, n_trees: int, nodes: list[Node]) -> dict[str, Any]:
        """How probable held-out trees are, of those that the grammar has."""
        logs = self._log_probs(nodes)
        there = np.isfinite(logs)
        words = sum(
            length_of(node) for node, is_there in zip(nodes, there, strict=True) if is_there
        )
        bits = float(-logs[there].sum() / math.log(2))
        return {
            "n_trees": n_trees, "n_found": int(there.sum()), "bits_per_word": bits / words if words else None,
        }  # fmt: skip

    def parse(self, words: Sequence[str], tags: Sequence[str] | None = None) -> Tree:
        """The tree of a sentence; every sentence gets one.

        Parameters
        ----------
        words : sequence of str
        tags : sequence of str, optional
            The parts of speech of the words, where they are known.
        """
        return next(self.parses([words], None if tags is None else [tags])).tree

    def parses(
        self, sentences: Iterable[Sequence[str]], tags: Iterable[Sequence[str] | None] | None = None
    ) -> Iterator[Parse]:
        """The trees of some sentences, one after the other, and whether the grammar has them."""
        self._parser  # noqa: B018  an error now
        return (self.n_best(words, 1, told)[0] for words, told in paired(sentences, tags))

    def n_best(
        self, words: Sequence[str], n: int = 10, tags: Sequence[str] | None = None
    ) -> list[Parse]:
        """The best trees of a sentence, the very best first.

        Parameters
        ----------
        words : sequence of str
        n : int
            The most trees to give.
        tags : sequence of str, optional
            The parts of speech of the words, where they are known.
        """
        parser = self._parser
        check_count("LPCFG.n_best", "n", n)
        if n > _MOST_TREES:
            raise wrong_parameter("LPCFG.n_best", "n", f"at most {_MOST_TREES:,}", n)
        words, told = checked_words(words, tags)
        leaves = self._leaves(words, told)
        # trees that differ in tags only are the same where tags are told
        more = n if told is None or n == 1 else 4 * n
        nodes = parser.best(leaves, more) if len(words) <= LONGEST else []
        if not nodes:
            return [Parse(self._flat(words, leaves, told), False, -math.inf)]
        logs = self._log_probs(nodes)
        trees = [self.preparation.restored(self.symbols_.named(node, words)) for node in nodes]
        if told is not None:
            trees = [retagged(tree, told) for tree in trees]
        first: dict[str, Parse] = {}
        for tree, log in zip(trees, logs, strict=True):
            first.setdefault(tree.brackets(), Parse(tree, True, float(log)))
        return list(first.values())[:n]

    def _leaves(self, words: list[str], tags: list[str] | None) -> list[Leaf]:
        told = [self.symbols_.with_tag(tag) for tag in tags or ()]
        return self._parser.leaves(self.words_.numbers(words), told)

    def _flat(self, words: list[str], leaves: list[Leaf], tags: list[str] | None) -> Tree:
        """A tree that only holds the words of a sentence together."""
        if tags is None:
            usual = self._parser.coarse.lexicon
            tags = []
            for leaf in leaves:
                weight = leaf.p * usual.tag_counts[leaf.tags]
                best = (
                    int(leaf.tags[np.argmax(weight)])
                    if len(leaf.tags)
                    else len(self.symbols_.phrases)
                )
                tags.append(self.symbols_.tag_of(best))
        roots = self._parser.coarse.roots
        label = self.preparation.restored(
            Tree(self.symbols_.name(int(np.argmax(roots))), "x")
        ).label
        return Tree(label, [Tree(tag, word) for tag, word in zip(tags, words, strict=True)])

    def marginals(
        self, words: Sequence[str], tags: Sequence[str] | None = None, least: float = 0.01
    ) -> list[Phrase]:
        """The phrases that a sentence may have, in the order of their words; spectral estimates may lie about 0 or 1.

        Parameters
        ----------
        words : sequence of str
        tags : sequence of str, optional
            The parts of speech of the words, where they are known.
        least : float
            Less probable phrases are left out.
        """
        words, told = checked_words(words, tags)
        leaves = self._leaves(words, told)
        found = self._parser.items(leaves) if len(words) <= LONGEST else None
        if found is None:
            return []
        sums: dict[tuple[int, int, str], float] = {}
        shares = self._parser.marginals(leaves, found)
        for (symbol, i, j), p in zip(found.items.tolist(), shares.tolist(), strict=True):
            for label in self.symbols_.labels(symbol):
                sums[i, j + 1, label] = sums.get((i, j + 1, label), 0.0) + p
        order = sorted(sums.items(), key=lambda entry: (entry[0][0], -entry[0][1], -entry[1]))
        return [Phrase(label, i, j, p) for (i, j, label), p in order if p >= least]

    def log_prob(self, tree: Tree) -> float:
        """The logarithm of the probability of a tree, words among it; -inf where the grammar has none for it.

        Spectral estimates may be below zero; their size is taken.
        """
        self._parser  # noqa: B018  an error now
        [whole] = checked_trees([tree])
        plain = clean(whole)
        nodes = self._nodes([self.preparation.binary(plain)]) if plain is not None else []
        return float(self._log_probs(nodes)[0]) if nodes else -math.inf

    def _log_probs(self, nodes: list[Node]) -> npt.NDArray[np.float64]:
        """Of trees; where there are several grammars, of the mean of their probabilities."""
        if not nodes:
            return np.zeros(0)
        parser, bank = self._parser, Treebank.of(nodes, len(self.symbols_))
        logs = [log_probs(bank, parser.coarse, fine) for fine in parser.fine]
        return np.asarray(np.logaddexp.reduce(logs, axis=0) - math.log(len(logs)))

    def sentence_log_prob(self, words: Sequence[str]) -> float:
        """The logarithm of the probability of a sentence: of all its trees that are not given up as improbable."""
        words, _ = checked_words(words, None)
        leaves = self._leaves(words, None)
        found = self._parser.items(leaves) if len(words) <= LONGEST else None
        return -math.inf if found is None else self._parser.log_prob(leaves, found)

    def prefix_log_probs(self, words: Sequence[str]) -> list[float]:
        """For each word the logarithm of the probability that a sentence begins with the words so far.

        Nothing is given up: all trees of all continuations count. The time grows with the cube of the length.
        """
        words, _ = checked_words(words, None)
        if len(words) > LONGEST:
            raise InputError(
                f"A sentence of {len(words):,} words is too long; the most are {LONGEST}."
            )
        return prefix_log_probs(self._parser, self._leaves(words, None))

    def sample(self, n: int = 1, seed: int = 0, longest: int = 100) -> list[Tree]:
        """Draw trees.

        Parameters
        ----------
        n : int
        seed : int
        longest : int
            Trees with more words are drawn anew; at most 300.
        """
        check_count("LPCFG.sample", "n", n)
        check_count("LPCFG.sample", "seed", seed, least=0)
        check_count("LPCFG.sample", "longest", longest)
        if longest > LONGEST:
            raise wrong_parameter("LPCFG.sample", "longest", f"at most {LONGEST}", longest)
        sampler = Sampler(self._parser, self.words_, seed, longest)
        return [self._drawn(*sampler.draw()) for _ in range(n)]

    def _drawn(self, node: Node, words: list[str]) -> Tree:
        return self.preparation.restored(self.symbols_.named(node, words))

    def rules(self, symbol: str, n: int | None = None) -> list[tuple[str, str, float]]:
        """The rules of a symbol, the most probable first: the symbols below it, and the probability without states.

        Parameters
        ----------
        symbol : str
            As in ``states_``.
        n : int, optional
            The most rules to give; all by default.
        """
        coarse, name = self._parser.coarse, self.symbols_.name
        number = {phrase: k for k, phrase in enumerate(self.symbols_.phrases)}.get(symbol, -1)
        found = np.flatnonzero(coarse.rules[:, 0] == number)
        best = found[np.argsort(-coarse.p[found], kind="stable")][:n]
        pairs = coarse.rules[best, 1:].tolist()
        return [
            (name(b), name(c), float(p)) for (b, c), p in zip(pairs, coarse.p[best], strict=True)
        ]

    def words(self, symbol: str, n: int | None = None) -> list[tuple[str, float]]:
        """The words of a symbol, the most probable first, and their probability without states.

        Parameters
        ----------
        symbol : str
            As in ``states_``.
        n : int, optional
            The most words to give; all by default. Rare words count together, as the word ``""``.
        """
        lexicon, known = self._parser.coarse.lexicon, self.words_.words
        tags = enumerate(self.symbols_.tags, len(self.symbols_.phrases))
        found = lexicon.tags == {tag: k for k, tag in tags}.get(symbol, -1)
        sums: dict[str, float] = {}
        for word, p in zip(lexicon.words[found].tolist(), lexicon.p[found].tolist(), strict=True):
            spelled = known[word] if word < len(known) else ""
            sums[spelled] = sums.get(spelled, 0.0) + p
        return sorted(sums.items(), key=lambda entry: -entry[1])[:n]

    def write(self, model: str | Path) -> None:
        """Put this grammar into a model folder, where ``firth.load(model).grammar`` finds it.

        Parameters
        ----------
        model : str or Path
            The folder. Its grammar, if it has one, is replaced.
        """
        self._parser  # noqa: B018  an error now
        with writing(model) as writer:
            write_part(writer, "grammar", self, self.parameters())

    def describe(self) -> dict[str, Any]:
        """What a model says of it."""
        return {**self.facts_, "states": [vars(states) for states in self.states_]}

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        parser = self._parser
        write_grammar(folder, Saved(parser.coarse, parser.fine, self.symbols_, self.words_))

    def summary(self) -> tuple[str, list[str]]:
        """Sizes and method, for a person."""
        facts, most = self.facts_, max(states.n_states for states in self.states_)
        sizes = [count_of(facts["n_symbols"], "symbol"), count_of(facts["n_rules"], "rule")]
        how = [self.method] + [f"up to {count_of(most, 'state')}"] * (facts["dim"] > 1)
        return ", ".join(sizes), [*how, f"trained on {count_of(facts['n_trees'], 'tree')}"]

    @classmethod
    def load(cls, part: Part) -> LPCFG:
        """Read the files of a part and check them."""
        facts, parameters, folder = part.facts, part.parameters, part.folder
        saved = read_grammar(part.path)
        try:
            made = cls(**parameters)
            made.states_ = [checked_states(states) for states in facts["states"]]
            made.facts_ = {name: value for name, value in facts.items() if name != "states"}
            check_facts(made.facts_)
        except (ParameterError, KeyError, TypeError) as error:
            raise unsound(folder, str(error).rstrip(".")) from None
        made.symbols_, made.words_ = saved.symbols, saved.words
        made._made = Parser(saved.coarse, saved.fine, made.threshold, made._decoder())
        return made
