"""Taggers in the folder of a model: there and back, and what is wrong with a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.compute import Engine
from firth.errors import ModelError
from firth.ner import EntityParameters, EntityTagger
from firth.ner._lexicon import Lexicon
from firth.pipeline import learn_entities
from firth.store import read_array, writing
from tests.ner.samples import WORDS, classes, columns, part_of, random_vectors, rule_text
from tests.ner.test_tagger import learned, weights_of, words_of

NEW = [*words_of(rule_text(4, seed=9, first=3)), [WORDS]]
HELP: dict[str, Callable[[], dict[str, Any]]] = {
    "nothing": dict,
    "classes": lambda: {"classes": classes()},
    "vectors": lambda: {"vectors": random_vectors(3)},
    "both": lambda: {"classes": classes(), "vectors": random_vectors(3)},
}


def folder_of(tagger: EntityTagger, folder: Path) -> Callable[..., EntityTagger]:
    """Saves a tagger; what is returned loads it, with facts that are given."""
    folder.mkdir(exist_ok=True)
    tagger.save(folder)
    made = tagger.parameters.parameters()

    def load(**facts: Any) -> EntityTagger:
        names = [path.name for path in folder.iterdir()]
        return EntityTagger.load(folder.joinpath, names, {**tagger.facts_, **facts}, made)

    return load


@pytest.mark.parametrize("help_", HELP)
@pytest.mark.parametrize("stages", [1, 2])
def test_saved_and_loaded(help_: str, stages: int, tmp_path: Path) -> None:
    tagger = learned(stages=stages, seed=3, margin=7, **HELP[help_]())
    again = folder_of(tagger, tmp_path)()
    assert weights_of(again) == weights_of(tagger)
    assert [again.tag(document) for document in NEW] == [tagger.tag(document) for document in NEW]
    assert again.types_ == tagger.types_
    assert again.facts_ == tagger.facts_
    assert again.parameters == tagger.parameters
    assert again.telling("U-PER", 30) == tagger.telling("U-PER", 30)
    assert repr(again) == repr(tagger)
    assert repr(again.lexicon) == repr(tagger.lexicon)
    for word in WORDS:
        assert again.lexicon.prefixes(word) == tagger.lexicon.prefixes(word)
        one, other = again.lexicon.vector(word), tagger.lexicon.vector(word)
        assert (one is None) == (other is None)
        assert one is None or other is None or one.tolist() == other.tolist()
    second = tmp_path / "again"
    folder_of(again, second)
    for path in second.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_what_was_loaded_learns_anew(tmp_path: Path) -> None:
    tagger = learned(**HELP["both"]())
    again = folder_of(tagger, tmp_path)()
    assert weights_of(again.fit(rule_text(6))) == weights_of(tagger)


def test_nothing_is_pickled(tmp_path: Path) -> None:
    folder_of(learned(**HELP["both"]()), tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [
        "class_of.i32", "class_words.arrow", "paths.arrow", "stage1_keys.u64", "stage1_vector_weights.f32",
        "stage1_weights.f32", "stage2_keys.u64", "stage2_vector_weights.f32", "stage2_weights.f32",
        "vector_words.arrow", "vectors.f32", "words.arrow",
    ]  # fmt: skip
    for path in tmp_path.iterdir():
        if path.suffix == ".arrow":
            assert path.read_bytes().startswith(b"ARROW1")
        else:  # nothing but numbers
            assert path.stat().st_size % (int(path.suffix[2:]) // 8) == 0
            assert path.read_bytes() == read_array(path).tobytes()


def cut(n: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:-n]


def with_value(value: float) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        numbers = np.frombuffer(content, "<f4").copy()
        numbers[len(numbers) // 2] = value
        return numbers.tobytes()

    return change


def nothing(content: bytes) -> bytes:
    return b""


DAMAGE: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "half a key": ("stage1_keys.u64", cut(3)),
    "a key too few": ("stage1_keys.u64", cut(8)),
    "a key too many": ("stage2_keys.u64", lambda content: content + bytes(8)),
    "no keys": ("stage2_keys.u64", nothing),
    "half a weight": ("stage1_weights.f32", cut(2)),
    "a weight too few": ("stage1_weights.f32", cut(4)),
    "a row too few": ("stage2_weights.f32", cut(36)),
    "no weights": ("stage1_weights.f32", nothing),
    "a weight that is no number": ("stage1_weights.f32", with_value(np.nan)),
    "a weight without end": ("stage2_weights.f32", with_value(-np.inf)),
    "a component too few": ("stage1_vector_weights.f32", cut(4)),
    "no components": ("stage2_vector_weights.f32", nothing),
    "a component that is no number": ("stage2_vector_weights.f32", with_value(np.nan)),
    "no words": ("words.arrow", nothing),
    "words that are none": ("words.arrow", lambda content: b"ARROW1 or not"),
    "words cut off": ("words.arrow", lambda content: content[: len(content) // 2]),
    "no words with classes": ("class_words.arrow", nothing),
    "a class too few": ("class_of.i32", cut(4)),
    "half a class": ("class_of.i32", cut(2)),
    "a class that is not there": ("class_of.i32", lambda content: content[:-4] + b"\x63\0\0\0"),
    "a negative class": ("class_of.i32", lambda content: content[:-4] + b"\xff\xff\xff\xff"),
    "no paths": ("paths.arrow", nothing),
    "no words with vectors": ("vector_words.arrow", nothing),
    "a number of a vector too few": ("vectors.f32", cut(4)),
    "a vector too few": ("vectors.f32", cut(12)),
    "a dimension too few": ("vectors.f32", cut(28)),
    "no vectors": ("vectors.f32", nothing),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    load = folder_of(learned(rounds=1, **HELP["both"]()), tmp_path)
    file, change = DAMAGE[name]
    content = (tmp_path / file).read_bytes()
    assert load().types_ == ["LOC", "PER"]
    (tmp_path / file).write_bytes(change(content))
    with pytest.raises(ModelError) as error:
        load()
    assert str(tmp_path) in error.value.message


@pytest.mark.parametrize("types", [None, [], "PER", [1, 2], ["PER"], ["A", "B", "C"]])
def test_types_that_do_not_fit_are_refused(types: Any, tmp_path: Path) -> None:
    load = folder_of(learned(rounds=1), tmp_path)
    with pytest.raises(ModelError, match="cannot be used") as error:
        load(types=types)
    assert error.value.hint == "Learn it anew: firth ner learn"


@pytest.mark.parametrize("number", [1, 2])
def test_a_tagger_without_one_of_its_stages_is_refused(number: int, tmp_path: Path) -> None:
    load = folder_of(learned(rounds=1), tmp_path)
    for path in list(tmp_path.glob(f"stage{number}_*")):
        path.unlink()
    with pytest.raises(ModelError) as error:
        load()
    assert error.value.hint


def test_what_is_known_of_words(tmp_path: Path) -> None:
    lexicon = Lexicon(classes(), random_vectors(3))
    assert lexicon.path("anna") == lexicon.path("Anna") == lexicon.path("ANNA") == "00"
    assert (lexicon.path("Rome"), lexicon.path("rome")) == ("0100", "01011")
    assert lexicon.path("ROME") == "0100", "first with one capital"
    assert lexicon.path("1996") == "10", "digits are as good as zeros"
    assert lexicon.path("nowhere") is None
    assert lexicon.prefixes("nowhere") == []
    path = "0110" * 5 + "01"
    assert lexicon.prefixes("Said") == [
        ("class4", "0110"), ("class6", path[:6]), ("class10", path[:10]), ("class20", path[:20]),
    ]  # fmt: skip
    assert lexicon.prefixes("anna") == [(f"class{n}", "00") for n in (4, 6, 10, 20)]
    vector = lexicon.vector("G-7")
    assert vector is not None
    given = random_vectors(3)["g-0"]
    assert (vector**2).mean() == pytest.approx(0.01)
    np.testing.assert_allclose(vector / vector[0], given / given[0], rtol=1e-5)
    assert lexicon.vector("the") is None, "nothing but zeros"
    assert lexicon.vector("nowhere") is None
    assert (lexicon.dim, lexicon.n_class_words, lexicon.n_vector_words) == (3, 7, 7)
    empty = Lexicon()
    assert (empty.dim, empty.n_class_words, empty.n_vector_words) == (0, 0, 0)
    assert (empty.path("anna"), empty.prefixes("anna"), empty.vector("anna")) == (None, [], None)
    assert repr(empty) == "<Lexicon: empty>"


# In a model --------------------------------------------------------------------------------------


PARAMETERS = EntityParameters(rounds=3)


def learn_into(model: Path, file: Path, **options: Any) -> bool:
    said: dict[str, Any] = {
        "dev": None, "using": None, "features": [], "parameters": PARAMETERS, "column": -1, "engine": Engine(2),
    }  # fmt: skip
    with writing(model) as writer:
        return learn_entities(writer, file, **{**said, **options})


@pytest.fixture
def file(text_file: Callable[..., Path]) -> Path:
    return text_file(columns(rule_text(4)), "names.txt")


def test_a_model_has_a_tagger(file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    assert learn_into(model, file)
    tagger = EntityTagger(rounds=3).fit(rule_text(4))
    found = firth.load(model).ner
    assert isinstance(found, EntityTagger)
    assert weights_of(found) == weights_of(tagger)
    assert [found.tag(document) for document in NEW] == [tagger.tag(document) for document in NEW]
    facts = firth.load(model).parts["ner"].facts
    assert (facts["scheme"], facts["n_slips"], facts["n_names"]) == ("iob2", 0, 48)
    assert found.facts_["types"] == ["LOC", "PER"]
    assert "ner" in firth.load(model)


def test_what_was_learned_is_not_learned_again(
    file: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model, dev = tmp_path / "m", text_file(columns(rule_text(1, seed=4)), "dev.txt")
    assert learn_into(model, file)
    first = firth.load(model).parts["ner"].identity
    assert not learn_into(model, file)
    assert firth.load(model).parts["ner"].identity == first
    assert not learn_into(model, file, engine=Engine(1)), "threads change nothing"
    for changed in ({"dev": dev}, {"parameters": EntityParameters(rounds=4)}, {"column": 2}):
        assert learn_into(model, file, **changed)
        assert not learn_into(model, file, **changed)
    file.write_text(columns(rule_text(5)))
    assert learn_into(model, file, **changed)


def test_a_tagger_has_its_own_copy_of_what_it_uses(file: Path, tmp_path: Path) -> None:
    helper, model = tmp_path / "news", tmp_path / "m"
    vectors = random_vectors(3).restrict(["anna", "Rome", "said", "in"])
    for part in (classes(), vectors):
        part_of(helper, part)
    using = firth.load(helper)
    assert learn_into(model, file, using=using, features=["classes", "vectors"])
    assert not learn_into(model, file, using=firth.load(helper), features=["classes", "vectors"])
    expected = EntityTagger(classes(), vectors, rounds=3).fit(rule_text(4))
    for path in sorted(helper.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    found = firth.load(model).ner
    assert weights_of(found) == weights_of(expected)
    assert [found.tag(document) for document in NEW] == [expected.tag(d) for d in NEW]
    assert (found.facts_["classes_of"], found.facts_["vectors_of"]) == (7, 4)


def test_a_damaged_model_is_refused(file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    learn_into(model, file)
    part = firth.load(model).parts["ner"]
    weights = part.path("stage2_weights.f32")
    content = weights.read_bytes()
    for damaged in (content[:-4], content[:-36], with_value(1.5)(content)):
        weights.write_bytes(damaged)
        with pytest.raises(ModelError):
            opened = firth.load(model)
            opened.parts["ner"].verify()
            assert opened.ner
    weights.unlink()
    with pytest.raises(ModelError) as error:
        assert firth.load(model).ner
    assert "stage2_weights.f32" in str(error.value)


def test_a_model_without_a_tagger_says_so(tmp_path: Path) -> None:
    part_of(tmp_path / "m", classes())
    with pytest.raises(ModelError, match="ner"):
        assert firth.load(tmp_path / "m").ner


def test_a_part_that_failed_leaves_the_one_before(
    file: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model = tmp_path / "m"
    learn_into(model, file)
    before = weights_of(firth.load(model).ner)
    with pytest.raises(firth.InputError, match="no names"):
        learn_into(model, text_file("Anna O\nran O\n", "none.txt"))
    assert weights_of(firth.load(model).ner) == before
    manifest = json.loads(next(model.glob("*.json")).read_text())
    assert "ner" in json.dumps(manifest)
