"""Grammars as parts of models: nothing done twice, nothing lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.errors import FirthError, InputError, ModelError, ParameterError
from firth.model import load
from firth.pipeline import learn_grammar
from tests.cli.grammar_samples import trees


def test_a_grammar_is_learned_once(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file, path = text_file(trees(30), "a.mrg"), tmp_path / "m"

    def changed(*files: Path, **options: Any) -> list[str]:
        return learn_grammar(path, files, n_states=2, held_out=0.1, **options).changed

    assert changed(file) == ["grammar"]
    assert changed(file) == changed(file, method="spectral") == []
    assert changed(file, method="clustering") == ["grammar"]
    assert changed(file, file) == ["grammar"]
    file.write_text(trees(31))
    assert changed(file, file) == ["grammar"]
    grammar = load(path).grammar
    assert grammar.facts_["n_trees"] == 62 - 6
    assert grammar.method == "spectral"
    assert load(path).parts["grammar"].parameters == grammar.parameters()
    assert len(load(path).history()) == 4


def test_some_trees_are_held_out_by_default(text_file: Callable[..., Path], tmp_path: Path) -> None:
    model = learn_grammar(tmp_path / "m", text_file(trees(40), "a.mrg"), method="pcfg")
    assert model.grammar.facts_["n_trees"] == 38
    assert model.parts["grammar"].parameters["held_out"] == 0.05


def test_what_cannot_be_learned_changes_nothing(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file, path = text_file(trees(20), "a.mrg"), tmp_path / "m"
    before = learn_grammar(path, file, method="pcfg", held_out=0).parts
    empty = text_file("\n", "empty.mrg")
    wrong: list[tuple[type[FirthError], str, Any, dict[str, Any]]] = [
        (InputError, "has no trees", [file, empty], {"method": "pcfg"}),
        (InputError, "There is no file", "none.mrg", {}),
        (ParameterError, "'method' parameter of learn_grammar must be one of", file, {"method": "x"}),
        (ParameterError, "does not apply to method 'pcfg'", file, {"method": "pcfg", "n_states": 2}),
        (ParameterError, "does not apply to method 'spectral'", file, {"seed": 2}),
        (ModelError, "has no word classes", file, {"using": path}),
        (ModelError, "There is no model", file, {"using": tmp_path / "none"}),
    ]  # fmt: skip
    for kind, message, files, options in wrong:
        with pytest.raises(kind, match=message):
            learn_grammar(path, files, **options)
    assert load(path).parts == before
    assert load(path).grammar.facts_["n_trees"] == 20
    with pytest.raises(InputError):
        learn_grammar(tmp_path / "new", "none.mrg")
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_a_kill_leaves_the_old_grammar(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file, path = text_file(trees(20), "a.mrg"), tmp_path / "m"
    learn_grammar(path, file, method="pcfg")
    script = (
        "import sys, time\nfrom firth.grammar import Grammar\nfrom firth.pipeline import learn_grammar\n"
        "save = Grammar.save\n"
        "def slow(self, folder):\n    save(self, folder)\n    print('now', flush=True)\n    time.sleep(60)\n"
        "Grammar.save = slow\n"
        "learn_grammar(sys.argv[1], sys.argv[2], method='pcfg', vertical=2)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path), str(file)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.send_signal(signal.SIGKILL)
    for _ in range(100):  # the lock goes with the process
        if process.poll() is not None:
            break
        time.sleep(0.05)
    assert load(path).grammar.vertical == 1
    assert learn_grammar(path, file, method="pcfg", vertical=2).changed == ["grammar"]
    assert not list(path.rglob(".draft"))
    assert load(path).grammar.vertical == 2
