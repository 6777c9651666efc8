"""What can be asked of a tree of classes; files of other programs, there and back."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy.cluster.hierarchy import is_valid_linkage

import firth
from firth.classes import ExchangeRefiner, Hierarchy, Member, SpectralClasses
from firth.errors import InputError, ParameterError, WordError
from tests.classes.trees import LINES, given, learned, small


def test_members_of_a_prefix_are_those_of_the_classes_below() -> None:
    classes = learned()
    words = {path: {m.word for m in classes.members(path)} for path in classes.paths}
    assert sum(map(len, words.values())) == len(classes)
    for prefix in classes.tree.node_paths:
        members = classes.members(prefix)
        below = [words[path] for path in classes.paths if path.startswith(prefix)]
        assert {m.word for m in members} == set().union(*below)
        assert [m.count for m in members] == sorted((m.count for m in members), reverse=True)
        assert classes.members(prefix, 3) == members[:3]
    assert len(classes.members()) == len(classes)
    for word in list(classes)[:20]:
        assert word in words[classes.path(word)]
        assert classes.paths[classes.id(word)] == classes.path(word)
    assert classes.sizes().tolist() == [len(words[path]) for path in classes.paths]


def test_members_are_ordered_by_count_whatever_the_order_of_words() -> None:
    assert given().members("00") == [Member("dog", 7), Member("cat", 5), Member("ran", 2)]
    assert given().members("1") == [Member("the", 20)]
    assert given().tokens.tolist() == [12, 2, 9, 20]


def test_a_tree_is_like_a_collection_of_words() -> None:
    classes = given()
    assert len(classes) == 5
    assert "cat" in classes
    assert "bird" not in classes
    assert 5 not in classes
    assert list(classes) == classes.words == ["cat", "dog", "sat", "ran", "the"]
    assert repr(classes) == "<Hierarchy of 5 words in 4 classes>"
    assert classes.n_classes == 4
    assert classes.paths == ["000", "001", "01", "1"]


@pytest.mark.parametrize("prefix", ["2", "0000", "10", "x", "0 "])
def test_a_prefix_that_leads_nowhere(prefix: str) -> None:
    for ask in (given().members, given().label, given().ids_below):
        with pytest.raises(InputError, match="No path of the tree begins with") as error:
            ask(prefix)
        assert repr(prefix) in str(error.value)
    assert given().contexts(prefix) is None


def test_a_word_without_a_class() -> None:
    for ask in (given().path, given().id):
        with pytest.raises(WordError, match="The word 'bird' has no class"):
            ask("bird")
    with pytest.raises(WordError) as error:
        given().path("Cat")
    assert error.value.hint == "There is 'cat'."
    assert error.value.word == "Cat"


def test_cut_and_truncate() -> None:
    classes = learned()
    for k in range(1, 16):
        fewer = classes.cut(k)
        assert fewer.n_classes == k
        assert len(fewer) == len(classes)
        assert fewer.tokens.sum() == classes.tokens.sum()
        for word in list(classes)[:50]:
            assert classes.path(word).startswith(fewer.path(word))
        assert fewer.rare is not None
        assert classes.rare is not None
        assert classes.paths[classes.rare].startswith(fewer.paths[fewer.rare])
    assert classes.cut(1).paths == [""]
    for bits in (1, 2, 4, 100):
        short = classes.truncate(bits)
        assert [short.path(w) for w in classes] == [classes.path(w)[:bits] for w in classes]
        assert short.follow is not None
        assert classes.follow is not None
        assert short.follow.sum() == classes.follow.sum()
    assert is_valid_linkage(classes.linkage_)
    for wrong in (0, -1, 16, 2.0, True):
        with pytest.raises(ParameterError, match="'k' parameter of Hierarchy.cut must be"):
            classes.cut(wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'bits'"):
        classes.truncate(0)


def test_a_smaller_vocabulary_keeps_the_tree() -> None:
    classes = learned()
    fewer = classes.restrict(20)
    assert list(fewer) == list(classes)[:20]
    assert fewer.paths == classes.paths
    assert [fewer.path(w) for w in fewer] == [classes.path(w) for w in fewer]
    assert fewer.sizes().sum() == 20
    with pytest.raises(ParameterError, match="'words'"):
        classes.restrict(0)


def test_labels_are_typical_words_and_what_they_have_in_common() -> None:
    words = ["going", "making", "being", "using", "having", "1987", "2001", "1850", "1900", "12"]
    classes = Hierarchy.from_paths(words, ["0"] * 5 + ["1"] * 5, range(20, 10, -1))
    assert classes.label("0") == "going, making, being (-ing)"
    assert classes.label("1") == "1987, 2001, 1850 (numbers)"
    assert classes.label("") == "going, making, being"
    classes.names["0"] = "participles"
    assert classes.label("0") == "participles"
    assert classes.automatic_label("0") == "going, making, being (-ing)"
    assert classes.cut(2).label("0") == "participles"


def test_an_inner_node_is_labelled_by_its_largest_classes() -> None:
    words = ["ape", "ant", "bee", "cow", "dog"]
    classes = Hierarchy.from_paths(words, ["00", "00", "01", "10", "11"], [50, 40, 30, 20, 10])
    assert classes.label("") == "ape, bee, cow"
    assert classes.label("00") == "ape, ant"


def test_tables_and_frames() -> None:
    classes = given()
    classes.names["1"] = "article"
    table = classes.to_table()
    assert table.column_names == ["path", "word", "count", "class", "label"]
    frame = classes.to_frame()
    assert frame.to_dict("list") == {
        "path": ["000", "000", "01", "001", "1"],
        "word": ["cat", "dog", "sat", "ran", "the"],
        "count": [5, 7, 9, 2, 20],
        "class": [0, 0, 2, 1, 3],
        "label": ["dog, cat", "dog, cat", "sat", "ran", "article"],
    }
    assert table.to_pydict() == frame.to_dict("list")
    # the paths part at depths 2, 1 and 0, so nodes stand at heights 1, 2 and 3
    assert classes.to_newick() == "((('000 dog, cat':1,'001 ran':1):1,'01 sat':2):1,'1 article':3);"


@pytest.mark.parametrize("form", ["paths", "clustercat"])
def test_files_there_and_back(form: str, tmp_path: Path) -> None:
    classes = learned()
    path = tmp_path / "classes"
    assert classes.write(path, form) == len(classes)
    again = Hierarchy.read(path)
    assert set(again) == set(classes)
    assert again.follow is None
    if form == "paths":
        assert {w: again.path(w) for w in again} == {w: classes.path(w) for w in classes}
        assert [again.members(p) for p in again.paths] == [classes.members(p) for p in again.paths]
        assert again.made == {"imported": "paths"}
    else:
        assert list(again) == list(classes)
        sizes = classes.sizes()
        assert again.sizes().tolist() == sizes[sizes > 0].tolist()
        assert again.made == {"imported": "clustercat"}
    assert Hierarchy.read(path, form).paths == again.paths
    file = io.BytesIO()
    again.write(file, form)
    if form == "paths" or sizes.min() > 0:
        assert file.getvalue() == path.read_bytes()


def test_formats_are_named() -> None:
    with pytest.raises(
        ParameterError, match="'format' parameter of Hierarchy.write must be one of"
    ):
        given().write(io.BytesIO(), "xml")


def test_flat_classes_from_elsewhere() -> None:
    numbered = Hierarchy.from_classes(["a", "b", "c", "d"], ["10", "9", "10", "2"])
    assert numbered.class_of.tolist() == [2, 1, 2, 0]
    assert numbered.paths == ["00", "01", "10"]
    assert numbered.names == {}
    named = Hierarchy.from_classes(["a", "b", "c"], ["noun", "verb", "noun"])
    assert named.paths == ["0", "1"]
    assert [named.label(named.path(word)) for word in "abc"] == ["noun", "verb", "noun"]
    one = Hierarchy.from_classes(["a", "b"], ["x", "x"])
    assert one.n_classes == 1
    assert one.members(one.path("b")) == [Member("a", 0), Member("b", 0)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Hierarchy.from_paths([], []),
        lambda: Hierarchy.from_paths(["a", "b"], ["0"]),
        lambda: Hierarchy.from_paths(["a", "b"], ["0", "1"], [1]),
        lambda: Hierarchy.from_paths(["a", "a"], ["0", "1"]),
        lambda: Hierarchy.from_paths(["a", "b"], ["0", "01"]),
        lambda: Hierarchy.from_classes([], []),
        lambda: Hierarchy.from_classes(["a"], ["1", "2"]),
        lambda: Hierarchy.from_classes(["a", "a"], ["1", "2"]),
    ],
)
def test_what_does_not_go_together_is_refused(make: Callable[[], Hierarchy]) -> None:
    with pytest.raises(InputError):
        make()


def test_contexts_set_a_class_apart() -> None:
    classes = small()
    found = classes.contexts(classes.path("cat"))
    assert found is not None
    # 48 pairs; 24 of them have an article first and a noun second, and half of those "the"
    assert [(c.word, c.count, c.pmi) for c in found["before"]] == [("a", 12, 1.0), ("the", 12, 1.0)]
    assert [(c.word, c.count, c.pmi) for c in found["after"]] == [
        ("ran", 12, 1.0),
        ("sat", 12, 1.0),
    ]
    of_verbs = classes.contexts(classes.path("sat"), n=1)
    assert of_verbs is not None
    assert [c.word for c in of_verbs["before"]] == ["cat"]
    assert of_verbs["after"] == []
    root = classes.contexts("")
    assert root == {"before": [], "after": []}, "all words together have no contexts of their own"
    assert given().contexts("0") is None
    assert classes.cut(2).contexts("0") is None


def test_made_tells_how() -> None:
    corpus = firth.Corpus.from_sentences([line.split() for line in LINES])
    brown = small()
    assert brown.made == {"method": "brown", "refine": False, "across_lines": False}
    refined = ExchangeRefiner(min_count=1).fit(brown, corpus).hierarchy_
    assert refined.made == {**brown.made, "refine": True}
    spectral = SpectralClasses(3, "R1", 0, min_count=1).fit(corpus).hierarchy_
    assert spectral.made["method"] == "spectral"
    assert spectral.made["kappa"] == 0.0
