"""Doctests of the pages and scripts here."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDED = {"pipeline/spacy.md": "spacy", "pipeline/gensim.md": "torch"}
"""Packages that are not installed for all tests; see ``make test-integrations``."""
collect_ignore = [page for page, package in NEEDED.items() if find_spec(package) is None]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an example writes is not written into the repository."""
    monkeypatch.chdir(tmp_path)
