"""Models over morphs, as a person would use them: new text is split as the text of the model was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth as package
from firth.corpus import marked
from tests.corpus.test_morph_tokens import text_of
from tests.morphs.samples import language

Run = Callable[..., Any]
WORDS = list(language(n=60))
NEW = "nozaktazro tikutden."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of an agglutinative language, a model over morphs, and new text."""
    here = tmp_path_factory.mktemp("tokens")
    (here / "text.txt").write_text(text_of(WORDS), encoding="utf-8")
    (here / "new.txt").write_text(NEW + "\n", encoding="utf-8")
    how: dict[str, Any] = {"dim": 4, "classes": 4, "tags": 3, "min_count": 1}
    package.learn(here / "text.txt", here / "m", tokens="morphs", **how)
    from firth.pipeline import learn_lm

    learn_lm(here / "m")
    return here


@pytest.fixture(scope="module")
def tokens(folder: Path) -> list[str]:
    """The tokens of the new text."""
    morphs = package.load(folder / "m").morphs
    words = [*NEW.removesuffix(".").split(), "."]
    found = [token for parts in morphs.split_all(words) for token in marked(parts)]
    assert len(found) > len(words)
    return found


def test_new_text_is_split_in_the_same_way(firth: Run, folder: Path, tokens: list[str]) -> None:
    model, new = folder / "m", folder / "new.txt"
    assert firth("corpus", "apply", new, "--using", model).out.split() == tokens
    tagged = firth("tags", "apply", model, new).out.split()
    assert [one.rpartition("/")[0] for one in tagged] == tokens
    scored = json.loads(firth("lm", "apply", model, new, "--json").out)
    assert scored["words"] == tokens
    evaluated = json.loads(firth("lm", "evaluate", model, new, "--json").out)
    assert evaluated["n_words"] == len(tokens)
    after = json.loads(firth("lm", "show", model, "--after", NEW, "--json").out)
    assert after["after"] == tokens
    known = json.loads(firth("corpus", "evaluate", model, new, "--json").out)
    assert known["n_tokens"] == len(tokens)
    assigned = firth("classes", "apply", model, new, "--json")
    assert assigned.status == 0, assigned
    assert firth("vectors", "apply", model, new, "--word", tokens[0]).status == 0


def test_words_are_found_in_the_original_text(firth: Run, folder: Path) -> None:
    text = (folder / "text.txt").read_text(encoding="utf-8")
    for word in WORDS[:12]:
        told = json.loads(firth("find", folder / "m", word, "--json", "-n", 1000).out)
        assert len(told["hits"]) == told["count"] >= text.count(f" {word} ")
        assert all(hit["original"] and hit["word"] == word for hit in told["hits"])


def test_the_main_job_says_what_it_did(firth: Run, folder: Path, tmp_path: Path) -> None:
    how = ("--tokens", "morphs", "--min-count", 1, "--dim", 4, "--classes", 4)
    done = firth("learn", folder / "text.txt", "-o", tmp_path / "m", *how, "--json")
    changed = json.loads(done.out)["changed"]
    assert changed == ["morphs", "corpus", "counts", "vectors", "classes"]
    again = firth("learn", folder / "text.txt", "-o", tmp_path / "m", *how, "--json")
    assert json.loads(again.out)["changed"] == []
    planned = firth("learn", folder / "text.txt", "-o", tmp_path / "n", *how, "--plan")
    assert "morphs" in planned.out


def test_what_is_for_words_is_refused(fails: Run, folder: Path, tmp_path: Path) -> None:
    model, gold = folder / "m", tmp_path / "gold.conllu"
    gold.write_text("1\tnozak\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    for command in (
        ("tags", "evaluate", model, gold),
        ("tags", "apply", model, gold, "--format", "conllu"),
        ("classes", "evaluate", model, "--tagged", gold),
    ):
        assert "learned over morphs" in fails(*command).err
    assert (
        "a morphology is needed"
        in fails("corpus", "apply", folder / "text.txt", "--tokens", "morphs", status=2).err
    )
    assert (
        "--tokens must be for whole words"
        in fails("morphs", "apply", model, folder / "new.txt", "--tokens", "morphs", status=2).err
    )
    assert "is not in the corpus" in fails("find", model, "zzzzz").err
