"""Tags: what the server says of them is what the library says; naming them; text that is tagged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth import pipeline
from firth.explore import ModelWatcher
from firth.explore._tagging import TagWords, example, guesses, tagged
from firth.tags import DECODES
from tests.explore.models import HOSTILE, Client, check_problem, serving, write_text

TEXT = "the cat was singing by the river"


def typical(tagger: firth.Tagger, tag: int, n: int) -> list[dict[str, Any]]:
    return [
        {"word": row.word, "count": row.count, "share": round(row.share, 4)}
        for row in tagger.typical(tag, n)
    ]


def words_of(told: dict[str, Any]) -> list[list[str]]:
    return [[token["word"] for token in sentence] for sentence in told["sentences"]]


def labels_of(told: dict[str, Any], tagger: firth.Tagger) -> list[list[str]]:
    return [[tagger.tags_[token["tag"]] for token in sentence] for sentence in told["sentences"]]


# The list, and each of them -----------------------------------------------------------------------


def test_all_tags_are_told_as_the_tagger_knows_them(client: Client, model: firth.Model) -> None:
    told, tagger = client.ask("tags"), model.tags
    assert (told["n_words"], told["decode"]) == (len(tagger.vocabulary_), "type")
    assert [row["tag"] for row in told["tags"]] == list(range(6))
    assert [row["label"] for row in told["tags"]] == tagger.tags_
    assert [row["anchor"] for row in told["tags"]] == tagger.anchors_
    assert [row["share"] for row in told["tags"]] == pytest.approx(tagger.prior_, abs=1e-6)
    assert [row["first"] for row in told["tags"]] == pytest.approx(tagger.hmm_.initial, abs=1e-6)
    assert told["follow"] == pytest.approx(tagger.hmm_.transition, abs=1e-5)
    for k, row in enumerate(told["tags"]):
        assert row["typical"] == typical(tagger, k, 12)
    assert sum(row["n_words"] for row in told["tags"]) == len(tagger.vocabulary_)


@pytest.mark.parametrize("tag", [0, 3, 5])
@pytest.mark.parametrize("n", [1, 60, 1000])
def test_a_tag_is_told_as_the_tagger_knows_it(
    client: Client, model: firth.Model, tag: int, n: int
) -> None:
    told, tagger = client.ask("tag", tag=tag, n=n), model.tags
    assert told["typical"] == typical(tagger, tag, n)
    assert (told["label"], told["automatic_label"], told["name"]) == (str(tag), str(tag), "")
    after = tagger.hmm_.transition[tag]
    before = tagger.prior_ * tagger.hmm_.transition[:, tag]
    for side, shares in (("after", after), ("before", before / before.sum())):
        assert {row["tag"]: row["share"] for row in told[side]} == pytest.approx(
            dict(enumerate(shares)), abs=1e-5
        )
        assert sorted(told[side], key=lambda row: -row["share"]) == told[side]
    reminders = [row.word for row in tagger.typical(told["after"][0]["tag"], 2)]
    assert told["after"][0]["words"] == reminders


def test_the_words_of_all_tags_are_those_of_each(hostile: firth.Model) -> None:
    words = TagWords(hostile.tags)
    for tag in range(hostile.tags.n_tags):
        found = words.typical(tag, 10_000)
        assert len(found) == words.n_words(tag)
        assert [(row.word, row.count) for row in found] == [
            (row.word, row.count) for row in hostile.tags.typical(tag, 10_000)
        ]


@pytest.mark.parametrize(
    ("tag", "status"), [("6", 404), ("100000", 404), ("-1", 422), ("100001", 422), ("x", 422), ("", 422), ("1.5", 422)]
)  # fmt: skip
def test_a_tag_that_is_not_there(client: Client, tag: str, status: int) -> None:
    problem = client.problem(status, "tag", tag=tag)
    if status == 404:
        assert problem["error"] == f"There is no tag {tag}; they are numbered from 0 to 5."


# Words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["cat", "the", "Čeština", "humming", "zebra"])
def test_a_word_is_told_with_its_tags(client: Client, model: firth.Model, word: str) -> None:
    told, tagger = client.ask("word", word=word), model.tags
    symbol = int(tagger.encode([[word]]).symbols[0])
    shares = tagger.memberships_[symbol]
    assert told["tags_guessed"] is (symbol >= len(tagger.vocabulary_))
    assert told["tags"][0]["tag"] == int(shares.argmax())
    for row in told["tags"]:
        assert row["share"] == pytest.approx(shares[row["tag"]], abs=1e-4)
        assert row["label"] == str(row["tag"])
    kept = {row["tag"] for row in told["tags"]}
    assert all(shares[k] < 0.005 for k in range(6) if k not in kept)


# Text ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decode", DECODES)
@pytest.mark.parametrize("text", [TEXT, "was zebra the\nby unheard-of things.\n\n the", "CAT"])
def test_text_is_tagged_as_the_tagger_does_it(
    client: Client, model: firth.Model, text: str, decode: str
) -> None:
    told, tagger = client.ask("tagged", text=text, decode=decode), model.tags
    sentences = [words for words in map(str.split, text.replace(".", " .").splitlines()) if words]
    assert words_of(told) == sentences
    assert (told["text"], told["decode"]) == (text, decode)
    assert labels_of(told, tagger) == tagger.tag(sentences, decode)
    for words, found in zip(sentences, told["sentences"], strict=True):
        symbols = tagger.encode([words]).symbols
        shares = tagger.memberships_[symbols]
        if decode != "type":
            shares = tagger.hmm_.posteriors(symbols)
        for i, token in enumerate(found):
            assert token["known"] == (symbols[i] < len(tagger.vocabulary_))
            assert token["tag"] in [guess["tag"] for guess in token["guesses"]]
            for guess in token["guesses"]:
                assert guess["share"] == pytest.approx(shares[i, guess["tag"]], abs=1e-4)


def test_without_a_text_a_sentence_of_the_corpus_is_tagged(
    client: Client, model: firth.Model
) -> None:
    told = client.ask("tagged")
    assert told["decode"] == "type"
    sentence = told["text"].split()
    assert words_of(told) == [sentence]
    assert sentence in list(model.corpus.sentences())
    assert 8 <= len(sentence) <= 14
    assert all(token["known"] for token in told["sentences"][0])
    assert len({token["tag"] for token in told["sentences"][0]}) >= 3
    assert client.ask("tagged", decode="viterbi")["text"] == told["text"]


def test_a_corpus_of_one_long_sentence_has_an_example_too(model: firth.Model) -> None:
    words = TEXT.split() * 40
    corpus = firth.Corpus.from_sentences([words])
    assert example(corpus, model.tags) == words[:12]
    short = firth.Corpus.from_sentences([["the", "cat"]])
    assert example(short, model.tags) == ["the", "cat"]


def test_nothing_is_tagged_as_nothing(client: Client, model: firth.Model) -> None:
    assert client.ask("tagged", text=" \n ")["sentences"] == []
    assert tagged(model.tags, [], "viterbi") == []


def test_text_is_bounded(client: Client) -> None:
    client.problem(422, "tagged", text="x" * 2_001)
    client.problem(422, "tagged", text="the", decode="guess")
    told = client.ask("tagged", text="a " * 1_000, decode="viterbi")
    assert sum(map(len, told["sentences"])) == 1_000
    assert len(client.ask("tagged", text="é" * 2_000)["sentences"][0]) == 1


@pytest.mark.parametrize("decode", DECODES)
def test_hostile_text_is_tagged(hostile_client: Client, decode: str) -> None:
    for word in HOSTILE:
        told = hostile_client.ask("tagged", text=word[:2_000], decode=decode)
        assert all(token["guesses"] for sentence in told["sentences"] for token in sentence)
    hostile_client.ask("tagged")


def test_a_tag_that_was_given_is_always_told() -> None:
    shares = np.full(45, 1 / 45)
    found = [guess.tag for guess in guesses(shares, 44)]
    assert found == [0, 1, 2, 3, 4, 44]
    assert [guess.tag for guess in guesses(np.eye(45)[7])] == [7]


def test_characters_are_tagged_as_characters(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = text_file("abcabcabc\nbcabcabca\n" * 20)
    firth.learn(text, tmp_path / "m", tokens="characters", dim=0, classes=0, tags=2, threads=1)
    with serving(tmp_path / "m") as address:
        told = Client(address).ask("tagged")
        assert told["text"] in ("abcabcabc", "bcabcabca")
        assert words_of(told) == [list(told["text"])]


# Names --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_tags_are_named_with_the_token_alone(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        version, token = client.ask("model")["version"], client.token
        for wrong in (None, "", "wrong", f"{token}x"):
            client.token = wrong
            check_problem(client.put(3, "DET", version), 403)
        client.token = token
        answer = client.put(3, " DET\x00 ")
        assert (answer.status, answer.json) == (200, None)
        assert firth.load(own_model).tag_names == {"3": "DET"}
        told = client.ask("tag", tag=3)
        assert (told["label"], told["name"], told["automatic_label"]) == ("DET", "DET", "3")
        assert client.ask("tags")["tags"][3]["label"] == "DET"
        assert client.ask("word", word="the")["tags"][0]["label"] == "DET"
        assert client.ask("tag", tag=0)["name"] == ""
        check_problem(client.put(3, "old", "0" * 16), 409)
        assert client.put(3, "").status == 200
        assert firth.load(own_model).tag_names == {}
        assert client.ask("tag", tag=3)["label"] == "3"


@pytest.mark.slow
def test_names_that_no_tag_can_have(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        check_problem(client.put(6, "X"), 404)
        check_problem(client.put(-1, "X"), 422)
        check_problem(client.put(0, "two words"), 422)
        check_problem(client.put(0, "x" * 201), 422)
        assert client.put(0, "NOUN").status == 200
        answer = client.put(1, "NOUN")
        check_problem(answer, 422)
        assert "Two tags would be called 'NOUN'" in answer.json["error"]
        assert client.put(1, "<script>alert(1)</script>").status == 200
        assert client.ask("tag", tag=1)["label"] == "<script>alert(1)</script>"


def test_without_edit_tags_cannot_be_named(client: Client, model_path: Path) -> None:
    check_problem(client.put(0, "x"), 405)
    assert firth.load(model_path).tag_names == {}


# Other models -------------------------------------------------------------------------------------


def test_a_model_without_tags_says_how_to_learn_them(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    firth.learn(text_file("the cat sat\n" * 9), tmp_path / "m", dim=0, classes=0, threads=1)
    with serving(tmp_path / "m", edit=True) as address:
        client = Client(address)
        for name, asked in (("tags", {}), ("tag", {"tag": 0}), ("tagged", {"text": "the"})):
            problem = client.problem(404, name, **asked)
            assert problem["error"] == "This model has no tags."
            assert problem["hint"] == "Learn them: firth tags learn MODEL"
        told = client.ask("word", word="cat")
        assert (told["tags"], told["tags_guessed"]) == ([], False)
        check_problem(client.put(0, "x"), 404)


def test_a_model_of_tags_alone(model_path: Path, tmp_path: Path) -> None:
    firth.load(model_path).tags.write(tmp_path / "m")
    with serving(tmp_path / "m") as address:
        client = Client(address)
        assert client.ask("model")["parts"] == ["tags"]
        assert client.ask("complete", q="rive")[0]["text"] == "river"
        told = client.ask("word", word="cat")
        assert (told["count"], told["rank"], told["word_class"]) == (33, None, None)
        assert told["tags"][0]["tag"] == client.ask("word", word="dog")["tags"][0]["tag"]
        client.problem(404, "word", word="unheard-of")
        told = client.ask("tagged")
        assert (told["text"], told["sentences"]) == ("", [])
        assert words_of(client.ask("tagged", text=TEXT)) == [TEXT.split()]


# While they are shown -----------------------------------------------------------------------------


@pytest.mark.slow
def test_tags_that_are_learned_again_are_shown_as_they_are_now(own_model: Path) -> None:
    with serving(own_model) as address:
        client = Client(address)
        before = client.get("tags")
        pipeline.name_tags(own_model, {"0": "OLD"})
        assert client.ask("tags")["tags"][0]["label"] == "OLD"
        pipeline.learn_tags(own_model, n_tags=4, threads=1)
        after = client.get("tags")
        assert after.headers["x-firth-model"] != before.headers["x-firth-model"]
        labels = [row["label"] for row in after.json["tags"]]
        assert sorted(set(labels) - {"OLD"}) == sorted(
            {"0", "1", "2", "3"} - {str(labels.index("OLD"))}
        )
        client.problem(404, "tag", tag=5)


def test_naming_reads_no_tags_again_and_a_new_corpus_makes_them_old(
    own_model: Path, tmp_path: Path
) -> None:
    watcher = ModelWatcher(own_model)
    first = watcher.snapshot()
    first.wait()
    pipeline.name_classes(own_model, {"0": "a name"})
    assert watcher.snapshot().tags.hmm_ is first.tags.hmm_
    pipeline.name_tags(own_model, {"0": "NOUN"})
    second = watcher.snapshot()
    assert second.tags.hmm_ is first.tags.hmm_
    assert (first.tags.tags_[0], second.tags.tags_[0]) == ("0", "NOUN"), "a snapshot stays as it was"  # fmt: skip
    assert watcher.snapshot().version == second.version != first.version
    text = write_text(tmp_path / "other.txt", seed=99)
    firth.learn(text, own_model, dim=0, classes=0, min_count=3, threads=1, replace=True)
    third = watcher.snapshot()
    assert "tags" not in third.parts
    with pytest.raises(firth.FirthError, match="The tags of this model are out of date"):
        third.tags  # noqa: B018


def test_tags_that_are_damaged_are_not_waited_for(own_model: Path) -> None:
    file = firth.load(own_model).parts["tags"].path("emission.f32")
    file.write_bytes(file.read_bytes()[::-1])
    with pytest.raises(firth.ModelError, match="checksum"):
        ModelWatcher(own_model).wait()


def test_hidden_states_of_tags_count_at_positions() -> None:
    text = [
        list(zip("the cat sees a dog".split(), "DNVDN", strict=True)),
        [("cats", "N"), ("sleep", "V")],
    ]
    tagger = firth.LatentTagger(n_states=2).fit(text * 5)
    sentences = [["a", "cat", "sleep"], ["unheard"]]
    for decode in DECODES:
        found = tagged(tagger, sentences, decode)
        names = [[tagger.tags_[word.tag] for word in sentence] for sentence in found]
        assert names == tagger.tag(sentences, decode)
        assert all(0 <= guess.share <= 1 for one in found for word in one for guess in word.guesses)
