"""Models and servers for the tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import firth
from firth.grammar import Grammar
from firth.lm import InterpolatedModel
from firth.pipeline import learn_lm
from tests.explore.browsing import CHROMIUM, Visit, a_browser
from tests.explore.models import (
    Client,
    learn_documents_model,
    learn_hostile_model,
    learn_model,
    serving,
    write_grammar,
    write_hostile_grammar,
    write_text,
)


@pytest.fixture(scope="session")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that no test changes."""
    return learn_model(tmp_path_factory.mktemp("explore"))


@pytest.fixture(scope="session")
def hostile_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of hostile words, that no test changes."""
    return learn_hostile_model(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def documents_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of documents with metadata, that no test changes."""
    return learn_documents_model(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="session")
def documents_address(documents_path: Path) -> Iterator[str]:
    with serving(documents_path) as found:
        yield found


@pytest.fixture(scope="session")
def documents_client(documents_address: str) -> Client:
    return Client(documents_address)


@pytest.fixture(scope="session")
def model(model_path: Path) -> firth.Model:
    return firth.load(model_path)


@pytest.fixture(scope="session")
def hostile(hostile_path: Path) -> firth.Model:
    return firth.load(hostile_path)


@pytest.fixture(scope="session")
def address(model_path: Path) -> Iterator[str]:
    with serving(model_path) as found:
        yield found


@pytest.fixture(scope="session")
def client(address: str) -> Client:
    return Client(address)


@pytest.fixture(scope="session")
def hostile_address(hostile_path: Path) -> Iterator[str]:
    with serving(hostile_path) as found:
        yield found


@pytest.fixture(scope="session")
def hostile_client(hostile_address: str) -> Client:
    return Client(hostile_address)


@pytest.fixture(scope="session")
def grammar_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a grammar alone, that no test changes."""
    return write_grammar(tmp_path_factory.mktemp("grammar") / "model")


@pytest.fixture(scope="session")
def grammar(grammar_path: Path) -> Grammar:
    return firth.load(grammar_path).grammar


@pytest.fixture(scope="session")
def grammar_address(grammar_path: Path) -> Iterator[str]:
    with serving(grammar_path) as found:
        yield found


@pytest.fixture(scope="session")
def grammar_client(grammar_address: str) -> Client:
    return Client(grammar_address)


@pytest.fixture(scope="session")
def lm_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a corpus and a language model, that no test changes."""
    folder = tmp_path_factory.mktemp("lm")
    learn_lm(folder / "model", write_text(folder / "text.txt"), classes=[8], threads=1)
    return folder / "model"


@pytest.fixture(scope="session")
def lm(lm_path: Path) -> InterpolatedModel:
    return firth.load(lm_path).lm


@pytest.fixture(scope="session")
def lm_address(lm_path: Path) -> Iterator[str]:
    with serving(lm_path) as found:
        yield found


@pytest.fixture(scope="session")
def lm_client(lm_address: str) -> Client:
    return Client(lm_address)


@pytest.fixture(scope="session")
def hostile_grammar_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a grammar of hostile words and labels."""
    with serving(write_hostile_grammar(tmp_path_factory.mktemp("grammar") / "hostile")) as found:
        yield found


@pytest.fixture
def own_model(model_path: Path, tmp_path: Path) -> Path:
    """A copy of the model, to be changed."""
    return shutil.copytree(model_path, tmp_path / "own")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all tests of a file: while it runs, no other event loop can be run beside it."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium: install it, or name one in FIRTH_CHROMIUM")
    with a_browser() as found:
        yield found


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Opens a page: ``visit(address, **options of the context)``; at the end nothing may have gone wrong."""
    visits: list[Visit] = []

    def begin(address: str, **options: Any) -> Visit:
        visits.append(Visit(browser, address, **options))
        return visits[-1]

    yield begin
    for one in visits:
        one.end()


@pytest.fixture
def page(visit: Callable[..., Visit], address: str) -> Visit:
    """The page of the model that no test changes."""
    return visit(address)
