"""Neighbours in some documents, against counting one by one and against the counts of a model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.compare import text_of
from firth.corpus import Index, build_index
from firth.describe import word_facts
from firth.measure import Neighbours, _neighbours, collocates, collocates_in
from firth.store import Part, TemporaryFolder

LINES = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=7), min_size=1, max_size=4)
DOCUMENTS = st.lists(LINES, min_size=1, max_size=5)


def corpus_of(documents: list[list[list[str]]], chosen: list[bool]) -> firth.Corpus:
    texts = ["\n".join(" ".join(line) for line in document) for document in documents]
    return firth.Corpus.from_texts(texts, metadata={"chosen": chosen}, split="lines")


@given(
    documents=DOCUMENTS,
    bits=st.lists(st.booleans(), min_size=5, max_size=5),
    offset=st.integers(-4, 4).filter(bool),
    at_once=st.sampled_from([1, 3, 1 << 22]),
    indexed=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_neighbours_are_counted_exactly(
    documents: list[list[list[str]]], bits: list[bool], offset: int, at_once: int, indexed: bool
) -> None:
    chosen = [True, *bits[1 : len(documents)]]
    corpus, word = corpus_of(documents, chosen), documents[0][0][0]
    pairs: Counter[str] = Counter()
    any_word: Counter[str] = Counter()
    for document in (d for d, taken in zip(documents, chosen, strict=True) if taken):
        for line in document:
            for i, one in enumerate(line):
                if 0 <= i + offset < len(line):
                    any_word[line[i + offset]] += 1
                    pairs[line[i + offset]] += one == word
    with pytest.MonkeyPatch.context() as patch, TemporaryFolder() as folder:
        patch.setattr(_neighbours, "_AT_ONCE", at_once)
        build_index(corpus, folder.path)
        index = Index(Part.in_folder(folder.path), corpus) if indexed else None
        near = Neighbours(text_of(corpus, "chosen == 1"), index=index)
        together = near.beside(near.positions(corpus.vocabulary.id(word)), offset)
    names = list(corpus.vocabulary)
    assert dict(zip(names, together.tolist(), strict=True)) == {w: pairs[w] for w in names}
    margins = dict(zip(names, near.margins(offset).tolist(), strict=True))
    assert margins == {w: any_word[w] for w in names}


@given(
    documents=DOCUMENTS,
    contexts=st.sampled_from(["LR2", "bag3", "R1", "-3,1"]),
    weights=st.sampled_from(["none", "distance"]),
    across=st.booleans(),
    min_count=st.integers(1, 3),
    measure=st.sampled_from(["pmi", "g2", "logdice"]),
)
@settings(max_examples=30, deadline=None)
def test_all_documents_have_the_contexts_of_the_counts(
    documents: Any, contexts: str, weights: Any, across: bool, min_count: int, measure: str
) -> None:
    documents = [[["a", "b", "a", "b", "a", "a"]], *documents]  # something is counted
    corpus = corpus_of(documents, [True] * len(documents))
    counts = firth.count(corpus, contexts, min_count, None, weights, across)
    for word in counts.vocabulary:
        found = collocates_in(text_of(corpus), counts, word, 10, measure)
        assert found == {
            offset: counts.collocates(word, offset, 10, measure)
            for offset in ([None] if counts.contexts.bag else counts.contexts.offsets)
        }


ROWS = [("1900", "the old cat sat"), ("1900", "the old dog sat"), ("1901", "a young cat ran"),
        ("1901", "the young cat sat"), ("1902", "a cat ran"), ("1902", "no pet")] * 4  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("where")
    lines = "".join(f"{year},{text}\n" for year, text in ROWS)
    (folder / "text.csv").write_text("year,text\n" + lines)
    return firth.learn(folder / "text.csv", folder / "m", min_count=1, dim=0, classes=4).path


def test_a_word_in_some_documents(model: Path) -> None:
    opened = firth.load(model)
    facts = word_facts(opened, "cat", 10, where="year == 1901")
    assert facts["count"] == 8
    assert facts["rank"] == 1  # young is as frequent, and after it in the whole text
    assert facts["per_million"] == 8 / 32 * 1e6
    assert facts["where"] == {"condition": "year == 1901", "documents": 8, "tokens": 32}
    assert [(row["word"], row["count"]) for row in facts["before"]] == [("young", 8)]
    assert [(row["word"], row["count"]) for row in facts["after"]] == [("sat", 4), ("ran", 4)]
    assert facts["class"] == word_facts(opened, "cat", 10)["class"]
    absent = word_facts(opened, "dog", 10, where="year == 1901")
    assert (absent["count"], absent["rank"], absent["before"]) == (0, None, [])


def test_where_in_show_and_counts_show(firth: Callable[..., Any], model: Path) -> None:
    shown = firth("show", model, "cat", "--where", "year == 1901").out.splitlines()
    assert shown[0] == "cat  8 times, rank 1, 250,000 per million"
    assert shown[1] == "in 8 documents, 32 tokens; similar words and class of the whole text"
    facts = json.loads(
        firth(
            "counts", "show", model, "cat", "--where", "year == 1901", "--measure", "t", "--json"
        ).out
    )
    assert facts["count"] == 8
    assert set(facts["before"][0]) == {"word", "count", "pmi", "t"}
    absent = firth("show", model, "dog", "--where", "year == 1901")
    assert absent.out.splitlines()[0] == "dog  0 times"


def test_mistakes(firth: Callable[..., Any], fails: Callable[..., Any], model: Path) -> None:
    assert "--where is for a word." in fails("show", model, "--where", "year == 1", status=2).err
    assert (
        "--where is for a word."
        in fails("counts", "show", model, "--where", "year == 1", status=2).err
    )
    assert "No document is selected" in fails("show", model, "cat", "--where", "year == 1").err
    unknown = firth("show", model, "cat", "--where", "yaer == 1")
    assert unknown.status == 2
    assert "The columns are: document, file, year." in unknown.err


def test_contexts_in_python(model: Path) -> None:
    found = collocates(model, "cat", "year == 1901", measure="t")
    assert [(c.word, c.count) for c in found[-1]] == [("young", 8)]
    assert {
        offset: [c.word for c in some] for offset, some in collocates(model, "cat").items()
    } == {
        offset: [c.word for c in firth.load(model).counts.collocates("cat", offset)]
        for offset in (-2, -1, 1, 2)
    }
