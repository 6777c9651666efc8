"""The page for whoever uses it, in a browser: light and dark, by keys alone, on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.explore.browsing import PHONE, VIEWS, Visit

Opens = Callable[..., Visit]

# Light and dark -----------------------------------------------------------------------------------

# The least contrast of all text that is seen against what is behind it, after WCAG 2, and where it is.
CONTRAST = """() => {
  const pencil = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const drawn = (colours) => {
    pencil.clearRect(0, 0, 1, 1);
    for (const colour of colours) { pencil.fillStyle = colour; pencil.fillRect(0, 0, 1, 1); }
    return [...pencil.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = (element) => getComputedStyle(element).backgroundColor;
  const behind = (element) => (element ? [...behind(element.parentElement), paper(element)] : []);
  let least = { contrast: 99, where: "nothing" };
  const measure = (element, colour) => {
    const under = behind(element);
    const [a, b] = [light(drawn([...under, colour])), light(drawn(under))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < least.contrast) least = { contrast, where: element.outerHTML.slice(0, 200) };
  };
  let n = 0;
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (own && element.checkVisibility() && element.tagName !== "NOSCRIPT") {
      n += 1;
      measure(element, getComputedStyle(element)[element instanceof SVGElement ? "fill" : "color"]);
    }
    if (element.placeholder) measure(element, getComputedStyle(element, "::placeholder").color);
  }
  return { ...least, n };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(visit: Opens, address: str, scheme: str) -> None:
    page = visit(address, color_scheme=scheme)
    for parts, holds, _ in VIEWS.values():
        page.go(*parts)
        expect(page.main.locator(holds).first).to_be_visible()
        # what appears is not half seen any more
        page.page.wait_for_function("() => document.getAnimations().length === 0")
        found: Any = page.page.evaluate(CONTRAST)
        assert found["n"] > 8
        assert found["contrast"] >= 4.5, (parts, found)
    page.go("nothing")
    assert page.page.evaluate(CONTRAST)["contrast"] >= 4.5


PAPER = "getComputedStyle(document.documentElement).backgroundColor"


def lightness(page: Visit) -> float:
    """Of the background, from 0 to 255."""
    r, g, b = map(int, re.findall(r"\d+", page.page.evaluate(PAPER))[:3])
    return (r + g + b) / 3


def test_the_page_is_as_light_or_dark_as_the_system(visit: Opens, address: str) -> None:
    assert lightness(visit(address, color_scheme="dark").go()) < 60
    page = visit(address, color_scheme="light").go()
    assert lightness(page) > 200
    page.page.emulate_media(color_scheme="dark")
    assert lightness(page) < 60


def test_the_choice_of_light_or_dark_is_kept(page: Visit) -> None:
    page.go()
    page.page.get_by_role("button", name="Light or dark").click()
    assert lightness(page) < 60
    page.reload()
    assert lightness(page) < 60
    page.page.get_by_role("button", name="Light or dark").click()
    page.page.emulate_media(color_scheme="dark")
    assert lightness(page) > 200, "what was chosen counts more than the system"


# Keys ---------------------------------------------------------------------------------------------

# Whether one can see what has the focus; the canvas is framed by what is around it.
SEEN = """() => {
  const has = document.activeElement;
  const framed = has.tagName === "CANVAS" ? has.parentElement : has;
  const { outlineStyle, outlineWidth } = getComputedStyle(framed);
  const { width, height } = has.getBoundingClientRect();
  return has !== document.body && outlineStyle !== "none" && parseFloat(outlineWidth) > 0 && width * height > 0;
}"""


def press_until(page: Visit, key: str, selector: str) -> None:
    """Press Tab, or Shift+Tab, until something has the focus; on the way the focus is always seen."""
    for _ in range(150):
        page.page.keyboard.press(key)
        if page.page.evaluate("document.activeElement === document.body"):
            continue  # the end of the page: the next key begins anew
        assert page.page.evaluate(SEEN), page.page.evaluate("document.activeElement.outerHTML")
        if page.page.evaluate("(what) => document.activeElement.matches(what)", selector):
            return
    raise AssertionError(f"no {selector} can be reached by {key}")


def has_focus(page: Visit) -> bool:
    return bool(page.page.evaluate("document.activeElement !== document.body"))


def test_everything_can_be_done_with_the_keys_alone(page: Visit) -> None:
    keyboard = page.page.keyboard
    page.go()
    keyboard.press("/")
    assert page.page.evaluate(SEEN)
    keyboard.type("sing")
    expect(page.choices.first).to_be_visible()
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(page.main.locator("h1")).to_have_text("singing")
    assert has_focus(page)
    press_until(page, "Tab", "a.classlink")
    keyboard.press("Enter")
    expect(page.main.locator("h2", has_text="Its words,")).to_be_visible()
    assert has_focus(page), "the next Tab begins in what is shown"
    press_until(page, "Tab", "main a[href^='#/tree']:not(.crumbs a)")
    keyboard.press("Enter")
    expect(page.main.locator(".icicle .box").first).to_be_visible()
    assert has_focus(page)
    press_until(page, "Tab", ".icicle .box")
    keyboard.press("Home")
    keyboard.press("Escape")  # up, one step after the other
    page.expect_hash("#/tree.*")
    assert page.page.evaluate(SEEN)
    keyboard.press("/")
    press_until(page, "Tab", "#views a[data-view=map]")
    keyboard.press("Enter")
    expect(page.main.locator("canvas[data-drawn]")).to_be_visible()
    press_until(page, "Tab", "canvas")
    keyboard.press("+")
    page.expect_hash(r"#/map\?.*z=1\.6.*")
    keyboard.press("ArrowRight")
    press_until(page, "Shift+Tab", ".map-bar button:last-child")
    keyboard.press("Enter")
    expect(page.main.locator(".selection h2")).to_have_text(re.compile(r"^\d+ words? selected$"))
    press_until(page, "Tab", ".selection a.wordlink")
    keyboard.press("Enter")
    page.expect_hash("#/word/.*")
    assert has_focus(page)


# Phones -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_fits_a_phone(visit: Opens, address: str, name: str) -> None:
    parts, holds, _ = VIEWS[name]
    page = visit(address, **PHONE).go(*parts)
    expect(page.main.locator(holds).first).to_be_visible()
    page.fits()
    about = page.page.locator("#views a").last.bounding_box()
    assert about is not None
    assert about["x"] + about["width"] <= 360, "all views are in sight"


def test_one_searches_with_a_finger(visit: Opens, address: str) -> None:
    page = visit(address, **PHONE).go("tree")
    page.search.tap()
    page.search.press_sequentially("sing")
    page.fits()
    page.choices.filter(has_text="singing").tap()
    expect(page.main.locator("h1")).to_have_text("singing")
