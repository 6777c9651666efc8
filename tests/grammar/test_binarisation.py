"""Trees are made binary, and come back as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError, ParameterError
from firth.grammar import Preparation
from firth.trees import Tree, parse_trees
from tests.trees.samples import trees

TEXT = "(S (NP (D the) (J big) (J old) (N cat)) (VP (V sat) (PP (P on) (NP (N mats)))))"


def made(text: str, **how: int) -> str:
    [tree] = parse_trees(text)
    binary = Preparation(**how).binary(tree)
    assert Preparation(**how).restored(binary) == tree
    return repr(binary)


def test_chains_and_nodes_in_between() -> None:
    assert made(TEXT) == (
        "(S (NP (D the) (@NP (J big) (@NP (J old) (N cat)))) (VP (V sat) (PP (P on) (NP›N mats))))"
    )
    assert made("(S (VP (V go)))") == "(S›VP›V go)"
    assert made("(TOP (S (NP (N a)) (V b)))") == "(TOP›S (NP›N a) (V b))"
    assert made("(N a)") == "(N a)"


def test_labels_of_parents_and_siblings() -> None:
    assert made(TEXT, vertical=2, horizontal=1) == (
        "(S (NP^S (D the) (@NP^S~D (J big) (@NP^S~J (J old) (N cat)))) "
        "(VP^S (V sat) (PP^VP (P on) (NP›N^PP mats))))"
    )
    three = made(TEXT, vertical=3, horizontal=2)
    assert "(PP^VP^S " in three
    assert "(@NP^S~D~J " in three


@given(trees, st.integers(1, 3), st.integers(0, 2))
def test_every_tree_comes_back(tree: Tree, vertical: int, horizontal: int) -> None:
    how = Preparation(vertical, horizontal)
    binary = how.binary(tree)
    assert how.restored(binary) == tree
    for node in binary.nodes():
        assert node.is_tag or len(node.children) == 2
    assert binary.words == tree.words


def test_signs_that_mean_something_are_kept_in_labels() -> None:
    leaf = Tree("@", "a")
    tree = Tree("a›b", [Tree("x^y", [leaf, leaf, leaf, Tree("%40;", "b")]), Tree("~", "c")])
    for how in (Preparation(), Preparation(3, 2)):
        assert how.restored(how.binary(tree)) == tree


def test_long_chains_and_long_sentences() -> None:
    tree = Tree("N", "a")
    for k in range(50):
        tree = Tree(f"X{k % 3}", [tree])
    assert Preparation().restored(Preparation().binary(tree)) == tree
    flat = Tree("S", [Tree("N", f"w{k}") for k in range(500)])
    binary = Preparation().binary(flat)
    assert binary.height == 500
    assert Preparation().restored(binary) == flat


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.slow
def test_deep_trees(left: bool) -> None:
    deep = Tree("N", "a")
    for _ in range(3000):
        deep = Tree("X", [deep, Tree("N", "b")] if left else [Tree("N", "b"), deep])
    for how in (Preparation(), Preparation(vertical=3, horizontal=2)):
        assert how.restored(how.binary(deep)) == deep


def test_bad_values() -> None:
    bad: list[dict[str, Any]] = [{"vertical": 0}, {"horizontal": -1}, {"vertical": 1.5}]
    for how in bad:
        with pytest.raises(ParameterError):
            Preparation(**how)
    with pytest.raises(InputError, match="intermediate node"):
        Preparation().restored(Tree("@NP", [Tree("N", "a"), Tree("N", "b")]))
