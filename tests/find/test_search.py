"""Search against a scan token by token, with and without the index, on any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import firth
from firth import pipeline
from firth.compute import Engine
from firth.corpus import Corpus, Index, build_index
from firth.errors import InputError, ModelError, ParameterError, QueryError
from firth.find import Finder, Ranges, parse
from firth.find import _search as searching
from tests.conftest import zipf_text
from tests.loading import load
from tests.oracles.finding import find_all

WORDS = ["a", "b", "c", "A", "á", "ab", "ba", "abc"]
_ITEMS = st.sampled_from(
    ["a", "b", "c", "ab", "zz", "*", "?", "a*", "*a", "a?", "~a", "~AB", "~a*", "/b/", "/^a/", "~/B/",
     "[word=a]", "[word=*b* word=a*]", "(a|b)", "(a b|c)", '"a (b|c a)"', "~(A|b c)", "(a|* b|c {1,2} a)"]
)  # fmt: skip
_GAPS = st.sampled_from(["", "", "", "{0,1}", "{1}", "{0,3}", "{2,5}"])
_ROWS = st.lists(st.tuples(_ITEMS, _GAPS), min_size=1, max_size=4).map(
    lambda row: " ".join(f"{item} {gap}" for item, gap in row[:-1]) + " " + row[-1][0]
)
QUERIES = st.lists(_ROWS, min_size=1, max_size=3).map("|".join)
SENTENCES = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), min_size=1, max_size=9
)


def indexed(corpus: Corpus, folder: Path) -> Index:
    build_index(corpus, folder)
    found: Index = load("index", folder, needs={"corpus": corpus})
    return found


def spans(found: Any) -> list[tuple[int, int]]:
    return list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


@settings(max_examples=150, deadline=None)
@given(
    sentences=SENTENCES,
    query=QUERIES,
    threads=st.sampled_from([1, 3]),
    at_once=st.sampled_from([1, 3, 1 << 17]),
    sorting=st.sampled_from([0, 1 << 30]),
)
@example(
    sentences=[["a", "b"], ["a", "c", "c", "b"]], query="a {0,3} b", threads=1, at_once=1, sorting=0
)
@pytest.mark.slow
def test_search_against_a_scan(
    sentences: list[list[str]],
    query: str,
    threads: int,
    at_once: int,
    sorting: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    corpus = Corpus.from_sentences(sentences)
    index = indexed(corpus, tmp_path_factory.mktemp("index"))
    wanted = find_all(parse(query), sentences)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_AT_ONCE", at_once), ("_SCANNED", at_once), ("_SORTING", sorting)):
            patch.setattr(searching, name, value)
        for finder in (Finder(corpus), Finder(corpus, index)):
            found = finder.find(query, engine=Engine(threads))
            assert spans(found) == wanted
    for start, end in wanted:
        sentence = np.searchsorted(corpus.ends, start, side="right")
        assert end <= corpus.ends[sentence], "no match goes beyond a sentence"


@settings(max_examples=60, deadline=None)
@given(
    sentences=SENTENCES,
    queries=st.lists(QUERIES, min_size=1, max_size=3),
    cuts=st.sets(st.integers(0, 60), max_size=8),
)
@pytest.mark.slow
def test_ranges_and_several_queries(
    sentences: list[list[str]], queries: list[str], cuts: set[int]
) -> None:
    corpus = Corpus.from_sentences(sentences)
    edges = sorted(min(cut, corpus.n_tokens) for cut in cuts)
    ranges = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if a < b]
    given_ranges = Ranges(
        np.array([a for a, _ in ranges], np.int64), np.array([b for _, b in ranges], np.int64)
    )
    found = Finder(corpus).find(*queries, ranges=given_ranges)
    best: dict[int, int] = {}
    for query in queries:
        for start, end in find_all(parse(query), sentences):
            if any(a <= start and end <= b for a, b in ranges):
                best[start] = min(end, best.get(start, end))
    assert spans(found) == sorted(best.items())


@pytest.mark.slow
def test_a_longer_text_against_nltk(text_file: Callable[..., Path], tmp_path: Path) -> None:
    """Words and phrases are where NLTK finds them among the same tokens, but not over sentences."""
    text = pytest.importorskip("nltk.text")
    corpus = Corpus.from_files(text_file(zipf_text(300, 3, 80)))
    tokens = corpus.words_between(0, corpus.n_tokens)
    offsets = text.ConcordanceIndex(tokens)
    finder = Finder(corpus, indexed(corpus, tmp_path))
    words = list(corpus.vocabulary)
    assert len(words) > 50
    for word in words[:60]:
        if word.isalnum():
            assert finder.find(word).starts.tolist() == offsets.offsets(word)
    pairs = 0
    for first, second in pairwise(words[:41]):
        if first.isalnum() and second.isalnum():
            lines = offsets.find_concordance([first, second])
            whole = [
                line.offset
                for line in lines
                if np.searchsorted(corpus.ends, line.offset, side="right")
                == np.searchsorted(corpus.ends, line.offset + 1, side="right")
            ]
            assert finder.find(f"{first} {second}").starts.tolist() == whole
            pairs += len(whole)
    assert pairs > 10, "or the test has no subject"


def test_a_word_that_is_several_tokens(text_file: Callable[..., Path]) -> None:
    corpus = Corpus.from_files(text_file("He didn't, and they do not. DIDN'T!\n"))
    finder = Finder(corpus)
    assert [hit.word for hit in finder.find("didn't").lines()] == ["didn't"]
    assert [hit.word for hit in finder.find("~didn't").lines()] == ["didn't", "DIDN'T"]
    assert finder.find("didn't").missing == []
    assert finder.find("wouldn't").missing == ["wouldn't"]
    letters = Corpus.from_files(text_file("猫が好き\n", "ja.txt"), tokens="characters")
    assert spans(Finder(letters).find("が好")) == [(1, 3)]


def test_operators_that_are_words_of_the_text() -> None:
    corpus = Corpus.from_sentences([["Why", "?", "(", "5", "*", "3", ")", "[x", "a*b", "|"]])
    finder = Finder(corpus)
    for query, wanted in (
        ("?", ["?"]), ("(", ["("]), ("*", ["*"]), ("|", ["|"]), ("[x", ["[x"]), ("\\*", ["*"]),
        ("5 \\* 3", ["5 * 3"]), ("a*b", ["a*b"]), ("\\?|\\(", ["?", "("]), ("Why ?", ["Why ?"]),
    ):  # fmt: skip
        assert [hit.word for hit in finder.find(query).lines()] == wanted, query
    with pytest.raises(QueryError):
        finder.find("[y")


def test_the_index_is_not_trusted(tmp_path: Path) -> None:
    """An index with wrong positions may hide matches, but makes none up."""
    corpus = Corpus.from_sentences([["a", "b"], ["b", "a"], ["a", "a"]])
    index = indexed(corpus, tmp_path)
    index._positions = np.sort(index._positions)
    assert set(spans(Finder(corpus, index).find("a b"))) <= {(0, 2)}
    assert set(spans(Finder(corpus, index).find("(a|b)"))) <= {(i, i + 1) for i in range(6)}


def test_too_many_matches_and_arguments_that_are_no_queries() -> None:
    corpus = Corpus.from_sentences([["a", "b"] * 50])
    finder = Finder(corpus)
    assert len(finder.find("a b", most=50)) == 50
    with pytest.raises(InputError, match="more than 49 places"):
        finder.find("a b", most=49)
    for wrong in ((), (1,), ("a", None)):
        with pytest.raises(ParameterError, match="must be one or more str"):
            finder.find(*wrong)
    with pytest.raises(ParameterError, match="to open the tags of a model"):
        finder.find("[tag=1]")


# What was learned ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> firth.Model:
    folder = tmp_path_factory.mktemp("find")
    lines = [
        f"{the} {noun} {verb} {place} ."
        for the in ("the", "a") for noun in ("cat", "dog", "bird", "cow")
        for verb in ("sat", "ran", "slept") for place in ("here", "there")
    ]  # fmt: skip
    (folder / "text.txt").write_text("\n".join(lines * 6))
    pipeline.learn(folder / "text.txt", folder / "m", dim=4, classes=6, tags=4, min_count=1)
    return firth.load(folder / "m")


def test_classes_tags_and_similar_words(model: firth.Model) -> None:
    words = list(model.corpus.vocabulary)
    tokens = np.array(model.corpus.words_between(0, model.corpus.n_tokens), object)

    def found(query: str) -> set[str]:
        places = model.find(query)
        assert (places.ends == places.starts + 1).all()
        return set(tokens[places.starts])

    path = model.classes.path("cat")
    assert found(f"[class={path}]") == {w for w in words if model.classes.path(w) == path}
    below = {w for w in words if model.classes.path(w).startswith(path[:1])}
    assert found(f"[class={path[:1]}*]") == below
    assert found("[class=*]") == set(words)
    tags = {w: model.tags.tag([[w]])[0][0] for w in words}
    assert found(f"[tag={tags['cat']}]") == {w for w in words if tags[w] == tags["cat"]}
    near = [w for w, _ in model.vectors.most_similar("cat", n=2)]
    assert found("[like=cat n=2]") == {"cat", *near}
    assert found(f"[class={path[:1]}* word=c*]") == {w for w in below if w.startswith("c")}
    after = [i for i, (a, b) in enumerate(pairwise(tokens)) if a == "the" and b in below]
    assert model.find(f"the [class={path[:1]}*]").starts.tolist() == after
    assert after, "or the test has no subject"


def test_names_of_classes_and_tags_stand_for_them(model: firth.Model) -> None:
    path = model.classes.path("cat")[:1]
    named = model.classes.renamed({path: "things that move"})
    tagger = model.tags.renamed({"0": "noun"})
    parts = {"classes": named, "tags": tagger, "vectors": model.vectors}
    finder = Finder(model.corpus, part=parts.__getitem__)
    assert spans(finder.find('[class="things that move"]')) == spans(model.find(f"[class={path}*]"))
    assert spans(finder.find("[tag=noun]")) == spans(model.find("[tag=0]"))
    assert spans(finder.find("[tag=0]")) == spans(model.find("[tag=0]"))


@pytest.mark.parametrize(
    ("query", "place", "message", "hint"),
    [
        ("the [class=0x]", 5, "No class has the name '0x'", "firth classes name"),
        ("[class=11111111111]", 1, "No path of the tree begins with", "firth classes show"),
        ("[class=]", 7, "A value is expected after class=", "0101*"),
        ("[tag=99]", 1, "There is no tag '99'", "The tags are 0, 1"),
        ("[tag=0000000001234]", 1, "There is no tag", "The tags are 0, 1"),
        ("[like=zebra]", 1, "The word 'zebra' has no vector", "Check the spelling"),
        ("[like=Cat]", 1, "The word 'Cat' has no vector", "There is 'cat'"),
        ("the /(/", 4, "The regular expression /(/ cannot be read", "RE2"),
        (r"/(a)\1/", 0, "cannot be read", "RE2"),
    ],
)  # fmt: skip
def test_what_the_model_does_not_have(
    model: firth.Model, query: str, place: int, message: str, hint: str
) -> None:
    with pytest.raises(QueryError) as caught:
        model.find(query)
    assert caught.value.place == place
    assert message in caught.value.message
    assert hint in str(caught.value.hint)


def test_a_branch_is_not_a_class(model: firth.Model) -> None:
    path = next(p for p in model.classes.tree.node_paths if p and p not in model.classes.paths)
    with pytest.raises(QueryError, match=f"{path} is not a class, but a branch with") as caught:
        model.find(f"[class={path}]")
    assert caught.value.hint == f"Write [class={path}*] for all of them."


def test_a_model_without_parts_says_how_to_make_them(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a cat\n")
    pipeline.learn_corpus(tmp_path / "m", tmp_path / "text.txt", threads=1)
    model = firth.load(tmp_path / "m")
    for slot, command in (("class=0*", "classes"), ("tag=1", "tags"), ("like=a", "vectors")):
        with pytest.raises(ModelError) as caught:
            model.find(f"[{slot}]")
        assert f"firth {command} learn" in str(caught.value.hint)
    assert len(model.find("a cat")) == 1


def test_a_crafted_expression_does_not_take_for_ever() -> None:
    words = ["a" * 30 + "!", "b" * 2000, *(f"w{i}" for i in range(3000))]
    finder = Finder(Corpus.from_sentences([words]))
    assert len(finder.find("/^(a+)+$/")) == 0
    assert len(finder.find("/(a|aa)+!/")) == 1
    assert len(finder.find("/^(b?){500}b{500}$/")) <= 1
    with pytest.raises(QueryError, match="cannot be read"):
        finder.find("/((a{100}){100}){100}/")
