"""Other text in the place of a model: nothing is replaced unless that is wanted."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.corpus import Source
from firth.errors import ModelError, ParameterError
from firth.parameters import Replacing
from firth.pipeline import (
    import_vectors,
    learn_classes,
    learn_corpus,
    learn_counts,
    learn_entities,
    learn_grammar,
    learn_lm,
    learn_tags,
    learn_vectors,
    plan,
)
from tests.cli.grammar_samples import trees
from tests.conftest import Result
from tests.store.test_store import everything

CATS = "the cat sees a dog\na dog hears the cat\nthe bird sees the dog\na cat hears a bird\n" * 8
HOUSES = "a man sees the house\nthe house has a door\na door has the man\n" * 8
SMALL: dict[str, Any] = {"min_count": 1, "threads": 1}
LABELLED = "Anna B-PER\nsees O\nOslo B-LOC\n. O\n\nOslo B-LOC\nhears O\nAnna B-PER\n. O\n\n" * 4
TAGGED = "the D\ncat N\nsees V\n\na D\ndog N\nhears V\n\n" * 4

LEARNERS: dict[str, Callable[..., Any]] = {
    "learn": lambda model, text, **how: firth.learn(text, model, dim=2, classes=2, **SMALL, **how),
    "corpus": lambda model, text, **how: learn_corpus(model, text, threads=1, **how),
    "counts": lambda model, text, **how: learn_counts(model, text, **SMALL, **how),
    "vectors": lambda model, text, **how: learn_vectors(model, text, dim=2, **SMALL, **how),
    "classes": lambda model, text, **how: learn_classes(model, text, n_classes=2, **SMALL, **how),
    "tags": lambda model, text, **how: learn_tags(model, text, n_tags=2, threads=1, **how),
    "lm": lambda model, text, **how: learn_lm(model, text, classes=[], **how),
}


@pytest.fixture
def cats(text_file: Callable[..., Path]) -> Path:
    return text_file(CATS, "cats.txt")


@pytest.fixture
def houses(text_file: Callable[..., Path]) -> Path:
    return text_file(HOUSES, "houses.txt")


@pytest.fixture
def model(cats: Path, tmp_path: Path) -> Path:
    """A model of the text about cats."""
    firth.learn(cats, tmp_path / "m", dim=2, classes=2, tags=2, **SMALL)
    return tmp_path / "m"


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.slow
def test_other_text_replaces_nothing(name: str, model: Path, cats: Path, houses: Path) -> None:
    before = everything(model)
    with pytest.raises(
        ModelError, match=r"The corpus of .*m was made from other text: .*cats\.txt\."
    ) as e:
        LEARNERS[name](model, houses)
    assert "--replace" in str(e.value.hint)
    assert everything(model) == before
    LEARNERS[name](model, [houses, cats])  # files may be added
    LEARNERS[name](model, cats, replace=True)  # which can change nothing here
    made = LEARNERS[name](model, houses, replace=True)
    assert made.corpus.sources[0]["path"] == str(houses)
    assert all("replace" not in part.parameters for part in made.parts.values())


def test_a_changed_a_moved_and_a_copied_text_are_the_same(
    model: Path, cats: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    cats.write_text(CATS + "a new line\n")
    learn_corpus(model, cats, threads=1)
    moved = cats.rename(tmp_path / "moved.txt")
    learn_corpus(model, moved, threads=1)
    copied = text_file(moved.read_text(), "folder/copy.txt")
    learn_corpus(model, copied, threads=1, lowercase=True)
    there = model.rename(tmp_path / "there")
    learn_corpus(there, copied, threads=1)


def test_large_files_are_read_only_if_their_size_is_known(
    model: Path,
    houses: Path,
    cats: Path,
    text_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    checksum = Source.checksum

    def noting(source: Source) -> str | None:
        read.append(Path(source.name).name)
        return checksum(source)

    monkeypatch.setattr(Source, "checksum", noting)
    alike = text_file(CATS.replace("cat", "rat"), "alike.txt")
    with pytest.raises(ModelError, match="other text"):
        learn_corpus(model, [houses, alike], threads=1)
    assert read == ["alike.txt"]
    sources = next(model.glob("corpus/*/sources.json"))
    sources.write_text("[{}]")  # sizes are unknown in a damaged corpus
    with pytest.raises(ModelError, match="other text"):
        learn_corpus(model, houses, threads=1)
    learn_corpus(model, cats, threads=1)


def test_standard_input_is_known_by_its_checksum(
    tmp_path: Path, cats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m"

    def say(text: str) -> None:
        stream = io.TextIOWrapper(io.BytesIO(text.encode()))
        monkeypatch.setattr(sys, "stdin", stream)

    say(CATS)
    learn_corpus(model, "-", threads=1)
    say(CATS)
    learn_corpus(model, "-", threads=1, lowercase=True)
    before = everything(model)
    for text in (HOUSES, CATS + "more\n"):
        say(text)
        with pytest.raises(ModelError, match="made from other text: standard input"):
            learn_corpus(model, "-", threads=1)
        assert everything(model) == before
    say(HOUSES)
    learn_corpus(model, ["-", cats], threads=1)  # the same text, now in a file
    say(HOUSES)
    learn_corpus(model, "-", threads=1, replace=True)


def test_labelled_and_tagged_text_and_trees(text_file: Callable[..., Path], tmp_path: Path) -> None:
    model = tmp_path / "m"
    learners: dict[str, tuple[str, Callable[..., Any]]] = {
        "ner": (LABELLED, lambda file, **how: learn_entities(model, file, rounds=1, threads=1, **how)),
        "tags": (TAGGED, lambda file, **how: learn_tags(model, file, tagged=True, **how)),
        "grammar": (trees(20), lambda file, **how: learn_grammar(model, file, method="pcfg", **how)),
    }  # fmt: skip
    for name, (text, learn) in learners.items():
        file, other = text_file(text, f"{name}.txt"), text_file(text * 2, f"{name}2.txt")
        learn(file)
        with pytest.raises(ModelError, match=rf"was made|were made from other text: .*{name}\.txt"):
            learn(other)
        file.write_text(text * 3)
        learn(file)  # a changed file
        learn(text_file(text * 3, f"{name}3.txt"))  # a moved one
        learn(other, replace=True)
    firth.learn(text_file(CATS, "cats.txt"), model, dim=0, classes=0, **SMALL)
    assert set(firth.load(model).parts) == {"ner", "tags", "grammar", "corpus", "counts"}
    with pytest.raises(ModelError, match="The tags of .* were made from other text"):
        learn_tags(model, text_file(CATS, "cats.txt"), n_tags=2, threads=1)


def test_imported_vectors_are_not_replaced(
    text_file: Callable[..., Path], cats: Path, tmp_path: Path
) -> None:
    import_vectors(text_file("a 1 2\nb 2 1\n", "glove.txt"), tmp_path / "m")
    before = everything(tmp_path / "m")
    with pytest.raises(
        ModelError, match=r"The word vectors of .* were made from other text: .*glove"
    ):
        firth.learn(cats, tmp_path / "m", **SMALL)
    assert everything(tmp_path / "m") == before
    firth.learn(cats, tmp_path / "m", dim=0, classes=0, **SMALL)  # adds to them


def test_replace_is_for_text_and_true_or_false(model: Path, cats: Path) -> None:
    with pytest.raises(ParameterError, match="'replace' parameter does not apply to a model"):
        learn_counts(model, replace=True)
    with pytest.raises(ParameterError, match="'replace' parameter of learn must be True or False"):
        firth.learn(cats, model, replace="yes")
    assert plan(cats, replace=True).exact
    assert [field.param.stored for field in Replacing.fields()] == [False]


def test_the_commands_have_the_option(
    firth: Callable[..., Result], fails: Callable[..., Result], model: Path, houses: Path
) -> None:
    for command in (
        "learn", "corpus learn", "counts learn", "vectors learn", "classes learn", "tags learn", "lm learn"
    ):  # fmt: skip
        result = fails(*command.split(), houses, "-o", model)
        assert "made from other text" in result.err
        assert "--replace" in result.err
    for command in ("ner learn", "grammar learn", "demo"):
        assert "--replace" in firth(*command.split(), "--help").out
    assert firth("corpus", "learn", houses, "-o", model, "--replace", "-q").status == 0
