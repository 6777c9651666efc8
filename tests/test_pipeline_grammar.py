"""Grammars as parts of models: nothing done twice, nothing lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from firth.errors import InputError, ParameterError
from firth.model import load
from firth.pipeline import learn_grammar
from firth.store import writing
from tests.cli.grammar_samples import trees


def test_a_grammar_is_learned_once(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file, path = text_file(trees(30), "a.mrg"), tmp_path / "m"
    options = {"n_states": 2, "held_out": 0.1}
    with writing(path) as writer:
        assert learn_grammar(writer, [file], options)
        assert not learn_grammar(writer, [file], options)
        assert not learn_grammar(writer, [file], {**options, "method": "spectral"})
        assert learn_grammar(writer, [file], {**options, "method": "clustering"})
        assert learn_grammar(writer, [file, file], options)
        file.write_text(trees(31))
        assert learn_grammar(writer, [file, file], options)
    grammar = load(path).grammar
    assert grammar.facts_["n_trees"] == 62 - 6
    assert grammar.method == "spectral"
    assert load(path).parts["grammar"].parameters == grammar.parameters()
    assert len(load(path).history()) == 4


def test_what_cannot_be_learned_changes_nothing(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file, path = text_file(trees(20), "a.mrg"), tmp_path / "m"
    with writing(path) as writer:
        learn_grammar(writer, [file], {"method": "pcfg"})
        before = writer.parts
        with pytest.raises(InputError, match="has no trees in it"):
            learn_grammar(writer, [file, text_file("\n", "empty.mrg")], {"method": "pcfg"})
        with pytest.raises(ParameterError):
            learn_grammar(writer, [file], {"method": "magic"})
        assert writer.parts == before
    assert load(path).grammar.facts_["n_trees"] == 20


def test_a_kill_leaves_the_old_grammar(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file, path = text_file(trees(20), "a.mrg"), tmp_path / "m"
    with writing(path) as writer:
        learn_grammar(writer, [file], {"method": "pcfg"})
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom firth.grammar import LPCFG\n"
        "from firth.pipeline import learn_grammar\nfrom firth.store import writing\n"
        "save = LPCFG.save\n"
        "def slow(self, folder):\n    save(self, folder)\n    print('now', flush=True)\n    time.sleep(60)\n"
        "LPCFG.save = slow\n"
        "with writing(sys.argv[1]) as writer:\n"
        "    learn_grammar(writer, [Path(sys.argv[2])], {'method': 'pcfg', 'vertical': 2})\n"
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
    assert load(path).grammar.preparation.vertical == 1
    with writing(path) as writer:
        assert not list(path.rglob(".draft"))
        assert learn_grammar(writer, [file], {"method": "pcfg", "vertical": 2})
    assert load(path).grammar.preparation.vertical == 2
