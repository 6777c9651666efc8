"""Tokens that are phrases: the slow twin, the original text, searching, and the same bytes however it runs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.compute import Engine
from firth.corpus import Phrases, Reading, _build, find_sources, phrases_of, stream_tokens
from firth.errors import FirthError, InputError, ModelError, ParameterError, QueryError
from firth.find import Finder
from firth.find._joined import JoinedWords
from firth.measure import phrases as find_phrases
from firth.parts import load_part
from firth.pipeline import learn_corpus, merge, plan
from tests import strategies
from tests.conftest import zipf_text
from tests.corpus.test_build import check
from tests.corpus.test_unfinished import files_of, texts, unfinished  # noqa: F401
from tests.oracles import corpus as oracle
from tests.oracles import phrases as slow

LINES = [
    "The New York Times is printed in New York. They don't know New_York.",
    "Burkina Faso is far from New  York",
    "York is not New.",
]
PHRASES = [("New", "York"), ("New", "York", "Times"), ("Burkina", "Faso"), ("do", "n't")]
few = st.sampled_from(["a", "b", "c", "a_b"])


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


@settings(max_examples=60, deadline=None)
@given(
    sentences=st.lists(st.lists(few, min_size=1, max_size=12), min_size=1, max_size=6),
    phrases=st.lists(st.lists(few, min_size=2, max_size=4), max_size=6),
    room=st.sampled_from([1, 3, 1 << 20]),
)
def test_the_corpus_is_that_of_the_slow_twin(
    sentences: list[list[str]], phrases: list[list[str]], room: int
) -> None:
    lines = [" ".join(sentence) for sentence in sentences]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firth.corpus._joining._AT_ONCE", room)
        corpus = firth.Corpus.from_texts(lines, tokens="whitespace", phrases=phrases)
    expected = slow.joined(sentences, phrases)
    check(corpus, expected)
    assert [Phrases(phrases).joined(sentence) for sentence in sentences] == expected


@settings(max_examples=30, deadline=None)
@given(
    text=strategies.texts,
    split=st.sampled_from(["lines", "sentences", "none"]),
    lowercase=st.booleans(),
)
def test_phrases_of_any_text(text: str, split: Any, lowercase: bool) -> None:
    text = text.lstrip("\ufeff")
    words = oracle.sentences(text, "words", split, lowercase)
    if not words:
        return
    phrases = [words[0][:2], words[-1][-3:]]
    phrases = [phrase for phrase in phrases if len(phrase) > 1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(text.encode())
        how: dict[str, Any] = {"split": split, "lowercase": lowercase, "phrases": phrases}
        corpus = firth.Corpus.from_files(path, **how)
        check(corpus, slow.joined(words, phrases))
        sources = find_sources([path])
        found: list[list[str]] = [[]]
        for tokens, ends in stream_tokens(sources, corpus.reading, corpus.phrases):
            found[-1] += tokens
            if ends:
                found.append([])
        assert [tokens for tokens in found if tokens] == slow.joined(words, phrases)


@pytest.mark.parametrize("original", [True, False])
def test_lines_show_the_text(text: Path, original: bool) -> None:
    corpus = firth.Corpus.from_files(text, phrases=PHRASES)
    if not original:
        text.unlink()
    for query, found in (
        ("New York", ["New York", "New_York" if original else "New York", "New  York" if original else "New York"]),
        ("New_York_Times", ["New York Times"]),
        ("don't know", ["don't know" if original else "do n't know"]),
        ('"~burkina ~faso" is far', ["Burkina Faso is far"]),
        ("in New York", ["in New York"]),
        ("N* York", ["New York"] * 3),
        ("/^B/ (Faso|Fasso)", ["Burkina Faso"]),
        ("York", ["York"]),
        ("New York Times is", ["New York Times is"]),
        ("York Times", []),
        ("New {0,1} York", []),
    ):  # fmt: skip
        hits = Finder(corpus).find(query).lines(None, "sentence")
        if query == "N* York" and original:
            found = ["New York", "New_York", "New  York"]
        assert [hit.word for hit in hits] == found, query
        for hit in hits:
            assert hit.original == original
            if original:
                assert (hit.left + hit.word + hit.right).strip() == LINES[hit.sentence]
    short = corpus.find("New_York_Times", 1, 16)[0]
    assert short.right.startswith(" is printed in")
    assert Finder(corpus).find("Burkina").missing == ["Burkina"]


def test_a_stretch_may_end_within_a_phrase(text: Path) -> None:
    corpus = firth.Corpus.from_files(text, phrases=PHRASES)
    for width in range(70):
        (hit,) = corpus.find("printed", 1, width)
        assert hit.original
        assert hit.right == LINES[0].partition("printed")[2][:width]


def test_however_it_runs_the_bytes_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.corpus._blocks.BLOCK", 1 << 12)
    path = tmp_path / "text.txt"
    path.write_text(zipf_text(600), encoding="utf-8")
    words = firth.Corpus.from_files(path)
    phrases = Phrases(one.words for one in find_phrases(words, measure="g2")[:200])
    found = []
    for threads, at_once in ((1, 1 << 20), (3, 1 << 8)):
        monkeypatch.setattr("firth.corpus._joining._AT_ONCE", at_once)
        folder = tmp_path / str(threads)
        folder.mkdir()
        reading = Reading(phrases=200)
        sources = find_sources([path])
        _build.build(sources, reading, folder, Engine(threads), phrases=lambda _: phrases)
        found.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert found[0] == found[1]
    assert firth.Corpus.from_files(path, phrases=phrases).n_tokens < words.n_tokens


def test_what_was_read_stays_when_joining_is_interrupted(
    texts: list[Path],  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, model = learn_corpus(tmp_path / "whole", texts, phrases=20), tmp_path / "model"

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_build, "join_corpus", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learn_corpus(model, texts, phrases=20)
    [folder] = unfinished(model)
    assert {"ids.u32", "ends.i64", "places.i64"} <= {path.name for path in folder.iterdir()}
    learned = learn_corpus(model, texts, phrases=20)
    assert learned.corpus.phrases
    assert files_of(learned.path) == files_of(whole.path)
    assert not unfinished(model)


def test_fewer_phrases_than_were_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("we saw San Marino today .\nold San Marino is there .\nso we go .\n" * 20)
    learn_corpus(tmp_path / "all", text, phrases=99)
    (note,) = [r.message for r in caplog.records if "to join" in r.message]
    assert "only 22 phrases to join" in note
    assert "--phrases FILE" in note
    caplog.clear()
    learn_corpus(tmp_path / "one", text, phrases=1)
    assert not any("to join" in record.message for record in caplog.records)


def test_a_model_with_the_strongest_phrases(tmp_path: Path) -> None:
    text, model = tmp_path / "text.txt", tmp_path / "model"
    text.write_text("we saw San Marino today .\nold San Marino is there .\nso we go .\n" * 20)
    made = learn_corpus(model, text, phrases=1)
    assert "San_Marino" in made.corpus.vocabulary
    part = made.parts["corpus"]
    assert part.parameters["phrases"] == 1
    assert part.made_from["phrases"] == {"measure": "npmi", "length": 5, "min_count": 10}
    assert made.corpus.describe()["n_phrases"] == 1
    assert learn_corpus(model, text, phrases="1").changed == []
    assert learn_corpus(model, text, phrases=2).changed
    assert len(made.find("San Marino")) == 40
    assert learn_corpus(model, text).changed
    assert "San_Marino" not in firth.load(model).corpus.vocabulary


def test_a_list_that_changed_is_learned_anew(tmp_path: Path, text: Path) -> None:
    phrases, model = tmp_path / "p.txt", tmp_path / "model"
    phrases.write_text("New York\n\n  Burkina   Faso\n")
    assert learn_corpus(model, text, phrases=phrases).changed
    assert learn_corpus(model, text, phrases=str(phrases)).changed == []
    phrases.write_text("New York\n")
    assert learn_corpus(model, text, phrases=phrases).changed
    table = tmp_path / "p.csv"
    table.write_text("phrase,count\nNew York,2\ndo n't,1\n")
    corpus = learn_corpus(model, text, phrases=table).corpus
    assert list(corpus.phrases or ()) == [("New", "York"), ("do", "n't")]


def test_words_of_a_list_are_changed_as_those_of_the_text(tmp_path: Path, text: Path) -> None:
    phrases = tmp_path / "p.txt"
    phrases.write_text("\ufeffNEW YORK\r\ndon't\r\n", encoding="utf-8")
    corpus = firth.Corpus.from_files(text, lowercase=True, phrases=phrases)
    assert {"new_york", "do_n't"} <= set(corpus.vocabulary)


def test_a_small_text_without_phrases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.txt"
    text.write_text("a b a b\n")
    corpus = learn_corpus(tmp_path / "model", text, phrases=5).corpus
    assert corpus.n_tokens == 4
    assert list(corpus.phrases or ()) == []
    assert len(Finder(corpus).find("a b")) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("New York\nYork\n", "line 2: a phrase has"),
        ("\n \n", "contains no phrases"),
        ("New York\nNew \udcff\n", "not in UTF-8"),
    ],
)
def test_bad_lists(tmp_path: Path, text: Path, content: str, message: str) -> None:
    phrases = tmp_path / "p.txt"
    phrases.write_text(content, errors="surrogateescape")
    with pytest.raises(InputError, match=message):
        learn_corpus(tmp_path / "model", text, phrases=phrases)
    assert not (tmp_path / "model" / "corpus").exists()


def test_wrong_values(tmp_path: Path, text: Path) -> None:
    for wrong in (0, -1, "", True, 1.5):
        with pytest.raises(ParameterError, match="phrases"):
            learn_corpus(tmp_path / "model", text, phrases=wrong)
    for no_file in ("none.txt", tmp_path):
        with pytest.raises(InputError, match="no file"):
            learn_corpus(tmp_path / "model", text, phrases=no_file)
    table = tmp_path / "p.csv"
    table.write_text("words\nNew York\n")
    with pytest.raises(InputError, match="no column 'phrase'"):
        learn_corpus(tmp_path / "model", text, phrases=table)
    for name in ("p.json", "p.jsonl", "p.conllu"):  # whose lines are no phrases
        (tmp_path / name).write_text('{"phrase": "New York"}\n')
        with pytest.raises(InputError, match="is not a list of phrases"):
            learn_corpus(tmp_path / "model", text, phrases=tmp_path / name)
    with pytest.raises(ParameterError, match="tokens"):
        learn_corpus(tmp_path / "model", text, phrases=3, tokens="morphs")
    with pytest.raises(ParameterError, match="two words or more"):
        firth.Corpus.from_files(text, phrases=[["York"]])
    with pytest.raises(ParameterError, match="a number is for learning"):
        phrases_of(5, Reading())
    with pytest.raises(FirthError, match="phrases of the text are needed"):
        _build.build(find_sources([text]), Reading(phrases=3), tmp_path, Engine(1))


@pytest.mark.parametrize(
    "content", ["[]x", "{}", '[["New"]]', '[["New", 1]]', '[["not", "there"]]']
)
def test_a_damaged_list_in_a_model_is_refused(tmp_path: Path, text: Path, content: str) -> None:
    phrases = tmp_path / "p.txt"
    phrases.write_text("New York\n")
    part = learn_corpus(tmp_path / "model", text, phrases=phrases).parts["corpus"]
    (part.folder / "phrases.json").write_text(content)
    with pytest.raises(ModelError):
        load_part(part)


def test_models_are_not_merged_and_plans_are_made(tmp_path: Path, text: Path) -> None:
    learn_corpus(tmp_path / "a", text, phrases=3)
    with pytest.raises(ModelError, match="cannot be merged"):
        merge([tmp_path / "a", tmp_path / "a"], tmp_path / "b")
    text.write_text(zipf_text(300))
    assert plan(text, phrases=3, dim=0, classes=0).n_tokens > 0


def test_a_list_is_written_and_its_phrases_are_joined(firth: Any, tmp_path: Path) -> None:
    text, model, table = tmp_path / "text.txt", tmp_path / "model", tmp_path / "p.csv"
    text.write_text("we saw San Marino today .\nold San Marino is there .\nso we go .\n" * 20)
    assert firth("corpus", "learn", text, "-o", model).status == 0
    rare = firth("corpus", "phrases", model, "--min-count", 999, "--output", table)
    assert "no phrase occurs 999 times" in rare.out
    assert not table.exists()
    assert firth("corpus", "phrases", model, "-n", 1, "--output", table).status == 0
    assert table.read_text().splitlines()[1:] == ["San Marino,2,40,1.0"]
    assert firth("corpus", "learn", text, "-o", model, "--phrases", table).status == 0
    assert "old San Marino is" in firth("find", model, "old San Marino").out
    lost = firth("find", model, "Marino")
    assert "firth find MODEL '*Marino*'" in lost.err


def test_text_to_which_a_model_is_applied_is_joined(firth: Any, tmp_path: Path) -> None:
    text, model, phrases = (tmp_path / name for name in ("text.txt", "model", "p.txt"))
    text.write_text("We saw San Marino today .\nOld San Marino is there .\nSo we go .\n" * 20)
    phrases.write_text("San Marino\n")
    how = ("--phrases", phrases, "--lowercase", "--tags", 2, "--dim", 0, "--classes", 0)
    assert firth("learn", text, "-o", model, *how).status == 0
    typed = tmp_path / "typed.txt"
    typed.write_text("We saw SAN Marino .\n")
    assert firth("corpus", "apply", "--using", model, typed).out == "we saw san_marino .\n"
    tagged = firth("tags", "apply", model, typed)
    assert [one.partition("/")[0] for one in tagged.out.split()] == ["we", "saw", "san_marino", "."]


def test_a_list_is_read_once(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again after hours of reading, when it may be another one or none."""
    phrases, model = tmp_path / "p.txt", tmp_path / "model"
    phrases.write_text("New York\n")
    real = _build.build

    def build_and_remove(*given: Any, **named: Any) -> Any:
        phrases.unlink()
        return real(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr("firth.corpus.build", build_and_remove)
        learned = learn_corpus(model, text, phrases=phrases)
    assert list(learned.corpus.phrases or ()) == [("New", "York")]
    phrases.write_text("New York\n")
    assert learn_corpus(model, text, phrases=phrases).changed == []


def test_a_language_model_does_not_take_phrases_for_single_words(text: Path) -> None:
    corpus = firth.Corpus.from_files(text, phrases=PHRASES)
    model = firth.LanguageModel(order=1, min_count=1).fit(corpus, held_out=0)
    assert corpus.phrases
    known = model.word_scores(corpus.phrases.joined(["far", "from", "New", "York"]))
    assert [one.known for one in known] == [True] * 4
    with pytest.raises(ParameterError, match="phrases as tokens"):
        model.log_prob("far from New York")


def test_so_many_ways_to_join_words_are_looked_at_and_no_more() -> None:
    """Ten words of which any two may be joined can be joined in 89 ways."""
    corpus = firth.Corpus.from_texts(["a a a"], phrases=[("a", "a")])
    joined = JoinedWords(corpus)
    number = joined.vocabulary.find("a")
    row = [(np.array([number]), (0, 0))] * 10
    assert [len(joined.rows(row, most)) for most in (3, 88, 89, 200)] == [4, 89, 89, 89]
    with pytest.raises(QueryError, match="more than"):
        Finder(corpus).find("a " * 60)
