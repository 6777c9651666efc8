"""Doctests of the pages and scripts here; an extension of the site needs what only the site needs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDED = {
    "runtime_docstrings.py": "griffe", "pipeline/spacy.md": "spacy",
}  # fmt: skip
"""What is not installed for all tests; see ``make test-integrations``."""
collect_ignore = [page for page, package in NEEDED.items() if find_spec(package) is None]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an example writes is not written into the repository."""
    monkeypatch.chdir(tmp_path)
