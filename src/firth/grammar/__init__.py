"""Treebanks in, parsers out: grammars with hidden states, learned spectrally, by clustering or by EM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.grammar._binarisation import Preparation
    from firth.grammar._conditions import SampleConditions, sample_conditions
    from firth.grammar._description import condition_facts, symbol_facts, symbol_rows
    from firth.grammar._em import random_grammar, rounds_of_em
    from firth.grammar._evaluation import compare_trees, evaluate_grammar, gold_trees
    from firth.grammar._grammar import Grammar
    from firth.grammar._inside_outside import Reestimate, random_plain_grammar, reestimate
    from firth.grammar._latent import LatentGrammar
    from firth.grammar._latent_tagger import LatentTagger
    from firth.grammar._lpcfg import LPCFG
    from firth.grammar._parameters import (
        METHODS,
        GrammarParameters,
        ParseParameters,
        SampleParameters,
        SentenceReading,
        TreebankParameters,
    )
    from firth.grammar._parser import Parser
    from firth.grammar._reading import Sentence, looks_like_tree, read_sentences
    from firth.grammar._results import Parse, Phrase, States
    from firth.grammar._scoring import Score, ScoreSum, score_text
    from firth.grammar._smoothing import Moments
    from firth.grammar._spectral import project, spectral_grammar
    from firth.grammar._tensors import Node, TensorGrammar
    from firth.grammar._treebank import Treebank

__all__ = [
    "LPCFG",
    "Grammar",
    "GrammarParameters",
    "ParseParameters",
    "TreebankParameters",
    "METHODS",
    "Parse",
    "Phrase",
    "States",
    "SampleParameters",
    "Sentence",
    "SentenceReading",
    "read_sentences",
    "looks_like_tree",
    "Score",
    "ScoreSum",
    "score_text",
    "evaluate_grammar",
    "compare_trees",
    "gold_trees",
    "condition_facts",
    "symbol_facts",
    "symbol_rows",
    "LatentGrammar",
    "LatentTagger",
    "Moments",
    "Node",
    "Parser",
    "Preparation",
    "Reestimate",
    "SampleConditions",
    "TensorGrammar",
    "Treebank",
    "rounds_of_em",
    "project",
    "random_grammar",
    "random_plain_grammar",
    "reestimate",
    "sample_conditions",
    "spectral_grammar",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _binarisation="Preparation",
        _conditions="SampleConditions sample_conditions",
        _description="condition_facts symbol_facts symbol_rows",
        _em="rounds_of_em random_grammar",
        _evaluation="compare_trees evaluate_grammar gold_trees",
        _grammar="Grammar",
        _inside_outside="Reestimate random_plain_grammar reestimate",
        _latent="LatentGrammar",
        _latent_tagger="LatentTagger",
        _lpcfg="LPCFG",
        _parameters="METHODS GrammarParameters ParseParameters SampleParameters SentenceReading TreebankParameters",
        _parser="Parser",
        _reading="Sentence looks_like_tree read_sentences",
        _results="Parse Phrase States",
        _scoring="Score ScoreSum score_text",
        _smoothing="Moments",
        _spectral="project spectral_grammar",
        _tensors="Node TensorGrammar",
        _treebank="Treebank",
    )
