"""The tree of classes and the page of a class, in a browser: zooming, cutting, details, naming."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import firth
from tests.explore.browsing import PHONE, Visit, hashed
from tests.explore.models import Client, serving

Opens = Callable[..., Visit]
EVIL = "<img src=x onerror=alert(1)>"


def box(page: Visit, path: str) -> Locator:
    return page.page.locator(f".stage:not(.leaving) .box[data-path='{path}']")


def paths_shown(page: Visit) -> list[str]:
    found: list[str] = page.page.locator(".stage:not(.leaving) .box").evaluate_all(
        "(boxes) => boxes.map((box) => box.dataset.path)"
    )
    return found


def ends_shown(page: Visit) -> list[str]:
    """The boxes at the end of their branches: those that are classes of the cut."""
    found: list[str] = page.page.locator(".stage:not(.leaving) .box.end").evaluate_all(
        "(boxes) => boxes.map((box) => box.dataset.path)"
    )
    return found


# Zooming ------------------------------------------------------------------------------------------


def test_boxes_are_as_high_as_their_share_of_the_text(page: Visit, client: Client) -> None:
    page.go("tree")
    tree = client.ask("tree")
    whole = page.page.locator(".icicle").bounding_box()
    assert whole is not None
    shares = dict(zip(tree["paths"], (t / tree["tokens"][0] for t in tree["tokens"]), strict=True))
    shown = paths_shown(page)
    assert set(shown) <= set(tree["paths"])
    assert {"", "0", "1", "10", "11"} <= set(shown)
    for path in shown:
        found = box(page, path).bounding_box()
        assert found is not None
        assert found["height"] == pytest.approx(shares[path] * whole["height"], abs=2.5)
    labels = dict(zip(tree["paths"], tree["labels"], strict=True))
    expect(box(page, "1").locator(".box-label")).to_have_text(labels["1"])


def test_a_click_goes_into_a_box_and_the_left_one_leads_out(page: Visit) -> None:
    page.go("tree")
    box(page, "1").click()
    page.expect_hash("#/tree/1$")
    expect(box(page, "0")).to_have_count(0)
    box(page, "11").click()
    page.expect_hash("#/tree/11$")
    expect(page.main.locator(".crumbs")).to_contain_text("all words")
    page.page.go_back()
    page.expect_hash("#/tree/1$")
    expect(box(page, "10")).to_be_visible()
    box(page, "1").click()
    page.expect_hash("#/tree$")
    expect(box(page, "0")).to_be_visible()
    page.page.go_back()
    page.expect_hash("#/tree/1$")
    page.main.locator(".crumbs a", has_text="all words").click()
    page.expect_hash("#/tree$")


def test_zooming_moves_and_comes_to_rest(visit: Opens, address: str) -> None:
    page = visit(address, reduced_motion="no-preference").go("tree")
    for path in ("1", "11"):
        with page.another_view():
            box(page, path).click()
        page.expect_hash(f"#/tree/{path}$")
        expect(page.page.locator(".icicle.zooming")).to_have_count(0)
    expect(page.page.locator(".stage")).to_have_count(1)
    with page.another_view():
        page.page.keyboard.press("Escape")
    page.expect_hash("#/tree/1$")
    expect(page.page.locator(".stage")).to_have_count(1)


def test_a_class_opens_its_page(page: Visit, model: firth.Model) -> None:
    page.go("tree", "1111")
    box(page, "1111").click()
    page.expect_hash("#/class/1111$")
    expect(page.main.locator("h2", has_text="Its words,")).to_be_visible()
    words = [m.word for m in model.classes.members("1111", 200)]
    assert page.main.locator(".wordflow").first.locator(".one").all_inner_texts() == words
    contexts = model.classes.contexts("1111", 20)
    assert contexts is not None
    rows = page.panel("Before its words").locator("tbody tr td:first-child")
    assert rows.all_inner_texts() == [c.word for c in contexts["before"]]
    name, text = page.download(page.main.locator("section").first.get_by_text("TSV"))
    assert name == "class-1111.tsv"
    assert [line.split("\t")[0] for line in text.splitlines()] == ["word", *words]
    page.panel("Nearby classes in the tree").locator("a").first.click()
    page.expect_hash("#/class/1110$")


def test_the_keys_move_zoom_and_open(page: Visit) -> None:
    page.go("tree")
    keyboard = page.page.keyboard
    box(page, "").focus()
    keyboard.press("ArrowRight")
    expect(box(page, "0")).to_be_focused()
    keyboard.press("ArrowDown")
    expect(box(page, "1")).to_be_focused()
    expect(page.page.locator(".details code").first).to_have_text("1")
    keyboard.press("ArrowUp")
    expect(box(page, "0")).to_be_focused()
    keyboard.press("ArrowLeft")
    expect(box(page, "")).to_be_focused()
    keyboard.press("ArrowRight")
    keyboard.press("ArrowDown")
    with page.another_view():
        keyboard.press("Enter")
    page.expect_hash("#/tree/1$")
    expect(box(page, "1")).to_be_focused()
    keyboard.press("ArrowRight")
    expect(box(page, "10")).to_be_focused()
    with page.another_view():
        keyboard.press("Escape")
    page.expect_hash("#/tree$")
    expect(page.page.locator(".box:focus")).to_have_count(1)
    keyboard.press("Home")
    keyboard.press("ArrowRight")
    keyboard.press("o")
    page.expect_hash("#/class/0$")


def test_details_follow_the_pointer(page: Visit, client: Client) -> None:
    page.go("tree")
    details = page.page.locator(".details")
    expect(details.locator("h2")).to_have_text("all words")
    box(page, "0").hover()
    facts = client.ask("class", path="0")
    expect(details.locator("h2")).to_have_text(facts["label"])
    expect(details).to_contain_text(f"{100 * facts['share']:.2f} %")
    expect(details).to_contain_text(f"{facts['n_words']}")
    details.get_by_role("link", name="open this class").click()
    page.expect_hash("#/class/0$")


def test_the_tree_stays_when_it_is_loaded_anew(page: Visit) -> None:
    page.go("tree", "1", cut=9, size="words")
    shown = paths_shown(page)
    page.reload()
    page.expect_hash(r"#/tree/1\?cut=9&size=words$")
    assert paths_shown(page) == shown
    expect(page.page.get_by_label("Size of boxes")).to_have_value("words")


# Cutting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 5, 9, 11])
def test_an_address_cuts_the_tree(page: Visit, model: firth.Model, k: int) -> None:
    page.go("tree", "", cut=k)
    ends = ends_shown(page)
    assert ends == model.classes.tree.cut(k)[0].paths
    assert len(ends) == k
    rows = page.page.locator(".tree-cut tbody tr")
    expect(rows).to_have_count(k)
    codes = [text or "root" for text in ends]
    assert rows.locator("code").all_inner_texts() == codes
    expect(page.page.get_by_label("Number of classes")).to_have_value(str(k))


def test_a_number_cuts_the_tree(page: Visit, client: Client) -> None:
    page.go("tree")
    expect(page.page.locator(".tree-cut")).to_be_hidden()
    before = page.page.evaluate("history.length")
    number = page.page.get_by_label("Number of classes")
    number.fill("4")
    page.expect_hash(r"#/tree/\?cut=4$")
    expect(page.page.locator(".tree-cut h2")).to_have_text("4 classes of the cut")
    ends = ends_shown(page)
    assert len(ends) == 4
    assert page.page.evaluate("history.length") == before, "the slider fills no history"
    name, text = page.download(page.page.locator(".tree-cut").get_by_text("TSV"))
    rows = [line.split("\t") for line in text.splitlines()]
    assert name == "cut-into-4.tsv"
    assert rows[0] == ["path", "label", "tokens", "share", "words", "typical"]
    assert [row[0] for row in rows[1:]] == ends
    tokens = [client.ask("class", path=path)["tokens"] for path in ends]
    assert [int(row[2]) for row in rows[1:]] == tokens
    number.fill("12")
    page.expect_hash("#/tree$")
    expect(page.page.locator(".tree-cut")).to_be_hidden()


def test_the_slider_cuts_the_tree(page: Visit) -> None:
    page.go("tree")
    slider = page.page.get_by_label("Cut into classes")
    slider.focus()
    slider.press("ArrowLeft")
    page.expect_hash(r"#/tree/\?cut=11$")
    expect(page.page.locator(".tree-cut tbody tr")).to_have_count(11)
    slider.press("Home")
    page.expect_hash(r"#/tree/\?cut=1$")
    assert ends_shown(page) == [""]
    expect(slider).to_have_attribute("aria-valuetext", "1 class")


def test_a_cut_stays_while_one_zooms(page: Visit) -> None:
    page.go("tree", "", cut=9)
    with page.another_view():
        box(page, "1").click()
    page.expect_hash(r"#/tree/1\?cut=9$")
    ends = ends_shown(page)
    assert all(path.startswith("1") for path in ends)
    expect(page.page.locator(".tree-cut h2")).to_have_text(
        f"{len(ends)} of the 9 classes of the cut, below 1"
    )
    expect(page.page.locator(".tree-cut tbody tr")).to_have_count(len(ends))


# Fingers ------------------------------------------------------------------------------------------


def test_the_tree_can_be_used_with_a_finger(visit: Opens, address: str) -> None:
    page = visit(address, **PHONE).go("tree")
    box(page, "1").tap()
    page.expect_hash("#/tree/1$")
    page.fits()
    with page.another_view():
        box(page, "1").tap()
    page.expect_hash("#/tree$")
    page.page.get_by_label("Number of classes").fill("5")
    expect(page.page.locator(".tree-cut tbody tr")).to_have_count(5)
    page.fits()


# Names --------------------------------------------------------------------------------------------


def test_names_can_only_be_given_where_that_was_allowed(page: Visit) -> None:
    page.go("class", "11")
    expect(page.main.locator("h1")).to_be_visible()
    expect(page.main.locator("form")).to_have_count(0)


def test_a_name_is_kept_and_shown_at_once(visit: Opens, own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        page = visit(address).go("class", "1111")
        page.page.evaluate("window.sameAsBefore = true")
        other = visit(address).go("tree", "1")
        field = page.page.get_by_label("Name", exact=True)
        field.fill("animals")
        page.page.get_by_role("button", name="Save").click()
        expect(page.main.locator("h1")).to_have_text("animals")
        assert page.page.evaluate("window.sameAsBefore"), "without the page being loaded anew"
        assert firth.load(own_model).names == {"1111": "animals"}
        expect(page.page.get_by_label("Name", exact=True)).to_have_value("animals")
        expect(page.page.locator("#note")).to_contain_text("The name was saved.")
        # who looks at it meanwhile is told with the next question
        with other.another_view():
            other.page.locator("#views a", has_text="About").click()
        expect(other.page.locator("#note")).to_contain_text("The model has changed")
        other.go("tree", "1111")
        expect(box(other, "1111").locator(".box-label")).to_have_text("animals")
        page.page.get_by_label("Name", exact=True).fill("")
        page.page.get_by_label("Name", exact=True).press("Enter")
        expect(page.main.locator("h1")).to_have_text("cat, cow, dog")
        assert firth.load(own_model).names == {}
        for one in (page, other):
            one.end()


def test_a_name_that_cannot_be_kept_is_told(visit: Opens, own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        page = visit(address).go("class", "1111")
        page.page.route("**/api/name", lambda route: route.abort())
        page.page.get_by_label("Name", exact=True).fill("animals")
        page.page.get_by_role("button", name="Save").click()
        expect(page.main.locator("form [role=status]")).to_have_text("The server does not respond.")
        page.forgive("ERR_FAILED")
        page.end()
    assert firth.load(own_model).names == {}


def test_a_name_that_looks_like_markup_is_text_everywhere(visit: Opens, own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        page = visit(address).go("class", "11")
        page.page.get_by_label("Name", exact=True).fill(EVIL)
        page.page.get_by_role("button", name="Save").click()
        expect(page.main.locator("h1")).to_have_text(EVIL)
        assert firth.load(own_model).names == {"11": EVIL}
        assert page.page.title().startswith(f"{EVIL} · own")
        page.is_clean()
        for parts, where in (
            (("tree",), ".box[data-path='11'] .box-label"), (("tree", "11"), ".details h2"),
            (("tree", "11"), ".crumbs b"),
            (("class", "110"), ".crumbs"), (("class", "1"), "section:has-text('Its two subclasses')"),
            (("compare", "classes", "11", "0"), ".two h2"), (("tree", "?cut=3"), ".tree-cut"),
        ):  # fmt: skip
            cut = {"cut": 3} if parts[-1] == "?cut=3" else {}
            page.go(*(("tree", "") if cut else parts), **cut)
            expect(page.main.locator(where).first).to_contain_text(EVIL[:12])
            page.is_clean()
        page.search.fill("11")
        expect(page.choices.first).to_contain_text(EVIL)
        page.go("map", k=2)
        expect(page.main.locator(".map-legend")).to_be_visible()
        page.is_clean()
        page.end()


def test_a_named_class_is_bold_in_the_tree(visit: Opens, own_model: Path) -> None:
    firth.pipeline.name_classes(own_model, {"1": "grammar"})
    with serving(own_model) as address:
        page = visit(address).go("tree")
        assert re.search(r"\bnamed\b", box(page, "1").get_attribute("class") or "")
        assert page.hash == hashed("tree")
        page.end()


# Rare words ---------------------------------------------------------------------------------------


def test_rare_words_are_a_grey_box_without_a_word(visit: Opens, tmp_path: Path) -> None:
    sure = [f"the {name} was {verb}" for name in ("cat", "dog") for verb in ("running", "singing")]
    text = tmp_path / "text.txt"
    text.write_text("\n".join([*sure * 9, *(f"the w{i}x was running" for i in range(40))]) + "\n")
    learned = firth.learn(text, tmp_path / "m", dim=2, classes=6, min_count=3, threads=1).classes
    assert learned.rare is not None
    path = learned.paths[learned.rare]
    assert learned.is_rare(path)
    share = f"{100 * 40 / learned.tokens.sum():.1f} % of the text"
    with serving(tmp_path / "m") as address:
        page = visit(address)
        page.go("tree")
        grey = box(page, path)
        expect(grey).to_have_accessible_name(f"(rare words) {share}")
        expect(page.page.locator(".box.too-rare")).to_have_count(1)
        red, green, blue = page.page.evaluate(
            """(box) => {
                const paper = document.createElement("canvas").getContext("2d");
                paper.fillStyle = getComputedStyle(box).backgroundColor;
                paper.fillRect(0, 0, 1, 1);
                return [...paper.getImageData(0, 0, 1, 1).data].slice(0, 3);
            }""",
            grey.element_handle(),
        )
        assert max(red, green, blue) - min(red, green, blue) < 30
        assert max(red, green, blue) < 240, "not white"
        known = learned.path("the")
        words = learned.vocabulary
        of_known = f"{100 * words.counts[words.id('the')] / sum(words.counts):.1f} %"
        expect(box(page, known)).to_have_accessible_name(re.compile(f"^the,? {of_known}"))
        page.go("class", path)
        expect(page.page.locator("h1")).to_have_text("(rare words)")
        expect(page.page.locator(".facts").first).not_to_contain_text("of known words")
        expect(page.page.locator("main")).to_contain_text("too rare to be learned: 40 tokens.")
        page.go()
        home = page.page.locator(".panel.too-rare")
        expect(home).to_contain_text("Words that are too rare to be learned")
        beside = [member.word for member in learned.members(path)]
        expect(home.locator(".one")).to_have_text(beside)
