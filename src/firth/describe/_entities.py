"""The entity types of a named-entity recogniser."""

from __future__ import annotations

from typing import Any

from firth.ner import EntityRecogniser

__all__ = ["entity_facts"]


def entity_facts(recogniser: EntityRecogniser, n: int) -> dict[str, Any]:
    """A recogniser as data: how it was trained, and the ``n`` strongest features of each type.

    Features are those of entities of one word (U, for unit) and of the first word of longer ones (B).
    """
    telling = {
        type_: {part: recogniser.telling(f"{part}-{type_}", n) for part in "UB"}
        for type_ in recogniser.types_
    }
    return {**recogniser.describe(), "telling": telling}
