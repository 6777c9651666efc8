"""Other models in a browser: of hostile words, in one file, with few parts, replaced or gone while they are shown."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

import firth
from firth import explore, pipeline
from firth.explore import ModelWatcher, export_page
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import HOSTILE, Client, serving, write_text

Opens = Callable[..., Visit]
WORDS = [unicodedata.normalize("NFC", word) for word in HOSTILE]  # as they are learned
LONG = max(WORDS, key=len)


def visible(text: str) -> str:
    """A text as the page must write it: what cannot be seen is spelled out."""

    if unicodedata.category(text[0]).startswith("M"):
        text = "◌" + text  # a mark stands on something
    unseen = {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"} if text.strip() else {"Zs"}

    def spelled(c: str) -> str:
        if unicodedata.category(c) not in unseen or c in "\u200c\u200d":
            return c
        return chr(0x2400 + ord(c)) if ord(c) < 32 else f"⟨{ord(c):04X}⟩"

    return "".join(map(spelled, text))


def shortened(word: str, longest: int = 48) -> str:
    return visible(word if len(word) <= longest else word[: longest - 1] + "…")


# Hostile words ------------------------------------------------------------------------------------


@pytest.fixture
def hostile_page(visit: Opens, hostile_address: str) -> Visit:
    return visit(hostile_address)


@pytest.mark.parametrize("half", [0, 1])
def test_the_page_of_a_hostile_word_shows_it_and_nothing_runs(
    hostile_page: Visit, half: int
) -> None:
    page = hostile_page
    for word in WORDS[half::2]:
        page.go("word", word)
        assert page.main.locator("h1").text_content() == visible(word)
        title: str = page.page.evaluate("document.querySelector('main > .view').dataset.title")
        assert title == visible(word)[:60]
        assert page.panel("Goes with it (same topics)").locator("tbody tr").count() > 3
        lines = page.page.locator(".kwic .middle")
        expect(lines.first).to_be_visible()
        assert set(lines.all_text_contents()) == {visible(word)[:200]}
        page.fits()
        page.is_clean()


def test_hostile_words_are_completed(hostile_page: Visit) -> None:
    page = hostile_page.go()
    for word in WORDS:
        if not word.strip():
            continue  # a space can be linked to, but not be looked for
        page.search.fill(word[:1000])
        expect(page.choices.get_by_text(shortened(word), exact=True).first).to_be_visible()
        page.is_clean()
    page.fits()
    page.search.fill(LONG[:1000])
    expect(page.page.locator("#search li:has-text('…') bdi").first).to_have_attribute(
        "title", f"{len(LONG)} characters"
    )


@pytest.mark.parametrize("half", [0, 1])
def test_the_map_flies_to_hostile_words_and_tells_them(
    hostile_page: Visit, hostile_client: Client, half: int
) -> None:
    page = hostile_page
    drawn = set(hostile_client.ask("map")["words"])
    for word in WORDS[half::2]:
        assert word in drawn
        page.page.mouse.move(0, 0)
        page.go("map", word)
        frame = page.page.locator("canvas").bounding_box()
        assert frame is not None
        x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
        tip = page.page.locator(".map-tip b bdi")
        for attempt in range(100):  # until the map has arrived: it flies over other words
            page.page.mouse.move(x + attempt % 2, y)
            if tip.all_text_contents() == [shortened(word)] and tip.is_visible():
                break
            page.page.wait_for_timeout(50)
        expect(tip).to_be_visible()
        assert tip.text_content() == shortened(word)
        page.is_clean()


def test_the_tree_and_its_classes_show_hostile_words(
    hostile_page: Visit, hostile: firth.Model
) -> None:
    page = hostile_page
    shown: set[str] = set()
    for path in ("", *hostile.classes.paths):
        page.go("tree", path)
        expect(page.page.locator(".icicle .box").first).to_be_visible()
        page.fits()
        page.is_clean()
        page.go("class", path)
        page.fits()
        page.is_clean()
        words = page.page.locator(".wordflow").first.locator("bdi").all_text_contents()
        assert words == [shortened(m.word) for m in hostile.classes.members(path, 200)]
        assert len(page.page.title()) < 120
        shown.update(words)
    assert {shortened(word) for word in WORDS} <= shown
    page.go("tree", "", cut=4)
    expect(page.page.locator(".tree-cut tbody tr")).to_have_count(4)
    page.fits()
    page.is_clean()


def test_hostile_words_are_compared(hostile_page: Visit) -> None:
    page = hostile_page
    for a, b in zip(WORDS[::2], WORDS[1::2], strict=False):
        page.go("compare", "words", a, b)
        expected = f"{shortened(a)} · {shortened(b)}"
        assert page.main.locator("h1").text_content() == expected
        page.fits()
        page.is_clean()
    page.go("analogy", *WORDS[:3])
    assert page.main.locator("h2 bdi").all_text_contents() == [visible(w) for w in WORDS[:3]]
    page.is_clean()


def test_hostile_words_are_saved_as_they_are(hostile_page: Visit, hostile: firth.Model) -> None:
    page = hostile_page.go("class", "")
    words = [m.word for m in hostile.classes.members("", 10_000)]
    panel = page.panel("Its words, most frequent first")
    _, text = page.download(panel.get_by_text("JSON"))
    assert [row["word"] for row in json.loads(text)] == words
    _, text = page.download(panel.get_by_text("TSV"))
    assert [row.split("\t")[0] for row in text.split("\n")[1:-1]] == words
    page.go("word", "../../etc/passwd")
    name, _ = page.download(page.panel("Goes with it (same topics)").get_by_text("TSV"))
    assert "/" not in name
    assert "\\" not in name


@pytest.mark.parametrize("word", ["العربية", "עברית", "plain"])
def test_lines_run_in_the_direction_of_the_word(hostile_page: Visit, word: str) -> None:
    page = hostile_page.go("word", word)
    leftward = word != "plain"
    lines = page.page.locator(".kwic")
    expect(lines).to_have_attribute("dir", "rtl" if leftward else "ltr")
    line = lines.locator("> div").first
    before, middle, after = (
        line.locator(f"> .{part} bdi").bounding_box() for part in ("before", "middle", "after")
    )
    assert before is not None
    assert middle is not None
    assert after is not None
    first, last = (after, before) if leftward else (before, after)
    assert first["x"] + first["width"] <= middle["x"] + 1
    assert middle["x"] + middle["width"] <= last["x"] + 1
    # and what is nearest to the word is what is seen
    assert abs(first["x"] + first["width"] - middle["x"]) < 30
    assert abs(middle["x"] + middle["width"] - last["x"]) < 30
    assert page.main.locator("h1 bdi").count() == 1


def test_hostile_words_fit_a_phone(visit: Opens, hostile_address: str) -> None:
    page = visit(hostile_address, **PHONE)
    for parts in (
        (), ("word", LONG), ("word", "עברית"), ("word", "with  two spaces"), ("class", ""), ("tree",), ("map", LONG),
        ("morphs",), ("tags",), ("tag", "0"),
        ("compare", "words", LONG, "z" + "\u0335" * 60), ("compare", "classes", "0", "1"),
        ("analogy", LONG, LONG, "plain"),
    ):  # fmt: skip
        page.go(*parts)
        page.fits()
        page.is_clean()
    page.search.fill("long")
    expect(page.choices.first).to_be_visible()
    page.fits()


# One file -----------------------------------------------------------------------------------------


def test_a_page_in_one_file_needs_nothing_else(
    visit: Opens, model_path: Path, model: firth.Model, tmp_path: Path
) -> None:
    file = tmp_path / "with space" / "page.html"
    file.parent.mkdir()
    export_page(ModelWatcher(model_path).snapshot(), file, 100)
    page = visit(file.as_uri()).go()
    assert page.page.locator("#views a").all_inner_texts() == [
        "Words",
        "Tree",
        "Map",
        "Morphs",
        "Tags",
        "About",
    ]
    expect(page.main.locator("h1")).to_contain_text("You shall know a word")
    page.search.press_sequentially("CES")
    expect(page.choices.first).to_contain_text("Čeština")
    page.search.press("ArrowDown")
    page.search.press("Enter")
    expect(page.main.locator("h1")).to_have_text("Čeština")
    near = [w for w, _ in model.vectors.neighbours(["Čeština"], 12)[0]]
    assert (
        page.panel("Goes with it (same topics)").locator("tbody td:first-child").all_inner_texts()
        == near
    )
    expect(page.page.locator(".kwic > div")).to_have_count(6)
    expect(page.page.get_by_role("link", name="compare")).to_have_count(0)
    _, text = page.download(page.panel("Goes with it (same topics)").get_by_text("TSV"))
    assert [row.split("\t")[0] for row in text.splitlines()] == ["word", *near]
    page.panel("Its class").locator("a.classlink").click()
    expect(page.main.locator("h2", has_text="Its words,")).to_be_visible()
    page.page.get_by_role("link", name="in the tree").click()
    expect(page.main.locator(".icicle .box").first).to_be_visible()
    page.page.get_by_label("Number of classes").fill("3")
    expect(page.page.locator(".tree-cut tbody tr")).to_have_count(3)
    page.go("map", "singing")
    page.expect_hash(r"#/map/singing\?.*z=10$")
    expect(page.page.locator("canvas")).to_have_attribute("data-drawn", re.compile(r"\d"))
    page.go("about")
    expect(page.main.locator("h2:text-is('Word vectors')")).to_be_visible()
    page.page.get_by_role("button", name="Light or dark").click()
    page.page.go_back()
    expect(page.page.locator("canvas")).to_be_visible()
    for name in ("compare", "analogy"):
        page.go(name)
        page.expect_problem("This view needs the server.", "firth explore MODEL")
    page.go("word", "zebra")
    page.expect_problem("This is not in the exported file.", "the 100 most frequent words")
    page.is_clean()
    assert set(page.requests) == {file.as_uri()}


def test_a_page_of_hostile_words_in_one_file_runs_nothing(
    visit: Opens, hostile_path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "hostile.html"
    export_page(ModelWatcher(hostile_path).snapshot(), file)
    page = visit(file.as_uri()).go()
    for word in WORDS:
        page.go("word", word)
        assert page.main.locator("h1").text_content() == visible(word)
        page.fits()
        page.is_clean()
    for parts in (
        ("tree",),
        ("map", WORDS[0]),
        ("class", "0"),
        ("morphs",),
        ("tags",),
        ("tag", "1"),
        ("about",),
    ):
        page.go(*parts)
        page.fits()
        page.is_clean()
    page.search.fill("<script>")
    expect(page.choices.get_by_text(WORDS[0], exact=True)).to_be_visible()
    assert set(page.requests) == {file.as_uri()}


@pytest.mark.parametrize("option", ["local storage", "history"])
def test_a_page_in_one_file_works_where_a_browser_denies_it_much(
    visit: Opens, model_path: Path, tmp_path: Path, option: str
) -> None:
    file = tmp_path / "page.html"
    export_page(ModelWatcher(model_path).snapshot(), file, 50)
    page = visit(file.as_uri())
    denied = (
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } });"
        if option == "local storage"
        else "history.pushState = history.replaceState = () => { throw new Error('denied'); };"
    )
    page.context.add_init_script(denied)
    page.go()
    page.page.get_by_role("button", name="Light or dark").click()
    page.go("tree")
    page.page.get_by_label("Number of classes").fill("3")
    expect(page.page.locator(".tree-cut tbody tr")).to_have_count(3)
    page.go("map", "the")
    expect(page.page.locator("canvas")).to_have_attribute("data-drawn", re.compile(r"\d"))


# A few parts only ---------------------------------------------------------------------------------


def vectors_only(folder: Path, model: firth.Model) -> Path:
    words = list(model.vectors.vocabulary)[:80]
    rows = [f"{w} " + " ".join(f"{v:.4f}" for v in model.vectors[w]) for w in words]
    (folder / "vectors.txt").write_text(f"{len(words)} 16\n" + "\n".join(rows) + "\n", "utf-8")
    pipeline.import_vectors(folder / "vectors.txt", folder / "model")
    return folder / "model"


def classes_only(folder: Path, model: firth.Model) -> Path:
    rows = [
        f"{path}\t{m.word}\t{m.count}"
        for path in model.classes.paths
        for m in model.classes.members(path, 9)
    ]
    (folder / "paths").write_text("\n".join(rows) + "\n", "utf-8")
    pipeline.import_classes(folder / "paths", folder / "model")
    return folder / "model"


def corpus_only(folder: Path, model: firth.Model) -> Path:
    pipeline.learn_corpus(folder / "model", write_text(folder / "t.txt"), threads=1)
    return folder / "model"


PARTS: dict[Callable[[Path, firth.Model], Path], tuple[list[str], list[str]]] = {
    vectors_only: (["Words", "Map", "Compare", "Analogy", "About"], ["Similar words"]),
    classes_only: (["Words", "Tree", "Compare", "About"], ["Its class"]),
    corpus_only: (["Words", "Find", "Compare", "About"], ["In its contexts"]),
}


@pytest.mark.parametrize("make", PARTS)
def test_a_model_with_few_parts_offers_what_it_has(
    visit: Opens, model: firth.Model, tmp_path: Path, make: Callable[[Path, firth.Model], Path]
) -> None:
    views, panels = PARTS[make]
    path = make(tmp_path, model)
    explore.prepare(path, threads=1)
    with serving(path) as address:
        page = visit(address).go()
        assert page.page.locator("#views a").all_inner_texts() == views
        page.search.press_sequentially("the")
        page.choices.get_by_text("the", exact=True).click()
        expect(page.main.locator("h1")).to_have_text("the")
        expect(page.main.locator("section h2")).to_have_text(panels)
        for name in ("Tree", "Map", "Tags", "Compare", "Analogy", "About"):
            page.go(name.lower())
            if name not in views:
                page.expect_problem("This model has no ", "firth ")
            else:
                expect(page.page.locator("main [role=alert]")).to_have_count(0)
                assert page.main.inner_text().strip()
        page.go("compare", "words", "the", "cat")
        expect(page.main.locator("h1")).to_have_text("the · cat")
        if make is vectors_only:
            page.go("map", "the")
            page.expect_hash(r"#/map/the\?.*")
            expect(page.page.locator(".map-legend h2")).to_have_text("Frequency")
        if make is classes_only:
            page.go("class", "1")
            expect(page.main.locator("h2", has_text="Its words,")).to_be_visible()
        page.end()


# Replaced or gone ---------------------------------------------------------------------------------


def test_a_model_that_was_learned_again_is_shown_with_the_next_view(
    visit: Opens, own_model: Path, tmp_path: Path
) -> None:
    with serving(own_model) as address:
        page = visit(address).go("word", "cat")
        expect(page.main.locator(".facts")).to_contain_text("33 occurrences")
        page.page.evaluate("window.sameAsBefore = true")
        text = write_text(tmp_path / "again.txt", seed=99)
        text.write_text(text.read_text("utf-8") + "the cat was here\n" * 7, "utf-8")
        firth.learn(text, own_model, dim=16, classes=9, min_count=3, threads=1, replace=True)
        page.page.locator("#views a", has_text="Tree").click()
        expect(page.page.locator("#note")).to_have_text(
            "The model has changed. This is the new version."
        )
        expect(page.page.get_by_label("Number of classes")).to_have_value("9")
        # its map is out of date, until it is made again
        assert "Map" not in page.page.locator("#views a").all_inner_texts()
        page.go("word", "cat")
        expect(page.main.locator(".facts")).to_contain_text("40 occurrences")
        assert page.page.evaluate("window.sameAsBefore")
        page.end()


def test_a_model_that_changes_while_one_types_is_noticed(visit: Opens, own_model: Path) -> None:
    with serving(own_model) as address:
        page = visit(address).go("class", "1111")
        pipeline.name_classes(own_model, {"1111": "animals"})
        page.search.press_sequentially("ca")
        expect(page.main.locator("h1")).to_have_text("animals")
        expect(page.page.locator("#note")).to_be_visible()
        page.end()


def test_what_is_typed_stays_when_the_model_is_replaced(visit: Opens, own_model: Path) -> None:
    with serving(own_model) as address:
        page = visit(address).go("tags", text="the+cat")
        box = page.page.get_by_label("A text to tag")
        box.fill("the dog was")
        expect(page.page.locator(".tagged-line > *")).to_have_count(3)
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.page.route("**/api/model?*", hold)
        pipeline.name_classes(own_model, {"1111": "animals"})
        box.press_sequentially(" sing")
        while not held:  # the answer is from another version: the view is loaded again
            page.page.wait_for_timeout(5)
        box.press_sequentially("ing")
        box.press("ArrowLeft")
        page.page.unroute("**/api/model?*")
        expect(page.page.locator("#note")).to_contain_text("The model has changed.")
        expect(page.page.locator(".tagged-line > *")).to_have_count(4)
        expect(box).to_have_value("the dog was singing")
        expect(box).to_be_focused()
        box.press_sequentially("!")
        expect(box).to_have_value("the dog was singin!g")


def test_a_query_and_a_name_stay_when_the_model_is_replaced(visit: Opens, own_model: Path) -> None:
    with serving(own_model) as address:
        page = visit(address).go("find", "cat")
        page.page.get_by_label("Query").fill("the *ing by")
        pipeline.name_classes(own_model, {"1111": "animals"})
        page.search.press_sequentially("ca")
        expect(page.page.locator("#note")).to_contain_text("The model has changed.")
        expect(page.page.get_by_label("Query")).to_have_value("the *ing by")
        expect(page.search).to_have_value("ca")


def test_a_query_stays_when_the_server_goes_away(visit: Opens, documents_path: Path) -> None:
    with serving(documents_path) as address:
        page = visit(address).go("find", "cat")
        expect(page.page.locator(".kwic")).to_be_visible()
    page.page.get_by_label("Where").fill('genre == "animals"')
    page.page.get_by_label("Query").fill("the *ing")
    page.page.get_by_label("Query").press("Enter")
    expect(page.main.locator("[role=alert]")).to_contain_text("The server does not respond.")
    expect(page.page.get_by_label("Query")).to_have_value("the *ing")
    expect(page.page.get_by_label("Where")).to_have_value('genre == "animals"')
    page.forgive("ERR_CONNECTION_REFUSED")


def test_one_can_try_again_when_the_server_is_back(page: Visit) -> None:
    page.go("word", "cat")
    page.page.route("**/api/about?*", lambda route: route.abort())
    page.page.locator("#views a", has_text="About").click()
    page.expect_problem("The server does not respond.", "Is it still running?")
    page.page.unroute("**/api/about?*")
    page.page.get_by_role("button", name="Try again").click()
    expect(page.main.locator("h2", has_text="Word vectors")).to_be_visible()
    page.forgive("ERR_FAILED")


def test_a_server_that_is_gone_is_told(visit: Opens, model_path: Path) -> None:
    with serving(model_path) as address:
        page = visit(address).go("word", "the")
        more = page.page.get_by_role("button", name="Show up to 200")
        expect(more).to_be_visible()
    more.click()
    told = page.panel("In its contexts").locator("[role=alert]")
    expect(told).to_have_text("The server does not respond.")
    page.page.locator("#views a", has_text="About").click()
    page.expect_problem("The server does not respond.", "Is it still running?")
    page.search.fill("cat")  # nothing happens, and nothing breaks
    page.search.press("Enter")
    page.expect_hash("#/word/cat$")
    page.expect_problem("The server does not respond.", "Is it still running?")
    page.forgive("ERR_CONNECTION_REFUSED")


def test_a_server_that_answers_late_is_asked_again_with_the_next_view(page: Visit) -> None:
    page.page.route("**/api/model?*", lambda route: route.abort())
    page.page.goto(page.base)
    page.expect_problem("The server does not respond.", "Is it still running?")
    page.page.unroute("**/api/model?*")
    page.search.fill("cat")
    page.search.press("Enter")
    expect(page.main.locator("h1")).to_have_text("cat")
    page.forgive("ERR_FAILED")
