"""The page in a browser: its views, the search box, the page of a word, comparing, addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Error, Route, expect

import firth
from tests.explore.browsing import VIEWS, Visit, hashed
from tests.explore.models import Client

Opens = Callable[..., Visit]

PROBLEMS = {
    "no view": (("nothing",), "There is no such view.", "Choose one above.", ""),
    "no word": (("word", "catt"), "'catt' is not in this model", "Did you mean 'cat'", "404"),
    "no class": (("class", "000000"), "000000", "", "404"),
    "no path": (("class", "cat"), "path", "openapi", "422"),
    "no node": (("tree", "000000"), "There is no class 000000.", "A path consists of 0 and 1", ""),
    "no tag": (("tag", "6"), "There is no tag 6", "Choose one from the list", "404"),
    "no number": (("tag", "NOUN"), "There is no tag NOUN.", "Tags have numbers", ""),
    "no part": (("morph", "suffix", "qq"), "the suffix 'qq'", "Choose an affix", "404"),
    "no kind": (("morph", "root", "x"), "There is no such part.", "Choose one", ""),
    "no paradigm": (("morphs", "99999"), "There is no paradigm 99999", "Choose one", "404"),
    "no numeral": (("morphs", "x"), "There is no such paradigm.", "Paradigms have numbers", ""),
    "no words": (
        ("compare", "words", "cat", "catt"),
        "'catt' is not in this model",
        "Did you mean 'cat'",
        "404",
    ),
    "no classes": (("compare", "classes", "0", "000000"), "000000", "", "404"),
    "no analogy": (("analogy", "cat", "dog", "catt"), "'catt'", "Did you mean 'cat'", "404"),
}


def held_back(page: Visit, asked: str | re.Pattern[str]) -> list[Route]:
    """The questions that fit, kept from the server until they are continued."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.page.route(asked, keep)
    return held


# Views --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_shown_at_its_own_address(page: Visit, name: str) -> None:
    parts, holds, title = VIEWS[name]
    page.go(*parts)
    expect(page.main.locator(holds).first).to_be_visible()
    expect(page.page.locator("main [role=alert]")).to_have_count(0)
    assert page.page.title().startswith(title)
    links = page.page.locator("#views a")
    assert links.all_inner_texts() == [
        "Words", "Find", "Tree", "Map", "Morphs", "Tags", "Compare", "Analogy", "About",
    ]  # fmt: skip
    expect(page.main.locator("[aria-busy]")).to_have_count(0)
    for slip in ("null", "undefined", "NaN", "[object"):
        assert slip not in page.main.inner_text(), "no such word is in the model"
    page.fits()


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_not_there_is_told_with_a_hint(page: Visit, name: str) -> None:
    parts, error, hint, status = PROBLEMS[name]
    page.go(*parts)
    page.expect_problem(error, hint)
    if status:
        page.forgive(f"status of {status}")
    with page.another_view():  # and from there one goes on
        page.page.locator("#views a", has_text="About").click()
    expect(page.main.locator("h2:text-is('Word vectors')")).to_be_visible()


def test_views_that_are_left_while_they_load_leave_nothing_behind(page: Visit) -> None:
    page.go()
    hashes = [hashed(*parts) for parts, _, _ in VIEWS.values()] * 3
    page.page.evaluate(
        """async (hashes) => {
          for (const hash of hashes) {
            location.hash = hash;
            await new Promise((done) => setTimeout(done, Math.random() * 12));
          }
          location.hash = "#/word/dog";
        }""",
        hashes,
    )
    expect(page.main.locator("h1")).to_have_text("dog")
    expect(page.panel("In its contexts").locator(".kwic > div").first).to_be_visible()
    expect(page.page.locator("main > *")).to_have_count(1)


def test_a_view_asked_for_before_the_model_is_known_is_shown_then(page: Visit) -> None:
    held = held_back(page, "**/api/model?*")
    page.page.goto(page.base)
    page.search.fill("cat")
    page.search.press("Enter")
    page.expect_hash("#/word/cat")
    while not held:
        page.page.wait_for_timeout(5)
    held.pop().continue_()
    expect(page.main.locator("h1")).to_have_text("cat")


def test_lines_asked_for_by_a_view_that_is_left_are_not_missed(page: Visit) -> None:
    page.go("word", "the")
    more = page.page.get_by_role("button", name="Show up to 200")
    expect(more).to_be_visible()
    held = held_back(page, "**/api/concordance?*n=200*")
    more.click()
    with page.another_view():
        page.page.locator("#views a", has_text="Tree").click()
    with suppress(Error):
        held.pop().continue_()
    expect(page.main.locator(".icicle .box").first).to_be_visible()


# Search -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "found"), [("CES", ["Čeština"]), ("uber", ["Über", "über"]), ("NAÏ", ["naïve"]), ("οδο", ["ὁδός"])]
)  # fmt: skip
def test_typing_completes_whatever_case_and_accents(
    page: Visit, typed: str, found: list[str]
) -> None:
    page.go()
    page.search.press_sequentially(typed)
    for word in found:
        expect(page.choices.get_by_text(word, exact=True)).to_have_count(1)
    expect(page.search).to_have_attribute("aria-expanded", "true")


def test_what_is_completed_is_what_the_server_says(page: Visit, client: Client) -> None:
    page.go()
    page.search.press_sequentially("s")
    answer = client.ask("complete", q="s", n=12)
    texts = [f"{entry['text']}{entry['count']:,}" for entry in answer]
    expect(page.choices).to_have_text(texts)


def test_arrows_and_enter_choose(page: Visit, client: Client) -> None:
    second, last = (client.ask("complete", q="s", n=12)[i]["text"] for i in (1, -1))
    page.go()
    page.search.press_sequentially("s")
    expect(page.choices.first).to_be_visible()
    page.search.press("ArrowDown")
    page.search.press("ArrowDown")
    marked = page.choices.nth(1)
    expect(marked).to_have_attribute("aria-selected", "true")
    assert page.search.get_attribute("aria-activedescendant") == marked.get_attribute("id")
    with page.another_view():
        page.search.press("Enter")
    expect(page.main.locator("h1")).to_have_text(second)
    expect(page.choices.first).to_be_hidden()
    expect(page.search).to_have_value("")
    page.search.press_sequentially("s")
    expect(page.choices.first).to_be_visible()
    page.search.press("ArrowUp")
    page.search.press("Enter")
    expect(page.main.locator("h1")).to_have_text(last)


def test_a_click_chooses(page: Visit) -> None:
    page.go()
    page.search.press_sequentially("sing")
    page.choices.filter(has_text="singing").click()
    expect(page.main.locator("h1")).to_have_text("singing")


def test_escape_closes_the_list_and_an_arrow_opens_it_again(page: Visit) -> None:
    page.go()
    page.search.press_sequentially("s")
    expect(page.choices.first).to_be_visible()
    page.search.press("Escape")
    expect(page.choices.first).to_be_hidden()
    expect(page.search).to_have_attribute("aria-expanded", "false")
    page.search.press("ArrowDown")
    expect(page.choices.first).to_be_visible()
    page.search.press("Tab")
    expect(page.choices.first).to_be_hidden()


def test_a_slash_leads_to_the_box_but_can_be_typed_there(page: Visit) -> None:
    page.go("tree")
    page.page.keyboard.press("/")
    expect(page.search).to_be_focused()
    expect(page.search).to_have_value("")
    page.page.keyboard.press("/")
    expect(page.search).to_have_value("/")


def test_a_class_is_found_by_its_path(page: Visit, client: Client) -> None:
    page.go()
    page.search.press_sequentially("11")
    expect(page.choices.locator("code")).to_have_text(["11", "110", "111"])
    page.search.press("ArrowDown")
    page.search.press("Enter")
    page.expect_hash("#/class/11$")
    expect(page.main.locator("h1")).to_have_text(client.ask("class", path="11")["label"])
    page.search.fill("110")  # the very path is enough, where there is no such word
    expect(page.choices.locator("code").first).to_have_text("110")
    page.search.press("Enter")
    page.expect_hash("#/class/110$")


@pytest.mark.parametrize("typed", ["CAT", "cAt", "cát"])
def test_enter_takes_the_word_whatever_case_and_accents(page: Visit, typed: str) -> None:
    page.go()
    page.search.fill(typed)
    page.search.press("Enter")
    expect(page.main.locator("h1")).to_have_text("cat")
    page.expect_hash("#/word/cat")


def test_of_a_word_that_never_occurs_guesses_are_shown(page: Visit, client: Client) -> None:
    page.go("word", "blinging")
    page.expect_problem("'blinging' is not in this model", "Did you mean 'singing'")
    guesses = page.main.locator(".guesses")
    expect(guesses.locator("h2").first).to_have_text("Guesses from its spelling")
    near = client.ask("neighbours", word="blinging", n=16)
    assert all(row["guessed"] for row in near)
    rows = page.panel("Similar words, guessed from the spelling").locator("tbody tr")
    expect(rows.locator("td:first-child")).to_have_text([row["word"] for row in near])
    parts = [part["text"] for part in client.ask("parts", word="blinging")["parts"]]
    assert parts == ["bling", "ing"], "or the test has no subject"
    expect(guesses.locator(".word-parts")).to_contain_text("bling")
    expect(page.panel("With the ending -ing")).to_contain_text("singing")
    page.fits()
    page.forgive("status of 404")
    page.go("word", "the blinging")
    page.expect_problem("'the blinging' is not in this model", "type them into the search box")
    expect(guesses).to_have_count(0)
    page.forgive("status of 404")


def test_an_unknown_word_is_told_and_the_next_is_shown(page: Visit) -> None:
    page.go()
    page.search.fill("catt")
    page.search.press("Enter")
    page.expect_problem("'catt' is not in this model", "Did you mean 'cat'")
    page.forgive("status of 404")
    page.search.fill("cat")
    page.search.press("Enter")
    expect(page.main.locator("h1")).to_have_text("cat")


def test_the_answer_to_the_last_letter_is_shown_however_late_the_others_are(page: Visit) -> None:
    page.go()
    held = held_back(page, re.compile(r"/api/complete\?q=s&"))
    page.search.press_sequentially("si")
    expect(page.choices.first).to_contain_text("singing")
    shown = page.choices.all_inner_texts()
    assert len(held) == 1
    with suppress(Error):  # the page may have given it up
        held[0].continue_()
    page.page.evaluate("fetch('api/model').then((answer) => answer.text())")
    assert page.choices.all_inner_texts() == shown


# The page of a word -------------------------------------------------------------------------------


def rows_of(page: Visit, heading: str) -> list[list[str]]:
    rows = page.panel(heading).locator("tbody tr")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def test_a_words_page_says_what_the_library_says(page: Visit, model: firth.Model) -> None:
    page.go("word", "cat")
    vocabulary = model.corpus.vocabulary
    i = vocabulary.id("cat")
    count = int(vocabulary.counts[i])
    share = f"{float(f'{count / model.corpus.n_tokens * 1e6:.3g}'):,g}"
    facts = page.page.locator("main .head .facts span").all_inner_texts()
    assert facts == [f"{count} occurrences", f"rank {i + 1}", f"{share} per million"]
    near = model.vectors.neighbours(["cat"], 16)[0]
    assert rows_of(page, "Goes with it (same topics)") == [
        [w, f"{round(s, 4):.3f}"] for w, s in near
    ]
    for heading, offset in (("Before it", -1), ("After it", 1)):
        beside = model.counts.collocates("cat", offset, 16)
        expected = [[c.word, f"{c.count:,}", f"{round(c.pmi, 3):.1f}"] for c in beside]
        assert rows_of(page, heading) == expected
        assert expected
    its_class = model.classes.assign(["cat"])[0]
    link = page.panel("Its class").locator("a.classlink")
    assert link.locator("code").inner_text() == its_class.path
    members = [m.word for m in model.classes.members(str(its_class.path), 16)]
    assert page.panel("Its class").locator(".wordflow .one").all_inner_texts() == members


def test_a_rare_words_class_is_told_by_its_spelling(page: Visit) -> None:
    page.go("word", "whistling")
    expect(page.panel("Its class, guessed from the spelling")).to_contain_text("-ing")
    expect(
        page.panel("Similar words, guessed from the spelling").locator("tbody tr")
    ).not_to_have_count(0)


def lines_shown(page: Visit) -> list[tuple[str, ...]]:
    found = page.page.locator(".kwic > div:not(.wide)").evaluate_all(
        "(lines) => lines.map((line) => Array.from(line.children, (part) => part.textContent))"
    )
    return [tuple(line) for line in found]


def lines_found(model: firth.Model, word: str, n: int) -> list[tuple[str, ...]]:
    hits = model.corpus.find(word, n, 80, model.index)
    return [tuple(re.sub(r"\s", " ", t) for t in (h.left, h.word, h.right)) for h in hits]


def test_the_lines_are_those_that_the_corpus_finds(page: Visit, model: firth.Model) -> None:
    page.go("word", "cat")
    expect(page.panel("In its contexts")).to_contain_text("33 lines")
    expected = lines_found(model, "cat", 40)
    assert lines_shown(page) == expected
    assert len(expected) == 33
    order = page.page.get_by_label("Order of the lines")
    order.select_option("by the word after")
    after = sorted(expected, key=lambda line: line[2].lstrip().lower())
    assert lines_shown(page) == after
    assert after != expected
    order.select_option("in text order")
    assert lines_shown(page) == expected
    page.go("word", "the")
    expect(page.page.locator(".kwic > div")).to_have_count(40)
    expected = lines_found(model, "the", 40)
    order.select_option("by the word before")
    before = sorted(expected, key=lambda line: " ".join(reversed(line[0].lower().split())))
    assert lines_shown(page) == before
    assert before != expected


def test_more_lines_come_when_they_are_asked_for(page: Visit, model: firth.Model) -> None:
    page.go("word", "the")
    count = int(model.corpus.vocabulary.counts[model.corpus.vocabulary.id("the")])
    panel = page.panel("In its contexts")
    expect(panel).to_contain_text(f"40 of {count} lines, evenly spread")
    page.page.get_by_label("Order of the lines").select_option("by the word after")
    page.page.get_by_role("button", name="Show up to 200").click()
    expect(panel).to_contain_text(f"200 of {count} lines")
    expect(page.page.get_by_label("Order of the lines")).to_have_value("after")
    page.page.get_by_role("button", name="Show up to 1,000").click()
    expect(panel.locator(".soft").first).to_have_text(f"{count} lines")
    assert sorted(lines_shown(page)) == sorted(lines_found(model, "the", 1000))
    expect(page.page.get_by_role("button", name=re.compile("Show up to"))).to_have_count(0)


def test_tables_can_be_copied_and_saved(visit: Opens, address: str, model: firth.Model) -> None:
    page = visit(address, permissions=["clipboard-read", "clipboard-write"]).go("word", "cat")
    near = [(w, round(s, 4)) for w, s in model.vectors.neighbours(["cat"], 16)[0]]
    table = "word\tsimilarity\n" + "".join(f"{w}\t{s}\n" for w, s in near)
    panel = page.panel("Goes with it (same topics)")
    name, text = page.download(panel.get_by_text("TSV"))
    assert (name, text) == ("similar-to-cat.tsv", table)
    name, text = page.download(panel.get_by_text("JSON"))
    assert name == "similar-to-cat.json"
    assert json.loads(text) == [{"word": w, "similarity": s} for w, s in near]
    panel.get_by_text("copy").click()
    expect(panel.get_by_text("copied")).to_be_visible()
    assert page.page.evaluate("navigator.clipboard.readText()") == table
    _, text = page.download(page.panel("In its contexts").get_by_text("TSV"))
    lines = [line.split("\t") for line in text.splitlines()]
    assert lines[0] == ["left", "word", "right", "source"]
    assert [tuple(line[:3]) for line in lines[1:]] == lines_found(model, "cat", 40)
    assert {line[3] for line in lines[1:]} == {"model.txt"}


# Compare and analogy ------------------------------------------------------------------------------


def test_two_words_are_chosen_and_compared(page: Visit, model: firth.Model) -> None:
    page.go("compare")
    for box, word in (("First", "cat"), ("Second", "dog")):
        page.page.get_by_role("combobox", name=box).press_sequentially(word)
        page.page.get_by_role("option").filter(has_text=word).first.click()
    page.expect_hash(re.escape(hashed("compare", "words", "cat", "dog")))
    cosine = float(f"{round(model.vectors.similarity('cat', 'dog'), 4):.3g}")
    expect(page.main.locator(".head")).to_contain_text(f"{cosine:g} cosine")
    page.go("word", "cow")
    page.page.get_by_role("link", name="compare", exact=True).click()
    expect(page.page.get_by_role("combobox", name="First")).to_have_value("cow")


def test_an_analogy_is_chosen_and_answered(page: Visit, model: firth.Model) -> None:
    page.go("analogy")
    for box, word in zip("abc", ("cat", "dog", "running"), strict=True):
        page.page.get_by_role("combobox", name=box, exact=True).fill(word)
        page.page.get_by_role("combobox", name=box, exact=True).press("Enter")
    page.expect_hash(re.escape(hashed("analogy", "cat", "dog", "running")))
    for method in ("mul", "add"):
        found = model.vectors.analogy("cat", "dog", "running", 20, method)
        words = page.main.locator("tbody tr td:first-child")
        expect(words).to_have_text([w for w, _ in found])
        page.page.get_by_label("Method").select_option("3CosAdd")
        page.expect_hash(r".*\?method=add$")


# Addresses ----------------------------------------------------------------------------------------


def test_back_and_forward_go_through_the_views(page: Visit) -> None:
    page.go()
    page.main.locator(".chips a", has_text="sleeping").click()
    expect(page.main.locator("h1")).to_have_text("sleeping")
    page.panel("Its class").locator("a.classlink").click()
    page.expect_hash("#/class/[01]+$")
    its_class = page.hash
    page.page.get_by_role("link", name="in the tree").click()
    page.expect_hash("#/tree/[01]+$")
    expect(page.main.locator(".icicle .box").first).to_be_visible()
    page.page.locator("#views a", has_text="Map").click()
    expect(page.main.locator("canvas[data-drawn]")).to_be_visible()
    expect(page.page.locator("#views a[aria-current]")).to_have_text("Map")
    page.page.go_back()
    expect(page.main.locator(".icicle .box").first).to_be_visible()
    expect(page.page.locator("#views a[aria-current]")).to_have_text("Tree")
    page.page.go_back()
    expect(page.main.locator("h2", has_text="Its words,")).to_be_visible()
    assert page.hash == its_class
    page.page.go_back()
    expect(page.main.locator("h1")).to_have_text("sleeping")
    page.page.go_back()
    expect(page.main.locator("h1")).to_contain_text("You shall know a word")
    page.page.go_forward()
    expect(page.main.locator("h1")).to_have_text("sleeping")


@pytest.mark.parametrize(
    "name", ["word", "class", "tree", "morphs", "tags", "tag", "compare words", "analogy", "about"]
)
def test_a_view_stays_when_it_is_loaded_anew(page: Visit, name: str) -> None:
    parts, holds, _ = VIEWS[name]
    page.go(*parts)
    before = page.main.locator("h1, h2").all_inner_texts()
    page.reload()
    assert page.hash == hashed(*parts)
    expect(page.main.locator(holds).first).to_be_visible()
    expect(page.main.locator("h1, h2")).to_have_text(before)
