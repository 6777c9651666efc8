"""Doctests of the pages and scripts here; an extension of the site needs what only the site needs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore = [] if find_spec("griffe") else ["runtime_docstrings.py"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an example writes is not written into the repository."""
    monkeypatch.chdir(tmp_path)
