"""Models with only some parts answer what they can, and say what they lack."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import firth
from firth import pipeline
from firth.describe import typical_word
from firth.explore import ModelWatcher
from firth.parts import PARTS
from firth.store import writing
from tests.explore.models import Client, cut, serving
from tests.explore.scripts import HINDI


@contextmanager
def shown(path: Path) -> Iterator[Client]:
    with serving(path) as address:
        yield Client(address)


def refused(client: Client, part: str, *questions: tuple[str, dict[str, str]]) -> None:
    """Questions about a part that is not there are answered with what to do."""
    for name, asked in questions:
        problem = client.problem(404, name, **asked)
        assert problem["error"] == f"This model has no {PARTS[part].title}.", name
        assert "firth " in problem["hint"]


OF_CLASSES: list[tuple[str, dict[str, str]]] = [
    ("tree", {}), ("class", {"path": ""}), ("compare/classes", {"a": "", "b": ""}),
]  # fmt: skip
OF_VECTORS: list[tuple[str, dict[str, str]]] = [
    ("neighbours", {"word": "cat"}), ("analogy", {"a": "cat", "b": "cat", "c": "cat"}),
]  # fmt: skip
OF_CORPUS: list[tuple[str, dict[str, str]]] = [("concordance", {"word": "cat"})]
OF_MAP: list[tuple[str, dict[str, str]]] = [("map", {})]


def test_a_model_of_vectors_alone(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file = text_file("3 2\ncat 1 0\nDog 0.6 0.8\ncow -0.8 0.6\n", "v.vec")
    pipeline.import_vectors(file, tmp_path / "m")
    with shown(tmp_path / "m") as client:
        assert client.ask("model")["parts"] == ["vectors"]
        assert client.ask("complete", q="d") == [{"kind": "word", "text": "Dog", "count": 0, "label": ""}]  # fmt: skip
        told = client.ask("word", word="cat")
        assert (told["count"], told["rank"], told["word_class"], told["sides"]) == (None, None, None, {})  # fmt: skip
        near = {"word": "Dog", "similarity": 0.6, "guessed": False}
        assert client.ask("neighbours", word="cat", n=1) == [near]
        assert client.ask("neighbours", word="cow", n=1000)[-1]["similarity"] == -0.8
        assert client.ask("compare/words", a="Dog", b="cow")["similarity"] == 0
        refused(client, "classes", *OF_CLASSES)
        refused(client, "corpus", *OF_CORPUS)
        refused(client, "map", *OF_MAP)
        assert client.ask("about")["n_tokens"] is None


def test_a_model_of_classes_alone(text_file: Callable[..., Path], tmp_path: Path) -> None:
    lines = "0000\tcat\t9\n0001\tdog\t8\n010\thumming\t4\n010\tswimming\t3\n010\tdrumming\t3\n0110\tthe\t40\n"
    pipeline.import_classes(text_file(lines, "c.paths"), tmp_path / "m")
    with shown(tmp_path / "m") as client:
        told = client.ask("tree")
        assert told["paths"] == ["0", "000", "0000", "0001", "01", "010", "0110"]
        assert told["below"] == "0", "the root is where the paths first part"
        hierarchy = firth.load(tmp_path / "m").classes
        for k in range(1, 5):
            assert cut(told, k) == hierarchy.cut(k).paths
        for asked, node in (("", "0"), ("00", "000"), ("011", "0110"), ("01", "01")):
            assert client.ask("class", path=asked)["path"] == node
            assert client.ask("tree", below=asked)["below"] == node
        told = client.ask("class", path="01")
        assert (told["information"], told["sides"]) == (None, {})
        assert told["share"] == pytest.approx(50 / 67)
        assert client.ask("compare/classes", a="0000", b="010")["common"]["path"] == "0"
        assert client.ask("compare/words", a="cat", b="dog")["common"]["path"] == "000"
        told = client.ask("word", word="cat")
        assert (told["count"], told["rank"]) == (9, None)
        refused(client, "vectors", *OF_VECTORS)
        refused(client, "corpus", *OF_CORPUS)
        refused(client, "map", *OF_MAP)


def test_a_tree_of_one_class(text_file: Callable[..., Path], tmp_path: Path) -> None:
    pipeline.import_classes(text_file("cat\t1\ndog\t1\n", "c.txt"), tmp_path / "m")
    with shown(tmp_path / "m") as client:
        told = client.ask("tree")
        assert (len(told["paths"]), told["parents"], told["ranks"]) == (1, [-1], [0])
        told = client.ask("class")
        assert (told["n_words"], told["above"], told["below"], told["beside"]) == (2, [], [], [])
        assert told["share"] is None, "there are no counts"


def test_a_model_of_a_corpus_alone(text_file: Callable[..., Path], tmp_path: Path) -> None:
    text = text_file("the cat sat\nthe dog sat\n")
    pipeline.learn_corpus(tmp_path / "m", text, threads=1)
    with shown(tmp_path / "m") as client:
        assert client.ask("model")["parts"] == ["corpus"]
        told = client.ask("word", word="cat")
        assert (told["count"], told["word_class"], told["sides"]) == (1, None, {})
        assert client.ask("concordance", word="cat")["lines"][0] == {
            "left": "the ", "word": "cat", "right": " sat", "source": "text.txt", "original": True,
        }  # fmt: skip
        refused(client, "vectors", *OF_VECTORS)
        refused(client, "classes", *OF_CLASSES)
        refused(client, "map", *OF_MAP)
        told = client.ask("compare/words", a="cat", b="dog")
        assert (told["similarity"], told["common"]) == (None, None)


def test_an_empty_model_is_no_mystery(tmp_path: Path) -> None:
    with writing(tmp_path / "m") as writer:
        watcher = ModelWatcher(tmp_path / "m")
        assert (watcher.snapshot().parts, writer.parts) == (set(), {})
        with pytest.raises(firth.FirthError, match="This model has no words yet"):
            watcher.snapshot().vocabulary  # noqa: B018


def test_words_that_only_an_imported_part_knows(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    pipeline.import_vectors(text_file("2 2\ncat 1 0\ndog 0 1\n", "v.vec"), tmp_path / "m")
    pipeline.import_classes(text_file("0\tcow\t5\n1\tdog\t3\n", "c.paths"), tmp_path / "m")
    with shown(tmp_path / "m") as client:
        told = client.ask("word", word="cow")
        assert (told["count"], told["word_class"]["path"], told["guessed"]) == (5, "0", False)
        assert client.ask("neighbours", word="cow") == [], "known, but without a vector"
        assert client.ask("word", word="dog")["word_class"]["path"] == "1"
        client.problem(404, "neighbours", word="hen")


def test_contexts_without_sides_are_near(text_file: Callable[..., Path], tmp_path: Path) -> None:
    text = text_file("the cat sat here\nthe dog sat there\n" * 8)
    model = firth.learn(text, tmp_path / "m", contexts="bag2", dim=0, classes=0, threads=1)
    with shown(tmp_path / "m") as client:
        told = client.ask("word", word="cat")["sides"]
        assert list(told) == ["near"]
        assert [row["word"] for row in told["near"]] == [c.word for c in model.counts.collocates("cat")]  # fmt: skip


def test_only_the_side_that_was_counted_is_told(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = text_file("the cat sat here\nthe dog sat there\n" * 8)
    firth.learn(text, tmp_path / "m", contexts="R1", dim=0, classes=0, threads=1)
    with shown(tmp_path / "m") as client:
        assert list(client.ask("word", word="cat")["sides"]) == ["after"]


def test_words_with_vowel_signs_are_examples(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    words, chance = " ".join(HINDI.nouns).split(), random.Random(1)
    text = text_file("\n".join(" ".join(chance.choices(words, k=6)) for _ in range(100)) + "\n")
    pipeline.learn_corpus(tmp_path / "m", text)
    with shown(tmp_path / "m") as client:
        found = client.ask("model")["examples"]
    assert len(found) >= 3
    assert any(not word.isalpha() for word in found)
    word = typical_word(firth.load(tmp_path / "m"))
    assert word in words
