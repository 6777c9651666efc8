"""The measures by which phrases can be sorted: those of ``firth.counts`` that take arrays on both sides."""

from __future__ import annotations

from typing import Literal

__all__ = ["PhraseMeasure"]

PhraseMeasure = Literal["npmi", "g2", "pmi", "t", "logdice"]
