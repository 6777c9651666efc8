"""Settings of the anchor method that go together, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from firth.errors import check_choice
from firth.parameters import Param, Parameters

__all__ = ["ANCHOR_PRESETS", "AnchorPreset", "anchor_preset"]

ANCHOR_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "paper": {
        "sharing": 0.0,
        "spelling_in": "counts",
        "exchange": False,
        "refine": False,
        "transition_rounds": 1,
        "decode": "posterior",
    },
}
"""``paper`` is the method as its authors compute it; ``spelling=0.1`` adds their spelling features."""


@dataclass(eq=False, repr=False)
class AnchorPreset(Parameters):
    """A preset of ``AnchorTagger``."""

    preset: Annotated[
        Literal["default", "paper"] | None,
        Param("Choose the settings of the method anchors: Firth's, or those of the paper."),
    ] = None


def anchor_preset(name: str) -> dict[str, Any]:
    """The parameters of ``AnchorTagger`` that a preset sets."""
    check_choice("learn_tags", "preset", name, tuple(ANCHOR_PRESETS))
    return dict(ANCHOR_PRESETS[name])
