"""How taggers learn."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from firth.counts import parse_contexts
from firth.errors import check_choice, check_count, wrong_parameter
from firth.tags._rows import REPRESENTATIONS
from firth.tags._tagger import DECODES

__all__ = ["AnchorParameters", "BaumWelchParameters", "check_number"]


@dataclass(frozen=True)
class AnchorParameters:
    """How ``AnchorTagger`` learns; see there."""

    n_tags: int = 12
    contexts: str = "LR1"
    spelling: float = 0.0
    sharing: float = 1.0
    representation: str = "spectral"
    pseudocount: float = 10.0
    candidates: int = 300
    refine: bool = True
    choose: bool = False
    vocabulary: int | None = 200_000
    decode: str = "type"
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "AnchorTagger"
        check_count(owner, "n_tags", self.n_tags)
        check_count(owner, "candidates", self.candidates)
        check_count(owner, "seed", self.seed, least=0)
        if self.vocabulary is not None:
            check_count(owner, "vocabulary", self.vocabulary)
        object.__setattr__(self, "contexts", parse_contexts(self.contexts).name)
        check_choice(owner, "representation", self.representation, REPRESENTATIONS)
        check_choice(owner, "decode", self.decode, DECODES)
        for name in ("spelling", "sharing", "pseudocount"):
            check_number(owner, name, getattr(self, name), 1e6)
        for name in ("refine", "choose"):
            if not isinstance(getattr(self, name), bool):
                raise wrong_parameter(owner, name, "True or False", getattr(self, name))

    def parameters(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class BaumWelchParameters:
    """How ``BaumWelchTagger`` learns; see there."""

    n_tags: int = 12
    rounds: int = 100
    tolerance: float = 1e-4
    restarts: int = 1
    vocabulary: int | None = 200_000
    decode: str = "posterior"
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "BaumWelchTagger"
        for name in ("n_tags", "rounds", "restarts"):
            check_count(owner, name, getattr(self, name))
        check_count(owner, "seed", self.seed, least=0)
        if self.vocabulary is not None:
            check_count(owner, "vocabulary", self.vocabulary)
        check_number(owner, "tolerance", self.tolerance, 1.0)
        check_choice(owner, "decode", self.decode, DECODES)

    def parameters(self) -> dict[str, Any]:
        return asdict(self)


def check_number(owner: str, name: str, value: Any, most: float) -> None:
    """Raise unless this is a number from 0 to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise wrong_parameter(owner, name, f"a number from 0 to {most:g}", value)
