"""Morphs in a browser: affixes and paradigms, a word's parts, words that are alike, corrections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import firth
from firth import pipeline
from firth.explore import ModelWatcher, export_page
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import HOSTILE, Client, serving
from tests.explore.test_browser_access import CONTRAST, SEEN

Opens = Callable[..., Visit]
STEMS = ("ספר", "שיר", "סוס", "דוד", "כלב", "חתול")
ENDINGS = ("", "ים", "י", "יהם", "יכם", "ינו", "יהן", "יכן")
HEBREW = [stem + ending for stem in STEMS for ending in ENDINGS]


def hyphened(text: str, kind: str) -> str:
    return f"-{text}" if kind == "suffix" else f"{text}-" if kind == "prefix" else text


def test_affixes_are_listed_as_the_splitter_knows_them(page: Visit, model: firth.Model) -> None:
    page.go("morphs")
    known = [affix for affix in model.morphs.affixes_ if affix.kind == "suffix"]
    rows = page.panel("Suffixes").locator("tbody tr")
    expect(rows).to_have_count(min(15, len(known)))
    for affix, row in zip(known, rows.all(), strict=False):
        text, count, examples = row.locator("td").all_inner_texts()
        assert (text, count) == (hyphened(affix.text, "suffix"), f"{affix.n_words:,}")
        assert examples.split() == model.morphs.index.examples(affix[:2], 4)
    if len(known) > 15:
        page.panel("Suffixes").get_by_role("button", name="Show").click()
        expect(rows).to_have_count(min(100, len(known)))
    name, text = page.download(page.panel("Suffixes").get_by_text("TSV"))
    assert name == "Suffixes.tsv"
    assert text.splitlines()[0] == "text\tn_words\texamples"
    assert text.splitlines()[1].startswith(f"{known[0].text}\t{known[0].n_words}\t")
    rows.first.locator("td:first-child a").click()
    expect(page.main.locator("h1")).to_have_text(hyphened(known[0].text, "suffix"))
    page.expect_hash("#/morph/suffix/")


def test_paradigms_are_laid_out_as_in_a_grammar(page: Visit, model: firth.Model) -> None:
    page.go("morphs")
    paradigm = model.morphs.paradigms_[0]
    table = page.panel("Paradigms").locator(".paradigm").first
    endings = ["".join(f"-{suffix}" for suffix in one) or "∅" for one in paradigm.endings]
    expect(table.locator("thead th")).to_have_text(endings)
    stem = model.morphs.index.frequent_stems(paradigm, 6)[0]
    expect(table.locator("tbody tr").first.locator("th, td")).to_have_text(
        [stem + "".join(one) for one in paradigm.endings]
    )
    table.locator("h3 a").click()
    page.expect_hash("#/morphs/0$")
    expect(page.main.locator("h1")).to_have_text(" ".join(endings))
    expect(page.main.locator("tbody tr")).to_have_count(len(paradigm.stems))
    expect(page.page.locator("#views a[aria-current]")).to_have_text("Morphs")
    with page.another_view():
        page.page.get_by_role("link", name="all morphs").click()
    expect(page.panel("Paradigms")).to_be_visible()


def test_a_part_has_a_page_of_its_own(page: Visit, model: firth.Model) -> None:
    affix = model.morphs.affixes_[0]
    page.go("morph", affix.kind, affix.text)
    words = list(model.morphs.index.frequent(model.morphs.index.with_part(affix[:2])))
    rows = page.panel("Its words, most frequent first").locator("tbody tr")
    expect(rows.locator("td:first-child")).to_have_text(words[:100])
    first = [hyphened(*part) for part in model.morphs.analyse(words[0])]
    expect(rows.first.locator(".part")).to_have_text(first)
    with page.another_view():
        rows.first.locator("td:first-child a").click()
    expect(page.main.locator("h1")).to_have_text(words[0])


def test_a_words_page_tells_its_parts(page: Visit, model: firth.Model) -> None:
    page.go("word", "singing")
    parts = [hyphened(*part) for part in model.morphs.analyse("singing")]
    expect(page.main.locator(".word-parts .part")).to_have_text(parts)
    expect(page.main.locator(".word-parts form")).to_have_count(0)
    expect(page.main.locator(".corrected")).to_have_count(0)
    ending = page.panel(f"With the ending {parts[-1]}")
    expect(ending).to_contain_text("reading")
    page.page.locator(".word-parts .part").last.focus()
    page.page.keyboard.press("Shift+Tab")
    page.page.keyboard.press("Tab")
    assert page.page.evaluate(SEEN)
    with page.another_view():
        page.page.keyboard.press("Enter")
    expect(page.main.locator("h1")).to_have_text(parts[-1])


def test_parts_are_corrected_from_the_page(visit: Opens, own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        page = visit(address).go("word", "singing")
        parts = page.page.get_by_label("Parts", exact=True)
        expect(parts).to_have_value(" ".join(firth.load(own_model).morphs.split("singing")))
        parts.fill("sing in")
        page.page.get_by_role("button", name="Save").click()
        expect(page.page.locator("form [role=status]")).to_have_text(
            "The parts 'sing in', joined, are not 'singing'."
        )
        page.forgive("status of 422")
        parts.fill("si nging")
        page.page.get_by_role("button", name="Save").click()
        expect(page.page.locator("#note")).to_have_text("The parts were saved.")
        expect(page.main.locator(".word-parts .corrected")).to_have_text("corrected")
        assert firth.load(own_model).corrections == {"singing": ["si", "nging"]}
        page.fits()
        page.go("morphs")
        rows = page.panel("Corrections").locator("tbody tr")
        expect(rows).to_have_count(1)
        _, text = page.download(page.panel("Corrections").get_by_text("TSV"))
        assert text == "word\tparts\nsinging\tsi nging\n"
        rows.first.locator("a").first.click()
        expect(parts).to_have_value("si nging")
        pipeline.correct_morphs(own_model, {"reading": ["read", "ing"]})  # somebody else
        parts.fill("")
        page.page.get_by_role("button", name="Save").click()
        expect(page.page.locator("form [role=status]")).to_contain_text("The model has changed.")
        page.forgive("status of 409")
        page.reload()
        parts.fill("")
        page.page.get_by_role("button", name="Save").click()
        expect(page.page.locator("#note")).to_have_text("The correction was removed.")
        assert firth.load(own_model).corrections == {"reading": ["read", "ing"]}
        page.end()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_corrected_words_can_be_read(visit: Opens, own_model: Path, scheme: str) -> None:
    pipeline.correct_morphs(own_model, {"singing": ["sing", "ing"]})
    with serving(own_model, edit=True) as address:
        page = visit(address, color_scheme=scheme).go("word", "singing")
        expect(page.main.locator(".corrected")).to_be_visible()
        page.page.wait_for_function("() => document.getAnimations().length === 0")
        found: Any = page.page.evaluate(CONTRAST)
        assert found["contrast"] >= 4.5, found
        page.end()


def test_words_written_from_right_to_left(visit: Opens, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("\n".join(HEBREW) + "\n", encoding="utf-8")
    pipeline.learn_morphs(tmp_path / "m", tmp_path / "words.txt")
    pipeline.correct_morphs(tmp_path / "m", {"ספרים": ["ספר", "ים"]})
    with serving(tmp_path / "m") as address:
        page = visit(address).go("word", "ספרים")
        parts = page.main.locator(".word-parts .part")
        expect(parts).to_have_count(2)
        stem, suffix = (parts.nth(k).bounding_box() for k in range(2))
        assert stem is not None
        assert suffix is not None
        assert stem["x"] > suffix["x"], "the stem is on the right"
        page.end()
        page = visit(address, **PHONE)
        for at in (("morphs",), ("morphs", "0")):
            forms = page.go(*at).main.locator(".forms-scroll").first
            page.fits()
            assert forms.evaluate("(box) => box.scrollWidth > box.clientWidth")
            stem, some = forms.locator("tbody tr > *").first.bounding_box(), forms.bounding_box()
            assert stem is not None
            assert some is not None
            assert stem["x"] + stem["width"] == pytest.approx(some["x"] + some["width"], abs=1)
        page.end()


def test_hostile_words_and_their_parts(visit: Opens, hostile_address: str) -> None:
    page = visit(hostile_address).go("morphs")
    page.is_clean()
    page.fits()
    for word in HOSTILE[:6] + HOSTILE[-4:]:
        page.go("word", word)
        page.is_clean()
        page.fits()


def test_morphs_in_one_file(visit: Opens, model_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    export_page(ModelWatcher(model_path).snapshot(), file, 100)
    page = visit(file.as_uri()).go("morphs")
    expect(page.panel("Suffixes").locator("tbody tr").first).to_be_visible()
    page.panel("Suffixes").locator("tbody .part").first.click()
    expect(page.panel("Its words, most frequent first").locator("tbody tr").first).to_be_visible()
    page.go("word", "singing")
    expect(page.main.locator(".word-parts .part")).to_have_count(2)
    expect(page.main.locator(".word-parts span.part-stem")).to_have_count(1)
    page.go("morphs", "0")
    expect(page.main.locator(".forms tbody tr").first).to_be_visible()
    assert set(page.requests) == {file.as_uri()}


def test_morphs_on_a_phone(visit: Opens, address: str, client: Client) -> None:
    page = visit(address, **PHONE)
    affix = client.ask("morphs")["suffixes"][0]
    for parts in (
        ("morphs",),
        ("morphs", "0"),
        ("morph", "suffix", affix["text"]),
        ("word", "singing"),
    ):
        page.go(*parts)
        page.fits()
