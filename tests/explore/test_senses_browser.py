"""The senses of a word in a browser."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from firth.explore import ModelWatcher, export_page
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import Client, serving
from tests.explore.test_browser_access import CONTRAST
from tests.explore.test_senses import learn_banks
from tests.senses.samples import RIVER

Opens = Callable[..., Visit]


@pytest.fixture(scope="module")
def banks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learn_banks(tmp_path_factory.mktemp("senses"))


@pytest.fixture(scope="module")
def bank_address(banks: Path) -> Iterator[str]:
    with serving(banks) as found:
        yield found


def shown(page: Visit, n: int) -> None:
    expect(page.page.locator(".senses[aria-busy]")).to_have_count(0)
    expect(page.page.locator("section.sense")).to_have_count(n)


def test_senses_are_reached_from_the_page_of_a_word(visit: Opens, bank_address: str) -> None:
    page = visit(bank_address).go("word", "bank")
    page.page.get_by_role("link", name="senses").click()
    page.expect_hash(r"#/senses/bank$")
    shown(page, 2)
    told = Client(bank_address).ask("senses", word="bank")
    expect(page.page.locator("h1")).to_have_text("bank")
    expect(page.page.locator(".sense-choice[aria-current]")).to_contain_text("2")
    expect(page.page.locator(".sense-why")).to_contain_text("2 senses describe its contexts")
    for k, sense in enumerate(told["senses"]):
        card = page.page.locator(f"#sense-{k + 1}")
        expect(card).to_contain_text(f"{100 * sense['share']:.1f} %")
        words = card.locator(".wordflow .wordlink").all_inner_texts()
        assert words == [w["word"] for w in sense["words"]]
        expect(card.locator(".kwic .middle")).to_have_text(["bank"] * len(sense["lines"]))
    page.page.locator(".sense .wordlink").first.click()
    page.expect_hash(r"#/word/\w+")
    page.page.go_back()
    shown(page, 2)
    expect(page.page.locator("#views a[aria-current]")).to_have_text("Words")
    page.page.get_by_role("link", name="word view").click()
    page.expect_hash(r"#/word/bank$")
    page.go("word", "once")
    expect(page.page.get_by_role("link", name="senses")).to_have_count(0)


def test_progress_is_shown_until_the_answer_is_ready(visit: Opens, bank_address: str) -> None:
    page = visit(bank_address)
    pending = [
        {"progress": 0, "ahead": 2},
        {"progress": 0, "ahead": 0},
        {"progress": 0.5, "ahead": 0},
    ]
    asked = []

    def answer(route: Route) -> None:
        asked.append(time.monotonic())
        if len(asked) > 3 * len(pending):
            route.continue_()
        else:
            told = pending[(len(asked) - 1) // 3]
            route.fulfill(status=202, json=told, headers={"Retry-After": "1"})

    page.page.route("**/api/senses?*", answer)
    page.go("senses", "bank")
    status = page.page.locator(".senses [role=status]")
    expect(status).to_have_text("Waiting for the senses of 2 other words …")
    expect(status).to_have_text("Learning the senses from its contexts …")
    expect(status).to_have_text("Learning the senses from its contexts … 50 %")
    shown(page, 2)
    pauses = [b - a for a, b in pairwise(asked)]
    assert pauses[0] < 1, "soon at first"
    assert pauses[-1] > 2 * pauses[0], "then at longer intervals"


def test_who_leaves_does_not_ask_again(visit: Opens, bank_address: str) -> None:
    page = visit(bank_address)
    asked = []

    def answer(route: Route) -> None:
        asked.append(1)
        route.fulfill(status=202, json={"progress": 0.1, "ahead": 0})

    page.page.route("**/api/senses?*", answer)
    page.go("senses", "bank")
    expect(page.page.locator(".senses [role=status]")).to_contain_text("10 %")
    page.go("word", "bank")
    n = len(asked)
    page.page.wait_for_timeout(1_000)
    assert len(asked) == n


def test_another_number_can_be_chosen(visit: Opens, bank_address: str) -> None:
    page = visit(bank_address).go("senses", "bank", n="3")
    shown(page, 3)
    expect(page.page.locator(".sense-why")).to_contain_text("The number of senses is fixed.")
    expect(page.page.locator(".sense-part")).to_have_count(3)
    page.page.get_by_role("link", name="Choose the best number").click()
    shown(page, 2)
    page.page.locator(".sense-choice").first.click()
    page.expect_hash(r"#/senses/bank\?n=1$")
    shown(page, 1)
    expect(page.page.locator(".sense-part")).to_have_count(0)
    expect(page.page.locator("#sense-1 h2")).to_have_text("Its contexts")
    page.go("senses", "bank", n="99")
    shown(page, 2)
    page.page.locator(".sense-part").nth(1).click()
    expect(page.page.locator("#sense-2")).to_be_focused()


def test_a_word_is_chosen_and_what_is_wrong_is_told(visit: Opens, bank_address: str) -> None:
    page = visit(bank_address).go("senses")
    box = page.main.get_by_role("combobox", name="A word")
    box.fill("bank")
    box.press("Enter")
    page.expect_hash(r"#/senses/bank$")
    shown(page, 2)
    page.go("senses", "once")
    expect(page.page.locator(".problem")).to_contain_text("occurs once")
    page.go("senses", "nowhere")
    expect(page.page.locator(".problem")).to_contain_text("is not in the corpus")
    page.forgive("404")


def test_senses_are_taken_along(visit: Opens, bank_address: str) -> None:
    page = visit(bank_address).go("senses", "bank")
    shown(page, 2)
    name, text = page.download(page.page.get_by_role("button", name="JSON"))
    assert name == "senses-of-bank.json"
    rows = json.loads(text)
    assert {row["sense"] for row in rows} == {1, 2}
    assert {row["word"] for row in rows} & set(RIVER)
    assert set(rows[0]) == {"sense", "share", "word", "side", "count", "ratio", "bits"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_senses_on_a_phone_fit_and_can_be_read(
    visit: Opens, bank_address: str, scheme: str
) -> None:
    page = visit(bank_address, **PHONE, color_scheme=scheme).go("senses", "bank")
    shown(page, 2)
    page.fits()
    page.page.wait_for_function("() => document.getAnimations().length === 0")
    found = page.page.evaluate(CONTRAST)
    assert found["n"] > 30
    assert found["contrast"] >= 4.5, found
    for choice in page.page.locator(".sense-choice").all():
        wide, room = choice.evaluate("(e) => [e.scrollWidth, e.clientWidth]")
        assert wide <= room + 1, "figures do not run over"


def test_hostile_words_stay_words(visit: Opens, hostile_address: str) -> None:
    page = visit(hostile_address).go("senses", "the", n="3")
    shown(page, 3)
    page.is_clean()
    page.fits()


def test_a_page_without_a_server_has_no_senses(visit: Opens, banks: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    export_page(ModelWatcher(banks).snapshot(), file, 50)
    page = visit(file.as_uri()).go("word", "bank")
    expect(page.page.get_by_role("link", name="senses")).to_have_count(0)
    page.go("senses", "bank")
    page.expect_problem("This view needs the server.", "firth explore MODEL")


def test_a_server_that_is_gone_is_told(visit: Opens, bank_address: str) -> None:
    page = visit(bank_address)
    page.page.route("**/api/senses?*", lambda route: route.abort())
    page.go("senses", "bank")
    expect(page.page.locator(".problem")).to_have_text(re.compile("The server does not respond."))
    page.forgive("ERR_FAILED")
