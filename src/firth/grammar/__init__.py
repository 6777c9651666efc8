"""Trees in, a parser out: latent-variable grammars, learned spectrally, and by EM."""

from firth.grammar._clusters import cluster_states, count_states
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._em import expected_counts, log_probs, random_grammar, rounds_of_em
from firth.grammar._fine import FineGrammar
from firth.grammar._latent import LatentGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._lpcfg import LPCFG, METHODS, VERSION, Parse, Phrase, States
from firth.grammar._parser import Parser
from firth.grammar._prefixes import prefix_log_probs
from firth.grammar._preparing import Preparation
from firth.grammar._smoothing import Moments, StateCounts
from firth.grammar._spectral import Projection, project, spectral_grammar
from firth.grammar._tensors import Chart, Node, TensorGrammar
from firth.grammar._treebank import Treebank

__all__ = [
    "LPCFG",
    "METHODS",
    "VERSION",
    "Chart",
    "CoarseGrammar",
    "FineGrammar",
    "LatentGrammar",
    "Lexicon",
    "Moments",
    "Node",
    "Parse",
    "Parser",
    "Phrase",
    "Preparation",
    "Projection",
    "StateCounts",
    "States",
    "TensorGrammar",
    "Treebank",
    "cluster_states",
    "count_states",
    "expected_counts",
    "log_probs",
    "prefix_log_probs",
    "project",
    "random_grammar",
    "rounds_of_em",
    "spectral_grammar",
]
