"""The home view in a browser: the text, the report on it, classes and tags, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

import firth
from firth.describe import report_rows
from firth.explore._export import export_page
from firth.explore._snapshot import ModelWatcher
from firth.pipeline import learn_report, name_classes, name_tags
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import Client, serving, write_text


def facts(page: Visit, panel: str) -> list[tuple[str, str]]:
    """The rows of a panel: titles and values."""
    found = page.main.locator(f".{panel}")
    titles, values = found.locator("dt").all_inner_texts(), found.locator("dd").all_inner_texts()
    return list(zip(titles, values, strict=True))


def test_home_tells_the_text_and_leads_on(page: Visit, model: firth.Model, client: Client) -> None:
    page.go()
    corpus = model.corpus
    assert facts(page, "home-text") == [
        ("sentences", f"{corpus.n_sentences:,}"),
        ("tokens", f"{corpus.n_tokens:,}"),
        ("words", f"{corpus.n_types:,}"),
    ]
    rows = report_rows(model.report, corpus)
    assert rows, "the text is not too small"
    assert facts(page, "home-report") == rows
    steps = [title for title, _ in facts(page, "home-next")]
    assert steps == ["Find", "Tree", "Map", "Morphs", "Tags", "Compare", "Analogy"]
    tags = page.main.locator(".home-tags .panel")
    assert tags.locator(".taglink").all_inner_texts() == [
        tag["label"] for tag in client.ask("tags")["tags"]
    ]
    for step in steps:
        page.go()
        page.main.locator(".home-next").get_by_role("link", name=step, exact=True).click()
        page.expect_hash(f"#/{step.lower()}$")
        expect(page.page.locator("#views a[aria-current]")).to_have_text(step)
    page.is_clean()


def test_home_has_documents(visit: Callable[..., Visit], documents_address: str) -> None:
    page = visit(documents_address, **PHONE).go()
    n = Client(documents_address).ask("home")["n_documents"]
    assert n > 1
    assert facts(page, "home-text")[0] == ("documents", str(n))
    page.fits()


def test_home_has_the_report_and_the_names_once_they_are_made(
    visit: Callable[..., Visit], tmp_path: Path
) -> None:
    own_model = tmp_path / "m"
    text = write_text(tmp_path / "text.txt")
    firth.learn(text, own_model, dim=16, classes=12, tags=6, min_count=3, threads=1)
    learned = firth.load(own_model)
    path = next(path for path in learned.classes.paths if "eating" in learned.classes.label(path))
    with serving(own_model) as address:
        page = visit(address).go()
        expect(page.main.locator(".home-report")).to_contain_text(
            "This model has no report on the text. Make it: firth show MODEL"
        )
        name_classes(own_model, {path: "what one does"})
        name_tags(own_model, {"0": "<i>most</i>"})
        report = learn_report(own_model, threads=1).part("report")
        page.go("about")
        page.go()
        rows = report_rows(report, learned.corpus)
        assert rows, "the text is not too small"
        expect(page.main.locator(".home-report dt")).to_have_text([what for what, _ in rows])
        expect(page.main.locator(".home-report dd")).to_have_text([told for _, told in rows])
        expect(page.main).to_contain_text("Measured by what two halves of it have in common.")
        expect(page.main.locator(f"a.classlink[href='#/class/{path}']")).to_have_text(
            f"{path} what one does"
        )
        expect(page.main.locator(".home-tags .taglink").first).to_have_text("<i>most</i>")
        page.is_clean()


def test_home_of_a_text_that_is_too_small(visit: Callable[..., Visit], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("a rose is a rose\n" * 3)
    firth.learn(text, tmp_path / "m", dim=2, classes=2, min_count=1, threads=1)
    learn_report(tmp_path / "m", threads=1)
    with serving(tmp_path / "m") as address:
        page = visit(address).go()
        expect(page.main.locator(".home-report")).to_contain_text("too small to tell")


def test_on_a_phone_the_head_of_the_page_scrolls_away(
    visit: Callable[..., Visit], address: str
) -> None:
    page = visit(address, **PHONE).go()
    top = page.page.locator(".top")
    expect(top).to_be_in_viewport()
    page.page.mouse.wheel(0, 2000)
    expect(top).not_to_be_in_viewport()


def test_an_exported_home_leads_to_nothing_that_needs_the_server(
    visit: Callable[..., Visit], model_path: Path, tmp_path: Path
) -> None:
    export_page(ModelWatcher(model_path).snapshot(), tmp_path / "page.html", 50)
    page = visit((tmp_path / "page.html").as_uri()).go()
    assert [title for title, _ in facts(page, "home-next")] == ["Tree", "Map", "Morphs", "Tags"]
    assert len(facts(page, "home-text")) == 3
