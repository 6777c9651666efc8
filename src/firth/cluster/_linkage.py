"""Groups from the bottom up: every object by itself, then always the two most similar groups together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, check_choice

__all__ = ["METHODS", "METRICS", "linkage"]

METHODS = ("group-average", "single", "complete", "average", "ward")
METRICS = ("cosine", "euclidean", "l1", "precomputed")
