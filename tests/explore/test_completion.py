"""Completion, against brute force."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.explore._completion import Completion
from firth.find import fold
from tests.explore.models import Client

pytestmark = pytest.mark.slow


def looked_up(words: list[str], text: str, n: int, searched: int = 1 << 17) -> list[int]:
    """Completion as it is described, word by word."""

    def plain(word: str) -> str:
        apart = unicodedata.normalize("NFKD", word).lower().replace("ς", "σ")
        return "".join(c for c in apart if unicodedata.category(c) != "Mn")

    wanted = plain(text)
    exact = [i for i, word in enumerate(words) if word == unicodedata.normalize("NFC", text)]
    if not wanted:
        return exact
    begin = [i for i, word in enumerate(words) if plain(word).startswith(wanted)]
    within = [i for i, word in enumerate(words[:searched]) if wanted in plain(word)]
    if len(wanted) == 1:
        within = []
    return list(dict.fromkeys([*exact, *begin, *within]))[:n]


_LETTERS = st.sampled_from([*"aAäÄáâbBcéÉßſiıİΣσςΩΩKﬁ0１²ñ\u0301\u0308\u200f\u202e'-ハパ𝔄"])
_WORDS = st.text(_LETTERS, min_size=1, max_size=5)


@settings(max_examples=150)
@given(
    sentence=st.lists(_WORDS, min_size=1, max_size=40),
    text=st.one_of(st.text(_LETTERS, max_size=3), st.integers(0, 39)),
    n=st.integers(1, 12),
    chunks=st.sampled_from([(1, 3), (2, 9), (1 << 14, 1 << 17)]),
)
def test_completion_against_brute_force(
    sentence: list[str], text: str | int, n: int, chunks: tuple[int, int]
) -> None:
    vocabulary = firth.Corpus.from_sentences([sentence]).vocabulary
    asked = text if isinstance(text, str) else sentence[text % len(sentence)][:3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firth.explore._completion._CHUNKS", chunks)
        found = Completion(vocabulary).search(asked, n)
    assert found == looked_up(list(vocabulary), asked, n, chunks[1])


@pytest.mark.parametrize("seed", [1, 2])
def test_completion_in_a_large_vocabulary(seed: int) -> None:
    chance = random.Random(seed)
    sentence = ["".join(chance.choices("abcdeéÉÜ", k=chance.randint(2, 7))) for _ in range(30_000)]
    vocabulary = firth.Corpus.from_sentences([sentence]).vocabulary
    assert len(vocabulary) > 1 << 14, "more than is looked at first"
    words, completion = list(vocabulary), Completion(vocabulary)
    for text in ["e", "EE", "uü", "abcde", "dddddd", "nothing", *chance.choices(words, k=5)]:
        assert completion.search(text, 12) == looked_up(words, text, 12)


def test_completion_by_what_is_typed(client: Client) -> None:
    def texts(q: str, n: int = 12) -> list[str]:
        return [row["text"] for row in client.ask("complete", q=q, n=n)]

    assert texts("uber", 2) == ["Über", "über"], "case and accents do not matter"
    assert texts("über", 2) == ["über", "Über"], "the very word first"
    assert texts(" cestina ") == ["Čeština"]
    assert texts("ΟΔΟΣ") == ["ὁδός"], "either form of sigma"
    assert texts("umming")[:2] == ["drumming", "humming"], "in the midst, where nothing begins so"
    assert texts("") == texts("  ") == []
    counts = [row["count"] for row in client.ask("complete", q="s", n=100) if row["text"] != "s"]
    assert counts == sorted(counts, reverse=True)
    assert len(counts) > 10
    assert fold("ΟΔΟΣ") == fold("οδος")


def test_a_path_completes_to_the_node_and_those_below(client: Client, model: firth.Model) -> None:
    tree = model.classes.tree
    inner = next(p for p in tree.node_paths[len(tree) :] if p)
    told = [row for row in client.ask("complete", q=inner) if row["kind"] == "class"]
    assert [row["text"] for row in told] == [inner, inner + "0", inner + "1"]
    assert [row["label"] for row in told] == [model.classes.label(row["text"]) for row in told]
    assert told[0]["count"] == told[1]["count"] + told[2]["count"]
    leaf = tree.paths[0]
    assert [row["text"] for row in client.ask("complete", q=leaf)] == [leaf]
    assert client.ask("complete", q="0" * 900) == []


def test_a_word_that_looks_like_a_path_is_offered_beside_the_class(hostile_client: Client) -> None:
    told = hostile_client.ask("complete", q="01", n=20)
    found = {(row["kind"], row["text"]) for row in told}
    assert found >= {("class", "01"), ("word", "01"), ("word", "0101")}
