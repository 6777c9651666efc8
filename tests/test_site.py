"""The documentation site in a browser: ``make docs`` builds it, ``make test-browser`` runs these tests."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.explore.browsing import CHROMIUM, a_browser

SITE = Path(__file__).parents[1] / "site"
PAGES = sorted(
    str(page.relative_to(SITE))
    for page in SITE.rglob("*.html")
    if page.parent.name not in {"api", "_static"}
)
OBJECTS = ["api/firth.learn.html", "api/firth.Corpus.html", "api/firth.LPCFG.html"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not PAGES, reason="there is no site: run make docs"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as found:
        yield found


@pytest.mark.parametrize("page", [*PAGES, *OBJECTS])
def test_pages_fit_a_phone_without_script_errors(page: str, address: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 800}, color_scheme="dark")
    tab = context.new_page()
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda said: problems.extend([said.text] * (said.type == "error")))
    tab.on("requestfailed", lambda request: problems.append(request.url))
    tab.on("request", lambda r: problems.extend([r.url] * (not r.url.startswith(address))))
    tab.goto(f"{address}/{page}")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.locator("h1, #search-documentation").count()
    context.close()
    assert problems == []


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("named entities", "tutorials/names.html"),
        ("concordance", "find.html"),
        ("wcluster", "coming/wcluster.html"),
        ("WordVectors", "api/firth.WordVectors.html"),
    ],
)
def test_search_finds_the_page(typed: str, page: str, address: str, browser: Browser) -> None:
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"{address}/search.html?q={typed}")
    results = tab.locator("#search-results li a")
    results.first.wait_for()
    tab.locator("#search-results .search-summary", has_text="found").wait_for()
    found = [str(link.get_attribute("href")) for link in results.all()[:5]]
    context.close()
    assert any(link.split("?")[0].split("#")[0].endswith(page) for link in found), found


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("spaCy", "pipeline/spacy.html"),
        ("word classes", "tutorials/classes.html"),
        ("hugging face", "pipeline/hub.html"),
        ("GPU", "gpu.html"),
        ("morphemes", "tutorials/morphs.html"),
        ("brown clusters", "tutorials/classes.html"),  # these are in no title
        ("similar words", "tutorials/vectors.html"),
        ("install", "start.html"),
        ("sklearn", "pipeline/scikit-learn.html"),
        ("keyness", "documents.html"),
        ("named entities", "tutorials/names.html"),
    ],
)
def test_the_page_about_it_comes_first(
    typed: str, page: str, address: str, browser: Browser
) -> None:
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"{address}/search.html?q={typed}")
    first = tab.locator("#search-results li a").first
    tab.locator("#search-results .search-summary", has_text="found").wait_for()
    found = str(first.get_attribute("href")).split("?")[0]
    context.close()
    assert found.endswith(page)


def test_options_keep_their_hyphens() -> None:
    page = (SITE / "commands.html").read_text(encoding="utf-8")
    assert "--contexts" in page
    assert "–contexts" not in page
    assert "&lt;unk&gt;" in page


def test_long_tables_of_benchmarks_are_folded() -> None:
    page = (SITE / "benchmarks.html").read_text(encoding="utf-8")
    assert page.count("<details") == page.count("</details>") > 3
    first = page.index('<section id="how-to-run-them">')
    assert re.search(r"<details><summary>Table of \d\d rows: \w", page[first:])
    body = re.sub(r"<details.*?</details>", "", page[first:], flags=re.DOTALL)
    tables = re.findall(r"<tbody>.*?</tbody>", body, re.DOTALL)
    assert max(table.count("<tr") for table in tables) < 10


def test_words_in_types_are_no_links() -> None:
    page = (SITE / "api" / "firth.Corpus.html").read_text(encoding="utf-8")
    assert "shape (n_tokens" in re.sub(r"</?em>|</?a[^>]*>|</?span[^>]*>", "", page)
    assert not re.search(r'<a [^>]*title="[^"]*\.shape"', page)


def test_attributes_keep_their_underscore() -> None:
    page = (SITE / "api" / "firth.ClassVectorizer.html").read_text(encoding="utf-8")
    assert "<strong>classes_</strong>" in page
    assert "Attributes<" in page


def test_code_has_colours_and_a_button_to_copy(address: str, browser: Browser) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    tab.goto(f"{address}/tutorials/classes.html")
    assert tab.locator(".highlight-python span.kn").count(), "import is a keyword"
    block = tab.locator(".highlight-python").first
    block.hover()
    block.locator("button.copybtn").click()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("import firth")
    assert ">>>" not in copied
    context.close()
