"""Plans: time, memory and disk space of each stage of ``learn``, from samples of the text."""

from __future__ import annotations

from firth.planning._plan import Plan, PlanRow, StagePlan, plan
from firth.planning._samples import Wanted

__all__ = ["Plan", "PlanRow", "StagePlan", "Wanted", "plan"]
