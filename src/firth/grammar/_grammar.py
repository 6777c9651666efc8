"""A grammar that has been learned: parsing, probabilities, sampling."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from firth.compute import engine_for
from firth.errors import InputError, check_count, check_fitted, wrong_parameter
from firth.grammar._binarisation import Preparation
from firth.grammar._em import log_probs
from firth.grammar._input import checked_trees, checked_words, paired
from firth.grammar._parameters import (
    LONGEST,
    GrammarParameters,
    ParseParameters,
    SampleParameters,
)
from firth.grammar._parser import Leaf, Parser, Shares
from firth.grammar._prefixes import prefix_log_probs
from firth.grammar._results import FACTS, HELD_OUT, Parse, Phrase, States
from firth.grammar._sampling import Sampler
from firth.grammar._saving import Saved, read_grammar, write_grammar
from firth.grammar._symbols import Symbols
from firth.grammar._tensors import Node
from firth.grammar._treebank import Treebank
from firth.grammar._words import GrammarWords
from firth.notebook import Shown, bars
from firth.parts import write_part
from firth.progress import count_of
from firth.store import Part, has_structure, writing
from firth.trees import Tree, clean, retagged

if TYPE_CHECKING:
    from firth.grammar._device_parser import DeviceParser

__all__ = ["Grammar", "nodes_of", "tree_log_probs"]

_MOST_TREES = 10_000
"""The largest ``n`` of ``n_best``."""


def nodes_of(trees: Iterable[Tree], symbols: Symbols, words: GrammarWords) -> list[Node]:
    """Binary trees as numbers; trees with unknown symbols are left out."""
    nodes = (symbols.numbered(tree, words.numbers(tree.words)) for tree in trees)
    return [node for node in nodes if node is not None]


def tree_log_probs(parser: Parser, nodes: list[Node]) -> npt.NDArray[np.float64]:
    """The log-probabilities of trees; of several grammars, the mean of the probabilities is taken."""
    if not nodes:
        return np.zeros(0)
    bank = Treebank.of(nodes, parser.coarse.n_symbols)
    logs = [log_probs(bank, parser.coarse, fine) for fine in parser.fine]
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - math.log(len(logs)))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Trees have no cycles; to look for some would take a third of the time of parsing on a GPU."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class Grammar(GrammarParameters, Shown):
    """A grammar with hidden states: a parser, and a probability model of trees and sentences.

    This is what ``firth.load(model).grammar`` returns. ``LPCFG`` learns it from trees.

    Attributes
    ----------
    facts_ : dict
        How it was learned: numbers of trees, rules, symbols, words and EM iterations; ``held_out`` is
        about the held-out trees.
    states_ : list of States
        The hidden states of each symbol.
    symbols_ : Symbols
    words_ : GrammarWords
    """

    facts_: dict[str, Any]
    states_: list[States]
    at_once = 8192
    """How many sentences are taken together to be parsed on a GPU."""
    symbols_: Symbols
    words_: GrammarWords
    _made: Parser | None = None
    _on_device: Any = None

    def _learned(
        self,
        parser: Parser,
        symbols: Symbols,
        words: GrammarWords,
        states: list[States],
        facts: dict[str, Any],
    ) -> Self:
        self.symbols_, self.words_, self.states_, self.facts_ = symbols, words, states, facts
        self._made, self._on_device = parser, None
        return self

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        often = sorted(self.states_, key=lambda states: -states.count)
        return [("most frequent symbols", " ".join(states.symbol for states in often[:20]))]

    def _notebook_picture(self) -> str:
        often = sorted(self.states_, key=lambda states: -states.count)[:12]
        return bars([(states.symbol, states.count) for states in often], "how often symbols occur")

    def __repr__(self) -> str:
        facts = self.facts_
        return f"<Grammar: {facts['n_symbols']:,} symbols, {facts['n_rules']:,} rules>"

    @property
    def preparation(self) -> Preparation:
        """How trees are binarised."""
        return Preparation(self.vertical, self.horizontal)

    @property
    def _parser(self) -> Parser:
        check_fitted(self, self._made is not None)
        assert self._made is not None  # noqa: S101
        return self._made

    # Parsing --------------------------------------------------------------------------------------

    def parse(self, words: Sequence[str], tags: Sequence[str] | None = None) -> Tree:
        """Parse a sentence. Every sentence gets a tree.

        Parameters
        ----------
        words : sequence of str
        tags : sequence of str, optional
            The parts of speech of the words, if they are known.
        """
        return next(self.parses([words], None if tags is None else [tags])).tree

    def parses(
        self,
        sentences: Iterable[Sequence[str]],
        tags: Iterable[Sequence[str] | None] | None = None,
        decode: str | None = None,
    ) -> Iterator[Parse]:
        """Parse sentences one by one; each result says whether the grammar has the tree.

        On a GPU, up to 8,192 sentences are taken together.

        Parameters
        ----------
        sentences : iterable of sequences of str
        tags : iterable of sequences of str, optional
            The parts of speech of the words, if they are known.
        decode : {"phrases", "rules"}, optional
            As for ``n_best``.
        """
        self._parser  # noqa: B018  an error now
        ParseParameters(decode).check()  # type: ignore[arg-type]
        pairs = paired(sentences, tags)
        if (on_device := self._device_parser()) is not None:
            return self._parses_on(on_device, pairs, decode)
        return (self.n_best(words, 1, known, decode)[0] for words, known in pairs)

    def use_device(self, device: str) -> None:
        """Parse on a GPU from now on, or on the CPU again; an error if there is no such GPU.

        Parameters
        ----------
        device : str
            ``cpu``, ``cuda``, or ``cuda:1`` for the second GPU.
        """
        engine_for("Grammar", None, device)
        self.device = device

    def _device_parser(self) -> DeviceParser | None:
        """The parser of the GPU, if there is one."""
        device = engine_for("Grammar", None, self.device).device
        if device is None:
            return None
        if self._on_device is None or self._on_device.device is not device:
            from firth.grammar._device_parser import DeviceParser

            self._on_device = DeviceParser(self._parser, device)
        found: DeviceParser = self._on_device
        return found

    def _parses_on(
        self,
        on_device: DeviceParser,
        pairs: Iterator[tuple[Sequence[str], Sequence[str] | None]],
        decode: str | None,
    ) -> Iterator[Parse]:
        while some := [checked_words(*pair) for pair in islice(pairs, self.at_once)]:
            leaves = [self._leaves(words, known) for words, known in some]
            short = [k for k, (words, _) in enumerate(some) if len(words) <= LONGEST]
            found: dict[int, Parse] = {}
            with _no_collection():
                for number, best in on_device.best([leaves[k] for k in short], decode):
                    k = short[number]
                    if best is not None:
                        words, known = some[k]
                        tree = self.preparation.restored(self.symbols_.named(best[0], words))
                        tree = tree if known is None else retagged(tree, known)
                        found[k] = Parse(tree, True, best[1])
            for k, (words, known) in enumerate(some):
                yield found.get(k) or self._not_found(words, leaves[k], known)

    def n_best(
        self,
        words: Sequence[str],
        n: int = 10,
        tags: Sequence[str] | None = None,
        decode: str | None = None,
    ) -> list[Parse]:
        """The best trees of a sentence, the best one first.

        Parameters
        ----------
        words : sequence of str
        n : int
            Maximum number of trees.
        tags : sequence of str, optional
            The parts of speech of the words, if they are known.
        decode : {"phrases", "rules"}, optional
            How the best tree is chosen; by default as the grammar was learned with. ``phrases``: the
            largest sum of the probabilities of its phrases. ``rules``: the largest product of the
            probabilities of its rules.
        """
        ParseParameters(decode).check()  # type: ignore[arg-type]
        _check_how_many("Grammar.n_best", n)
        words, known = checked_words(words, tags)
        leaves = self._leaves(words, known)
        return self._best(words, known, leaves, self._shares(leaves), n, decode)

    def _best(
        self,
        words: list[str],
        known: list[str] | None,
        leaves: list[Leaf],
        shares: Shares | None,
        n: int,
        decode: str | None,
    ) -> list[Parse]:
        # with known tags, trees that differ in tags only become the same tree
        more = n if known is None or n == 1 else 4 * n
        nodes = self._parser.best(shares, more, decode)
        if not nodes:
            return [self._not_found(words, leaves, known)]
        trees = [self.preparation.restored(self.symbols_.named(node, words)) for node in nodes]
        if known is not None:
            trees = [retagged(tree, known) for tree in trees]
        first: dict[str, Parse] = {}
        for tree, log in zip(trees, tree_log_probs(self._parser, nodes), strict=True):
            first.setdefault(tree.brackets(), Parse(tree, True, float(log)))
        return list(first.values())[:n]

    def _shares(self, leaves: list[Leaf]) -> Shares | None:
        return self._parser.all_shares(leaves) if len(leaves) <= LONGEST else None

    def _leaves(self, words: list[str], tags: list[str] | None) -> list[Leaf]:
        known = [self.symbols_.with_tag(tag) for tag in tags or ()]
        return self._parser.leaves(self.words_.numbers(words), known)

    def _not_found(self, words: list[str], leaves: list[Leaf], tags: list[str] | None) -> Parse:
        return Parse(self._flat(words, leaves, tags), False, -math.inf)

    def _flat(self, words: list[str], leaves: list[Leaf], tags: list[str] | None) -> Tree:
        """A flat tree over the words of a sentence."""
        parser, symbols = self._parser, self.symbols_
        if tags is None:
            tags = []
            for leaf in leaves:
                weight = leaf.p * parser.coarse.lexicon.tag_counts[leaf.tags]
                no_tag = not len(leaf.tags)
                best = len(symbols.phrases) if no_tag else int(leaf.tags[np.argmax(weight)])
                tags.append(symbols.tag_of(best))
        root = Tree(symbols.name(int(np.argmax(parser.coarse.roots))), "x")
        label = self.preparation.restored(root).label
        return Tree(label, [Tree(tag, word) for tag, word in zip(tags, words, strict=True)])

    # Probabilities --------------------------------------------------------------------------------

    def marginals(
        self,
        words: Sequence[str],
        tags: Sequence[str] | None = None,
        least: float = ParseParameters.least,
    ) -> list[Phrase]:
        """The possible phrases of a sentence and their probabilities, in the order of the words.

        Spectral estimates can be slightly below 0 or above 1.

        Parameters
        ----------
        words : sequence of str
        tags : sequence of str, optional
            The parts of speech of the words, if they are known.
        least : float
            Less probable phrases are left out.
        """
        ParseParameters(least=least).check()
        words, known = checked_words(words, tags)
        return self._phrases(self._shares(self._leaves(words, known)), least)

    def _phrases(self, shares: Shares | None, least: float) -> list[Phrase]:
        if shares is None:
            return []
        sums: dict[tuple[int, int, str], float] = {}
        pairs = zip(shares.found.items.tolist(), shares.of_phrases().tolist(), strict=True)
        for (symbol, i, j), p in pairs:
            for label in self.symbols_.labels(symbol):
                sums[i, j + 1, label] = sums.get((i, j + 1, label), 0.0) + p
        order = sorted(sums.items(), key=lambda entry: (entry[0][0], -entry[0][1], -entry[1]))
        return [Phrase(label, i, j, p) for (i, j, label), p in order if p >= least]

    def trees_and_phrases(
        self, words: Sequence[str], n: int = 10, least: float = ParseParameters.least
    ) -> tuple[list[Parse], list[Phrase]]:
        """The best trees of a sentence and its possible phrases, in less time than one after the other.

        The same as ``n_best(words, n)`` and ``marginals(words, least=least)``.
        """
        ParseParameters(least=least).check()
        _check_how_many("Grammar.trees_and_phrases", n)
        words, _ = checked_words(words, None)
        leaves = self._leaves(words, None)
        shares = self._shares(leaves)
        return self._best(words, None, leaves, shares, n, None), self._phrases(shares, least)

    def log_prob(self, tree: Tree) -> float:
        """The log-probability of a tree with its words; -inf if the grammar does not have the tree.

        Spectral estimates can be negative; the absolute value is taken.
        """
        parser = self._parser
        [checked] = checked_trees([tree])
        plain = clean(checked)
        binary = [] if plain is None else [self.preparation.binary(plain)]
        nodes = nodes_of(binary, self.symbols_, self.words_)
        return float(tree_log_probs(parser, nodes)[0]) if nodes else -math.inf

    def sentence_log_prob(self, words: Sequence[str]) -> float:
        """The log-probability of a sentence, summed over all its trees that are not pruned."""
        words, _ = checked_words(words, None)
        leaves = self._leaves(words, None)
        found = self._parser.items(leaves) if len(words) <= LONGEST else None
        return -math.inf if found is None else self._parser.log_prob(leaves, found)

    def prefix_log_probs(self, words: Sequence[str]) -> list[float]:
        """For each word, the log-probability that a sentence begins with the words up to it.

        Nothing is pruned: all trees of all continuations count. The time grows with the cube of the
        sentence length.
        """
        words, _ = checked_words(words, None)
        if len(words) > LONGEST:
            raise InputError(
                f"A sentence of {len(words):,} words is too long: the maximum is {LONGEST} words."
            )
        return prefix_log_probs(self._parser, self._leaves(words, None))

    def sample(
        self,
        n: int = 1,
        seed: int = SampleParameters.seed,
        longest: int = SampleParameters.longest,
    ) -> list[Tree]:
        """Draw random trees.

        Parameters
        ----------
        n : int
            Number of trees.
        seed : int
            Random seed.
        longest : int
            Maximum number of words, at most 300; longer trees are drawn again.
        """
        check_count("Grammar.sample", "n", n)
        SampleParameters(seed, longest).check()
        sampler = Sampler(self._parser, self.words_, seed, longest)
        drawn = [sampler.draw() for _ in range(n)]
        return [
            self.preparation.restored(self.symbols_.named(node, words)) for node, words in drawn
        ]

    # Rules and words ------------------------------------------------------------------------------

    def rules(self, symbol: str, n: int | None = None) -> list[tuple[str, str, float]]:
        """The rules of a symbol, the most probable first: left symbol, right symbol, probability.

        Parameters
        ----------
        symbol : str
            As in ``states_``.
        n : int, optional
            Maximum number of rules; all by default. Probabilities are those without states.
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
        """The words of a symbol and their probabilities, the most probable first.

        Parameters
        ----------
        symbol : str
            As in ``states_``.
        n : int, optional
            Maximum number of words; all by default. Rare words are summed up as the word ``""``.
            Probabilities are those without states.
        """
        lexicon, known = self._parser.coarse.lexicon, self.words_.words
        tags = enumerate(self.symbols_.tags, len(self.symbols_.phrases))
        found = lexicon.tags == {tag: k for k, tag in tags}.get(symbol, -1)
        sums: dict[str, float] = {}
        for word, p in zip(lexicon.words[found].tolist(), lexicon.p[found].tolist(), strict=True):
            spelled = known[word] if word < len(known) else ""
            sums[spelled] = sums.get(spelled, 0.0) + p
        return sorted(sums.items(), key=lambda entry: -entry[1])[:n]

    # Models ---------------------------------------------------------------------------------------

    def write(self, model: str | Path) -> None:
        """Write this grammar to a model folder, where ``firth.load(model).grammar`` finds it.

        Parameters
        ----------
        model : str or Path
            The folder. If it has a grammar, that is replaced.
        """
        self._parser  # noqa: B018  an error now
        with writing(model) as writer:
            write_part(writer, "grammar", self, self.parameters())

    def describe(self) -> dict[str, Any]:
        """How the grammar was learned, and the states of its symbols."""
        return {**self.facts_, "states": [vars(states) for states in self.states_]}

    def summary(self) -> tuple[str, list[str]]:
        """Sizes and method, for a person."""
        facts, most = self.facts_, max(states.n_states for states in self.states_)
        sizes = [count_of(facts["n_symbols"], "symbol"), count_of(facts["n_rules"], "rule")]
        how = [self.method] + [f"up to {count_of(most, 'state')}"] * (facts["dim"] > 1)
        what = "sentence" if self.method == "inside-outside" else "tree"
        return ", ".join(sizes), [*how, f"trained on {count_of(facts['n_trees'], what)}"]

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        parser = self._parser
        write_grammar(folder, Saved(parser.coarse, parser.fine, self.symbols_, self.words_))

    @classmethod
    def load(cls, part: Part) -> Self:
        """Read the files of a part and check them."""
        saved = read_grammar(part)
        made = cls.restored(part.parameters)
        held_out = part.facts.get("held_out")
        part.require(
            has_structure(part.facts, FACTS)
            and (held_out is None or has_structure(held_out, HELD_OUT)),
            "its manifest is incomplete",
        )
        states = [States(**stored) for stored in part.facts["states"]]
        facts = {name: value for name, value in part.facts.items() if name != "states"}
        parser = Parser(saved.coarse, saved.fine, made.threshold, made.decoder)
        return made._learned(parser, saved.symbols, saved.words, states, facts)


def _check_how_many(name: str, n: int) -> None:
    check_count(name, "n", n)
    if n > _MOST_TREES:
        raise wrong_parameter(name, "n", f"at most {_MOST_TREES:,}", n)
