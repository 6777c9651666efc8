"""Surprise: what the server says of each word is what the language model says; bounds; models; one file."""

from __future__ import annotations

import base64
import gzip
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.explore import ModelWatcher, export_page
from firth.lm import InterpolatedModel
from firth.pipeline import import_lm
from tests.explore.models import HOSTILE, Client, serving
from tests.explore.test_openapi import n_asked, n_tested, run

TEXT = "the cat was singing by the river\nthe Blorp was singing\nthe Blorp was a zebra"


def words_of(told: dict[str, Any]) -> list[list[str]]:
    return [[word["word"] for word in sentence["words"]] for sentence in told["sentences"]]


def test_each_word_is_as_surprising_as_the_model_says(
    lm_client: Client, lm: InterpolatedModel
) -> None:
    told = lm_client.ask("surprise", text=TEXT)
    assert told["text"] == TEXT
    recent = lm.recent()
    assert recent is not None, "the words of earlier sentences count"
    for sentence, line in zip(told["sentences"], TEXT.splitlines(), strict=True):
        rows = lm.word_scores(line.split(), recent)
        said = [(word["word"], word["known"]) for word in sentence["words"]]
        assert said == [(row.word, row.known) for row in rows[:-1]]
        bits = [word["bits"] for word in sentence["words"]] + [sentence["end"]]
        assert bits == pytest.approx([r.bits_spelled for r in rows], abs=5e-4)
    unknown = told["sentences"][1]["words"][1]
    assert not unknown["known"]
    assert unknown["bits"] > lm.word_scores(["the", "Blorp"])[1].bits + 5, "its letters count"


def test_what_was_said_before_is_less_surprising(lm_client: Client) -> None:
    once, again = lm_client.ask("surprise", text="river\nriver")["sentences"]
    assert again["words"][0]["bits"] < once["words"][0]["bits"]
    assert lm_client.ask("surprise", text="river")["sentences"] == [once], "a text begins afresh"


def test_the_example_is_a_sentence_of_the_corpus(lm_client: Client, lm_path: Path) -> None:
    told = lm_client.ask("surprise")
    (sentence,) = told["sentences"]
    assert all(word["known"] for word in sentence["words"])
    corpus = firth.load(lm_path).corpus
    bounds = [corpus.bounds(i) for i in range(corpus.n_sentences)]
    assert words_of(told)[0] in [corpus.words_between(*places) for places in bounds]
    assert lm_client.ask("surprise", text=told["text"]) == told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat's river.", [["the", "cat", "'s", "river", "."]]), (" \n ", []),
        ("the\n\n cat\tby ", [["the"], ["cat", "by"]]), ("</s> <s>", [["<", "/", "s", ">", "<", "s", ">"]]),
    ],
)  # fmt: skip
def test_text_is_tokenised_like_the_corpus(
    lm_client: Client, text: str, words: list[list[str]]
) -> None:
    assert words_of(lm_client.ask("surprise", text=text)) == words


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_come_back_as_text(lm_client: Client, word: str) -> None:
    text = f"the {word[:1_000]}"
    told = lm_client.ask("surprise", text=text)
    assert told["text"] == text
    assert all(w["bits"] > 0 for s in told["sentences"] for w in s["words"])


def test_what_is_asked_is_bounded(lm_client: Client) -> None:
    assert len(words_of(lm_client.ask("surprise", text="a " * 1_000))[0]) == 1_000
    assert words_of(lm_client.ask("surprise", text="é" * 2_000)) == [["é" * 2_000]]
    lm_client.problem(422, "surprise", text="x" * 2_001)


def test_several_texts_at_once(lm_client: Client) -> None:
    lm_client.ask_at_once("surprise", [*TEXT.splitlines(), TEXT])


def test_a_model_without_a_language_model_says_how_to_learn_one(client: Client) -> None:
    problem = client.problem(404, "surprise", text="the cat")
    assert problem["error"] == "This model has no language model."
    assert problem["hint"] == "Learn it: firth lm learn MODEL"


def test_an_imported_model_alone_may_exclude_a_word(tmp_path: Path) -> None:
    arpa = "\\data\\\nngram 1=5\n\n\\1-grams:\n-0.5\t</s>\n-99\t<s>\n-99\t<unk>\n-0.30103\ta\n-0.60206\tb\n\n\\end\\\n"
    (tmp_path / "m.arpa").write_text(arpa, "utf-8")
    import_lm(tmp_path / "m.arpa", tmp_path / "m")
    with serving(tmp_path / "m") as address:
        client = Client(address)
        assert client.ask("model")["parts"] == ["lm"]
        (sentence,) = client.ask("surprise", text="a b c")["sentences"]
        a, b, c = sentence["words"]
        assert (a["bits"], b["bits"]) == (pytest.approx(1, abs=1e-3), pytest.approx(2, abs=1e-3))
        assert (c["known"], c["bits"]) == (False, None), "an infinite number is not JSON"
        assert client.ask("surprise") == {"text": "", "sentences": []}


def test_a_language_model_in_one_file(lm_path: Path, lm_client: Client, tmp_path: Path) -> None:
    export_page(ModelWatcher(lm_path).snapshot(), tmp_path / "page.html", 20)
    packed = re.search(r'id="answers">([^<]*)<', (tmp_path / "page.html").read_text("utf-8"))
    assert packed is not None
    answers = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert answers["surprise"] == lm_client.ask("surprise")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("schemathesis") is None, reason="needs schemathesis")
def test_whatever_is_asked_of_a_language_model_is_answered_as_described(
    lm_address: str, tmp_path: Path
) -> None:
    told = run(lm_address, tmp_path, "--include-path", "/api/surprise", "--max-examples", "60")
    assert n_tested(told) == 1
    assert n_asked(told) > 40
