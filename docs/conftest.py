"""Doctests of the scripts here; an extension of the site needs what only the site needs."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("griffe") else ["runtime_docstrings.py"]
