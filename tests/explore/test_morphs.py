"""Morphs: what the server says of them is what the library says; corrections."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import firth
from firth import pipeline
from firth.explore import ModelWatcher
from firth.explore._export import _answers
from tests.explore.models import HOSTILE, Client, check_problem, serving

ING = "suffix:ing"


def texts(split: dict[str, Any]) -> list[str]:
    return [part["text"] for part in split["parts"]]


# What is told -------------------------------------------------------------------------------------


def test_the_language_is_told_as_the_splitter_knows_it(client: Client, model: firth.Model) -> None:
    told, splitter = client.ask("morphs"), model.morphs
    assert (told["n_words"], told["n_corrections"]) == (len(splitter.words_), 0)
    assert told["n_split"] == sum(
        len(parts) > 1 for parts in splitter.split_all(list(splitter.words_))
    )
    for kind, rows, n in (
        ("prefix", told["prefixes"], told["n_prefixes"]),
        ("suffix", told["suffixes"], told["n_suffixes"]),
    ):
        known = [affix for affix in splitter.affixes_ if affix.kind == kind]
        assert n == len(known)
        assert [(row["text"], row["n_words"]) for row in rows] == [
            (affix.text, affix.n_words) for affix in known[:100]
        ]
        for row in rows:
            assert 1 <= len(row["examples"]) <= 4
            assert all(row["text"] in splitter.split(word) for word in row["examples"])
    assert told["n_paradigms"] == len(splitter.paradigms_)
    for k, (row, one) in enumerate(zip(told["paradigms"], splitter.paradigms_, strict=False)):
        assert (row["paradigm"], row["n_stems"]) == (k, len(one.stems))
        assert [tuple(ending) for ending in row["endings"]] == list(one.endings)
        for stem in row["stems"]:
            assert stem["stem"] in one.stems
            assert all(form in splitter.words_ for form in stem["forms"])


def test_a_paradigm_has_all_its_stems(client: Client, model: firth.Model) -> None:
    for k, one in enumerate(model.morphs.paradigms_):
        told = client.ask("paradigm", paradigm=k, n=1000)
        assert [row["stem"] for row in told["stems"]] == list(one.stems)
        forms = [[row["stem"] + "".join(e) for e in one.endings] for row in told["stems"]]
        assert [row["forms"] for row in told["stems"]] == forms
    n = len(model.morphs.paradigms_)
    assert f"There is no paradigm {n}" in client.problem(404, "paradigm", paradigm=n)["error"]
    client.problem(422, "paradigm", paradigm=-1)


def test_a_part_is_told_with_its_words_and_neighbours(client: Client, model: firth.Model) -> None:
    splitter = model.morphs
    for affix in splitter.affixes_[:5]:
        told = client.ask("morph", part=f"{affix.kind}:{affix.text}", n=1000)
        assert (told["text"], told["kind"], told["n_words"]) == tuple(affix)
        words = [row["word"] for row in told["words"]]
        assert len(words) == affix.n_words
        assert [texts(row) for row in told["words"]] == splitter.split_all(words)
        counts = dict(zip(splitter.words_, splitter.words_.counts.tolist(), strict=True))
        assert [counts[word] for word in words] == sorted(
            [counts[word] for word in words], reverse=True
        )
        before: Counter[tuple[str, str]] = Counter()
        for word in words:
            parts = splitter.analyse(word)
            at = {k for k, part in enumerate(parts) if part == affix[:2]}
            before.update({parts[k - 1][:2] for k in at if k})
        found = {(row["text"], row["kind"]): row["n_words"] for row in told["before"]}
        assert all(before[part] == n for part, n in found.items())
        assert len(found) == min(60, len(before))


@pytest.mark.parametrize(
    ("part", "status"),
    [("suffix:qqq", 404), ("stem:x y", 404), ("suffix:", 422), ("ing", 422), ("root:x", 422), ("", 422)],
)  # fmt: skip
def test_parts_that_are_not_there(client: Client, part: str, status: int) -> None:
    client.problem(status, "morph", part=part)


@pytest.mark.parametrize("word", ["running", "cat", "Čeština", "unheardofing", "42", "a b"])
def test_a_word_is_told_with_its_parts(client: Client, model: firth.Model, word: str) -> None:
    told, splitter = client.ask("parts", word=word), model.morphs
    assert [tuple(part.values()) for part in told["parts"]] == splitter.analyse(word)
    assert (told["known"], told["corrected"]) == (word in splitter.words_, False)
    assert told["splits"][0]["parts"] == list(splitter.n_best(word, 1)[0].morphs)
    for row in told["same_ending"]:
        assert texts(row)[-len(told["ending"]) :] == told["ending"]
    for row in told["same_stem"]:
        assert {"text": told["stem"], "kind": "stem"} in row["parts"]
    assert told["n_same_ending"] >= len(told["same_ending"])


def test_every_hostile_word_has_parts(hostile_client: Client) -> None:
    for word in HOSTILE:
        told = hostile_client.ask("parts", word=word)
        assert "".join(texts(told)) == word
        assert told["splits"]
    hostile_client.ask("morphs")


def test_a_model_of_a_list_of_words(tmp_path: Path) -> None:
    words = [stem + e for stem in ("walk", "talk", "jump", "climb") for e in ("", "s", "ed", "ing")]
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    pipeline.learn_morphs(tmp_path / "m", tmp_path / "words.txt")
    with serving(tmp_path / "m") as address:
        client = Client(address)
        assert client.ask("model")["parts"] == ["morphs"]
        assert client.ask("model")["n_words"] == 16
        assert client.ask("word", word="walked")["word"] == "walked"
        assert texts(client.ask("parts", word="walked")) == ["walk", "ed"]
        assert client.ask("complete", q="wal")[0]["text"].startswith("walk")


# Corrections --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_splits_are_corrected_with_the_token_alone(own_model: Path) -> None:
    with serving(own_model) as address:
        assert Client(address).correct("running", "run ning").status in (404, 405), (
            "only with --edit"
        )
    with serving(own_model, edit=True) as address:
        client = Client(address)
        version, token = client.ask("model")["version"], client.token
        for wrong in (None, "", "wrong", f"{token}x"):
            client.token = wrong
            check_problem(client.correct("running", "run ning", version), 403)
        client.token = token
        answer = client.correct("running", "  run   ning ")
        assert (answer.status, answer.json) == (200, None)
        assert firth.load(own_model).corrections == {"running": ["run", "ning"]}
        told = client.ask("parts", word="running")
        assert (texts(told), told["corrected"]) == (["run", "ning"], True)
        corrections = client.ask("morphs")["corrections"]
        assert [(row["word"], texts(row)) for row in corrections] == [("running", ["run", "ning"])]
        check_problem(client.correct("singing", "sing ing", version), 409)
        assert firth.load(own_model).corrections == {"running": ["run", "ning"]}
        assert client.correct("singing", "sing ing").status == 200
        assert client.correct("running", "").status == 200
        assert firth.load(own_model).corrections == {"singing": ["sing", "ing"]}
        assert client.ask("parts", word="running")["corrected"] is False


@pytest.mark.slow
def test_corrections_that_are_not_possible(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        for word, parts in (
            ("running", "run ing"), ("running", "runnin"), ("B2B", "B 2 B"), ("e\u0301x", "e \u0301x"),
            ("cat", ""), ("", "x"), ("x" * 1_001, "x"), ("cat", "c" * 2_001), ("cat", "ca t\x00"),
        ):  # fmt: skip
            check_problem(client.correct(word, parts), 422)
        problem = client.correct("running", "run ing").json
        assert problem["error"] == "The parts 'run ing', joined, are not 'running'."
        assert "corrections" not in firth.load(own_model)


# One file -----------------------------------------------------------------------------------------


def test_an_exported_page_has_all_that_its_links_lead_to(model_path: Path) -> None:
    answers = dict(_answers(ModelWatcher(model_path).snapshot(), 50))
    for row in (*answers["morphs"]["prefixes"], *answers["morphs"]["suffixes"]):
        assert f"morph?part={row['kind']}:{row['text']}" in answers
    for word in answers["words"]["words"]:
        for part in answers[f"parts?word={word}"]["parts"]:
            if part["kind"] != "stem":
                assert f"morph?part={part['kind']}:{part['text']}" in answers
    for row in answers["morphs"]["paradigms"]:
        assert f"paradigm?paradigm={row['paradigm']}" in answers
