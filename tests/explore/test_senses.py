"""The senses of a word, asked of a server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import firth
from firth import progress
from firth.explore.views import senses as view
from firth.pipeline import import_vectors
from firth.senses import report_senses
from tests.explore.models import HOSTILE, Client, check_headers, serving
from tests.senses.samples import MONEY, RIVER, bank_sentences


def learn_banks(folder: Path) -> Path:
    """A model of a word with two senses, one with a single one, and one that is there once."""
    lines = [" ".join(sentence) for sentence in bank_sentences(150)[0]]
    lines += ["once upon a time", *["Only big things"] * 12]
    text = folder / "banks.txt"
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    firth.learn(text, folder / "banks", dim=0, classes=0, threads=1)
    return folder / "banks"


@pytest.fixture(scope="module")
def banks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learn_banks(tmp_path_factory.mktemp("senses"))


@pytest.fixture(scope="module")
def bank_client(banks: Path) -> Iterator[Client]:
    with serving(banks) as address:
        yield Client(address)


@pytest.mark.slow
def test_senses_are_those_of_the_report(bank_client: Client, banks: Path) -> None:
    told = bank_client.ask("senses", word="bank")
    corpus = firth.load(banks).corpus
    wanted = report_senses(corpus, "bank", n_words=16, n_lines=6, width=80)
    assert (told["word"], told["count"], told["n_contexts"]) == ("bank", 150, 150)
    assert (told["window"], told["given"]) == (7, False)
    assert len(told["senses"]) == len(wanted.senses) == 2
    assert [one["n_senses"] for one in told["lengths"]] == [1, 2, 3, 4, 5, 6]
    for one, description in zip(told["lengths"], wanted.descriptions, strict=True):
        assert one["bits"] == pytest.approx(description.bits, abs=0.1)
        assert one["model_bits"] == pytest.approx(description.model_bits, abs=0.1)
    for sense, other in zip(told["senses"], wanted.senses, strict=True):
        assert sense["share"] == pytest.approx(other.share, abs=1e-4)
        assert [w["word"] for w in sense["words"]] == [w.word for w in other.words]
        assert [line["left"] for line in sense["lines"]] == [line.left for line in other.lines]
        assert {line["source"] for line in sense["lines"]} == {"banks.txt"}, "no path of this machine"  # fmt: skip
    tops = [{w["word"] for w in sense["words"][:6]} for sense in told["senses"]]
    assert any(top <= set(RIVER) for top in tops)
    assert any(top <= set(MONEY) for top in tops)
    assert bank_client.ask("senses", word="bank") == told


def test_so_many_senses_as_asked_for(bank_client: Client) -> None:
    told = bank_client.ask("senses", word="bank", n=3)
    assert (len(told["senses"]), told["given"]) == (3, True)
    assert [one["n_senses"] for one in told["lengths"]] == [1, 3]
    told = bank_client.ask("senses", word="Only")
    assert (len(told["senses"]), told["count"]) == (1, 12)
    assert ("big", "after") in {(w["word"], w["side"]) for w in told["senses"][0]["words"]}


def test_what_has_no_answer_is_told(bank_client: Client) -> None:
    problem = bank_client.problem(404, "senses", word="BANK")
    assert problem == {"error": "The word 'BANK' is not in the corpus.", "hint": "There is 'bank'."}
    assert "occurs once" in bank_client.problem(404, "senses", word="once")["error"]
    for wrong in ({"n": 0}, {"n": 7}, {"n": "two"}):
        bank_client.problem(422, "senses", word="bank", **wrong)
    bank_client.problem(422, "senses")
    bank_client.problem(422, "senses", word="")


def test_a_model_without_a_corpus_says_so(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:  # fmt: skip
    import_vectors(text_file("2 2\ncat 1 0\ndog 0 1\n", "v.vec"), tmp_path / "m")
    with serving(tmp_path / "m") as address:
        problem = Client(address).problem(404, "senses", word="cat")
    assert problem["error"] == "This model has no corpus."


def test_the_work_of_an_answer_is_bounded(monkeypatch: pytest.MonkeyPatch, banks: Path) -> None:
    monkeypatch.setattr(view, "_OCCURRENCES", 40)
    with serving(banks) as address:
        told = Client(address).ask("senses", word="bank", n=2)
    assert (told["count"], told["n_contexts"]) == (150, 40)


@pytest.mark.slow
def test_an_answer_that_is_not_ready_says_how_far_it_is(banks: Path) -> None:
    with serving(banks) as address:
        client = Client(address)
        answer = client.get("senses", word="bank")
        assert (answer.status, answer.headers["retry-after"]) == (202, "1")
        assert answer.json == {"progress": 0.0, "ahead": 0}
        check_headers(answer)
        told = client.ask("senses", word="bank")
        assert len(told["senses"]) == 2
        assert client.get("senses", word="bank").status == 200, "it is kept"


def test_senses_do_not_keep_other_views_waiting(
    banks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many are asked for, each request is answered at once."""
    go_on = threading.Event()

    def slow(*args: Any, **options: Any) -> Any:
        while not go_on.wait(0.01):
            progress.check_interrupted()
        return report_senses(*args, **options)

    monkeypatch.setattr(view, "report_senses", slow)
    with serving(banks) as address:
        client = Client(address)
        asked = [
            (word, n) for word in ("bank", "Only", *MONEY[:4], *RIVER[:4]) for n in range(1, 7)
        ]
        answers = [client.get("senses", word=word, n=n) for word, n in asked]
        assert [answer.status for answer in answers] == [202] * 60
        assert [answer.json["ahead"] for answer in answers] == list(range(60))
        pauses = [int(answer.headers["retry-after"]) for answer in answers]
        assert pauses == [1] * 10 + [2] * 10 + [3] * 10 + [4] * 10 + [5] * 10 + [6] * 10
        for name, told in (("word", {"word": "bank"}), ("complete", {"q": "b"}), ("about", {})):
            assert client.get(name, **told).status == 200
        go_on.set()
        assert len(client.ask("senses", word="bank", n=1)["senses"]) == 1


def test_many_may_ask_at_once(bank_client: Client) -> None:
    answers: list[str] = []

    def keep_asking() -> None:
        for n in (2, 3):
            answers.append(json.dumps(bank_client.ask("senses", word="bank", n=n)))  # noqa: PERF401

    asking = [threading.Thread(target=keep_asking) for _ in range(5)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(answers) == 10
    assert len(set(answers)) == 2


@pytest.mark.parametrize("word", ["the", *HOSTILE[:12]])
@pytest.mark.slow
def test_hostile_words_are_told_as_they_are(
    hostile_client: Client, hostile: firth.Model, word: str
) -> None:
    vocabulary = hostile.corpus.vocabulary
    if int(vocabulary.counts[vocabulary.id(word)]) < 10:
        assert "at least 10" in hostile_client.problem(404, "senses", word=word)["error"]
        return
    told = hostile_client.ask("senses", word=word, n=2)
    known = set(vocabulary)
    assert all(w["word"] in known for sense in told["senses"] for w in sense["words"])
