"""Trees in, a parser out: latent-variable grammars, learned spectrally, and by EM."""

from firth.grammar._latent import LatentGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._lpcfg import LPCFG, Parse
from firth.grammar._parser import CoarseGrammar, Parser
from firth.grammar._preparing import Preparation
from firth.grammar._spectral import Projection, project, smoothed_grammar, spectral_grammar
from firth.grammar._tensors import Chart, Node, TensorGrammar
from firth.grammar._treebank import Treebank

__all__ = [
    "LPCFG",
    "Parse",
    "Chart",
    "CoarseGrammar",
    "LatentGrammar",
    "Lexicon",
    "Node",
    "Parser",
    "Preparation",
    "Projection",
    "TensorGrammar",
    "Treebank",
    "project",
    "smoothed_grammar",
    "spectral_grammar",
]
