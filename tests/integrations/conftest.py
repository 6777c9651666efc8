"""What the tests of integrations share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrations.models import make_model


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder with all parts."""
    return make_model(tmp_path_factory.mktemp("integrations"))
