"""Doctests of the pages and scripts here."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an example writes is not written into the repository."""
    monkeypatch.chdir(tmp_path)
