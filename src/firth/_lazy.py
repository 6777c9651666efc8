"""Packages whose names are imported when they are first used, so that ``import firth`` stays quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any


def lazily(package: str, /, **homes: str) -> Callable[[str], Any]:
    """A module ``__getattr__`` that imports each name from its module when it is first used.

    ``homes`` gives the names of each module below ``package``, between spaces.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def fetch(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return fetch
