"""A text that is written from right to left, in a browser: lines, tags, trees, lists of words, queries, headings."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, expect

import firth
from firth.trees import Tree
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import serving

NOUNS = ["البيرم", "الغدسوف", "القمطير", "الشرنبق", "الظعفول", "النهزيج"]
VERBS = ["يزغم", "يطلق", "يخبص", "يشجع"]
OTHERS = ["في", "من"]


@pytest.fixture(scope="module")
def leftward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a model of made-up words in Arabic letters, with descenders and dots below."""
    folder, chance = tmp_path_factory.mktemp("leftward"), random.Random(1)
    some = [[chance.choice(kind) for kind in (VERBS, NOUNS, OTHERS, NOUNS)] for _ in range(200)]
    (folder / "text.txt").write_text("\n".join(map(" ".join, some)) + "\n", encoding="utf-8")
    model = folder / "model"
    firth.learn(folder / "text.txt", model, dim=2, classes=3, tags=3, min_count=1, threads=1)
    trees = [
        Tree("S", [Tree("V", v), Tree("N", n), Tree("PP", [Tree("P", p), Tree("N", m)])])
        for v, n, p, m in some
    ]
    firth.LPCFG(1).fit(trees).write(model)
    with serving(model) as address:
        yield address


def lefts(found: Locator) -> list[float]:
    """Where elements begin, from the left edge of the page."""
    return [box["x"] for one in found.all() if (box := one.bounding_box()) is not None]


def runs_leftward(found: Locator, n: int) -> bool:
    places = lefts(found)
    return len(places) == n and places == sorted(places, reverse=True)


def test_tags_and_trees_run_leftward(visit: Callable[..., Visit], leftward: str) -> None:
    page, text = visit(leftward), " ".join([VERBS[0], NOUNS[0], OTHERS[0], NOUNS[1]])
    page.go("tags", text=text)
    expect(page.page.locator(".tagged-line > *")).to_have_count(4)
    assert runs_leftward(page.page.locator(".tagged-line > *"), 4)
    page.go("parse", text=text)
    places = page.page.evaluate(
        """(words) => {
            const texts = [...document.querySelectorAll("main svg text")];
            return words.map((word) => texts.find((text) => text.textContent.includes(word)).getBoundingClientRect().x);
        }""",
        text.split(),
    )
    assert places == sorted(places, reverse=True)


def test_lists_of_words_run_leftward(visit: Callable[..., Visit], leftward: str) -> None:
    page = visit(leftward, **PHONE).go()
    tags = page.main.locator(".home-tags .wordflow")
    expect(tags.first).to_have_attribute("dir", "rtl")
    page = visit(leftward).go("word", NOUNS[0])
    members = page.panel("Its class").locator(".wordflow .one")
    first, second = lefts(members)[:2]
    assert first > second


def test_the_caret_is_below_the_mistake(visit: Callable[..., Visit], leftward: str) -> None:
    page = visit(leftward).go("find", f"{NOUNS[0]} {NOUNS[1]} (")
    mistake = page.page.locator(".mistake")
    expect(mistake).to_have_attribute("dir", "rtl")
    before, caret = page.page.evaluate(
        """(box) => {
            const edges = (node, end) => {
                const range = document.createRange();
                range.setStart(node, 0);
                range.setEnd(node, end);
                return range.getBoundingClientRect();
            };
            const correct = box.querySelector(".unseen").textContent;
            return [edges(box.firstChild, correct.length).left, edges(box.lastChild, 1).right];
        }""",
        mistake.element_handle(),
    )
    assert caret == pytest.approx(before, abs=2)
    page.forgive("422")


@pytest.mark.parametrize("options", [{}, PHONE])
def test_headings_and_the_tree_do_not_cut_letters(
    visit: Callable[..., Visit], leftward: str, options: dict[str, object]
) -> None:
    page = visit(leftward, **options)
    for parts, shown in (
        (("word", "الغدسوف"), "h1"), (("class", "0"), "h1"), (("tree",), ".icicle .box-label"),
    ):  # fmt: skip
        page.go(*parts)
        letters = page.page.evaluate(
            """(shown) => Array.from(document.querySelectorAll(`main ${shown}`), (text) => {
                const style = getComputedStyle(text);
                const paper = document.createElement("canvas").getContext("2d");
                paper.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
                const told = paper.measureText(text.textContent);
                const cut = style.overflow === "visible" ? 1000 : text.getBoundingClientRect().height;
                return [cut, told.actualBoundingBoxAscent + told.actualBoundingBoxDescent];
            })""",
            shown,
        )
        assert max(drawn for _, drawn in letters) > 10
        assert [high for high, drawn in letters if high < drawn] == []
        page.fits()
