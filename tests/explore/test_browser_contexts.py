"""The contexts of a word in a browser: their measure, and the documents they are counted in."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import firth
from firth.counts import MEASURES
from firth.measure import collocates
from tests.explore.browsing import PHONE, Visit

WHERE = 'genre == "animals"'


@pytest.fixture
def page(visit: Callable[..., Visit], documents_address: str) -> Visit:
    return visit(documents_address)


@pytest.fixture(scope="module")
def model(documents_path: Path) -> firth.Model:
    return firth.load(documents_path)


def measure(page: Visit) -> Locator:
    return page.page.get_by_label("Measure of its contexts")


def words_after(page: Visit) -> list[str]:
    return page.panel("After it").locator("tbody td:first-child").all_inner_texts()


def test_all_measures_are_offered(page: Visit) -> None:
    page.go("word", "cat")
    options = measure(page).locator("option")
    names = options.evaluate_all("(all) => all.map((one) => one.value)")
    assert sorted(names) == sorted(MEASURES)
    for name in MEASURES:
        page.go("word", "cat", measure=name)
        expect(measure(page)).to_have_value(name)
        expect(page.panel("After it").locator("thead th").nth(2)).to_have_text(
            measure(page).locator(":checked").inner_text()
        )


def test_a_measure_orders_the_contexts_of_this_word_and_the_next(
    page: Visit, model: firth.Model
) -> None:
    page.go("word", "cat")
    measure(page).select_option("t")
    page.expect_hash(r"#/word/cat\?measure=t$")
    expect(page.panel("After it")).to_contain_text("t-score")
    found = model.counts.collocates("cat", 1, 16, "t")
    assert words_after(page) == [c.word for c in found]
    name, text = page.download(page.panel("After it").get_by_text("CSV"))
    rows = list(csv.reader(text.removeprefix("\ufeff").splitlines()))
    assert name == "after-cat.csv"
    assert rows[0] == ["word", "count", "t"]
    assert [float(row[2]) for row in rows[1:]] == [round(c.score, 3) for c in found]
    page.go("word", "dog")
    page.expect_hash(r"#/word/dog\?measure=t$")
    expect(measure(page)).to_have_value("t")
    page.go("word", "cat", measure="nothing")
    page.expect_problem("measure", "openapi")
    page.forgive("status of 422")


def test_contexts_are_counted_in_some_documents(page: Visit, model: firth.Model) -> None:
    page.go("word", "cat")
    page.page.get_by_text("In some documents only").click()
    where = page.page.get_by_label("Where")
    where.fill("genre = 3")
    where.press("Enter")
    expect(page.main.locator(".mistake .unseen")).to_have_text("genre ")
    expect(page.page.get_by_label("Where")).to_have_value("genre = 3")
    page.forgive("status of 422")
    page.page.get_by_label("Where").fill(WHERE)
    page.page.get_by_label("Where").press("Enter")
    expect(page.main.locator(".facts code")).to_have_text(WHERE)
    n = len(model.find("cat", where=WHERE))
    expect(page.main.locator(".facts b").first).to_have_text(f"{n:,}")
    expect(page.panel("Matches")).to_contain_text(f"of {n:,} lines")
    expect(page.page.locator(".kwic .known").first).to_contain_text("animals")
    assert words_after(page) == [c.word for c in collocates(model, "cat", WHERE, 16)[1]]


def test_a_condition_that_selects_nothing_stays(page: Visit) -> None:
    page.go("word", "cat", where="year == 1")
    expect(page.main.locator(".problem")).to_contain_text("No document is selected")
    expect(page.main.locator("h1")).to_have_text("cat")
    expect(page.page.get_by_label("Where")).to_have_value("year == 1")
    page.forgive("status of 404")


def test_the_form_on_a_phone(visit: Callable[..., Visit], documents_address: str) -> None:
    page = visit(documents_address, **PHONE).go("word", "cat", where=WHERE.replace(" ", "+"))
    page.fits()
    box = page.page.get_by_label("Where").bounding_box()
    assert box is not None
    assert box["width"] > 300
