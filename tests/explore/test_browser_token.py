"""The token of a server in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.explore.browsing import PHONE, Visit
from tests.explore.models import Client, serving

Opens = Callable[..., Visit]


@pytest.fixture(scope="module")
def secret_address(model_path: Path) -> Iterator[str]:
    with serving(model_path, edit=True) as found:
        yield found


def test_the_token_leaves_the_address_and_is_kept(visit: Opens, secret_address: str) -> None:
    page = visit(secret_address).go("word", "cat")
    assert page.page.url == f"{page.base}#/word/cat"
    token = str(Client(secret_address).token)
    assert [url for url in page.requests if token in url] == [secret_address], "sent with no other"
    page.reload()
    expect(page.main.locator("h1")).to_have_text("cat")
    page.page.go_back()
    assert token not in page.page.url
    page.page.go_forward()
    expect(page.main.locator("h1")).to_have_text("cat")
    assert page.context.cookies() == [], "other servers of this machine would get it"


def test_another_tab_knows_it_too(visit: Opens, secret_address: str) -> None:
    page = visit(secret_address).go("word", "cat")
    with page.context.expect_page() as opening:
        page.main.locator(".wordlink").first.click(modifiers=["ControlOrMeta"])
    other = opening.value
    expect(other.locator("h1")).to_be_visible()
    expect(other.locator("main [role=alert]")).to_have_count(0)
    assert str(Client(secret_address).token) not in other.url
    page.forgive("status of 403")


def test_without_the_token_the_page_asks_for_it(visit: Opens, secret_address: str) -> None:
    page = visit(secret_address.partition("?")[0], **PHONE)
    page.page.goto(f"{page.base}#/word/cat")
    expect(page.main.locator("[role=alert]")).to_contain_text("The token of this server is missing")
    expect(page.main.locator("[role=alert]")).to_contain_text("that firth explore printed")
    page.fits()
    field = page.page.get_by_label("Token")
    field.fill("wrong <é>")
    page.page.get_by_role("button", name="Open").click()
    expect(field).to_have_value("")  # the form is there anew
    expect(page.main.locator("[role=alert]")).to_be_visible()
    field.fill(f" {Client(secret_address).token}\n")
    page.page.get_by_role("button", name="Open").click()
    expect(page.main.locator("h1")).to_have_text("cat")
    page.forgive("status of 403")


def test_a_server_without_a_token_asks_for_none(visit: Opens, address: str) -> None:
    page = visit(address).go("word", "cat")
    expect(page.page.get_by_label("Token")).to_have_count(0)
    assert page.page.evaluate("sessionStorage.length") == 0
