"""Language models as parts of models: nothing done twice, nothing lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.classes import ClassesParameters
from firth.corpus import Reading, find_sources
from firth.counts import CountsParameters
from firth.errors import InputError, ModelError, ParameterError
from firth.model import load
from firth.pipeline import import_lm, learn_classes, learn_corpus, learn_lm, learn_lm_classes
from firth.store import Writer, writing

LINES = [
    "the cat sat on the mat",
    "the dog sat on a mat",
    "a cat ran",
    "a dog ran to the cat",
    "the mat",
] * 6


def read(writer: Writer, file: Path) -> bool:
    return learn_corpus(writer, find_sources([file]), Reading(), 1)


def classify(writer: Writer, n: int = 4) -> bool:
    counted = CountsParameters(min_count=2)
    return learn_classes(writer, counted, ClassesParameters(n), "1G", 1)


def test_a_language_model_is_learned_once(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file, path = text_file("\n".join(LINES)), tmp_path / "m"
    held = text_file("the dog ran\nthe cat sat\n", "held.txt")
    with writing(path) as writer:
        with pytest.raises(ModelError, match="no corpus"):
            learn_lm(writer, {})
        read(writer, file)
        assert learn_lm(writer, {})
        assert load(path).lm.component_names == ["words"]
        assert classify(writer)
        every: list[dict[str, Any]] = [
            {"options": {}}, {"options": {"order": 2}}, {"options": {}, "sizes": [4]},
            {"options": {}, "sizes": [4, 2]}, {"options": {}, "held_out": 0.2}, {"options": {}, "held_out": held},
            {"options": {}, "using": []}, {"options": {}, "using": [load(path)]},
        ]  # fmt: skip
        for options in every:
            assert learn_lm(writer, **options), options
            assert not learn_lm(writer, **options), options
        held.write_text("the cat ran\n")
        assert learn_lm(writer, {}, held)
        assert learn_lm(writer, {"min_count": 1}, 0.1, [4, 2])
    lm = load(path).lm
    assert lm.component_names == ["words", "4 classes", "2 classes"]
    assert lm.facts_["held_out"]["n_sentences"] == 3
    assert load(path).parts["lm"].parameters["sizes"] == [4, 2]
    assert load(path).lm.min_count == 1


def test_it_is_stale_when_corpus_or_classes_change(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file, path = text_file("\n".join(LINES)), tmp_path / "m"
    with writing(path) as writer:
        read(writer, file)
        classify(writer)
        learn_lm(writer, {})
        classify(writer, 3)
    model = load(path)
    assert model.is_stale("lm")
    with pytest.raises(
        ModelError, match=f"The language model of {path} was made from older data"
    ) as error:
        model.lm  # noqa: B018
    assert error.value.hint == f"Bring it up to date: firth lm learn {path}"
    with writing(path) as writer:
        assert learn_lm(writer, {})
        assert load(path).lm.component_names == ["words", "3 classes"]
        learn_lm(writer, {}, using=[])
        classify(writer, 4)
    assert not load(path).is_stale("lm")
    file.write_text("\n".join(LINES + ["a mat"] * 3))
    with writing(path) as writer:
        read(writer, file)
    assert load(path).is_stale("lm")


def test_classes_are_learned_where_there_are_none(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file, path = text_file("\n".join(LINES)), tmp_path / "m"
    with writing(path) as writer:
        read(writer, file)
        assert learn_lm_classes(writer, [4, 2], "1G", 1)
        assert load(path).classes.n_classes == 4
        assert not learn_lm_classes(writer, None, "1G", 1)
        file.write_text("\n".join(LINES + ["a mat"] * 3))
        read(writer, file)
        assert learn_lm_classes(writer, None, "1G", 1)  # as they were, from the new text
        assert load(path).classes.n_classes == 4
        with pytest.raises(InputError, match="only 4 classes, not 9"):
            learn_lm(writer, {}, sizes=[9])
    small = tmp_path / "small"
    with writing(small) as writer:
        read(writer, text_file("a b c\n", "small.txt"))
        assert not learn_lm_classes(writer, None, "1G", 1)
        with pytest.raises((InputError, ParameterError)):
            learn_lm_classes(writer, [3], "1G", 1)
        assert learn_lm(writer, {"min_count": 1})
    assert load(small).lm.component_names == ["words"]


def test_what_cannot_be_learned_changes_nothing(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file, path = text_file("\n".join(LINES)), tmp_path / "m"
    with writing(path) as writer:
        read(writer, file)
        learn_lm(writer, {})
        before = writer.parts
        for wrong in ({"order": 4}, {"min_count": 10**6}):
            with pytest.raises((InputError, ParameterError)):
                learn_lm(writer, wrong)
        with pytest.raises(InputError):
            learn_lm(writer, {}, held_out=text_file("\n", "empty.txt"))
        assert writer.parts == before
    assert load(path).lm.order == 3


@pytest.mark.slow
def test_a_kill_leaves_the_old_model(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file, path = text_file("\n".join(LINES)), tmp_path / "m"
    with writing(path) as writer:
        read(writer, file)
        learn_lm(writer, {"order": 2})
    script = (
        "import sys, time\nfrom firth.lm import LanguageModel\n"
        "from firth.pipeline import learn_lm\nfrom firth.store import writing\n"
        "save = LanguageModel.save\n"
        "def slow(self, folder):\n    save(self, folder)\n    print('now', flush=True)\n    time.sleep(60)\n"
        "LanguageModel.save = slow\n"
        "with writing(sys.argv[1]) as writer:\n    learn_lm(writer, {})\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert load(path).lm.order == 2
    with writing(path) as writer:
        assert not list(path.rglob(".draft"))
        assert learn_lm(writer, {})
    assert load(path).lm.order == 3


def test_a_file_is_imported_once(text_file: Callable[..., Path], tmp_path: Path) -> None:
    path = tmp_path / "m"
    with writing(path) as writer:
        read(writer, text_file("\n".join(LINES)))
        learn_lm(writer, {})
    made: Any = load(path).lm
    file = tmp_path / "m.arpa"
    with file.open("w") as out:
        made.write_arpa(out)
    other = tmp_path / "other"
    assert import_lm(file, other)
    assert not import_lm(file, other)
    sentence = ["the", "cat", "ran"]
    assert load(other).lm.log_prob(sentence) == pytest.approx(made.log_prob(sentence), rel=1e-5)
    assert import_lm(file, path)
    assert not load(path).is_stale("lm")
    file.write_text("x")
    with pytest.raises(InputError, match=r"m\.arpa, line 1: the file ends too early"):
        import_lm(file, other)
    with pytest.raises(InputError, match="is not there"):
        import_lm(tmp_path / "no", other)
    assert load(other).lm.order == 3
