"""Tags in a browser: a text with its tags, the list, what follows what, the page of a tag, names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import firth
from firth import pipeline
from firth.explore import ModelWatcher, export_page
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import HOSTILE, Client, serving
from tests.explore.test_browser_access import CONTRAST, SEEN

Opens = Callable[..., Visit]
TEXT = "the cat was singing by the river"


def tokens(page: Visit) -> Locator:
    return page.page.locator(".token")


def box(page: Visit) -> Locator:
    return page.page.get_by_label("A text to tag")


def tagged_as(page: Visit, words: list[str], tags: list[str]) -> None:
    expect(tokens(page)).to_have_text([word + tag for word, tag in zip(words, tags, strict=True)])


# A text with its tags -----------------------------------------------------------------------------


def test_a_sentence_of_the_corpus_is_there_to_begin_with(page: Visit, client: Client) -> None:
    page.go("tags")
    told = client.ask("tagged")
    expect(box(page)).to_have_value(told["text"])
    (sentence,) = told["sentences"]
    tagged_as(page, [t["word"] for t in sentence], [str(t["tag"]) for t in sentence])
    legend = page.page.locator(".tagged-legend .taglink").all_inner_texts()
    assert legend == [str(tag) for tag in sorted({t["tag"] for t in sentence})]


def test_what_is_typed_is_tagged(page: Visit, model: firth.Model) -> None:
    page.go("tags")
    box(page).fill(TEXT)
    tagged_as(page, TEXT.split(), model.tags.tag([TEXT.split()])[0])
    page.expect_hash(r"#/tags\?text=the\+cat\+was.*")
    for decode, title in (("posterior", "by position"), ("viterbi", "by sentence")):
        page.page.get_by_label("How tags are chosen").select_option(title)
        page.expect_hash(rf"#/tags\?.*decode={decode}$")
        tagged_as(page, TEXT.split(), model.tags.tag([TEXT.split()], decode)[0])
    page.reload()
    expect(box(page)).to_have_value(TEXT)
    expect(page.page.get_by_label("How tags are chosen")).to_have_value("viterbi")
    tagged_as(page, TEXT.split(), model.tags.tag([TEXT.split()], "viterbi")[0])
    box(page).fill("")
    expect(tokens(page)).to_have_count(0)
    expect(page.page.locator(".tagged-details")).to_have_text("No words yet.")
    box(page).fill("the cat\nthe dog")
    expect(page.page.locator(".tagged-line")).to_have_count(2)


def test_what_is_typed_is_bounded(page: Visit) -> None:
    page.go("tags", text="x" * 3_000)
    assert len(box(page).input_value()) == 2_000
    box(page).fill("a " * 950)
    expect(page.panel("Tagged text")).to_contain_text("100 characters left")
    expect(tokens(page)).to_have_count(950)
    page.fits()


def test_a_word_tells_how_probable_its_tags_are(page: Visit, client: Client) -> None:
    page.go("tags", text="the+unheard-of+cat", decode="posterior")
    told = client.ask("tagged", text="the unheard-of cat", decode="posterior")["sentences"][0]
    details = page.page.locator(".tagged-details")
    for i, act in enumerate(("hover", "click", "focus")):
        getattr(tokens(page).nth(i), act)()
        expect(details.locator("h3")).to_have_text(told[i]["word"])
        expect(details.locator("td:nth-child(2)")).to_have_text(
            [f"{100 * guess['share']:.1f} %" for guess in told[i]["guesses"]]
        )
        expect(tokens(page).nth(i)).to_have_attribute("aria-pressed", "true")
        assert details.locator("h3 a").count() == int(told[i]["known"])
    expect(page.page.locator(".token[aria-pressed=true]")).to_have_count(1)
    details.locator("h3 a").click()
    expect(page.main.locator("h1")).to_have_text("cat")


def test_a_late_answer_does_not_replace_a_newer_one(page: Visit) -> None:
    page.go("tags")
    held = []
    page.page.route("**/api/tagged?text=the+cat&*", lambda route: held.append(route))
    box(page).fill("the cat")
    while not held:
        page.page.wait_for_timeout(5)
    box(page).fill("by the river")
    expect(tokens(page)).to_have_count(3)
    page.page.unroute("**/api/tagged?text=the+cat&*")
    page.page.wait_for_timeout(50)
    expect(tokens(page)).to_have_count(3)


def test_a_server_that_is_gone_is_told_and_what_was_tagged_stays(page: Visit) -> None:
    page.go("tags", text="the+cat")
    page.page.route("**/api/tagged?*", lambda route: route.abort())
    box(page).fill("the dog")
    expect(page.panel("Tagged text")).to_contain_text("The server does not respond.")
    expect(tokens(page)).to_have_count(2)
    page.forgive("ERR_FAILED")


def test_a_tagged_text_is_taken_along(page: Visit, client: Client) -> None:
    page.go("tags", text="the+cat")
    panel = page.panel("Tagged text")
    _, text = page.download(panel.get_by_text("JSON"))
    (told,) = client.ask("tagged", text="the cat")["sentences"]
    assert json.loads(text) == [
        {
            "sentence": 1, "word": token["word"], "tag": token["tag"], "label": str(token["tag"]),
            "probability": token["guesses"][0]["share"], "parts": " ".join(token["parts"]),
        }
        for token in told
    ]  # fmt: skip


# The list, and what follows what ------------------------------------------------------------------


def test_the_list_says_what_the_tagger_says(page: Visit, model: firth.Model) -> None:
    page.go("tags")
    rows = page.panel("6 tags").locator("tbody tr")
    tagger = model.tags
    for k, row in enumerate(rows.all()):
        name, share, anchor, words = row.locator("td").all_inner_texts()
        assert (name, anchor) == (str(k), tagger.anchors_[k])
        assert share == f"{100 * tagger.prior_[k]:.1f} %"
        assert words.split() == [found.word for found in tagger.typical(k, 12)]
    name, text = page.download(page.panel("6 tags").get_by_text("TSV"))
    lines = [line.split("\t") for line in text.splitlines()]
    assert name == "tags.tsv"
    assert lines[0] == ["tag", "label", "share", "first", "anchor", "n_words", "words"]
    assert [line[1] for line in lines[1:]] == tagger.tags_
    rows.nth(3).locator("td:last-child a").first.click()
    expect(page.main.locator("h1")).to_have_text(tagger.typical(3, 1)[0].word)


def test_what_follows_what_is_read_with_mouse_and_keys(page: Visit, model: firth.Model) -> None:
    page.go("tags")
    grid, told = page.page.get_by_role("grid"), page.page.locator(".heat-told")
    follow = model.tags.hmm_.transition
    rows = grid.locator("tbody tr")
    expect(rows).to_have_count(7)
    for k in range(6):
        shown = rows.nth(k + 1).locator("td").all_inner_texts()
        assert [int(text) for text in shown] == [int(100 * p + 0.5) for p in follow[k].round(5)]
    rows.nth(4).locator("td").nth(2).hover()
    expect(told).to_contain_text(
        f"{100 * follow[3, 2]:.1f} % of the tags after 3 (the) are 2 (river"
    )
    page.page.locator("main .taglink").last.focus()
    grid.locator("[tabindex='0']").focus()
    expect(told).to_contain_text("of sentences begin with 0 (")
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowDown", "End", "ArrowRight"):
        page.page.keyboard.press(key)
        assert page.page.evaluate(SEEN)
    expect(told).to_contain_text("of the tags after 0 (")
    expect(told).to_contain_text("are 5 (was)")
    assert grid.locator("[tabindex='0']").count() == 1, "Tab comes here once"
    _, text = page.download(page.panel("Transition probabilities").get_by_text("TSV"))
    assert len(text.splitlines()) == 1 + 7 * 6


def test_a_tag_has_a_page_of_its_own(page: Visit, model: firth.Model) -> None:
    page.go("tags")
    page.panel("6 tags").locator(".taglink").nth(2).click()
    expect(page.main.locator("h1")).to_have_text("Tag 2")
    page.expect_hash("#/tag/2$")
    expect(page.page.locator("#views a[aria-current]")).to_have_text("Tags")
    words = page.page.locator(".wordflow .one").all_inner_texts()
    assert words == [found.word for found in model.tags.typical(2, 200)]
    follow = model.tags.hmm_.transition[2]
    expect(page.panel("After it").locator("td:nth-child(2)").first).to_have_text(
        f"{100 * follow.max():.1f} %"
    )
    expect(page.page.get_by_label("Name", exact=True)).to_have_count(0)
    page.panel("After it").locator(".taglink").first.click()
    page.expect_hash(f"#/tag/{follow.argmax()}$")
    with page.another_view():
        page.page.get_by_role("link", name="all tags").click()
    expect(page.page.get_by_role("grid")).to_be_visible()


def test_a_words_page_tells_its_tags(page: Visit) -> None:
    page.go("word", "the")
    rows = page.panel("Its tags").locator("tbody tr")
    expect(rows.first).to_contain_text("3 the")
    expect(rows.first.locator(".figure")).to_have_text(re.compile(r"^\d+\.\d %$"))
    rows.first.locator("a").click()
    expect(page.main.locator("h1")).to_have_text("Tag 3")


# Names and changes --------------------------------------------------------------------------------


def test_a_tag_is_named_from_the_page(visit: Opens, own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        page = visit(address).go("tag", "3")
        name = page.page.get_by_label("Name", exact=True)
        name.fill("the same")
        page.page.get_by_role("button", name="Save").click()
        expect(page.page.locator("form [role=status]")).to_contain_text("without blanks")
        page.forgive("status of 422")
        name.fill("<b>DET</b>")
        page.page.get_by_role("button", name="Save").click()
        expect(page.main.locator("h1")).to_have_text("Tag <b>DET</b>")
        expect(page.page.locator("#note")).to_have_text("The name was saved.")
        assert firth.load(own_model).tag_names == {"3": "<b>DET</b>"}
        page.go("tags", text="the+cat")
        expect(tokens(page).first).to_have_text("the<b>DET</b>")
        expect(page.page.locator("th.upright").nth(3)).to_have_text("<b>DET</b>")
        page.is_clean()
        page.fits()
        page.go("tag", "3")
        name.fill("")
        page.page.get_by_role("button", name="Save").click()
        expect(page.main.locator("h1")).to_have_text("Tag 3")
        page.end()


def test_tags_learned_again_while_one_types_are_noticed(visit: Opens, own_model: Path) -> None:
    with serving(own_model) as address:
        page = visit(address).go("tags")
        pipeline.learn_tags(own_model, n_tags=4, threads=1)
        box(page).fill(TEXT)
        expect(page.page.locator("#note")).to_have_text(
            "The model has changed. This is the new version."
        )
        expect(page.main.locator("h2", has_text="4 tags")).to_be_visible()
        expect(box(page)).to_have_value(TEXT)  # what was typed is kept
        tagged_as(page, TEXT.split(), firth.load(own_model).tags.tag([TEXT.split()])[0])
        page.end()


# Many tags, hostile words, one file, phones -------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_many_tags_can_be_read(visit: Opens, own_model: Path, scheme: str) -> None:
    pipeline.learn_tags(own_model, n_tags=45, threads=1)
    pipeline.name_tags(own_model, {"0": "A-RATHER-LONG-NAME", "44": "X"})
    with serving(own_model) as address:
        page = visit(address, color_scheme=scheme).go("tags", text=TEXT.replace(" ", "+"))
        expect(page.page.get_by_role("grid").locator("tbody tr")).to_have_count(46)
        page.fits()
        page.page.wait_for_function("() => document.getAnimations().length === 0")
        found = page.page.evaluate(CONTRAST)
        assert found["contrast"] >= 4.5, found
        page.end()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_shade_can_be_read(visit: Opens, address: str, client: Client, scheme: str) -> None:
    told = client.ask("tags")
    told["follow"] = [[((6 * i + j) / 35) ** 2 for j in range(6)] for i in range(6)]
    page = visit(address, color_scheme=scheme)
    page.page.route("**/api/tags?*", lambda route: route.fulfill(json=told))
    page.go("tags")
    expect(page.page.get_by_role("grid").locator("td.strong").first).to_be_visible()
    page.page.wait_for_function("() => document.getAnimations().length === 0")
    found = page.page.evaluate(CONTRAST)
    assert found["contrast"] >= 4.5, found


def test_hostile_words_with_their_tags(visit: Opens, hostile_address: str) -> None:
    page = visit(hostile_address).go("tags")
    page.is_clean()
    page.fits()
    for word in HOSTILE[:20]:
        box(page).fill("the " + word[:1_000])
        expect(tokens(page).nth(1)).to_be_visible()
        page.is_clean()
        page.fits()
    for tag in range(4):
        page.go("tag", str(tag))
        page.is_clean()
        page.fits()


def test_tags_in_one_file(visit: Opens, model_path: Path, client: Client, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    export_page(ModelWatcher(model_path).snapshot(), file, 100)
    page = visit(file.as_uri()).go("tags", text="the+dog")
    (sentence,) = client.ask("tagged")["sentences"]
    tagged_as(page, [t["word"] for t in sentence], [str(t["tag"]) for t in sentence])
    expect(box(page)).to_have_count(0)
    (sentence,) = client.ask("tagged", decode="viterbi")["sentences"]
    page.page.get_by_label("How tags are chosen").select_option("by sentence")
    expect(page.page.locator(".panel-head")).to_contain_text(["The most probable sequence of tags"])
    tagged_as(page, [t["word"] for t in sentence], [str(t["tag"]) for t in sentence])
    page.panel("6 tags").locator(".taglink").first.click()
    expect(page.main.locator("h1")).to_have_text("Tag 0")
    assert set(page.requests) == {file.as_uri()}


def test_words_with_their_tags_run_in_the_direction_of_the_text(page: Visit) -> None:
    for text, places in (("the+cat", [0, 1]), ("שלום+עולם", [1, 0])):
        page.go("tags", text=text)
        expect(tokens(page)).to_have_count(2)
        left = [tokens(page).nth(k).evaluate("node => node.offsetLeft") for k in places]
        assert left[0] < left[1]


def test_tags_on_a_phone(visit: Opens, address: str) -> None:
    page = visit(address, **PHONE).go("tags", text=TEXT.replace(" ", "+"))
    page.fits()
    tokens(page).nth(1).tap()
    expect(page.page.locator(".tagged-details h3")).to_have_text("cat")
    page.page.get_by_role("grid").locator("td").nth(9).tap()
    expect(page.page.locator(".heat-told")).to_contain_text(" % of ")
    page.fits()
