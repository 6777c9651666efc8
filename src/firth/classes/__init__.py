"""Words in, a tree of classes out: so far, the model behind it."""

from firth.classes._brown_model import BrownModel

__all__ = ["BrownModel"]
