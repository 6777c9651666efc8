"""The map in a browser: what is drawn, moving and zooming, pointing, selecting, colours, addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.explore.browsing import PHONE, Visit
from tests.explore.models import Client

Opens = Callable[..., Visit]
EDGE = 26
"""Pixels that are free around the whole map."""


def canvas(page: Visit) -> Locator:
    return page.page.locator("canvas.map-canvas")


def open_map(page: Visit, *parts: str, **query: Any) -> Visit:
    page.go("map", *parts, **query)
    expect(canvas(page)).to_have_attribute("data-drawn", re.compile(r"\d+"))
    return page


def frame(page: Visit) -> tuple[float, float, float, float]:
    found = canvas(page).bounding_box()
    assert found is not None
    return found["x"], found["y"], found["width"], found["height"]


def places(page: Visit, facts: Any) -> dict[str, tuple[float, float]]:
    """Where the words are on the screen as long as all of the map is shown."""
    left, top, width, height = frame(page)
    xs, ys = ([v / facts["scale"] for v in facts[axis]] for axis in "xy")
    unit = min((width - 2 * EDGE) / (max(xs) - min(xs)), (height - 2 * EDGE) / (max(ys) - min(ys)))
    middle_x, middle_y = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    across = [left + width / 2 + (x - middle_x) * unit for x in xs]
    down = [top + height / 2 - (y - middle_y) * unit for y in ys]
    return dict(zip(facts["words"], zip(across, down, strict=True), strict=True))


# A copy of the canvas to read from, so that the browser need not slow down the canvas itself.
COPY = """
  const map = document.querySelector("canvas.map-canvas");
  const copy = new OffscreenCanvas(map.width, map.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(map, 0, 0);
"""


def colours(page: Visit) -> int:
    """How many colours there are on the canvas."""
    return int(
        page.page.evaluate(
            f"""() => {{
              {COPY}
              const {{ data }} = copy.getImageData(0, 0, map.width, map.height);
              return new Set(new Uint32Array(data.buffer)).size;
            }}"""
        )
    )


def picture(page: Visit) -> str:
    """The canvas, when nothing is moving any more."""
    page.page.wait_for_function(
        """async () => {
          const map = document.querySelector("canvas.map-canvas");
          const before = map.dataset.drawn;
          await new Promise((done) => setTimeout(done, 200));
          return map.dataset.drawn === before;
        }"""
    )
    return str(page.page.evaluate("document.querySelector('canvas.map-canvas').toDataURL()"))


def draw_around(page: Visit, corners: Sequence[tuple[float, float]]) -> None:
    mouse = page.page.mouse
    mouse.move(*corners[0])
    mouse.down()
    for x, y in [*corners[1:], corners[0]]:
        mouse.move(x, y, steps=4)
    mouse.up()


def corners(page: Visit) -> list[tuple[float, float]]:
    """Of the canvas, a little inside."""
    left, top, width, height = frame(page)
    right, bottom = left + width - 2, top + height - 2
    # down the left side first: the buttons at the right are on top of it
    return [(left + 2, top + 2), (left + 2, bottom), (right, bottom), (right, top + 2)]


def test_the_words_are_drawn(page: Visit, client: Client) -> None:
    open_map(page)
    n = len(client.ask("map")["words"])
    expect(page.main.locator(".map-help [role=status]")).to_have_text(f"{n} words")
    assert colours(page) > 20
    assert f"A map of {n} words" in (canvas(page).get_attribute("aria-label") or "")


def test_points_are_drawn_where_the_model_has_them(page: Visit, client: Client) -> None:
    open_map(page)
    left, top, _, _ = frame(page)
    facts = client.ask("map")
    spots = [(x - left, y - top) for x, y in places(page, facts).values()]
    inked = page.page.evaluate(
        f"""(spots) => {{
          {COPY}
          const at = (x, y) => copy.getImageData(Math.floor(x), Math.floor(y), 1, 1).data.join();
          return spots.filter(([x, y]) => at(x, y) !== at(2, 2)).length;
        }}""",
        spots,
    )
    assert inked > 0.9 * len(spots), "but for what a name covers"


def test_the_wheel_zooms_without_filling_the_history(page: Visit) -> None:
    open_map(page)
    entries, before = page.page.evaluate("history.length"), picture(page)
    left, top, width, height = frame(page)
    page.page.mouse.move(left + width / 3, top + height / 3)
    for _ in range(3):
        page.page.mouse.wheel(0, -200)
    page.expect_hash(r"#/map\?x=[-\d.e]+&y=[-\d.e]+&z=[\d.]+$")
    zoomed = picture(page)
    assert zoomed != before
    assert page.page.evaluate("history.length") == entries
    here = page.hash
    page.reload()
    assert picture(page) == zoomed, "the address tells what is seen"
    assert page.hash == here
    page.page.get_by_role("button", name="Show all").click()
    page.expect_hash("#/map$")
    page.page.mouse.move(0, 0)
    assert picture(page) == before


def test_a_drag_moves_the_map_and_buttons_zoom(page: Visit) -> None:
    open_map(page)
    left, top, width, height = frame(page)
    page.page.get_by_role("button", name="Zoom in").click()
    page.expect_hash(r"#/map\?.*z=1\.6$")
    before = page.hash
    page.page.mouse.move(left + width / 2, top + height / 2)
    page.page.mouse.down()
    page.page.mouse.move(left + width / 2 + 120, top + height / 2 + 60, steps=5)
    page.page.mouse.up()
    page.page.wait_for_function("(before) => location.hash !== before", arg=before)
    page.expect_hash(r"#/map\?.*z=1\.6$")
    page.page.get_by_role("button", name="Zoom out").click()
    page.expect_hash(r"#/map\?x=[-\d.e]+&y=[-\d.e]+&z=1$")


def test_the_keys_move_and_zoom(page: Visit) -> None:
    open_map(page)
    canvas(page).focus()
    page.page.keyboard.press("+")
    page.expect_hash(r"#/map\?.*z=1\.6$")
    before = page.hash
    page.page.keyboard.press("ArrowLeft")
    page.page.wait_for_function("(before) => location.hash !== before", arg=before)
    page.page.keyboard.press("0")
    page.expect_hash("#/map$")


def test_a_word_that_is_pointed_at_is_told_and_a_click_shows_its_neighbours(
    page: Visit, client: Client
) -> None:
    open_map(page)
    facts = client.ask("map")
    word = facts["words"][0]
    tip = page.page.locator(".map-tip")
    expect(tip).to_be_hidden()
    x, y = places(page, facts)[word]
    page.page.mouse.move(x, y)
    expect(tip.locator("b")).to_have_text(word)
    expect(tip).to_contain_text(f"{facts['counts'][0]:,} occurrences")
    label = client.ask("class", path=facts["paths"][facts["classes"][0]])["label"]
    expect(tip).to_contain_text(label)
    expect(canvas(page)).to_have_attribute("data-over", "word")
    before = picture(page)
    page.page.mouse.click(x, y)
    page.expect_hash(f"#/map/{word}$")
    chosen = page.page.locator(".map-chosen")
    near = [one["word"] for one in client.ask("neighbours", word=word, n=12)]
    expect(chosen.locator("li")).to_have_count(len(near))
    found = chosen.locator("li > :first-child").all_inner_texts()
    assert found == near
    assert picture(page) != before, "there are lines"
    chosen.get_by_role("button", name=near[0], exact=True).click()
    page.expect_hash(rf"#/map/{near[0]}\?.*")
    expect(chosen.locator("h2")).to_have_text(near[0])
    page.page.go_back()
    expect(chosen.locator("h2")).to_have_text(word)
    with page.another_view():
        chosen.get_by_role("link", name="Open").click()
    page.expect_hash(f"#/word/{word}$")


def test_the_other_map_shows_the_same_word(page: Visit, client: Client) -> None:
    open_map(page, "singing")
    page.expect_hash(r"#/map/singing\?.*z=[\d.]+$")
    which = page.page.get_by_role("group", name="Which map")
    expect(which.locator("[aria-current]")).to_have_text("by meaning")
    with page.another_view():
        which.get_by_role("link", name="by grammar").click()
    page.expect_hash(r"#/map/singing\?kind=grammar")
    expect(which.locator("[aria-current]")).to_have_text("by grammar")
    near = [one["word"] for one in client.ask("replacements", word="singing", n=12)]
    expect(page.page.locator(".map-chosen li")).to_have_count(len(near))
    assert page.page.locator(".map-chosen li > :first-child").all_inner_texts() == near
    assert "by grammar" in (canvas(page).get_attribute("aria-label") or "")
    expect(page.page.locator(".map-legend h2")).to_have_text("Tags")
    counts = page.page.locator(".map-legend .figure").all_inner_texts()
    assert sum(map(int, counts)) == len(client.ask("map", kind="grammar")["words"])


def test_an_address_leads_to_a_word(page: Visit) -> None:
    open_map(page, "singing")
    page.expect_hash(r"#/map/singing\?.*z=[\d.]+$")
    left, top, width, height = frame(page)
    picture(page)
    page.page.mouse.move(left + width / 2, top + height / 2)
    expect(page.page.locator(".map-tip b")).to_have_text("singing")


def test_a_flight_to_a_word_ends_there(visit: Opens, address: str) -> None:
    page = open_map(visit(address, reduced_motion="no-preference"), "singing")
    page.expect_hash(r"#/map/singing\?.*z=[\d.]+$")
    left, top, width, height = frame(page)
    picture(page)
    page.page.mouse.move(left + width / 2, top + height / 2)
    expect(page.page.locator(".map-tip b")).to_have_text("singing")


def test_a_word_is_looked_for_on_the_map(page: Visit) -> None:
    open_map(page)
    box = page.page.get_by_role("combobox", name="Find a word on the map")
    box.press_sequentially("walk")
    page.main.get_by_role("option").filter(has_text="walking").click()
    page.expect_hash(r"#/map/walking\?.*z=[\d.]+$")
    box.fill("zebra")
    box.press("Enter")
    told = page.main.locator(".map-help [role=status]")
    expect(told).to_contain_text("zebra is not one of the 150 words of this map")
    told.get_by_role("link", name="zebra").click()
    page.expect_hash("#/word/zebra$")
    page.page.go_back()
    page.page.go_back()
    expect(canvas(page)).to_be_visible()


def test_a_line_around_everything_selects_all_words(page: Visit, client: Client) -> None:
    open_map(page)
    facts = client.ask("map")
    selection = page.page.locator(".selection")
    expect(selection).to_be_hidden()
    select = page.page.get_by_role("button", name="Select", exact=True)
    select.click()
    expect(select).to_have_attribute("aria-pressed", "true")
    draw_around(page, corners(page))
    expect(selection.locator("h2")).to_have_text("150 words selected")
    assert selection.locator("tbody td:first-child").all_inner_texts() == facts["words"]
    name, text = page.download(selection.get_by_text("TSV"))
    rows = [line.split("\t") for line in text.splitlines()]
    assert name == "selected-words.tsv"
    assert rows[0] == ["word", "count", "class", "x", "y"]
    expected = [
        [word, str(count), facts["paths"][c]]
        for word, count, c in zip(facts["words"], facts["counts"], facts["classes"], strict=True)
    ]
    assert [row[:3] for row in rows[1:]] == expected
    _, text = page.download(selection.get_by_text("JSON"))
    found = json.loads(text)
    assert [row["word"] for row in found] == facts["words"]
    assert [row["x"] for row in found] == pytest.approx([x / facts["scale"] for x in facts["x"]])
    page.page.get_by_role("button", name="Clear").click()
    expect(selection).to_be_hidden()
    expect(canvas(page)).to_be_focused()


def test_a_line_around_some_words_selects_those(page: Visit, client: Client) -> None:
    open_map(page)
    at = places(page, client.ask("map"))
    left, top, _, height = frame(page)
    middle = sorted(x for x, _ in at.values())[75]
    expected = [word for word, (x, _) in at.items() if x < middle - 1]
    near = [word for word, (x, _) in at.items() if abs(x - middle) <= 1]
    page.page.keyboard.down("Shift")  # without the button
    draw_around(
        page,
        [(left + 2, top + 2), (left + 2, top + height - 2), (middle, top + height - 2), (middle, top + 2)],
    )  # fmt: skip
    page.page.keyboard.up("Shift")
    expect(page.page.locator(".selection h2")).to_have_text(re.compile("words selected"))
    found = page.page.locator(".selection tbody td:first-child").all_inner_texts()
    assert 50 < len(found) < 100
    assert set(expected) <= set(found) <= {*expected, *near}


def test_escape_gives_up_one_thing_after_the_other(page: Visit) -> None:
    open_map(page)
    plain = picture(page)
    select = page.page.get_by_role("button", name="Select", exact=True)
    select.click()
    all_corners = corners(page)
    mouse, keyboard = page.page.mouse, page.page.keyboard
    mouse.move(*all_corners[0])
    mouse.down()
    mouse.move(*all_corners[1], steps=4)
    mouse.move(*all_corners[2], steps=4)
    keyboard.press("Escape")
    mouse.up()
    expect(page.page.locator(".selection")).to_be_hidden()
    expect(select).to_have_attribute("aria-pressed", "true")
    draw_around(page, all_corners)
    expect(page.page.locator(".selection")).to_be_visible()
    keyboard.press("Escape")
    expect(page.page.locator(".selection")).to_be_hidden()
    keyboard.press("Escape")
    expect(select).to_have_attribute("aria-pressed", "false")
    mouse.move(0, 0)
    assert picture(page) == plain


def test_what_is_in_view_can_be_selected(page: Visit, client: Client) -> None:
    open_map(page)
    page.page.get_by_role("button", name="Select visible words").click()
    expect(page.page.locator(".selection h2")).to_have_text("150 words selected")
    open_map(page, "singing")
    page.expect_hash(r"#/map/singing\?.*z=[\d.]+$")
    picture(page)
    page.page.get_by_role("button", name="Select visible words").click()
    expect(page.page.locator(".selection h2")).to_have_text(re.compile(r"^\d+ words? selected$"))
    found = page.page.locator(".selection tbody td:first-child").all_inner_texts()
    assert "singing" in found
    assert len(found) < 150


def test_the_legend_tells_the_regions_and_keeps_what_is_chosen(page: Visit, client: Client) -> None:
    open_map(page)
    facts = client.ask("map")
    legend = page.page.locator(".map-legend")
    labels = [" · ".join(group["words"][:3]) for group in facts["groups"]]
    assert legend.locator(".map-label").all_inner_texts() == labels
    sizes = [group["n_words"] for group in facts["groups"]]
    assert [int(n) for n in legend.locator(".figure").all_inner_texts()] == sizes
    before = picture(page)
    pins = legend.locator("button.map-entry")
    pins.first.click()
    expect(pins.first).to_have_attribute("aria-pressed", "true")
    page.expect_hash(r"#/map\?only=0$")
    page.page.mouse.move(0, 0)
    one = picture(page)
    assert one != before
    pins.nth(1).click()
    page.expect_hash(r"#/map\?only=0\.1$")
    page.page.mouse.move(0, 0)
    both = picture(page)
    assert both != one
    page.reload()
    expect(pins.nth(1)).to_have_attribute("aria-pressed", "true")
    assert picture(page) == both
    legend.get_by_role("button", name="show all").click()
    page.expect_hash("#/map$")
    page.page.mouse.move(0, 0)
    assert picture(page) == before


def test_points_can_be_coloured_by_class(page: Visit, client: Client) -> None:
    open_map(page, colour="class")
    legend = page.page.locator(".map-legend")
    expect(legend.locator("li")).to_have_count(8)
    assert sum(int(text) for text in legend.locator(".figure").all_inner_texts()) == 150
    page.page.locator(".map-choice input").fill("3")
    expect(legend.locator("li")).to_have_count(3)
    page.expect_hash(r"#/map\?colour=class&k=3$")
    legend.get_by_role("link").first.click()
    page.expect_hash("#/class/[01]+$")
    page.page.go_back()
    expect(legend.locator("li")).to_have_count(3)


def test_names_of_regions_come_and_go_with_the_zoom(page: Visit) -> None:
    """The names are drawn, so what is drawn is asked for."""
    drawn = """() => {
      const texts = (window.texts ??= []);
      const usual = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
        texts.push(text);
        return usual.call(this, text, ...more);
      };
    }"""
    open_map(page)
    page.page.evaluate(drawn)
    for zoom, names in ((1, True), (200, False)):
        page.page.evaluate("window.texts.length = 0")
        open_map(page, x=0, y=0, z=zoom)
        picture(page)
        found = page.page.evaluate("window.texts.filter((text) => text.includes(' · ')).length > 0")
        assert found == names


# Notes the corners of every text that is drawn on a canvas.
NOTE_TEXTS = """
  window.texts = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    window.texts.push([x, y, x + this.measureText(text).width]);
    return draw.call(this, text, x, y);
  };
"""


def test_no_name_is_written_below_the_buttons(visit: Opens, address: str) -> None:
    page = visit(address, **PHONE)
    page.context.add_init_script(NOTE_TEXTS)
    open_map(page)
    canvas(page).focus()
    for key in ["+", "ArrowRight", "ArrowUp", "ArrowRight", "+", "ArrowDown", "ArrowRight", "0"]:
        page.page.keyboard.press(key)
        picture(page)
    box = page.page.locator(".map-zoom").bounding_box()
    assert box is not None
    left, top, _, _ = frame(page)
    texts = page.page.evaluate("window.texts")
    assert len(texts) > 50
    low, begin = box["y"] + box["height"] - top, box["x"] - left
    assert [text for text in texts if text[1] < low and text[2] > begin] == []


def test_colours_can_tell_the_frequency(page: Visit, client: Client) -> None:
    open_map(page)
    by_class = picture(page)
    page.page.get_by_label("Colours").select_option("frequency")
    page.expect_hash(r"#/map\?colour=frequency$")
    legend = page.page.locator(".map-legend")
    expect(legend.locator("h2")).to_have_text("Frequency")
    counts = client.ask("map")["counts"]
    n = [sum(10**p <= c < 10 ** (p + 1) for c in counts) for p in range(5, -1, -1)]
    assert legend.locator(".figure").all_inner_texts() == [str(k) for k in n if k]
    by_frequency = picture(page)
    assert by_frequency != by_class
    page.reload()
    expect(page.page.get_by_label("Colours")).to_have_value("frequency")
    assert picture(page) == by_frequency


def test_colours_can_tell_where_words_are_frequent(
    visit: Opens, documents_address: str, documents_client: Client
) -> None:
    page = open_map(visit(documents_address))
    page.page.get_by_label("Colours").select_option("genre=animals")
    page.expect_hash(r"#/map\?colour=genre%3Danimals$")
    legend = page.page.locator(".map-legend")
    expect(legend.locator("h2")).to_have_text("Compared with the rest, where genre is animals")
    ratios = documents_client.ask("map/shares", column="genre", value="animals")["log_ratios"]
    n = legend.locator(".figure").all_inner_texts()
    assert int(n[0]) == sum(ratio >= 2 for ratio in ratios) > 5
    assert sum(map(int, n)) == len(ratios)


def test_the_map_follows_light_and_dark(page: Visit) -> None:
    open_map(page)
    paper = f"(() => {{ {COPY} return copy.getImageData(3, 3, 1, 1).data[0]; }})()"
    assert page.page.evaluate(paper) > 200
    page.page.get_by_role("button", name="Light or dark").click()
    page.page.wait_for_function(f"() => {paper} < 60")
    page.page.get_by_role("button", name="Light or dark").click()
    page.page.wait_for_function(f"() => {paper} > 200")
    page.page.emulate_media(color_scheme="dark")
    page.page.wait_for_function(f"() => {paper} > 200")  # it was chosen


def test_the_map_follows_the_size_of_the_window(page: Visit) -> None:
    open_map(page)
    before = canvas(page).evaluate("(map) => map.width")
    page.page.set_viewport_size({"width": 900, "height": 600})
    page.page.wait_for_function(
        "(before) => [document.querySelector('canvas')].every((m) => m.width < before && m.width === m.clientWidth)",
        arg=before,
    )
    picture(page)
    assert colours(page) > 20
    page.fits()


def touch(page: Visit, steps: Sequence[Sequence[tuple[float, float]]]) -> None:
    """Fingers put down, moved step by step, and lifted."""
    session = page.context.new_cdp_session(page.page)
    for i, fingers in enumerate(steps):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(fingers)]
        kind = "touchStart" if i == 0 else "touchMove"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_moves_the_map_and_two_zoom(visit: Opens, address: str) -> None:
    page = open_map(visit(address, **PHONE))
    left, top, width, height = frame(page)
    x, y = left + width / 2, top + height / 2
    touch(page, [[(x, y)], *[[(x - 10 * k, y - 6 * k)] for k in range(1, 8)]])
    page.expect_hash(r"#/map\?x=[-\d.e]+&y=[-\d.e]+&z=1$")
    assert page.page.evaluate("scrollY") == 0, "the page stays"
    touch(
        page,
        [
            [(x - 20, y), (x + 20, y)],
            *[[(x - 20 - 8 * k, y), (x + 20 + 8 * k, y)] for k in range(1, 8)],
        ],
    )
    page.page.wait_for_function("() => Number(location.hash.match(/z=([\\d.]+)/)[1]) > 2")


def test_a_tap_tells_a_word_and_offers_its_page(visit: Opens, address: str) -> None:
    page = open_map(visit(address, **PHONE), "singing")
    page.expect_hash(r"#/map/singing\?.*z=[\d.]+$")
    picture(page)
    left, top, width, height = frame(page)
    page.page.touchscreen.tap(left + width / 2, top + height / 2)
    tip = page.page.locator(".map-tip")
    expect(tip.locator("b")).to_have_text("singing")
    page.fits()
    expect(page.page.locator(".map-chosen h2")).to_have_text("singing")
    tip.get_by_role("link", name="Open").tap()
    page.expect_hash("#/word/singing$")
