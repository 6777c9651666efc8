"""A text coloured by surprise in a browser: colours, numbers, unknown words, right to left, one file, phones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from firth.explore import ModelWatcher, export_page
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import HOSTILE, Client
from tests.explore.test_browser_access import CONTRAST

Opens = Callable[..., Visit]
LINES = """(cells) => cells.map((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return text.getClientRects().length;
})"""
TEXT = "the cat was singing by the Blorp"


@pytest.fixture
def page(visit: Opens, lm_address: str) -> Visit:
    return visit(lm_address)


def tokens(page: Visit) -> Locator:
    return page.page.locator(".tagged .token")


def box(page: Visit) -> Locator:
    return page.page.get_by_label("A text to colour")


def figures(told: dict[str, Any]) -> list[str]:
    """The words of a text with their numbers, as the page shows them."""
    return [
        f"{word}{bits:.1f}{'' if known else ' ?'}"
        for sentence in told["sentences"]
        for word, bits, known in [
            *((w["word"], w["bits"], w["known"]) for w in sentence["words"]),
            ("end", sentence["end"], True),
        ]
    ]


def test_a_sentence_of_the_corpus_is_there_to_begin_with(page: Visit, lm_client: Client) -> None:
    page.go("surprise")
    told = lm_client.ask("surprise")
    assert page.page.title().startswith("Surprise · model")
    expect(page.page.locator("#views a[aria-current]")).to_have_text("Surprise")
    expect(box(page)).to_have_value(told["text"])
    expect(tokens(page)).to_have_text(figures(told))


def test_what_is_typed_is_coloured(page: Visit, lm_client: Client) -> None:
    page.go("surprise")
    box(page).fill(TEXT)
    told = lm_client.ask("surprise", text=TEXT)
    expect(tokens(page)).to_have_text(figures(told))
    page.expect_hash(r"#/surprise\?text=the\+cat\+was.*")
    words = told["sentences"][0]["words"]
    for k, word in enumerate(words):
        much = tokens(page).nth(k).evaluate("node => node.style.getPropertyValue('--much')")
        assert much == f"{int(100 * min(1, word['bits'] / 20) + 0.5)}%"
        start = "" if word["known"] else "unknown word: "
        title = tokens(page).nth(k).get_attribute("title")
        assert title is not None
        assert title.startswith(f"{start}{word['bits']:.1f} bits, probability ")
    assert [k for k in range(7) if "unseen" in (tokens(page).nth(k).get_attribute("class") or "")] == [6]  # fmt: skip
    page.reload()
    expect(box(page)).to_have_value(TEXT)
    expect(tokens(page)).to_have_text(figures(told))
    box(page).fill("")
    expect(tokens(page)).to_have_count(0)
    expect(page.page.locator(".tagged")).to_have_text("No words yet.")
    expect(page.page.locator("table")).to_be_hidden()
    box(page).fill("the cat\nthe dog")
    expect(page.page.locator(".tagged-line")).to_have_count(2)


def test_the_numbers_are_in_a_table_and_are_taken_along(page: Visit, lm_client: Client) -> None:
    page.go("surprise", text=TEXT.replace(" ", "+"))
    (sentence,) = lm_client.ask("surprise", text=TEXT)["sentences"]
    panel = page.panel("Surprise of each word")
    rows = panel.locator("tbody tr")
    names = [*TEXT.split()[:-1], "Blorp unknown", "end of sentence"]
    expect(rows.locator("td:nth-child(2)")).to_have_text(names)
    bits = [word["bits"] for word in sentence["words"]] + [sentence["end"]]
    expect(rows.locator("td:nth-child(3)")).to_have_text([f"{b:.1f}" for b in bits])
    _, text = page.download(panel.get_by_text("JSON"))
    end = {"word": "</s>", "bits": sentence["end"], "known": True}
    assert json.loads(text) == [{"sentence": 1, **word} for word in [*sentence["words"], end]]


def test_what_is_typed_is_bounded(page: Visit) -> None:
    page.go("surprise", text="x" * 3_000)
    assert len(box(page).input_value()) == 2_000
    box(page).fill("a " * 950)
    expect(page.panel("Surprising words")).to_contain_text("100 characters left")
    expect(tokens(page)).to_have_count(951)
    page.fits()


def test_a_server_that_is_gone_is_told_and_what_was_coloured_stays(page: Visit) -> None:
    page.go("surprise", text="the+cat")
    page.page.route("**/api/surprise?*", lambda route: route.abort())
    box(page).fill("the dog")
    expect(page.panel("Surprising words")).to_contain_text("The server does not respond.")
    expect(tokens(page)).to_have_count(3)
    page.forgive("ERR_FAILED")


@pytest.mark.parametrize(("text", "to_the_right"), [("the+cat", True), ("שלום+עולם", False)])
def test_words_run_in_the_direction_of_the_text(page: Visit, text: str, to_the_right: bool) -> None:
    page.go("surprise", text=text)
    expect(tokens(page)).to_have_count(3)
    places = [tokens(page).nth(k).bounding_box() for k in range(3)]
    left = [place["x"] for place in places if place is not None]
    assert left == sorted(left, reverse=not to_the_right)
    assert len(set(left)) == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_shade_can_be_read(visit: Opens, lm_address: str, scheme: str) -> None:
    words = [{"word": f"w{k}", "bits": k / 4, "known": k % 9 > 0} for k in range(100)]
    words.append({"word": "never", "bits": None, "known": False})
    page = visit(lm_address, color_scheme=scheme)
    told = {"text": "x", "sentences": [{"words": words, "end": 0.0}]}
    page.page.route("**/api/surprise?*", lambda route: route.fulfill(json=told))
    page.go("surprise")
    expect(tokens(page)).to_have_count(102)
    expect(tokens(page).nth(100)).to_have_text("never∞ ?")
    page.page.wait_for_function("() => document.getAnimations().length === 0")
    found = page.page.evaluate(CONTRAST)
    assert found["contrast"] >= 4.5, found
    shade = "node => getComputedStyle(node).backgroundColor"
    assert len({tokens(page).nth(k).evaluate(shade) for k in range(0, 81, 8)}) == 11
    legend = page.page.locator(".surprise-legend .surprise")
    for k, entry in enumerate(legend.all()):
        assert entry.evaluate(shade) == tokens(page).nth(16 * k).evaluate(shade)
    assert legend.last.inner_text() == "20 bits or more"


def test_hostile_words_are_text(page: Visit) -> None:
    page.go("surprise")
    for word in HOSTILE[:20]:
        box(page).fill("the " + word[:1_000])
        expect(tokens(page).nth(1)).to_be_visible()
        page.is_clean()
        page.fits()


def test_a_model_without_a_language_model_says_how_to_learn_one(visit: Opens, address: str) -> None:
    page = visit(address).go("surprise")
    page.expect_problem("This model has no language model.", "Learn it: firth lm learn")
    assert "Surprise" not in page.page.locator("#views a").all_inner_texts()


def test_surprise_in_one_file(visit: Opens, lm_path: Path, lm_client: Client, tmp_path: Path) -> None:  # fmt: skip
    file = tmp_path / "page.html"
    export_page(ModelWatcher(lm_path).snapshot(), file, 20)
    page = visit(file.as_uri()).go("surprise", text="the+dog")
    expect(tokens(page)).to_have_text(figures(lm_client.ask("surprise")))
    expect(box(page)).to_have_count(0)
    expect(page.panel("Surprising words")).to_contain_text("start the server: firth explore MODEL")
    assert set(page.requests) == {file.as_uri()}


def test_surprise_on_a_phone(visit: Opens, lm_address: str) -> None:
    page = visit(lm_address, **PHONE).go("surprise", text=TEXT.replace(" ", "+"))
    expect(tokens(page)).to_have_count(8)
    page.fits()
    chances = page.panel("Surprise of each word").locator("tbody td:last-child")
    lines = chances.evaluate_all(LINES)
    assert len(lines) == 8
    assert set(lines) == {1}, "a probability is not broken into lines"
    page.go("surprise", text=f"{TEXT}.+{TEXT}".replace(" ", "+"))
    page.fits()
