"""Tokens that are morphs: the slow twin, the original text, and the same bytes after any interruption."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.compute import Engine
from firth.corpus import _build, find_sources, joined, stream_tokens, tokenise
from firth.corpus._dividing import Division, divided
from firth.errors import InputError, ModelError, ParameterError
from firth.find import Finder
from firth.pipeline import (
    correct_morphs,
    learn_corpus,
    learn_entities,
    learn_morphs,
    learn_tags,
    merge,
    plan,
)
from tests import strategies
from tests.conftest import zipf_text
from tests.corpus.test_build import check
from tests.corpus.test_unfinished import cut, files_of, texts, unfinished  # noqa: F401
from tests.morphs.samples import language
from tests.oracles import corpus as oracle

WORDS = list(language(n=60))


class Pairs:
    """Divides words after every other character, but not numbers."""

    def split_all(self, words: Sequence[str]) -> list[list[str]]:
        return [[w] if w.isdigit() else [w[k : k + 2] for k in range(0, len(w), 2)] for w in words]


def by_hand(sentences: list[list[str]]) -> list[list[str]]:
    """Every word as its parts, ``@@`` before all but the first."""
    found = []
    for words in sentences:
        tokens = []
        for parts in Pairs().split_all(words):
            tokens += [parts[0], *("@@" + part for part in parts[1:])]
        found.append(tokens)
    return found


def text_of(words: Sequence[str], seed: int = 1) -> str:
    """Lines of words drawn at random."""
    drawn = np.random.default_rng(seed).choice(words, (len(words), 6)).tolist()
    return "".join(" ".join(line) + ".\n" for line in drawn)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(text_of(WORDS), encoding="utf-8")
    return path


@settings(max_examples=60, deadline=None)
@given(
    text=strategies.texts,
    split=st.sampled_from(["lines", "sentences", "none"]),
    lowercase=st.booleans(),
    threads=st.sampled_from([1, 2]),
)
def test_the_corpus_is_that_of_the_slow_twin(
    text: str, split: Any, lowercase: bool, threads: int
) -> None:
    text = text.lstrip("\ufeff")
    words = oracle.sentences(text, "words", split, lowercase)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(text.encode())
        if words:
            how = {"tokens": "morphs", "split": split, "lowercase": lowercase, "morphs": Pairs()}
            check(firth.Corpus.from_files(path, **how, threads=threads), by_hand(words))


@given(lengths=st.lists(st.integers(1, 4), min_size=1, max_size=8), data=st.data())
def test_words_are_divided_as_by_hand(lengths: list[int], data: st.DataObject) -> None:
    starts = np.cumsum([0, *lengths])
    tokens = np.arange(starts[-1], dtype=np.uint32)[::-1].copy()
    ids = data.draw(st.lists(st.integers(0, len(lengths) - 1), max_size=20))
    nothing: Any = None
    found, edges = divided(np.array(ids, np.uint32), Division(nothing, nothing, starts, tokens))
    slow = [tokens[starts[word] : starts[word + 1]].tolist() for word in ids]
    assert found.tolist() == [token for some in slow for token in some]
    assert edges.tolist() == np.cumsum([0, *map(len, slow)]).tolist()


def test_threads_memory_and_stretches_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.corpus._blocks.BLOCK", 1 << 12)
    path = tmp_path / "text.txt"
    path.write_text(zipf_text(600), encoding="utf-8")
    found = []
    for threads, at_once, ends in ((1, 1 << 20, 1 << 20), (3, 1 << 8, 7)):
        monkeypatch.setattr(_build, "_TOKENS_AT_ONCE", at_once)
        monkeypatch.setattr("firth.corpus._dividing._ENDS_AT_ONCE", ends)
        folder = tmp_path / str(threads)
        folder.mkdir()
        sources = find_sources([path], "text")
        reading = firth.corpus.Reading("morphs")
        _build.build(sources, reading, folder, Engine(threads), morphs=lambda _: Pairs())
        found.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert found[0] == found[1]


@pytest.mark.parametrize("original", [True, False])
def test_lines_of_a_concordance_are_the_text(text: Path, original: bool) -> None:
    corpus = firth.Corpus.from_files(text, tokens="morphs", morphs=Pairs())
    lines = text.read_text(encoding="utf-8").splitlines()
    if not original:
        text.unlink()
        lines = [line.replace(".", " .") for line in lines]
    first, second = Pairs().split_all([WORDS[0]])[0][:2]
    for tokens in ([first], ["@@" + second], [first, "@@" + second]):
        found = Finder(corpus).find(" ".join(tokens))
        hits = found.lines(None, "1000c")
        assert len(hits) == len(found) > 0
        for hit in hits:
            assert hit.original == original
            assert hit.left + hit.word + hit.right == lines[hit.sentence]
            assert hit.word == joined(tokens)
    spread = Finder(corpus).find(f"{first} @@{second}").lines(1, "3c")
    assert len(spread) == 1
    assert len(spread[0].right) <= 3


def test_a_line_that_has_changed_is_not_shown(tmp_path: Path) -> None:
    """A part must follow the part before it at once."""
    path = tmp_path / "text.txt"
    path.write_text("abcd ab. " * 20, encoding="utf-8")
    corpus = firth.Corpus.from_files(path, tokens="morphs", morphs=Pairs())
    assert corpus.find("@@cd", n=1)[0].original
    (corpus.sources[0])["sha256"] = ""
    assert not corpus.find("@@cd", n=1)[0].original
    from firth.corpus._concordance import _spans, _Text

    there, moved = (_Text(line, line, True) for line in ("abcd ab", "ab cdab"))
    assert _spans(there, ["ab", "@@cd", "ab"]) == [(0, 2), (2, 4), (5, 7)]
    assert _spans(moved, ["ab", "@@cd", "ab"]) is None


def test_streams_and_single_texts_have_the_same_tokens(text: Path) -> None:
    lines = text.read_text(encoding="utf-8")
    expected = by_hand(tokenise(lines))
    assert tokenise(lines, "morphs", morphs=Pairs()) == expected
    reading = firth.corpus.Reading("morphs")
    streamed = stream_tokens(find_sources([text], "text"), reading, Pairs())
    assert [tokens for tokens, _ in streamed] == expected


def test_a_morphology_is_needed(text: Path) -> None:
    reading = firth.corpus.Reading("morphs")
    with pytest.raises(ParameterError, match="a morphology is needed"):
        firth.Corpus.from_files(text, tokens="morphs")
    with pytest.raises(ParameterError, match="a morphology is needed"):
        list(stream_tokens(find_sources([text], "text"), reading))
    with pytest.raises(ParameterError, match="a morphology is needed"):
        tokenise("a", "morphs")


def test_a_model_learns_a_morphology_first(text: Path, tmp_path: Path) -> None:
    model = learn_corpus(tmp_path / "m", text, tokens="morphs", threads=1)
    assert model.changed == ["morphs", "corpus"]
    same = firth.Morphology().fit(firth.Corpus.from_files(text))
    assert model.morphs.split_all(WORDS) == same.split_all(WORDS)
    again = firth.Corpus.from_files(text, tokens="morphs", morphs=same)
    assert list(model.corpus.sentences()) == list(again.sentences())
    assert "tokens: morphs" in model.corpus.summary()[1]
    assert learn_corpus(tmp_path / "m", text, tokens="morphs").changed == []
    other = learn_corpus(tmp_path / "n", text, tokens="morphs", threads=3)
    for name in ("corpus", "morphs"):
        assert other.parts[name].files == model.parts[name].files


def test_a_morphology_of_a_list_of_words_is_used(text: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(WORDS), encoding="utf-8")
    known = tmp_path / "known.tsv"
    known.write_text(f"{WORDS[0]}\t{WORDS[0][:-2]} {WORDS[0][-2:]}\n", encoding="utf-8")
    learn_morphs(tmp_path / "m", words, known=known)
    model = learn_corpus(tmp_path / "m", text, tokens="morphs")
    assert model.changed == ["corpus"]
    assert "@@" + WORDS[0][-2:] in model.corpus.vocabulary
    learn_morphs(tmp_path / "m", words)
    with pytest.raises(ModelError, match="corpus of .* is out of date: the morphology has changed"):
        firth.load(tmp_path / "m").corpus  # noqa: B018
    assert learn_corpus(tmp_path / "m", text, tokens="morphs").changed == ["corpus"]


@pytest.mark.parametrize("given", [True, False])
def test_corrections_are_respected(text: Path, tmp_path: Path, given: bool) -> None:
    if given:
        words = tmp_path / "words.txt"
        words.write_text("\n".join(WORDS), encoding="utf-8")
        learn_morphs(tmp_path / "m", words)
    model = learn_corpus(tmp_path / "m", text, tokens="morphs")
    word = WORDS[0]
    assert "@@" + word[-1] not in model.corpus.vocabulary
    correct_morphs(tmp_path / "m", {word: [word[:-1], word[-1]]})
    again = learn_corpus(tmp_path / "m", text, tokens="morphs")
    assert again.changed == (["corpus"] if given else ["morphs", "corpus"])
    assert len(Finder(again.corpus).find(f"{word[:-1]} @@{word[-1]}")) > 0
    assert learn_corpus(tmp_path / "m", text, tokens="morphs").changed == []


def test_a_damaged_morphology_is_learned_again(text: Path, tmp_path: Path) -> None:
    model = learn_corpus(tmp_path / "m", text, tokens="morphs")
    (model.parts["morphs"].folder / "marks.u32").write_bytes(b"")
    assert learn_corpus(tmp_path / "m", text, tokens="morphs").changed == ["morphs", "corpus"]


def test_an_interruption_keeps_the_morphology(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_build, "write_divided", stop)
        with pytest.raises(KeyboardInterrupt):
            learn_corpus(tmp_path / "m", text, tokens="morphs")
    assert list(firth.load(tmp_path / "m").parts) == ["morphs"]
    with monkeypatch.context() as patch:
        patch.setattr("firth.morphs._morphology.learn_morphs", stop)
        assert learn_corpus(tmp_path / "m", text, tokens="morphs").changed == ["corpus"]
    learn_corpus(tmp_path / "n", text, tokens="morphs")
    assert files_of(tmp_path / "m") == files_of(tmp_path / "n")


@pytest.mark.parametrize("skip_bad", [False, True])
@pytest.mark.parametrize("at", [9, "learning", "dividing"])
def test_reading_continues(
    texts: list[Path],  # noqa: F811
    cut: Any,  # noqa: F811
    tmp_path: Path,
    at: Any,
    skip_bad: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A large text that was read is not read again when learning or dividing was interrupted."""
    how: dict[str, Any] = {"tokens": "morphs", "threads": 2, "skip_bad": skip_bad}

    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if at == "learning":
            patch.setattr("firth.morphs._morphology.learn_morphs", stop)
        elif at == "dividing":
            patch.setattr(_build, "write_divided", stop)
        else:
            cut(at)
        with pytest.raises(KeyboardInterrupt):
            learn_corpus(tmp_path / "m", texts, **how)
    assert unfinished(tmp_path / "m")
    if isinstance(at, str):
        cut(1)  # nothing is tokenised again
    learn_corpus(tmp_path / "m", texts, **how)
    monkeypatch.undo()
    learn_corpus(tmp_path / "n", texts, tokens="morphs")
    assert files_of(tmp_path / "m") == files_of(tmp_path / "n")
    assert not unfinished(tmp_path / "m")


def test_what_needs_words_is_refused(text: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    learn_corpus(model, text, tokens="morphs")
    with pytest.raises(ModelError, match="are morphs already"):
        learn_morphs(model)
    with pytest.raises(ModelError, match="cannot be merged: its tokens are morphs"):
        merge([model, model], tmp_path / "whole")
    labelled = tmp_path / "labelled"
    labelled.write_text("Anna B-PER\nran O\n", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be features of words"):
        learn_entities(tmp_path / "ner", labelled, using=model)
    learn_corpus(tmp_path / "words", text)
    with pytest.raises(ModelError, match="do not have the same tokens"):
        learn_tags(model, using=tmp_path / "words", n_tags=2)


def test_a_text_without_letters_has_no_morphs(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("1 2 3 .\n", encoding="utf-8")
    with pytest.raises(InputError, match="There are no words to learn from"):
        learn_corpus(tmp_path / "m", path, tokens="morphs")
    assert not (tmp_path / "m").exists()


def test_a_plan_has_a_stage_for_the_morphology(text: Path) -> None:
    found = plan(text, tokens="morphs", dim=0, classes=0)
    assert [stage.name for stage in found.stages] == ["morphs", "corpus", "counts"]
    assert found.exact
    words = plan(text, dim=0, classes=0)
    assert found.n_tokens > words.n_tokens
    assert found.n_types < words.n_types
