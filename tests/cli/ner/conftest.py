"""Files and models for the tests of the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firth.pipeline import learn_entities
from tests.cli.ner.samples import DEV, NAMES
from tests.ner.samples import classes, part_of, random_vectors


@pytest.fixture
def names(text_file: Callable[..., Path]) -> Path:
    return text_file(NAMES, "names.txt")


@pytest.fixture
def dev(text_file: Callable[..., Path]) -> Path:
    return text_file(DEV, "dev.txt")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a recogniser; no test changes it."""
    folder = tmp_path_factory.mktemp("ner")
    (folder / "names.txt").write_text(NAMES)
    return learn_entities(folder / "m", folder / "names.txt", rounds=5).path


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """A model with classes and vectors."""
    path = tmp_path / "news"
    part_of(path, classes())
    part_of(path, random_vectors(3).restrict(["anna", "Rome", "in"]))
    return path
