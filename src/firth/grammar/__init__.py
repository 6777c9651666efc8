"""Trees in, a parser out: latent-variable grammars, learned spectrally, and by EM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.grammar._clusters import cluster_states, count_states
    from firth.grammar._coarse import CoarseGrammar
    from firth.grammar._em import expected_counts, log_probs, random_grammar, rounds_of_em
    from firth.grammar._fine import FineGrammar
    from firth.grammar._latent import LatentGrammar
    from firth.grammar._lexicon import Lexicon
    from firth.grammar._lpcfg import LPCFG, METHODS
    from firth.grammar._parser import Parser
    from firth.grammar._prefixes import prefix_log_probs
    from firth.grammar._preparing import Preparation
    from firth.grammar._reestimating import Reestimate, random_plain_grammar, reestimate
    from firth.grammar._results import Parse, Phrase, States
    from firth.grammar._smoothing import Moments, StateCounts
    from firth.grammar._spectral import Projection, project, spectral_grammar
    from firth.grammar._tensors import Chart, Node, TensorGrammar
    from firth.grammar._treebank import Treebank

__all__ = [
    "LPCFG",
    "Parse",
    "Phrase",
    "States",
    "Chart",
    "CoarseGrammar",
    "FineGrammar",
    "LatentGrammar",
    "Lexicon",
    "METHODS",
    "Moments",
    "Node",
    "Parser",
    "Preparation",
    "Projection",
    "Reestimate",
    "StateCounts",
    "TensorGrammar",
    "Treebank",
    "cluster_states",
    "count_states",
    "expected_counts",
    "log_probs",
    "prefix_log_probs",
    "project",
    "random_grammar",
    "random_plain_grammar",
    "reestimate",
    "rounds_of_em",
    "spectral_grammar",
]

__getattr__ = lazily(
    __name__,
    _clusters="cluster_states count_states",
    _coarse="CoarseGrammar",
    _em="expected_counts log_probs random_grammar rounds_of_em",
    _fine="FineGrammar",
    _latent="LatentGrammar",
    _lexicon="Lexicon",
    _lpcfg="LPCFG METHODS",
    _parser="Parser",
    _prefixes="prefix_log_probs",
    _preparing="Preparation",
    _reestimating="Reestimate random_plain_grammar reestimate",
    _results="Parse Phrase States",
    _smoothing="Moments StateCounts",
    _spectral="Projection project spectral_grammar",
    _tensors="Chart Node TensorGrammar",
    _treebank="Treebank",
)
