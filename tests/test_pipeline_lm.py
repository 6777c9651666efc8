"""Language models as parts of models: nothing done twice, nothing lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.errors import InputError, ModelError, ParameterError
from firth.model import Model, load
from firth.pipeline import import_lm, learn_classes, learn_corpus, learn_lm

LINES = [
    "the cat sat on the mat",
    "the dog sat on a mat",
    "a cat ran",
    "a dog ran to the cat",
    "the mat",
] * 6


@pytest.fixture
def text(text_file: Callable[..., Path]) -> Path:
    return text_file("\n".join(LINES))


@pytest.fixture
def path(text: Path, tmp_path: Path) -> Path:
    """A model with a corpus."""
    learn_corpus(tmp_path / "m", text, threads=1)
    return tmp_path / "m"


def classify(path: Path, n: int = 4) -> Model:
    return learn_classes(path, n_classes=n, min_count=2, threads=1)


def test_a_language_model_is_learned_once(path: Path, text_file: Callable[..., Path]) -> None:
    held = text_file("the dog ran\nthe cat sat\n", "held.txt")
    assert learn_lm(path, classes=[]).changed == ["lm"]
    assert load(path).lm.component_names == ["words, 5-grams"]
    classify(path)
    every: list[dict[str, Any]] = [
        {"order": 2}, {"classes": [4]}, {"classes": (4, 2)}, {"held_out": 0.2}, {"held_out": held},
        {"classes": []}, {"using": [path]},
    ]  # fmt: skip
    for options in every:
        assert learn_lm(path, **options).changed == ["lm"], options
        assert learn_lm(path, **options, threads=1).changed == [], options
    learn_lm(path, held_out=str(held))
    held.write_text("the cat ran\n")
    assert learn_lm(path, held_out=held).changed == ["lm"]
    assert learn_lm(path, min_count=1, held_out=0.1, classes=[4, 2]).changed == ["lm"]
    lm = load(path).lm
    assert lm.mixture_.sizes == [4, 2]
    assert lm.facts_["held_out"]["n_sentences"] == 3
    parameters = load(path).parts["lm"].parameters
    assert (parameters["sizes"], parameters["min_count"]) == ([4, 2], 1)


def test_text_is_read_first(text: Path, tmp_path: Path) -> None:
    path = tmp_path / "m"
    with pytest.raises(ModelError, match="no corpus"):
        learn_lm(path)
    assert not path.exists()
    learned = learn_lm(path, text, classes=[4], lowercase=True, threads=1, memory="1G")
    assert learned.changed == ["corpus", "lm"]
    assert learned.corpus.reading.lowercase
    assert learn_lm(path, text, classes=[4], lowercase=True).changed == []


def test_it_is_stale_when_the_corpus_changes(path: Path, text: Path) -> None:
    learn_lm(path, classes=[])
    assert not classify(path, 4).is_stale("lm")
    text.write_text("\n".join(LINES + ["a mat"] * 3))
    model = learn_corpus(path, text, threads=1)
    assert model.is_stale("lm")
    with pytest.raises(ModelError, match=f"The language model of {path} is out of date") as error:
        model.lm  # noqa: B018
    assert error.value.hint == f"Retrain: firth lm learn {path}"


def test_clusterings_are_its_own_or_those_of_others(
    path: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    learned = learn_lm(path, classes=[4, 2], threads=1)
    assert learned.changed == ["lm"]
    assert "classes" not in learned
    classify(path)
    other = learn_lm(path, using=[path], threads=1)
    assert other.lm.mixture_.sizes == [4]
    with pytest.raises(InputError, match="only 4 classes, not 9"):
        learn_lm(path, classes=[9], using=[path])
    with pytest.raises(ParameterError, match="'classes'"):
        learn_lm(path, classes=[99])
    small = text_file("a b c\n", "small.txt")
    with pytest.raises((InputError, ParameterError)):
        learn_lm(tmp_path / "small", small, classes=[3], min_count=1)
    learned = learn_lm(tmp_path / "small", small, min_count=1)
    assert learned.changed == ["lm"]  # the corpus is there already
    assert learned.lm.component_names == ["words, 5-grams"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": 7}, {"min_count": 10**6}, {"classes": [1]}, {"classes": [], "using": ["m"]},
        {"held_out": 1}, {"held_out": True}, {"held_out": None}, {"held_out": "no.txt"},
        {"held_out": "empty.txt"}, {"held_out": 0, "using": ["c.paths"]}, {"tokens": "words"},
        {"using": ["no"]}, {"using": ["empty.txt"]}, {"memory": "much"}, {"threads": 0},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_learned_changes_nothing(
    path: Path,
    wrong: dict[str, Any],
    text_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(path.parent)
    text_file("\n", "empty.txt")
    text_file("0\tcat\t5\n1\tdog\t4\n", "c.paths")
    before = dict(learn_lm(path, classes=[]).parts)
    with pytest.raises((InputError, ParameterError, ModelError)):
        learn_lm(path, **{"classes": [] if "using" not in wrong else None, **wrong})
    assert load(path).parts == before
    assert load(path).lm.order == 5


@pytest.mark.slow
def test_a_kill_leaves_the_old_model(path: Path) -> None:
    learn_lm(path, order=2, classes=[])
    script = (
        "import sys, time\nfrom firth.lm import LanguageModel\nfrom firth.pipeline import learn_lm\n"
        "save = LanguageModel.save\n"
        "def slow(self, folder):\n    save(self, folder)\n    print('now', flush=True)\n    time.sleep(60)\n"
        "LanguageModel.save = slow\n"
        "learn_lm(sys.argv[1], classes=[])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert load(path).lm.order == 2
    assert learn_lm(path, classes=[]).changed == ["lm"]
    assert not list(path.rglob(".draft"))
    assert load(path).lm.order == 5


def test_a_file_is_imported_once(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Any = learn_lm(path, classes=[]).lm
    file = tmp_path / "m.arpa"
    with file.open("w") as out:
        made.write_arpa(out)
    other = tmp_path / "other"
    assert import_lm(file, other).changed == ["lm"]
    with monkeypatch.context() as patched:  # it is not even read again
        patched.setattr("firth.lm._interpolated.read_arpa", None)
        assert import_lm(file, other).changed == []
    sentence = ["the", "cat", "ran"]
    assert load(other).lm.log_prob(sentence) == pytest.approx(made.log_prob(sentence), rel=1e-5)
    assert import_lm(file, path).changed == ["lm"]
    assert not load(path).is_stale("lm")
    file.write_text("x")
    with pytest.raises(InputError, match=r"m\.arpa, line 1: no line is"):
        import_lm(file, other)
    with pytest.raises(InputError, match="does not exist"):
        import_lm(tmp_path / "no", other)
    assert load(other).lm.order == 5
