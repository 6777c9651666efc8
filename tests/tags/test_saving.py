"""Taggers in the folder of a model: there and back, and what is wrong with a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import ModelError
from firth.parts import load_part
from firth.store import Part
from firth.tags import AnchorTagger, SupervisedTagger, Tagger
from tests.damage import Change, check_refused, cut, instead, longer, with_value
from tests.tags.samples import mixed_text, tagged_text
from tests.tags.test_taggers import NAMES, TAGGERS, corpus_of

NEW = [*mixed_text(30, seed=7), ["the", "unheard", "Of", "1-2", "..."], [], ["zz"]]
FILES = ["emission.f32", "groups.json", "initial.f64", "prior.f64", "transition.f64", "words.arrow"]


def folder_of(tagger: Tagger, folder: Path) -> Callable[..., Tagger]:
    """Saves a tagger; what is returned loads it, with facts that are given."""
    folder.mkdir(exist_ok=True)
    tagger.save(folder)

    def load(**facts: Any) -> Tagger:
        known = {**tagger.facts_, **facts}
        known = {name: value for name, value in known.items() if value is not ...}
        found: Tagger = load_part(
            Part.in_folder(folder, {"decode": tagger.decode}, "tags", **known)
        )
        return found

    return load


def same(one: Tagger, other: Tagger) -> None:
    """Whether two taggers say the same of anything; emissions are kept in single precision."""
    assert (one.tags_, one.anchors_, one.decode) == (other.tags_, other.anchors_, other.decode)
    assert list(one.vocabulary_) == list(other.vocabulary_)
    assert one.vocabulary_.counts.tolist() == other.vocabulary_.counts.tolist()
    assert one.groups_.keys == other.groups_.keys
    assert np.array_equal(one.hmm_.initial, other.hmm_.initial)
    assert np.array_equal(one.hmm_.transition, other.hmm_.transition)
    np.testing.assert_allclose(one.hmm_.emission, other.hmm_.emission, rtol=1e-6, atol=1e-37)
    np.testing.assert_allclose(one.prior_, other.prior_, rtol=1e-12)
    for decode in ("type", "posterior", "viterbi", None):
        assert one.tag(NEW, decode) == other.tag(NEW, decode)
    assert one.score(NEW[:30]) == pytest.approx(other.score(NEW[:30]), rel=1e-5)
    assert one.facts_ == other.facts_
    for k in range(one.n_tags_):
        assert [w.word for w in one.typical(k)] == [w.word for w in other.typical(k)]


@pytest.mark.parametrize("name", NAMES)
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    tagger = TAGGERS[name]
    again = folder_of(tagger, tmp_path)()
    same(again, tagger)
    folder_of(again, tmp_path / "again")
    for file in FILES:
        first = (tmp_path / file).read_bytes()
        if file not in ("emission.f32", "prior.f64"):  # whose last digit may differ
            assert (tmp_path / "again" / file).read_bytes() == first
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == FILES


@pytest.mark.parametrize("name", NAMES)
def test_written_into_a_model(name: str, tmp_path: Path) -> None:
    tagger, model = TAGGERS[name], tmp_path / "m"
    tagger.write(model)
    opened = firth.load(model)
    assert "tags" in opened
    same(opened.tags, tagger)
    assert opened.parts["tags"].facts["n_tags"] == 3
    tagger.write(model)
    same(firth.load(model).tags, tagger)


def test_another_tagger_takes_the_place_of_the_first(tmp_path: Path) -> None:
    model = tmp_path / "m"
    for name in NAMES:
        TAGGERS[name].write(model)
        same(firth.load(model).tags, TAGGERS[name])


def test_names_are_written_too(tmp_path: Path) -> None:
    tagger, model = TAGGERS["anchors"].renamed({"0": "NOUN", "1": "DET"}), tmp_path / "m"
    tagger.write(model)
    assert firth.load(model).tags.tags_ == ["NOUN", "DET", "2"]
    other = TAGGERS["anchors"].renamed({"0": "THING"})
    other.write(model)
    assert firth.load(model).tags.tags_ == ["THING", "1", "2"], "other names, else the same"


def test_what_differs_in_steps_only_is_written_too(tmp_path: Path) -> None:
    """Two taggers with the same emissions are not the same."""
    text = tagged_text(mixed_text(50))
    one = SupervisedTagger(smoothing=0.5).fit(text)
    other = SupervisedTagger(smoothing=5).fit(text)
    assert np.array_equal(one.hmm_.emission, other.hmm_.emission)
    for tagger in (one, other):
        tagger.write(tmp_path / "m")
        same(firth.load(tmp_path / "m").tags, tagger)


def test_how_words_are_read_is_kept(tmp_path: Path) -> None:
    text = [[word.upper() + "1" for word in sentence] for sentence in mixed_text(100)]
    tagger = AnchorTagger(3).fit(corpus_of(text, lowercase=True, digits="zero"))
    again = folder_of(tagger, tmp_path)()
    assert again.tag([["The5", "CAT1"]]) == tagger.tag([["the0", "cat0"]])
    assert again.encode([["The5", "CAT1"]]).symbols.max() < len(again.vocabulary_)
    plain = folder_of(tagger, tmp_path)(lowercase=False)
    assert plain.encode([["The0"]]).symbols[0] >= len(plain.vocabulary_)


# Damage -------------------------------------------------------------------------------------------


DAMAGE: dict[str, tuple[str, Change]] = {
    "half a number": ("emission.f32", cut(2)),
    "an emission too few": ("emission.f32", cut(4)),
    "a word too few": ("emission.f32", cut(12)),
    "a word too many": ("emission.f32", longer(12)),
    "no emissions": ("emission.f32", instead(b"")),
    "an emission that is no number": ("emission.f32", with_value(np.nan, "<f4")),
    "an emission without end": ("emission.f32", with_value(np.inf, "<f4")),
    "a negative emission": ("emission.f32", with_value(-0.5, "<f4")),
    "an emission larger than one": ("emission.f32", with_value(3e38, "<f4")),
    "half a step": ("transition.f64", cut(4)),
    "a step too few": ("transition.f64", cut(8)),
    "a row of steps too many": ("transition.f64", lambda content: content + content[:24]),
    "no steps": ("transition.f64", instead(b"")),
    "a step that is no number": ("transition.f64", with_value(np.nan, "<f8")),
    "a negative step": ("transition.f64", with_value(-1, "<f8")),
    "steps that do not add up": ("transition.f64", with_value(0.123, "<f8")),
    "a beginning too few": ("initial.f64", cut(8)),
    "no beginnings": ("initial.f64", instead(b"")),
    "a beginning that is no number": ("initial.f64", with_value(np.nan, "<f8")),
    "beginnings that do not add up": ("initial.f64", lambda content: bytes(len(content))),
    "a share too many": ("prior.f64", longer(8)),
    "a share that is no number": ("prior.f64", with_value(np.nan, "<f8")),
    "shares beyond all bounds": ("prior.f64", lambda c: np.full(3, 1e308, "<f8").tobytes()),
    "a negative share": ("prior.f64", with_value(-0.1, "<f8")),
    "no words": ("words.arrow", instead(b"")),
    "words that are none": ("words.arrow", instead(b"ARROW1 or not")),
    "words cut off": ("words.arrow", lambda content: content[: len(content) // 2]),
    "no groups": ("groups.json", instead(b"")),
    "an empty list of groups": ("groups.json", instead("[]")),
    "a group too many": ("groups.json", instead('["", "a", "b", "c", "d", "e"]')),
    "groups that are no list": ("groups.json", instead('{"a": 1}')),
    "groups that are no text": ("groups.json", instead("[1, 2]")),
    "groups that are no json": ("groups.json", instead("[")),
    "groups that are no text at all": ("groups.json", instead(b"\xff\xfe\0")),
    "groups without end": ("groups.json", instead("[" * 100_000)),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Callable[..., Tagger]]:
    folder = tmp_path_factory.mktemp("tags")
    load = folder_of(TAGGERS["anchors"], folder)
    assert load().n_tags == 3
    return folder, load


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files_are_refused(name: str, saved: tuple[Path, Callable[..., Tagger]]) -> None:
    folder, load = saved
    file, change = DAMAGE[name]
    check_refused(load, folder / file, change)


@pytest.mark.parametrize(
    "facts",
    [
        {"tags": ...},
        {"tags": None},
        {"tags": []},
        {"tags": "012"},
        {"tags": ["0", "1"]},
        {"tags": ["0", "1", "2", "3"]},
        {"tags": ["0", "1", "1"]},
        {"tags": ["0", "1", ""]},
        {"tags": [0, 1, 2]},
        {"anchors": ...},
        {"anchors": ["the"]},
        {"anchors": [1, 2, 3]},
        {"anchors": "the"},
        {"lowercase": ...},
        {"digits": ...},
        {"digits": "some"},
        {"digits": ["keep"]},
    ],
)
def test_facts_that_do_not_fit_are_refused(
    facts: dict[str, Any], saved: tuple[Path, Callable[..., Tagger]]
) -> None:
    with pytest.raises(ModelError, match="cannot be used") as error:
        saved[1](**facts)
    assert error.value.hint


def test_a_decoder_that_is_not_known_is_not_used(tmp_path: Path) -> None:
    folder_of(TAGGERS["tagged"], tmp_path)
    facts = TAGGERS["tagged"].facts_
    for parameters in ({}, {"decode": "magic"}, {"decode": None}, {"decode": ["type"]}):
        part = Part.in_folder(tmp_path, parameters, **facts)
        assert Tagger.load(part).decode == "type"
