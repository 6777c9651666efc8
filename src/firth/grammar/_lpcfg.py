"""Learning a grammar with hidden states from a treebank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from firth import progress
from firth.compute import engine_for, limit_blas
from firth.errors import InputError
from firth.estimator import Estimator
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._grammar import Grammar, nodes_of, tree_log_probs
from firth.grammar._input import checked_trees, labelled_trees, length_of
from firth.grammar._lexicon import Lexicon
from firth.grammar._parser import Parser
from firth.grammar._results import States
from firth.grammar._sentence_learning import bracketed, learn_from_sentences, split_evenly
from firth.grammar._state_learning import StateLearner, StateModel
from firth.grammar._symbols import Symbols
from firth.grammar._tensors import Node
from firth.grammar._treebank import Treebank
from firth.grammar._words import GrammarWords
from firth.parameters import share_of
from firth.trees import Tree, clean

__all__ = ["LPCFG"]


class LPCFG(Estimator, Grammar):
    """Latent-variable PCFG, learned from trees (Cohen, Stratos, Collins, Foster and Ungar 2012).

    Every symbol has hidden states. They distinguish, for example, subjects from objects, or
    transitive from intransitive verbs. States are not annotated in the treebank; they are estimated
    from what is below and around a node.

    Attributes
    ----------
    facts_ : dict
        How it was learned: numbers of trees, rules, symbols, words and EM iterations; ``held_out`` is
        about the held-out trees.
    states_ : list of States
        The hidden states of each symbol.

    Examples
    --------
    >>> from firth.trees import parse_trees
    >>> text = "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog)))) (S (NP (N dogs)) (VP (V see) (NP (N cats))))"
    >>> LPCFG(n_states=1).fit(parse_trees(text)).parse("the dog sees cats".split())
    (S (NP (D the) (N dog)) (VP (V sees) (NP (N cats))))
    """

    def fit(
        self, trees: Iterable[Tree | Sequence[str]], classes: Mapping[str, str] | None = None
    ) -> LPCFG:
        """Learn from trees. Traces and function tags are removed first.

        Parameters
        ----------
        trees : iterable of Tree
            With method ``inside-outside`` also lists of words. The brackets of trees then limit what
            can be a phrase, and their labels are ignored.
        classes : mapping of str to str, optional
            Word classes learned from other text, for words that are rare in the treebank or unseen.
        """
        self.check()
        engine_for("LPCFG", 1, self.device)  # an error now
        with limit_blas(1):  # so that the result does not depend on the number of threads
            if self.method == "inside-outside":
                return self._learned(*learn_from_sentences(bracketed(trees), self, classes))
            return self._fit(trees, classes)

    def _fit(self, trees: Iterable[Any], classes: Mapping[str, str] | None) -> LPCFG:
        plain = [tree for tree in map(clean, checked_trees(trees)) if tree is not None]
        if not plain:
            raise InputError("There are no trees to learn from.")
        plain, held = split_evenly(labelled_trees(plain), share_of(self.held_out))
        sentences = [tree.words for tree in plain]
        with progress.stage("binarising trees", unit="", brief=1.0):
            binary = [self.preparation.binary(tree) for tree in plain]
            symbols = Symbols.of(binary)
            words = GrammarWords.learn(sentences, classes)
            bank = Treebank.of(nodes_of(binary, symbols, words), len(symbols))
            lexicon = Lexicon.count(bank, words.group_of(), words.n_groups)
        coarse = CoarseGrammar.count(bank, lexicon)
        aside = nodes_of(map(self.preparation.binary, held), symbols, words)
        learner = StateLearner(
            bank,
            coarse,
            symbols.families(),
            sentences,
            Treebank.of(aside, len(symbols)) if aside else None,
        )
        found = learner.learn(
            self.method, self.n_states, self.n_rounds, self.cut, self.seed, self.split_merge
        )
        parser = Parser(
            coarse, [grammar.compact() for grammar in found.fine], self.threshold, self.decoder
        )
        facts: dict[str, Any] = {
            "n_trees": len(plain),
            "n_tokens": sum(map(len, sentences)),
            "n_symbols": len(symbols),
            "n_rules": len(bank.table),
            "n_words": len(words.words),
            "dim": found.fine[0].dim,
            "rounds": found.rounds,
        }
        if held:
            facts["held_out"] = _held_out_facts(parser, len(held), aside)
        return self._learned(parser, symbols, words, _states_of(symbols, bank, found), facts)


def _states_of(symbols: Symbols, bank: Treebank, found: StateModel) -> list[States]:
    """The states of each symbol."""
    p, n = found.projection, len(symbols)
    sizes = np.full(n, found.fine[0].dim) if found.sizes is None else found.sizes
    ranks = p.ranks if p else sizes
    largest, smallest = (p.largest, p.smallest) if p else (np.zeros(n), np.zeros(n))
    return [
        States(
            symbols.name(k),
            int(bank.symbol_counts[k]),
            int(ranks[k]),
            float(largest[k]),
            float(smallest[k]),
        )
        for k in range(n)
    ]


def _held_out_facts(parser: Parser, n_trees: int, nodes: list[Node]) -> dict[str, Any]:
    """How probable the held-out trees are that the grammar has."""
    logs = tree_log_probs(parser, nodes)
    possible = np.isfinite(logs)
    words = sum(length_of(node) for node, is_found in zip(nodes, possible, strict=True) if is_found)
    bits = float(-logs[possible].sum() / math.log(2))
    return {
        "n_trees": n_trees,
        "n_found": int(possible.sum()),
        "bits_per_word": bits / words if words else None,
    }
