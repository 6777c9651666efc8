"""How a tagger learns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from firth.errors import check_count, wrong_parameter

__all__ = ["EntityParameters"]

_LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class EntityParameters:
    """How a tagger learns.

    Parameters
    ----------
    rounds : int
        How often it goes through all documents.
    margin : float
        The score of the right label must exceed all others by more than this, or the weights are changed.
    dropout : float
        The share of features that are not looked at in a step, others in each.
    stages : {1, 2}
        With 2, documents are read twice; the second time the labels that a word got elsewhere in its
        document are known.
    seed : int
        For the order of documents and the dropped features.
    """

    rounds: int = 20
    margin: float = 100.0
    dropout: float = 0.2
    stages: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "EntityTagger"
        check_count(owner, "rounds", self.rounds)
        check_count(owner, "seed", self.seed, least=0)
        if self.seed > _LARGEST_SEED:
            raise wrong_parameter(owner, "seed", f"at most {_LARGEST_SEED}", self.seed)
        for name, value, expected, fits in (
            ("margin", self.margin, "a number from 0 to 1e6", lambda x: 0 <= x <= 1e6),
            ("dropout", self.dropout, "a number from 0 to 0.9", lambda x: 0 <= x <= 0.9),
            ("stages", self.stages, "1 or 2", lambda x: x in (1, 2) and isinstance(x, int)),
        ):
            if isinstance(value, bool) or not isinstance(value, int | float) or not fits(value):
                raise wrong_parameter(owner, name, expected, value)

    def parameters(self) -> dict[str, Any]:
        return asdict(self)
