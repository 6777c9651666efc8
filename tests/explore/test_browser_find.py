"""Find in a browser: from the search box to lines, mistakes below which is a caret, and help."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

import firth
from tests.explore.browsing import Visit
from tests.explore.test_browser import lines_shown

pytestmark = pytest.mark.slow


@pytest.fixture
def page(visit: Callable[..., Visit], address: str) -> Visit:
    return visit(address)


def lines_found(model: firth.Model, query: str) -> list[tuple[str, ...]]:
    hits = model.find(query).lines(40, "80c")
    return [tuple(re.sub(r"\s", " ", t) for t in (h.left, h.word, h.right)) for h in hits]


@pytest.mark.parametrize("query", ["the cat", "~THE c*", "(a|the) {0,2} cat"])
def test_a_query_in_the_search_box_leads_to_its_lines(
    page: Visit, model: firth.Model, query: str
) -> None:
    expected = lines_found(model, query)
    assert expected, "or the test has no subject"
    page.go()
    page.search.fill(query)
    page.search.press("Enter")
    expect(page.page.get_by_label("Query")).to_have_value(query)
    expect(page.page.locator(".kwic > div")).to_have_count(len(expected))
    assert lines_shown(page) == expected
    assert page.page.title().startswith("Find ")


def test_a_query_is_offered_below_the_box(page: Visit, model: firth.Model) -> None:
    page.go()
    page.search.press_sequentially("the cat")
    expect(page.choices.last).to_have_text("Find the cat")
    page.choices.last.click()
    page.expect_hash("#/find/the%20cat$")
    expect(page.panel("Matches")).to_contain_text(str(len(model.find("the cat"))))


def test_a_mistake_has_a_caret_and_keeps_what_was_typed(page: Visit) -> None:
    page.go()
    page.search.fill("the (cat|dog")
    page.search.press("Enter")
    mistake = page.page.locator(".problem")
    expect(mistake).to_contain_text("A closing ) is expected here.")
    expect(mistake).to_contain_text("The ( at character 5 is open.")
    expect(page.page.get_by_label("Query")).to_have_value("the (cat|dog")
    assert mistake.locator("pre").inner_text().split("\n")[0] == "the (cat|dog"
    assert mistake.locator(".unseen").text_content() == "the (cat|dog"
    page.forgive("status of 422")
    page.page.get_by_label("Query").fill("the (cat|dog)")
    page.page.get_by_label("Query").press("Enter")
    expect(page.page.locator(".kwic .middle").first).to_contain_text("the ")
    expect(page.page.locator(".problem")).to_have_count(0)


def test_words_that_do_not_occur_and_words_that_look_like_operators(page: Visit) -> None:
    page.go("find", "the catt")
    expect(page.panel("Matches")).to_contain_text("Did you mean 'cat'")
    expect(page.panel("Matches")).to_contain_text("0 lines")
    page.go("word", "cat")
    page.page.locator(".facts a", has_text="find").click()
    page.expect_hash("#/find/cat$")
    expect(page.page.locator(".kwic > div")).to_have_count(33)


def test_examples_are_links(page: Visit) -> None:
    page.go("find")
    expect(page.page.get_by_label("Query")).to_be_focused()
    page.page.get_by_role("link", name="in (January|March)").click()
    expect(page.page.get_by_label("Query")).to_have_value("in (January|March)")
    expect(page.panel("Matches")).to_contain_text("0 lines")
