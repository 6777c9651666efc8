"""Pages of figures in a browser: on a phone and in the dark, titles and names can be read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import firth
from firth.maps import WordMap, regions_of
from firth.pipeline import learn_map
from firth.plots import map_figure, save_figure, scree_figure
from tests.conftest import zipf_text

CHROMIUM = os.environ.get("FIRTH_CHROMIUM") or shutil.which("chromium")
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True,
}  # fmt: skip
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> firth.Model:
    folder = tmp_path_factory.mktemp("figures")
    (folder / "text.txt").write_text(zipf_text(400, n_words=200))
    firth.learn(folder / "text.txt", folder / "m", classes=0, dim=5, threads=1)
    return learn_map(folder / "m")


@pytest.fixture(scope="module")
def pages(model: firth.Model, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    drawn: WordMap = model.map
    figures = {
        "map": map_figure(drawn, regions=regions_of(drawn, model.vectors)),
        "scree": scree_figure(model.vectors),
    }
    for name, figure in figures.items():
        save_figure(figure, folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in figures}


def opened(browser: Browser, path: Path, **options: Any) -> Page:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(120_000)
    page.goto(path.as_uri())
    page.wait_for_selector("#figure .gtitle")
    page.wait_for_timeout(300)
    return page


@pytest.mark.parametrize("name", ["map", "scree"])
def test_a_title_on_a_phone_is_whole_and_below_the_buttons(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    page = opened(browser, pages[name], **PHONE)
    title = page.locator("#figure .gtitle").bounding_box()
    buttons = page.locator("#figure .modebar").bounding_box()
    assert title is not None
    assert buttons is not None
    assert title["y"] >= buttons["y"] + buttons["height"]
    assert title["x"] >= 0
    assert title["x"] + title["width"] <= 390


def test_names_on_a_map_are_above_the_points(browser: Browser, pages: dict[str, Path]) -> None:
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 29, 35)")):
        page = opened(browser, pages["map"], color_scheme=scheme)
        names = page.locator("#figure .textpoint text")
        assert names.count() > 3
        assert names.first.evaluate("(text) => getComputedStyle(text).stroke") == paper
        above = page.evaluate(
            """() => {
              const points = document.querySelector("#figure .point");
              const name = document.querySelector("#figure .textpoint");
              return points.compareDocumentPosition(name) & Node.DOCUMENT_POSITION_FOLLOWING;
            }"""
        )
        assert above
