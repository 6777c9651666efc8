"""Find in a browser: from the search box to lines, mistakes below which is a caret, and help."""

from __future__ import annotations

import csv
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
    hits = model.find(query).lines(50, "80c", sample="first")
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
    expect(page.page.locator(".kwic > .line")).to_have_count(len(expected))
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
    expect(page.page.locator(".kwic > .line")).to_have_count(33)
    page.go("word", "cat")
    page.page.get_by_role("link", name="All lines, page by page").click()
    page.expect_hash("#/find/cat$")


def test_examples_are_links_with_words_of_the_text(page: Visit) -> None:
    page.go("find")
    expect(page.page.get_by_label("Query")).to_be_focused()
    examples = page.page.locator(".syntax").first.get_by_role("link")
    queries = examples.all_inner_texts()
    assert len(queries) == 10
    for query in queries[:-1]:
        page.go("find")
        page.page.get_by_role("link", name=query, exact=True).click()
        expect(page.page.get_by_label("Query")).to_have_value(query)
        expect(page.panel("Matches")).to_contain_text("line")
        expect(page.panel("Matches").locator("[role=status]")).to_have_count(0)


def test_lines_are_turned_page_by_page_and_sorted(page: Visit, model: firth.Model) -> None:
    n = len(model.find("the"))
    page.go("find", "the")
    matches = page.panel("Matches")
    expect(matches).to_contain_text(f"1 to 50 of {n:,} lines")
    matches.get_by_role("link", name="Next").click()
    expect(matches).to_contain_text(f"51 to 100 of {n:,} lines")
    page.expect_hash(r"#/find/the\?first=50$")
    page.page.get_by_label("Order of the lines").select_option("R1,R2,R3")
    page.expect_hash(r"#/find/the\?sort=R1%2CR2%2CR3$")
    expect(matches).to_contain_text(f"1 to 50 of {n:,} lines")
    expected = model.find("the").lines(None, "80c", "R1,R2,R3")[:50]
    assert [line[2] for line in lines_shown(page)] == [hit.right for hit in expected]
    page.go("find", "the", sort="R2")
    expect(page.page.get_by_label("Order of the lines").locator(":checked")).to_have_text("by R2")


def test_all_lines_are_saved(page: Visit, model: firth.Model) -> None:
    page.go("find", "the")
    name, text = page.download(page.panel("Matches").get_by_text("CSV"))
    rows = list(csv.reader(text.removeprefix("\ufeff").splitlines()))
    assert name == "lines-with-the.csv"
    assert rows[0] == ["left", "match", "right", "source"]
    assert len(rows) == 1 + len(model.find("the"))


def test_no_text_is_a_formula_in_a_spreadsheet(page: Visit) -> None:
    page.go()
    page.page.evaluate("""async () => {
        const { takeAway } = await import("./table.js");
        const rows = [["=1+1", -2], ["-ing", "@x, y"], ["-", '+"'], ["a=1", null]].map(([a, b]) => ({ a, b }));
        document.body.append(takeAway("made up", [{ key: "a" }, { key: "b" }], rows));
    }""")
    buttons = page.page.get_by_label("Copy or save: made up")
    _, text = page.download(buttons.get_by_text("CSV"))
    rows = list(csv.reader(text.removeprefix("\ufeff").splitlines()))
    assert rows == [["a", "b"], ["'=1+1", "-2"], ["'-ing", "'@x, y"], ["-", "'+\""], ["a=1", ""]]
    _, text = page.download(buttons.get_by_text("TSV"))
    assert text.splitlines()[1:3] == ["=1+1\t-2", "-ing\t@x, y"]


@pytest.fixture
def documented(visit: Callable[..., Visit], documents_address: str) -> Visit:
    return visit(documents_address)


def test_a_condition_is_typed_with_the_help_of_the_columns(documented: Visit) -> None:
    page = documented
    page.go("find", "the cat")
    where = page.page.get_by_label("Where")
    page.page.get_by_role("button", name="genre", exact=True).click()
    expect(where).to_be_focused()
    expect(where).to_have_value("genre == ")
    page.page.keyboard.type("animals")
    page.page.keyboard.press("Enter")
    mistake = page.page.locator(".problem")
    expect(mistake.locator("pre .unseen")).to_have_text("genre == ")
    expect(where).to_have_value("genre == animals")
    page.forgive("status of 422")
    where.fill('genre == "animals"')
    where.press("Enter")
    # what is short comes first: a long title would hide it
    expect(page.page.locator(".kwic .known").first).to_have_text(
        re.compile(r"^\d{4} · animals · animals \d+")
    )
    page.page.get_by_label("Count by").select_option("year")
    expect(page.panel("By year").locator("tbody tr").last).to_contain_text("unknown")


@pytest.mark.parametrize("by", ["mouse", "keys"])
def test_a_click_on_a_line_shows_more_of_the_text(documented: Visit, by: str) -> None:
    page = documented
    page.go("find", "the cat")
    middle = page.page.locator(".kwic .middle").nth(1)
    wide = page.page.locator(".kwic .wide").nth(1)
    expect(wide).to_be_hidden()
    if by == "mouse":
        page.page.locator(".kwic .line .after").nth(1).click()
    else:
        middle.focus()
        page.page.keyboard.press("Enter")
    expect(wide.locator("mark")).to_have_text("the cat")
    expect(wide.locator("dl")).to_contain_text("animals")
    expect(middle).to_have_attribute("aria-expanded", "true")
    middle.click()
    expect(wide).to_be_hidden()


def test_lists_and_typical_words(documented: Visit) -> None:
    page = documented
    page.go("find")
    page.page.get_by_role("link", name="Frequency list").click()
    page.page.get_by_label("Only words like").fill("*ing")
    page.page.get_by_label("Where").fill('genre == "animals"')
    page.page.get_by_role("button", name="Show").click()
    page.expect_hash(r"#/list\?q=\*ing&where=.*")
    expect(page.page.get_by_role("heading", name="11 words")).to_be_visible()
    page.page.get_by_role("link", name="Typical words").click()
    page.page.get_by_label("Documents where").fill('genre == "animals"')
    page.page.get_by_label("Documents where").press("Enter")
    expect(page.panel("More frequent here").locator("tbody")).to_contain_text("river")
    page.page.get_by_label("Documents where").fill("genre =")
    page.page.get_by_label("Documents where").press("Enter")
    expect(page.page.locator(".problem pre")).to_contain_text("genre =")
    page.forgive("status of 422")
    page.fits()
