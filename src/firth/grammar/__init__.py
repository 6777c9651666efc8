"""Trees in, a parser out: latent-variable grammars, learned spectrally, and by EM."""

from firth.grammar._preparing import Preparation

__all__ = ["Preparation"]
