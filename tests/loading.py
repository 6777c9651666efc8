"""Loading a part from any folder, as a model does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.parts import load_part
from firth.store import Part

__all__ = ["load"]


def load(
    name: str, folder: Path, parameters: Mapping[str, Any] | None = None, /, needs: Any = None, **facts: Any
) -> Any:  # fmt: skip
    """The part of this name whose files are in a folder."""
    return load_part(Part.in_folder(folder, parameters, name, **facts), needs)
