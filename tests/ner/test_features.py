"""Features for other people's taggers, and the tools they are for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.errors import InputError, ParameterError
from firth.ner._lexicon import Lexicon
from firth.ner._spelling import KINDS, affixes, forms, kind_of, shape, zeroed
from firth.ner._types import key_of
from tests.ner.samples import WORDS, classes, documents, rule_text
from tests.oracles import perceptron as oracle

VECTORS = firth.WordVectors.from_arrays(
    ["mr", "rome"], np.array([[3, 4], [0, -2]], np.float32) / np.float32(7)
)
SENTENCE = ["Mr", "Al-A", "in", "ROME", "1996"]


def test_a_small_sentence_word_for_word() -> None:
    found = firth.features(SENTENCE, classes(), VECTORS)
    assert len(found) == 5
    root = 0.1 * 2**0.5
    mr = {
        "word": "Mr", "lower": "mr", "shape": "Xx", "kind": "capitalised",
        "vector0": pytest.approx(0.6 * root), "vector1": pytest.approx(0.8 * root),
    }  # fmt: skip
    al = {"word": "Al-A", "lower": "al-a", "shape": "Xx-X", "kind": "mixed"}
    path = "0110" * 5
    of_in = {
        "word": "in", "lower": "in", "shape": "xx", "kind": "small",
        "class4": path[:4], "class6": path[:6], "class10": path[:10], "class20": path,
    }  # fmt: skip
    rome = {
        "word": "ROME", "lower": "rome", "shape": "XX", "kind": "capitals",
        **{f"class{n}": "0100" for n in (4, 6, 10, 20)},
        "vector0": pytest.approx(0), "vector1": pytest.approx(-root),
    }  # fmt: skip
    year = {
        "word": "0000", "lower": "0000", "shape": "dd", "kind": "number",
        **{f"class{n}": "10" for n in (4, 6, 10, 20)},
    }  # fmt: skip

    def at(place: str, told: dict[str, Any]) -> dict[str, Any]:
        return {f"{place}:{name}": value for name, value in told.items()}

    edge = {"edge": True}
    assert found[0] == {
        "bias": 1.0, "first": True, **at("-2", edge), **at("-1", edge), **mr, **at("+1", al), **at("+2", of_in),
        "prefix1": "m", "prefix2": "mr", "suffix1": "r", "suffix2": "mr",
        "-1,0:lower": " mr", "0,+1:lower": "mr al-a", "-1,+1:lower": " al-a",
        "-1..+1:kind": "edge capitalised mixed",
        "-2..+2:kind": "edge edge capitalised mixed small",
    }  # fmt: skip
    assert found[1] == {
        "bias": 1.0, "first": False, **at("-2", edge), **at("-1", mr), **al, **at("+1", of_in), **at("+2", rome),
        "prefix1": "a", "prefix2": "al", "prefix3": "al-", "prefix4": "al-a",
        "suffix1": "a", "suffix2": "-a", "suffix3": "l-a", "suffix4": "al-a", "piece=Al": True, "piece=A": True,
        "-1,0:lower": "mr al-a", "0,+1:lower": "al-a in", "-1,+1:lower": "mr in",
        "-1..+1:kind": "capitalised mixed small",
        "-2..+2:kind": "edge capitalised mixed small capitals",
    }  # fmt: skip
    assert found[4] == {
        "bias": 1.0, "first": False, **at("-2", of_in), **at("-1", rome), **year, **at("+1", edge),
        **at("+2", edge),
        "prefix1": "1", "prefix2": "19", "prefix3": "199", "prefix4": "1996",
        "suffix1": "6", "suffix2": "96", "suffix3": "996", "suffix4": "1996",
        "-1,0:lower": "rome 0000", "0,+1:lower": "0000 ", "-1,+1:lower": "rome ",
        "-1..+1:kind": "capitals number edge",
        "-2..+2:kind": "small capitals number edge edge",
    }  # fmt: skip


def test_a_word_alone_has_edges_all_around() -> None:
    (alone,) = firth.features(["Go"])
    assert {name for name in alone if name.endswith(":edge")} == {
        "-2:edge", "-1:edge", "+1:edge", "+2:edge",
    }  # fmt: skip
    assert alone["first"] is True
    assert alone["-2..+2:kind"] == "edge edge capitalised edge edge"
    assert firth.features([]) == []


@given(documents.filter(any))
@pytest.mark.slow
def test_they_are_the_features_of_the_tagger(sentences: list[list[str]]) -> None:
    """All that the tagger sees of a window is told, and nothing else."""
    lexicon = Lexicon(classes())
    for words in sentences:
        reading = oracle.Reading([words], lexicon)
        for i, told in enumerate(firth.features(words, classes())):
            expected: set[tuple[Any, Any]] = set()
            for feature, _ in reading.features(i, [0] * len(words)):
                match feature:
                    case (int(place), name, value):
                        where = f"{place - 2:+}:" if place != 2 else ""
                        expected.add((f"{where}{name}", value) if value else (f"{where}edge", True))
                    case ("affix", "piece", value):
                        expected.add((f"piece={value}", True))
                    case ("affix", name, value):
                        expected.add((name, value))
            assert expected <= set(told.items())
            more = {name for name, _ in set(told.items()) - expected}
            assert more == {
                "bias", "first", "-1,0:lower", "0,+1:lower", "-1,+1:lower", "-1..+1:kind", "-2..+2:kind",
            }  # fmt: skip


@pytest.mark.parametrize("wrong", ["Mr Blair", [""], ["Mr", None], [3], [b"Mr"]])
def test_what_is_no_sentence_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError) as error:
        firth.features(wrong)
    assert error.value.hint
    with pytest.raises(InputError):
        firth.SentenceFeatures().transform([wrong])


def test_what_is_no_lexicon_is_refused() -> None:
    with pytest.raises(ParameterError, match="'classes' parameter"):
        firth.features(["Mr"], 3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'vectors' parameter"):
        firth.features(["Mr"], None, {"Mr": [1.0]})  # type: ignore[arg-type]


def test_odd_words_have_features_too() -> None:
    words = ["👩‍👩‍👧", "שלום", "-", "\ud800", "A" * 100_000, "\n"]
    assert [told["word"] for told in firth.features(words, classes(), VECTORS)] == words


# Spelling ----------------------------------------------------------------------------------------


def test_kinds_of_writing() -> None:
    expected = {
        "": "edge", "EU": "capitals", "U.S.": "capitals", "G-7": "capitals", "A": "capital", "Anna": "capitalised",
        "McX": "mixed", "Al-A": "mixed", "1996": "number", "3rd": "digits", "1.5": "digits", "said": "small",
        "al-a": "small", ".": "sign", "--": "sign", "iMac": "other", "漢字": "other", "שלום": "other", "É": "capital",
    }  # fmt: skip
    assert {word: KINDS[kind_of(word)] for word in expected} == expected


@given(st.text())
def test_any_text_has_a_spelling(word: str) -> None:
    assert 0 <= kind_of(word) < len(KINDS)
    assert (kind_of(word) == 0) == (word == "")
    assert len(shape(word)) <= 60
    assert zeroed(zeroed(word)) == zeroed(word)
    assert len(zeroed(word)) == len(word)
    assert len(affixes(word)) <= 12
    assert all(key_of(*told) < 2**64 for told in affixes(word))
    assert key_of("lower", word) == key_of("lower", word) != key_of("word", word)
    if word:
        assert word.lower() in forms(word) or len(forms(word)) >= 1


def test_shapes_and_forms() -> None:
    assert [shape(word) for word in ("McVeigh", "1996-08-22", "U.S.", "aaaAAA...", "²")] == [
        "XxXxx", "dd-dd-dd", "X.X.", "xxXX..", "d",
    ]  # fmt: skip
    assert forms("G-7") == ["G-7", "g-7", "g-0"]
    assert forms("ABC1") == ["ABC1", "Abc1", "abc1", "abc0"]
    assert forms("e\u0301") == ["é"]
    assert [value for name, value in affixes("a-b-a-c-d-e") if name == "piece"] == ["a", "b", "c"]


# In other people's tools -------------------------------------------------------------------------


def test_sentence_features_are_a_step_of_a_pipeline() -> None:
    base, pipeline = import_module("sklearn.base"), import_module("sklearn.pipeline")
    step = firth.SentenceFeatures(classes(), VECTORS)
    assert list(step.get_params()) == ["classes", "vectors"]
    assert base.clone(step).get_params().keys() == step.get_params().keys()
    assert base.clone(step).vectors is VECTORS  # not copied
    assert base.clone(firth.SentenceFeatures()).get_params() == {"classes": None, "vectors": None}
    assert step.set_params(vectors=None) is step
    assert step.vectors is None
    assert step.fit() is step
    sentences = [SENTENCE, [], ["Go"]]
    expected = [firth.features(sentence, classes()) for sentence in sentences]
    assert step.transform(sentences) == step.fit_transform(sentences) == expected
    assert list(step.transform(iter(sentences))) == expected
    assert pipeline.make_pipeline(step).fit(sentences).transform(sentences) == expected
    assert "SentenceFeatures" in repr(step)


def test_dictionaries_can_be_made_vectors() -> None:
    extraction = import_module("sklearn.feature_extraction")
    flat = firth.features(SENTENCE, classes(), VECTORS)
    table = extraction.DictVectorizer().fit(flat)
    assert table.transform(flat).shape[0] == 5
    assert {"word=Mr", "-1:word=Mr", "vector0", "first"} <= set(table.get_feature_names_out())


def test_a_conditional_random_field_learns_from_them() -> None:
    crfsuite: Any = import_module("sklearn_crfsuite")
    pipeline: Any = import_module("sklearn.pipeline")
    text = [sentence for document in rule_text(6) for sentence in document]
    new = [sentence for document in rule_text(3, seed=9, first=6) for sentence in document]
    tagger = pipeline.make_pipeline(
        firth.SentenceFeatures(classes(), VECTORS),
        crfsuite.CRF(algorithm="lbfgs", c1=0.05, c2=0.05, max_iterations=50),
    )
    tagger.fit([words for words, _ in text], [labels for _, labels in text])
    found = tagger.predict([words for words, _ in new])
    assert [list(labels) for labels in found] == [labels for _, labels in new]


def test_the_vocabulary_of_the_tests_has_words_of_every_kind() -> None:
    assert {kind_of(word) for word in WORDS} == set(range(1, 10))
