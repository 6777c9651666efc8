"""Trees in, a parser out: latent-variable grammars, learned spectrally, and by EM."""

from firth.grammar._latent import LatentGrammar
from firth.grammar._preparing import Preparation
from firth.grammar._tensors import Chart, Node, TensorGrammar

__all__ = ["Chart", "LatentGrammar", "Node", "Preparation", "TensorGrammar"]
