"""The page of a dendrogram in a browser: clusters expand and collapse, labels are found, nothing is fetched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, sync_playwright

from firth.cluster import linkage
from firth.plots import save_dendrogram

CHROMIUM = os.environ.get("FIRTH_CHROMIUM") or shutil.which("chromium")
N = 600
LABELS = ["<img src=x onerror=document.title='hacked'>", *(f"word{i}" for i in range(1, N))]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    path = tmp_path_factory.mktemp("page") / "tree.html"
    points = np.random.default_rng(1).normal(size=(N, 4))
    save_dendrogram(path, linkage(points, "average", "euclidean"), LABELS, title="Many words")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 390, "height": 700}, color_scheme="dark")
        problems: list[str] = []
        opened.on("console", lambda message: problems.append(message.text))
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("request", lambda request: problems.append(request.url))
        opened.goto(path.as_uri())
        yield opened
        assert problems == [path.as_uri()], "nothing is fetched but the page, nothing goes wrong"
        browser.close()


def rows(page: Page) -> list[str]:
    return page.locator("svg text:not(.tick)").all_text_contents()


def shown(page: Page) -> int:
    return int(page.locator("#shown").inner_text().replace(",", ""))


def choose(page: Page, clusters: int) -> None:
    page.locator("#clusters").fill(str(clusters))


def members(names: list[str]) -> int:
    """How many objects stand behind the names of leaves and clusters."""
    total = 0
    for name in names:
        listed, _, more = name.partition(", … (+ ")
        total += len(listed.split(", ")) + int(more.rstrip(")").replace(",", "") or 0)
    return total


def test_a_large_tree_begins_as_clusters(page: Page) -> None:
    choose(page, 100)
    assert len(rows(page)) == shown(page) == 100
    assert members(rows(page)) == N


def test_clusters_expand_and_collapse(page: Page) -> None:
    choose(page, 2)
    group = page.locator("path.node").first
    assert group.get_attribute("aria-expanded") == "false"
    group.focus()
    page.keyboard.press("Enter")
    assert 3 <= shown(page) <= 13, "an opened group falls into twelve parts at the most"
    assert members(rows(page)) == N
    page.locator("circle.node").last.click()
    choose(page, 1)
    assert len(rows(page)) == 1
    assert members(rows(page)) == N
    choose(page, N)
    assert len(rows(page)) == N
    assert page.locator("circle.node").count() == N - 1


def test_a_label_is_found_in_a_closed_group(page: Page) -> None:
    choose(page, 3)
    page.locator("#find").fill("word517")
    assert page.locator("text.found").text_content() == "word517"
    assert page.locator("text.found").is_visible()
    page.locator("#find").fill("nowhere")
    assert page.locator("#about").inner_text() == "No matching label"
    page.locator("#find").fill("word51")
    page.keyboard.press("Enter")
    assert page.locator("#about").inner_text() == "2 of 11"
    page.locator("#find").fill("")


def test_labels_are_text(page: Page) -> None:
    page.locator("#find").fill("onerror")
    assert (page.locator("text.found").text_content() or "").startswith("<img src=x")
    page.locator("text.found").click()
    assert page.locator("#about").inner_text() == LABELS[0]
    assert page.locator("img").count() == 0
    assert page.title() == "Many words"


def test_nothing_is_wider_than_the_screen(page: Page) -> None:
    choose(page, 100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    widest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('svg text')].map(t => t.getBoundingClientRect().right))"
    )
    assert widest <= 390
