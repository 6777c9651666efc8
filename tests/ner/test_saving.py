"""Recognisers in a model folder: saving, loading, training into a model, damage."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import ModelError, ParameterError
from firth.ner import EntityRecogniser, EntityTagger
from firth.ner._key_kernels import key_pair
from firth.ner._lexicon import Lexicon
from firth.ner._perceptron_kernels import tag_document
from firth.ner._recogniser import split_labels
from firth.ner._training import static_of
from firth.ner._weights import FinishedWeights, allowed_after, workspace_for
from firth.parts import load_part
from firth.pipeline import learn_entities
from firth.store import Part, sha256
from tests.damage import Change, check_refused, cut, longer, with_value
from tests.ner.samples import (
    WORDS,
    classes,
    columns,
    encoded,
    part_of,
    random_document,
    random_vectors,
    rule_text,
)
from tests.ner.test_tagger import learned, weights_of, words_of

NEW = [*words_of(rule_text(4, seed=9, first=3)), [WORDS]]
HELP: dict[str, Callable[[], dict[str, Any]]] = {
    "nothing": dict,
    "classes": lambda: {"classes": classes()},
    "vectors": lambda: {"vectors": random_vectors(3)},
    "both": lambda: {"classes": classes(), "vectors": random_vectors(3)},
}


def folder_of(tagger: EntityRecogniser, folder: Path) -> Callable[..., EntityRecogniser]:
    """Saves a recogniser and returns a function that loads it, with other facts if some are given."""
    folder.mkdir(exist_ok=True)
    tagger.save(folder)

    def load(**facts: Any) -> EntityRecogniser:
        part = Part.in_folder(folder, tagger.parameters(), "ner", **{**tagger.facts_, **facts})
        found: EntityRecogniser = load_part(part)
        return found

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
    assert again.parameters() == tagger.parameters()
    assert again.summary() == tagger.summary()
    assert again.telling("U-PER", 30) == tagger.telling("U-PER", 30)
    assert repr(again) == f"<EntityRecogniser: LOC, PER; {tagger.facts_['n_features']:,} features>"
    assert repr(again.lexicon_) == repr(tagger.lexicon_)
    for word in WORDS:
        assert again.lexicon_.prefixes(word) == tagger.lexicon_.prefixes(word)
        one, other = again.lexicon_.vector(word), tagger.lexicon_.vector(word)
        assert (one is None) == (other is None)
        assert one is None or other is None or one.tolist() == other.tolist()
    second = tmp_path / "again"
    folder_of(again, second)
    for path in second.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_what_was_loaded_can_be_written_again(tmp_path: Path) -> None:
    tagger = learned(**HELP["both"]())
    tagger.write(tmp_path / "one")
    firth.load(tmp_path / "one").ner.write(tmp_path / "two")
    one, two = (firth.load(tmp_path / name).parts["ner"] for name in ("one", "two"))
    assert one == dataclasses.replace(two, folder=one.folder)
    assert one.made_from == {"weights": sha256(one.path("stage2_weights.f32"))}


DAMAGE: dict[str, tuple[str, Change]] = {
    "a key too few": ("stage1_keys.u64", cut(8)),
    "a key too many": ("stage2_keys.u64", longer(8)),
    "a row of weights too few": ("stage2_weights.f32", cut(36)),
    "a weight that is not a number": ("stage1_weights.f32", with_value(np.nan, "<f4")),
    "an infinite weight": ("stage2_weights.f32", with_value(-np.inf, "<f4")),
    "a component too few": ("stage1_vector_weights.f32", cut(4)),
    "a component that is not a number": ("stage2_vector_weights.f32", with_value(np.nan, "<f4")),
    "a key too many in lower case": ("caseless_keys.u64", longer(8)),
    "a weight that is not a number in lower case": (
        "caseless_weights.f32",
        with_value(np.nan, "<f4"),
    ),
    "a class too few": ("class_of.i32", cut(4)),
    "a class that does not exist": ("class_of.i32", lambda content: content[:-4] + b"\x63\0\0\0"),
    "a negative class": ("class_of.i32", lambda content: content[:-4] + b"\xff\xff\xff\xff"),
    "a vector too few": ("vectors.f32", cut(12)),
    "a dimension too few": ("vectors.f32", cut(28)),
}


@pytest.fixture(scope="module")
def trained() -> EntityTagger:
    return learned(rounds=1, **HELP["both"]())


@pytest.mark.parametrize("name", DAMAGE)
def test_files_that_do_not_match_are_refused(
    name: str, trained: EntityTagger, tmp_path: Path
) -> None:
    load = folder_of(trained, tmp_path)
    file, change = DAMAGE[name]
    assert load().types_ == ["LOC", "PER"]
    error = check_refused(load, tmp_path / file, change)
    assert "cannot be used" in error.message
    assert error.hint == "Retrain it: firth ner learn LABELLED -o MODEL"


@pytest.mark.parametrize(
    "facts",
    [
        *({"types": types} for types in (None, [], "PER", [1, 2], ["PER"], ["A", "B", "C"])),
        *({"types": types} for types in (["", "PER"], ["PER", "PER"], ["PER", "a\nb"])),
        {"n_names": None},
        {"n_features": "1"},
        {"dev_f1": "x"},
        {"dev_f1": [[1]]},
        {"stages": 1},
        {"caseless": 1},
    ],
)
def test_facts_that_do_not_match_are_refused(
    facts: dict[str, Any], trained: EntityTagger, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="cannot be used"):
        folder_of(trained, tmp_path)(**facts)


def test_wrong_parameters_are_refused(trained: EntityTagger, tmp_path: Path) -> None:
    trained.save(tmp_path)
    part = Part.in_folder(tmp_path, {"rounds": "x"}, "ner", **trained.facts_)
    with pytest.raises(ModelError, match="cannot be used: The 'rounds' parameter"):
        load_part(part)


@pytest.mark.parametrize("number", [1, 2])
def test_a_recogniser_without_one_of_its_stages_is_refused(
    number: int, trained: EntityTagger, tmp_path: Path
) -> None:
    load = folder_of(trained, tmp_path)
    for path in list(tmp_path.glob(f"stage{number}_*")):
        path.unlink()
    with pytest.raises(ModelError, match="weights are missing"):
        load()


def test_a_recogniser_without_its_weights_for_one_case_is_refused(
    trained: EntityTagger, tmp_path: Path
) -> None:
    load = folder_of(trained, tmp_path)
    for path in list(tmp_path.glob("caseless_*")):
        path.unlink()
    with pytest.raises(ModelError, match="weights are missing"):
        load()
    assert load(caseless=False).caseless_ is None


def test_what_is_known_of_words_in_lower_case() -> None:
    """The first spelling of a word in the vocabulary is the commonest."""
    known = firth.Hierarchy.from_paths(
        ["Rome", "rome", "the", "The", "0000"], ["00", "01", "10", "110", "111"]
    )
    vectors = firth.WordVectors.from_arrays(["McVeigh", "the", "THE"], np.eye(3, dtype=np.float32))
    lexicon = Lexicon(known, vectors)
    small = lexicon.in_lower_case()
    assert [small.path(word) for word in ("rome", "the", "1996", "oslo")] == [
        "00",
        "10",
        "111",
        None,
    ]
    assert [lexicon.path(word) for word in ("rome", "the")] == ["01", "10"]
    one, other = small.vector("mcveigh"), small.vector("the")
    assert one is not None
    assert other is not None
    assert (int(one.argmax()), int(other.argmax())) == (0, 1)
    assert lexicon.vector("mcveigh") is None
    assert (small.n_class_words, small.n_vector_words, small.dim) == (3, 2, 3)
    assert Lexicon().in_lower_case().path("rome") is None


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


def learn_into(model: Path, file: Path, **options: Any) -> bool:
    """Whether something was learned."""
    return learn_entities(model, file, **{"rounds": 3, **options}).changed == ["ner"]


@pytest.fixture
def file(text_file: Callable[..., Path]) -> Path:
    return text_file(columns(rule_text(4)), "names.txt")


def test_a_model_has_a_recogniser(file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    assert learn_into(model, file)
    tagger = EntityTagger(rounds=3).fit(rule_text(4))
    found = firth.load(model).ner
    assert type(found) is EntityRecogniser
    assert weights_of(found) == weights_of(tagger)
    assert [found.tag(document) for document in NEW] == [tagger.tag(document) for document in NEW]
    part = firth.load(model).parts["ner"]
    facts = part.facts
    assert (facts["scheme"], facts["n_slips"], facts["n_names"]) == ("iob2", 0, 48)
    assert dict(part.parameters) == {**tagger.parameters(), "column": -1}


def test_what_was_learned_is_not_learned_again(
    file: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model, dev = tmp_path / "m", text_file(columns(rule_text(1, seed=4)), "dev.txt")
    assert learn_into(model, file)
    first = firth.load(model).parts["ner"].identity
    assert not learn_into(model, file)
    assert firth.load(model).parts["ner"].identity == first
    assert not learn_into(model, file, threads=1), "threads change nothing"
    changes: list[dict[str, Any]] = [{"dev": dev}, {"rounds": 4}, {"label_column": 2}]
    for changed in changes:
        assert learn_into(model, file, **changed)
        assert not learn_into(model, file, **changed)
    file.write_text(columns(rule_text(5)))
    assert learn_into(model, file, **changed)


def test_a_recogniser_has_its_own_copy_of_what_it_uses(file: Path, tmp_path: Path) -> None:
    helper, model = tmp_path / "news", tmp_path / "m"
    vectors = random_vectors(3).restrict(["anna", "Rome", "said", "in"])
    for part in (classes(), vectors):
        part_of(helper, part)
    assert learn_into(model, file, using=helper)
    assert not learn_into(model, file, using=helper, features=["vectors", "classes"])
    expected = EntityTagger(classes(), vectors, rounds=3).fit(rule_text(4))
    for path in sorted(helper.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    found = firth.load(model).ner
    assert weights_of(found) == weights_of(expected)
    assert [found.tag(document) for document in NEW] == [expected.tag(d) for d in NEW]
    assert (found.facts_["classes_of"], found.facts_["vectors_of"]) == (7, 4)


def test_wrong_options_are_named_before_anything_is_written(file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"rounds": 0}, "'rounds' parameter of EntityTagger must be an int of at least 1"),
        (
            {"label_column": 1},
            "'label_column' parameter of learn_entities must be an int of at least 2",
        ),
        ({"features": ["classes"]}, "'features' parameter does not apply"),
        ({"classes": classes()}, "'classes' parameter does not apply"),
        ({"threads": 0}, "'threads' parameter"),
    ]
    for options, said in wrong:
        with pytest.raises(ParameterError, match=said):
            learn_into(model, file, **options)
        assert not model.exists()


def test_a_part_that_failed_leaves_the_one_before(
    file: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model = tmp_path / "m"
    learn_into(model, file)
    before = weights_of(firth.load(model).ner)
    with pytest.raises(firth.InputError, match="no named entities"):
        learn_into(model, text_file("Anna O\nran O\n", "none.txt"), replace=True)
    assert weights_of(firth.load(model).ner) == before


def test_a_recogniser_of_format_4_reads_from_left_to_right_only(tmp_path: Path) -> None:
    tagger = learned(rounds=2)
    tagger.save(tmp_path)
    part = Part.in_folder(tmp_path, tagger.parameters(), "ner", **tagger.facts_)
    del part.facts["both_ways"]  # type: ignore[attr-defined]
    old: EntityRecogniser = load_part(part)
    assert old.facts_ == {**tagger.facts_, "both_ways": False}
    chance, differ = random.Random(4), 0
    for _ in range(20):
        sentences = random_document(chance, [*WORDS, "Mr", "Otto", "in"])
        case = encoded([sentences], [[0] * sum(map(len, sentences))], 2, tagger.lexicon_)
        (document,), labels = case.examples.documents, np.zeros(0, np.int32)
        for weights in tagger.stages_:
            document = document._replace(first=labels)
            labels = np.zeros(len(document.types), np.int32)
            tag_document(
                weights.table, weights.vectors, static_of(weights, case.types), case.types, document,
                allowed_after(2), workspace_for(9), labels, np.empty((len(labels), 9), np.float32),
            )  # fmt: skip
        expected = split_labels(tagger.types_, labels, list(map(len, sentences)))
        assert old.tag(sentences, "bilou") == expected
        differ += tagger.tag(sentences, "bilou") != expected
    assert differ


def test_a_recogniser_of_format_1_tags_as_before(tmp_path: Path) -> None:
    """Without the fact, only words with the same spelling are occurrences of the same word."""
    tagger = learned()
    load = folder_of(tagger, tmp_path)
    part = Part.in_folder(tmp_path, tagger.parameters(), "ner", **tagger.facts_)
    del part.facts["any_case"]  # type: ignore[attr-defined]
    old: EntityRecogniser = load_part(part)
    assert old.facts_ == {**tagger.facts_, "any_case": False}
    del part.facts["caseless"]  # type: ignore[attr-defined]
    assert load_part(part).caseless_ is None, "before format 4, there were no weights for it"
    assert weights_of(old) == weights_of(tagger)
    document = [["ANNA", "said", "."], ["Anna", "said", "."]]
    newer: list[int] = []
    older: list[int] = []
    for recogniser, found in ((load(), newer), (old, older)):
        recogniser.tag(document)
        assert recogniser._reader is not None
        ids, same = recogniser._reader._ids, recogniser._reader._same
        found += [int(same[ids[word]]) for word in ("ANNA", "Anna")]
    assert newer[0] == newer[1]
    assert older[0] != older[1]


def test_a_recogniser_of_format_2_tags_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no weights of labels in the same context, so links between these words change nothing."""
    tagger = learned()
    templates = [
        key_pair(np.uint64(t + c), y) for t in (60, 70) for c in range(3) for y in range(99)
    ]
    older = copy(tagger)
    older.stages_ = []
    for weights in tagger.stages_:
        table = weights.table
        kept = ~np.isin(table.keys, np.array(templates, np.uint64))
        assert not kept.all()
        older.stages_.append(
            FinishedWeights(table.keys[kept], table.weights[kept], weights.vectors)
        )
    document = [["ANNA", "said", "."], ["Berg", "said", "."], ["Rome", "said", "."]] * 3
    with_links = older.tag(document)
    monkeypatch.setattr("firth.ner._reader.with_contexts", lambda document, _: document)
    assert older.tag(document) == with_links


def test_a_recogniser_of_format_3_knows_nothing_of_topics(tmp_path: Path) -> None:
    tagger = learned(**HELP["both"]())
    load = folder_of(tagger, tmp_path)
    older = copy(tagger)
    older.stages_ = []
    for number, weights in enumerate(tagger.stages_, 1):
        assert weights.vectors[5].any()
        places = weights.vectors[:5]
        (tmp_path / f"stage{number}_vector_weights.f32").write_bytes(places.tobytes())
        with pytest.raises(ModelError, match="cannot be used"):
            load()
        padded = np.concatenate([places, np.zeros_like(places[:1])])
        older.stages_.append(FinishedWeights(weights.table.keys, weights.table.weights, padded))
    older.caseless_ = None
    old = load(topic=False, caseless=False)
    assert weights_of(old) == weights_of(older)
    assert [old.tag(document) for document in NEW] == [older.tag(document) for document in NEW]


def test_a_fact_of_another_kind_is_refused(tmp_path: Path) -> None:
    load = folder_of(learned(rounds=1), tmp_path)
    with pytest.raises(ModelError, match="cannot be used"):
        load(any_case="yes")
