"""Splits that a person has corrected: used at once, kept apart, respected by the next learning."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import firth
from firth.errors import BusyError, InputError, ModelError
from firth.morphs import Corrections, known_text, read_known
from firth.parts import load_part
from firth.pipeline import correct_morphs, import_corrections, learn_morphs, merge
from firth.store import Part, writing
from tests.damage import check_refused, instead
from tests.morphs.samples import language
from tests.store.test_store import everything

GOLD = language(n=60)
WORDS = list(GOLD)
SPLIT = next(word for word, parts in GOLD.items() if len(parts) == 2)
WHOLE = {SPLIT: [SPLIT]}


@pytest.fixture(scope="module")
def learned() -> firth.Morphology:
    return firth.Morphology().fit(WORDS)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    text = tmp_path / "t.txt"
    lines = [" ".join(WORDS[k : k + 8]) for k in range(0, len(WORDS), 8)]
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    firth.learn(text, tmp_path / "m", dim=0, classes=0, min_count=1, morphs=True)
    return tmp_path / "m"


def test_corrections_are_used_at_once(learned: firth.Morphology) -> None:
    stem, ending = GOLD[SPLIT]
    other = learned.corrected({SPLIT: [stem[:2], stem[2:] + ending], "unheard": ["un", "heard"]})
    assert other.split(SPLIT) == [stem[:2], stem[2:] + ending]
    assert "stem" in [morph.kind for morph in other.analyse(SPLIT)]
    assert other.split("unheard") == ["un", "heard"], "words that were not learned from, too"
    assert (other.is_corrected(SPLIT), other.is_corrected(WORDS[-1])) == (True, False)
    assert learned.split(SPLIT) == GOLD[SPLIT], "the one that was learned stays as it is"
    rest = [word for word in WORDS if word != SPLIT]
    assert other.split_all(rest) == learned.split_all(rest)
    assert other.corrected({}).split(SPLIT) == GOLD[SPLIT]


def test_tables_count_what_was_corrected(learned: firth.Morphology) -> None:
    ending = GOLD[SPLIT][1]
    other = learned.corrected(WHOLE)
    count = {affix[:2]: affix.n_words for affix in learned.affixes_}
    now = {affix[:2]: affix.n_words for affix in other.affixes_}
    assert now[ending, "suffix"] == count[ending, "suffix"] - 1
    assert SPLIT in learned.index.frequent(learned.index.with_part((ending, "suffix")))
    assert SPLIT not in other.index.frequent(other.index.with_part((ending, "suffix")))
    assert SPLIT in other.index.frequent(other.index.with_part((SPLIT, "stem")))


def test_composed_and_decomposed_spellings_are_the_same_word() -> None:
    morphology = firth.Morphology().fit(["café", "cafés", "thé", "thés", "idée", "idées"])
    other = morphology.corrected({"cafe\u0301s": ["ca", "fe\u0301s"]})
    assert other.split("cafés") == ["ca", "fés"]
    assert other.split("cafe\u0301s") == ["ca", "fe\u0301s"]


@pytest.mark.parametrize(
    ("word", "parts", "message"),
    [
        ("walked", ["walk", "de"], "The parts 'walk de', joined, are not 'walked'"),
        ("walked", ["walked", ""], "The parts 'walked ', joined, are not 'walked'"),
        ("n\u0303e", ["n", "\u0303e"], "begins inside a character"),
        ("\u0915\u0941\u0924", ["\u0915", "\u0941\u0924"], "begins inside a character"),
        ("B2B", ["B2", "B"], "'B2B' is not a word of letters"),
        ("a b", ["a", "b"], "'a b' is not a word of letters"),
    ],
)
def test_impossible_corrections_are_refused(
    model: Path, word: str, parts: list[str], message: str
) -> None:
    before = everything(model)
    with pytest.raises(InputError, match=message) as error:
        correct_morphs(model, {SPLIT: [SPLIT], word: parts})
    assert "firth morphs correct" in str(error.value.hint)
    assert everything(model) == before


def test_corrections_survive_and_are_respected(model: Path) -> None:
    text = model.parent / "t.txt"
    before = firth.load(model).parts["morphs"]
    corrected = correct_morphs(model, WHOLE)
    assert corrected.morphs.split(SPLIT) == [SPLIT]
    assert corrected.parts["morphs"] == before, "what was learned has not changed"
    assert not corrected.is_stale("morphs")

    again = firth.learn(text, model, dim=0, classes=0, min_count=1, morphs=True)
    assert again.changed == ["morphs"], "learned again, with the correction"
    assert again.morphs.facts_["n_known"] == 1
    assert (again.corrections, again.morphs.split(SPLIT)) == (WHOLE, [SPLIT])
    assert firth.learn(text, model, dim=0, classes=0, min_count=1, morphs=True).changed == []
    assert learn_morphs(model).changed == []

    text.write_text(text.read_text(encoding="utf-8") + "more words\n", encoding="utf-8")
    stale = firth.learn(text, model, dim=0, classes=0, min_count=1)
    assert stale.is_stale("morphs")
    assert stale.corrections == WHOLE
    assert learn_morphs(model).morphs.split(SPLIT) == [SPLIT]

    removed = correct_morphs(model, {SPLIT: []})
    assert (removed.corrections, removed.morphs.is_corrected(SPLIT)) == ({}, False)
    with pytest.raises(InputError, match="no correction of .* to remove"):
        correct_morphs(model, {SPLIT: []})
    assert learn_morphs(model).changed == ["morphs"]
    assert firth.load(model).morphs.split(SPLIT) == GOLD[SPLIT]


def test_a_list_of_words_is_learned_from_with_corrections(tmp_path: Path) -> None:
    words, model = tmp_path / "words.txt", tmp_path / "m"
    words.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    learn_morphs(model, words)
    correct_morphs(model, WHOLE)
    assert learn_morphs(model, words).changed == ["morphs"]
    assert learn_morphs(model, words).changed == []
    assert firth.load(model).morphs.facts_["n_known"] == 1


def test_corrections_come_before_given_splits(
    model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    correct_morphs(model, WHOLE)
    known = model.parent / "known.tsv"
    known.write_text(known_text({SPLIT: GOLD[SPLIT], "neu": ["neu"]}), encoding="utf-8")
    found = learn_morphs(model, known=known)
    assert "1 word, such as" in caplog.text
    assert (found.morphs.split(SPLIT), found.morphs.facts_["n_known"]) == ([SPLIT], 2)


def test_corrections_are_exported_and_imported(model: Path, tmp_path: Path) -> None:
    correct_morphs(model, {**WHOLE, "neu": ["ne", "u"]})
    file = tmp_path / "corrections.tsv"
    file.write_text(known_text(firth.load(model).corrections), encoding="utf-8")
    assert read_known(file) == {**WHOLE, "neu": ["ne", "u"]}
    correct_morphs(model, {"neu": []})
    assert import_corrections(model, file).corrections == {**WHOLE, "neu": ["ne", "u"]}
    correct_morphs(model, {SPLIT: GOLD[SPLIT]})
    before = everything(model)
    with pytest.raises(InputError, match="splits 1 word in another way") as error:
        import_corrections(model, file)
    assert "--replace" in str(error.value.hint)
    assert everything(model) == before
    assert import_corrections(model, file, replace=True).corrections[SPLIT] == [SPLIT]


def test_one_person_at_a_time(model: Path) -> None:
    with writing(model), pytest.raises(BusyError, match="Another process"):
        correct_morphs(model, WHOLE)
    assert correct_morphs(model, WHOLE).corrections == WHOLE
    assert correct_morphs(model, {"neu": ["ne", "u"]}).corrections == {**WHOLE, "neu": ["ne", "u"]}


def test_a_model_without_morphology(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a rose is a rose\n", encoding="utf-8")
    firth.learn(tmp_path / "t.txt", tmp_path / "m", dim=0, classes=0, min_count=1)
    with pytest.raises(ModelError, match="no morphology"):
        correct_morphs(tmp_path / "m", WHOLE)
    with pytest.raises(ModelError):
        correct_morphs(tmp_path / "none", WHOLE)
    assert not (tmp_path / "none").exists()


def test_merging_says_that_corrections_stay_behind(
    model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    correct_morphs(model, WHOLE)
    merge([model], tmp_path / "whole")
    assert "The corrections are not merged." in caplog.text
    assert "Export them from each model: firth morphs export" in caplog.text


@pytest.mark.parametrize(
    "content", ['{"walked": ["walk", "de"]}', '{"a": "a"}', '{"a": [1]}', "[]", '{"": []}']
)
def test_damaged_corrections_are_refused(tmp_path: Path, content: str) -> None:
    Corrections(WHOLE).save(tmp_path)

    def load() -> object:
        return load_part(replace(Part.in_folder(tmp_path, {}), name="corrections"))

    assert load() == WHOLE
    check_refused(load, tmp_path / "corrections.json", instead(content))


def test_corrections_are_stored_as_they_are_written() -> None:
    assert json.loads(Corrections({"ev": ["ev"]}).text()) == {"ev": ["ev"]}
    assert Corrections({"ev": ["ev"]}).summary() == ("1 word", ["split by hand"])


def test_text_whose_tokens_are_morphs_is_divided_as_corrected(tmp_path: Path) -> None:
    text, model = tmp_path / "t.txt", tmp_path / "m"
    lines = [" ".join(WORDS[k : k + 8]) for k in range(0, len(WORDS), 8)]
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def learn() -> firth.Model:
        return firth.learn(text, model, dim=0, classes=0, min_count=1, tokens="morphs")

    assert SPLIT not in learn().corpus.vocabulary
    correct_morphs(model, WHOLE)
    assert "corpus" in learn().changed
    assert SPLIT in firth.load(model).corpus.vocabulary
    assert learn().changed == []
