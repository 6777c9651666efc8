"""Trees: their properties, and how they are written, drawn and read."""

from __future__ import annotations

import copy
import gzip
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from firth.errors import InputError
from firth.trees import Tree, clean, parse_trees, plain_label, read_trees, tree_files
from tests.trees.samples import trees

CATS = Tree(
    "S",
    [
        Tree("NP", [Tree("N", "cats")]),
        Tree("VP", [Tree("V", "like"), Tree("NP", [Tree("N", "fish")])]),
    ],
)


def test_properties_of_a_tree() -> None:
    assert CATS.words == ["cats", "like", "fish"]
    assert CATS.tags == ["N", "V", "N"]
    assert (len(CATS), CATS.height, CATS.is_tag, CATS.children[0].children[0].is_tag) == (
        3,
        4,
        False,
        True,
    )
    assert CATS.spans() == [("S", 0, 3), ("NP", 0, 1), ("VP", 1, 3), ("NP", 2, 3)]
    assert [node.label for node in CATS.nodes()] == ["S", "NP", "N", "VP", "V", "NP", "N"]
    assert [parent for _, parent in CATS.numbered()] == [-1, 0, 1, 0, 3, 3, 5]
    assert repr(CATS) == "(S (NP (N cats)) (VP (V like) (NP (N fish))))"
    assert CATS.pretty() == "(S\n  (NP (N cats))\n  (VP\n    (V like)\n    (NP (N fish))))"


def test_trees_are_immutable_and_hashable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        CATS.label = "X"
    with pytest.raises(AttributeError, match="immutable"):
        del CATS.children
    other = copy.deepcopy(CATS)
    assert other == CATS
    assert {CATS: 1}[other] == 1
    assert Tree("S", [Tree("NP", [Tree("N", "cats")])]) != CATS
    assert Tree("N", "a") != Tree("N", [Tree("a", "a")])
    assert CATS != "(S (NP (N cats)) (VP (V like) (NP (N fish))))"


@pytest.mark.parametrize("below", ["", [], ["word"], [Tree("N", "a"), "b"]])
def test_what_is_not_a_tree(below: object) -> None:
    with pytest.raises(InputError):
        Tree("NP", below)  # type: ignore[arg-type]


@given(trees)
@pytest.mark.slow
def test_trees_are_read_as_they_were_written(tree: Tree) -> None:
    assert list(parse_trees(tree.brackets())) == [tree]
    assert list(parse_trees(tree.pretty())) == [tree]
    assert list(parse_trees(f"{tree}{tree}\n\n  {tree.pretty()} ")) == [tree] * 3


@given(trees)
def test_spans_are_those_of_the_words_below(tree: Tree) -> None:
    words = tree.words
    inner = [node for node in tree.nodes() if not node.is_tag]
    assert [(n.label, n.words) for n in inner] == [
        (label, words[a:b]) for label, a, b in tree.spans()
    ]


def test_brackets_among_words() -> None:
    tree = Tree("S", [Tree("-LRB-", "("), Tree("N", "a b"), Tree("-RRB-", ")")])
    assert repr(tree) == "(S (-LRB- -LRB-) (N a_b) (-RRB- -RRB-))"
    [found] = parse_trees(repr(tree))
    assert found.words == ["(", "a_b", ")"]
    assert found.tags == ["-LRB-", "N", "-RRB-"]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("(S (N a)", "line 1, column 1", "is not closed"),
        ("(S (N a)))", "line 1, column 10", "unmatched ')'"),
        ("\n  word", "line 2, column 3", "'word' is outside of any tree"),
        ("(S (N a) b)", "line 1, column 10", "the word 'b' has no tag"),
        ("(N a b)", "line 1, column 6", "second word"),
        ("(S (N a)\n ())", "line 2, column 3", "'this bracket' is empty"),
        ("(S (N))", "line 1, column 6", "'N' is empty"),
        ("(N a (V b))", "line 1, column 11", "both a word and children"),
        ("(S (N a)\n ( (N b)))", "line 2, column 2", "inside a tree has no label"),
        ("( (A a) ((B b)))", "line 1, column 9", "inside a tree has no label"),
        ("( ((A a)) (B b))", "line 1, column 3", "inside a tree has no label"),
        ("(S (\u200b\u2060 a))", "line 1, column 5", "cannot be seen"),
        (f"(S\n ({'N' * 1001} a))", "line 2, column 3", "1,001 characters is too long"),
        ("(S (N a)\n (N \ud800))", "line 2, column 5", "lone surrogate"),
    ],
)
def test_wrong_brackets_are_found_by_line_and_column(text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as error:
        list(parse_trees(text, "x.mrg"))
    assert error.value.message.startswith(f"x.mrg, {where}: ")
    assert what in error.value.message


def test_brackets_that_never_end_are_refused() -> None:
    with pytest.raises(InputError, match="deep"):
        list(parse_trees("(" * 20_000))


HISTORICAL = """( (CODE {COM:first_page}) (ID X,.1))
( (IP-MAT (CODE <P_1>) (NP-SBJ *con*) (VBDI fór-fara) (PP (P til-til) (NP (N-G lands$-land)))
  (CP-REL (WNP-1 0) (C er-er) (IP-SUB (NP-SBJ *T*-1) (NUM 0) (BEPI er-vera)))
  (. .-.) (, ---)) (ID X,.2))
( (METADATA (AUTHOR anon)) (IP-MAT (VBDI sagði-segja)) (LB |) (ID X,.3))
"""


def test_historical_treebanks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.psd"
    path.write_text(HISTORICAL, encoding="utf-8")
    expected = [
        "(IP (VBDI fór) (PP (P til) (NP (N lands$))) (CP (C er) (IP (NUM 0) (BEPI er))) (. .) (, -))",
        "(IP (VBDI sagði))",
    ]
    assert [repr(clean(tree)) for tree in read_trees(path)] == expected
    assert [record.message for record in caplog.records] == [
        "Left out of the trees: 2 CODE nodes, 3 ID nodes, 1 LB node, 1 METADATA node, "
        "3 empty categories and 8 lemmas. (To read trees as they are: --format penn)"
    ]
    assert [repr(clean(tree)) for tree in read_trees(path, "psd")] == expected
    caplog.clear()
    raw = list(read_trees(path, "penn"))
    assert len(raw) == 3
    assert raw[1].words[:3] == ["<P_1>", "*con*", "fór-fara"]
    assert not caplog.records


def test_hyphens_are_lemmas_only_if_most_words_have_one(tmp_path: Path) -> None:
    path = tmp_path / "x.psd"
    path.write_text("( (IP (N to-day) (V is) (ADJ well-known) (. .) (. !)) (ID Y,.1))")
    [tree] = read_trees(path)
    assert tree.words == ["to-day", "is", "well-known", ".", "!"]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg.gz"
    path.write_bytes(gzip.compress(f"( {CATS} )\n{CATS.pretty()}\n".encode()))
    first, second = read_trees(path)
    assert second == CATS
    assert (first.label, first.children) == ("", (CATS,))
    with pytest.raises((InputError, OSError)):
        list(read_trees(tmp_path / "none.mrg"))


def test_names_and_patterns_of_files(tmp_path: Path) -> None:
    for name in ("b.mrg", "a.mrg", "[x].mrg", "c.txt"):
        (tmp_path / name).write_text("(N a)")
    (tmp_path / "folder.mrg").mkdir()
    files = tree_files([tmp_path / "c.txt", str(tmp_path / "*.mrg"), str(tmp_path / "[x].mrg")])
    assert [path.name for path in files] == ["c.txt", "[x].mrg", "a.mrg", "b.mrg", "[x].mrg"]
    assert tree_files(tmp_path / "a.mrg") == [tmp_path / "a.mrg"]
    wrong: list[tuple[Any, str]] = [
        ("-", "standard input"),
        (tmp_path, "is a folder"),
        (tmp_path / "none.mrg", "There is no file"),
        (tmp_path / "*.none", "No file matches the pattern"),
        ([], "No files"),
    ]
    for name, message in wrong:
        with pytest.raises(InputError, match=message):
            tree_files(name)


def test_deep_trees() -> None:
    tree = Tree("N", "a")
    for _ in range(5000):
        tree = Tree("X", [tree])
    assert (tree.height, len(tree), len(tree.spans())) == (5001, 1, 5000)
    [again] = parse_trees(repr(tree))
    assert again == tree
    assert clean(tree) == tree
    assert "</svg>" in tree.svg()


def test_cleaning() -> None:
    text = "( (S (NP-SBJ-1 (-NONE- *)) (VP (V-x go) (NP=2 (-LRB- -LRB-) (N|M out))) (X (Y (-NONE- 0)))))"
    [tree] = parse_trees(text)
    assert repr(clean(tree)) == "(S (VP (V go) (NP (-LRB- -LRB-) (N out))))"
    [outer] = parse_trees("( (S (N a)) (. !))")
    assert repr(clean(outer)) == "(ROOT (S (N a)) (. !))"
    [top] = parse_trees("(TOP (S (N a)) (. !))")
    assert clean(top) == top
    [twice] = parse_trees("( ((S (N a) (. !))))")
    assert repr(clean(twice)) == "(S (N a) (. !))"
    [empty] = parse_trees("(S (NP (-NONE- *)))")
    assert clean(empty) is None
    assert [plain_label(x) for x in ("ADVP|PRT", "WHNP-2", "-NONE-", "")] == [
        "ADVP",
        "WHNP",
        "-NONE-",
        "",
    ]


@given(trees)
@pytest.mark.slow
def test_pictures_are_sound_whatever_the_words_are(tree: Tree) -> None:
    root = ET.fromstring(tree.svg())
    texts = [node.text for node in root.iter() if node.tag.endswith("text")]
    assert len(texts) == sum(1 for _ in tree.nodes()) + len(tree)
    assert tree._repr_svg_() == tree.svg()


def test_words_are_never_markup() -> None:
    tree = Tree("<script>", [Tree("&", "</svg><script>\x00")])
    ET.fromstring(tree.svg())
    assert "<script>" not in tree.svg()


def test_one_tree_may_stand_in_two_places() -> None:
    leaf = Tree("N", "a")
    tree = Tree("S", [leaf, leaf])
    assert len(tree) == 2
    xs = {t.get("x") for t in ET.fromstring(tree.svg()).iter() if t.text == "a"}
    assert len(xs) == 2


def test_to_nltk_and_back() -> None:
    pytest.importorskip("nltk")
    there = CATS.to_nltk()
    assert there.leaves() == CATS.words
    assert Tree.from_nltk(there) == CATS
    kind = type(there)
    with pytest.raises(InputError, match="no tags"):
        Tree.from_nltk(kind("S", ["a", "b"]))
