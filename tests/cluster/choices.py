"""The choices of the parameters of clustering methods."""

from __future__ import annotations

from typing import Any

from firth.cluster import _parameters
from firth.cluster._methods import FlatParameters, MixtureParameters, TopDownParameters
from firth.parameters import Parameters

__all__ = ["COHERENCES", "COVARIANCES", "LINKS", "METRICS", "SPLITS", "STARTS"]


def _choices(stage: type[Parameters], name: str) -> tuple[Any, ...]:
    return next(field.choices for field in stage.fields() if field.name == name)


LINKS: tuple[Any, ...] = _parameters.LINKS
METRICS: tuple[Any, ...] = _parameters.METRICS
COHERENCES = _choices(TopDownParameters, "coherence")
SPLITS = _choices(TopDownParameters, "split")
STARTS = _choices(FlatParameters, "init")
COVARIANCES = tuple(kind for kind in _choices(MixtureParameters, "covariance") if kind != "auto")
