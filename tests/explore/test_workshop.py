"""``firth explore`` without a model: texts are dropped, a model is learned and opened."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from firth.errors import BusyError, InputError
from firth.explore import Workshop, _workshop
from firth.exploring import address_in
from firth.store import MANIFEST
from tests.explore.browsing import CHROMIUM
from tests.explore.models import Client, write_text

DEFAULTS = {name: next(iter(answers)) for name, answers in _workshop.CHOICES.items()}


def in_browser(test: Any) -> Any:
    """Marks a test that needs Chromium."""
    missing = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
    return pytest.mark.browser(pytest.mark.slow(missing(test)))


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    found = Workshop(tmp_path)
    yield found
    found.close()


def until_done(workshop: Workshop) -> Any:
    while (found := workshop.learning()) and found.state == "running":
        time.sleep(0.05)
    return found


def test_pieces_of_a_text_become_a_file(workshop: Workshop) -> None:
    assert workshop.add("a b.txt", 0, b"one ", last=False) == 4
    assert workshop.texts() == {}
    assert workshop.add("a b.txt", 4, b"two\n", last=True) == 8
    assert (workshop.folder / "texts" / "a b.txt").read_bytes() == b"one two\n"
    assert workshop.texts() == {"a b.txt": 8}
    with pytest.raises(BusyError, match="is there already"):
        workshop.add("a b.txt", 0, b"other", last=True)
    workshop.add("c.txt", 0, b"lost half", last=False)
    workshop.add("c.txt", 0, b"whole", last=True)  # a file that is dropped again begins anew
    assert (workshop.folder / "texts" / "c.txt").read_bytes() == b"whole"
    with pytest.raises(BusyError, match="do not fit"):
        workshop.add("d.txt", 3, b"end without beginning", last=True)


@pytest.mark.parametrize(
    "name", ["हिन्दी पाठ.txt", "काग़ज़", "e\u0301te\u0301.txt", "عربي_٢.txt", "한국어", "a.b-c_1.csv"]
)
def test_names_have_letters_of_any_script(workshop: Workshop, name: str) -> None:
    workshop.add(name, 0, b"text", last=True)
    assert workshop.texts() == {name: 4}


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../a",
        "a/b",
        "a\\b",
        ".hidden",
        "a\0b",
        "/etc/passwd",
        "-o",
        "a\n",
        "x" * 90,
        "\U0001e900" * 70,  # 280 bytes
        "a.",
        "a ",
        " a",
        "a\u202eb",
        "Texts",
        MANIFEST,
    ],
)
def test_names_stay_inside_the_folder(workshop: Workshop, name: str) -> None:
    with pytest.raises(InputError, match="The name of the text"):
        workshop.add(name, 0, b"text", last=True)
    workshop.add("text.txt", 0, b"text", last=True)
    with pytest.raises(InputError, match="The name of the model"):
        workshop.learn(name, ["text.txt"], DEFAULTS)
    with pytest.raises(InputError, match="The name of the model"):
        workshop.explore(name)


def test_links_are_not_followed(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "secret.txt").write_text("secret")
    (workshop.folder / "texts").mkdir()
    (workshop.folder / "texts" / "secret.txt").symlink_to(elsewhere / "secret.txt")
    assert workshop.texts() == {}
    (workshop.folder / "texts" / ".new.txt.part").symlink_to(elsewhere / "secret.txt")
    with pytest.raises(InputError, match="symbolic links"):
        workshop.add("new.txt", 0, b"overwritten", last=True)
    other = Workshop(workshop.folder / "inner")
    (workshop.folder / "inner").mkdir()
    (workshop.folder / "inner" / "texts").symlink_to(elsewhere)
    with pytest.raises(InputError, match="is a link"):
        other.add("new.txt", 0, b"outside", last=True)
    (workshop.folder / "texts" / "text.txt").write_text("text")
    (elsewhere / MANIFEST).write_text("{}")
    (workshop.folder / "model").symlink_to(elsewhere)
    assert workshop.models() == []
    with pytest.raises(InputError, match="is not a model"):
        workshop.learn("model", ["text.txt"], DEFAULTS)
    with pytest.raises(InputError, match="There is no model"):
        workshop.explore("model")
    assert sorted(path.name for path in elsewhere.iterdir()) == [MANIFEST, "secret.txt"]
    assert (elsewhere / "secret.txt").read_text() == "secret"


def test_what_is_no_file_is_not_written_to(workshop: Workshop) -> None:
    texts = workshop.folder / "texts"
    texts.mkdir()
    os.mkfifo(texts / ".pipe.txt.part")
    (texts / ".folder.txt.part").mkdir()
    for name in ("pipe.txt", "folder.txt"):
        with pytest.raises(InputError, match=f"The text {name} cannot be written"):
            workshop.add(name, 0, b"text", last=False)
    assert workshop.add("other.txt", 0, b"text", last=True) == 4


def test_only_an_address_of_this_machine_is_opened() -> None:
    assert (
        address_in("m is shown at http://127.0.0.1:8000/?token=x")
        == "http://127.0.0.1:8000/?token=x"
    )
    assert not address_in("note: The text is at http://evil.example:80/a.txt")


def test_sizes_have_limits(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_workshop, "LARGEST_TEXT", 10)
    assert workshop.room() == 10
    workshop.add("a.txt", 0, b"123456", last=True)
    assert workshop.room() == 4
    with pytest.raises(InputError, match="larger than"):
        workshop.add("b.txt", 0, b"12345", last=True)
    monkeypatch.setattr(_workshop, "_SPARE", 1 << 60)
    with pytest.raises(InputError, match="disk is almost full"):
        workshop.add("b.txt", 0, b"1", last=True)
    assert workshop.room() == 0


def test_a_model_of_other_text_needs_another_name(workshop: Workshop) -> None:
    workshop._hear("hint: Give another name with -o, or replace what is there: --replace\n")
    workshop._hear(f"error: There is no {workshop.folder}/texts/a.txt.\n")
    assert list(workshop._said) == [
        "hint: Give the model another name.",
        "error: There is no texts/a.txt.",
    ]


def test_wrong_questions_are_refused(workshop: Workshop) -> None:
    with pytest.raises(InputError, match="There is no text"):
        workshop.learn("model", [], DEFAULTS)
    with pytest.raises(InputError, match=r"There is no text b\.txt"):
        workshop.learn("model", ["b.txt"], DEFAULTS)
    workshop.add("a.txt", 0, b"text", last=True)
    for chosen in ({"words": "--output"}, {"nothing": "spaces"}):
        with pytest.raises(InputError, match="is not an answer"):
            workshop.learn("model", ["a.txt"], chosen)
    (workshop.folder / "notes").mkdir()
    with pytest.raises(InputError, match="is not a model"):
        workshop.learn("notes", ["a.txt"], DEFAULTS)
    with pytest.raises(InputError, match="There is no model"):
        workshop.explore("model")
    assert workshop.learning() is None


@pytest.mark.slow
def test_what_goes_wrong_is_told(workshop: Workshop) -> None:
    workshop.add("a.txt", 0, b"\xff\xfe\xfa not text", last=True)
    workshop.learn("model", ["a.txt"], DEFAULTS)
    with pytest.raises(BusyError, match="is being learned"):
        workshop.learn("other", ["a.txt"], DEFAULTS)
    failed = until_done(workshop)
    assert failed.state == "failed"
    assert any(line.startswith("error:") for line in failed.notes)
    assert not any(str(workshop.folder) in line for line in failed.notes)
    workshop.learn("model", ["a.txt"], DEFAULTS)
    workshop.stop()
    assert until_done(workshop).state == "stopped"


def test_every_choice_is_an_option_of_learn() -> None:
    from typer.main import get_command

    from firth.cli import app

    learn = get_command(app).commands["learn"]  # type: ignore[attr-defined]
    known = {name for param in learn.params for name in param.opts}
    asked = [
        option
        for answers in _workshop.CHOICES.values()
        for _, options in answers.values()
        for option in options
    ]
    assert {option for option in asked if option.startswith("--")} <= known


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a page without a model."""
    command = [sys.executable, "-m", "firth", "explore", "--no-browser"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "300"},
    ) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
        process.send_signal(signal.SIGINT)
        assert "Stopped." in process.stdout.read()
        assert process.wait(20) == 0


@pytest.mark.slow
def test_nothing_is_done_without_the_token(server: str, tmp_path: Path) -> None:
    client, stranger = Client(server), Client(server.partition("?")[0])
    assert len(client.token or "") > 30
    text = "/api/text?name=a&at=0&last=true"
    for method, target in (("GET", "/api/workshop"), ("PUT", text), ("PUT", "/api/learn")):
        assert stranger.request(method, target, b"{}").status == 403
    assert client.request("GET", "/api/workshop", headers={"Host": "evil.example"}).status == 400
    assert client.request("PUT", text, b"", headers={"Content-Length": str(5 << 20)}).status == 413
    assert not (tmp_path / "texts").exists()
    wrong = client.request("PUT", text.replace("=a", "=..%2Fa"), b"x")
    assert wrong.status == 404
    assert b"The name of the text" in wrong.body
    assert client.request("PUT", text, b"x").body == b"1"


@in_browser
def test_files_and_answers_are_not_lost(
    server: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    given = tmp_path_factory.mktemp("given")
    for name in ("one", "two"):
        (given / f"{name}.txt").write_text("some words\n")
    page = browser.new_page()
    page.goto(server)
    texts, note = page.locator(".texts li"), page.locator("#note")
    page.locator("input[type=file]").set_input_files(given / "one.txt")
    expect(texts).to_have_count(1)
    # the same file again, and another one after it
    page.locator("input[type=file]").set_input_files([given / "one.txt", given / "two.txt"])
    expect(texts).to_have_count(2)
    expect(note).to_contain_text("The text one.txt is there already.")
    # a file that misses the place
    page.locator("h1").evaluate(
        """(heading) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["more words"], "three.txt"));
            const dropped = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
            if (heading.dispatchEvent(dropped)) throw new Error("the browser opens the file");
        }"""
    )
    expect(texts).to_have_count(3)
    expect(note).to_be_hidden()
    page.locator("[id='text-two.txt']").uncheck()
    page.locator("#ask-case").select_option("lower")
    page.locator("#model-name").fill("mine")
    page.reload()
    expect(page.locator("#ask-case")).to_have_value("lower")
    expect(page.locator("#model-name")).to_have_value("mine")
    checked = page.locator(".texts input").evaluate_all("(all) => all.map((box) => box.checked)")
    assert checked == [True, True, False]
    page.context.close()


@in_browser
def test_from_a_file_to_the_explorer_with_keys_alone(
    server: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = write_text(tmp_path_factory.mktemp("given") / "story.txt")
    context = browser.new_context(viewport={"width": 375, "height": 800})
    context.set_default_timeout(120_000)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(server)
    page.locator("input[type=file]").set_input_files(text)
    page.locator("#model-name").focus()
    expect(page.locator("#model-name")).to_have_value("story")
    other = context.new_page()
    other.goto(server)
    expect(other.locator("#model-name")).to_have_value("story")
    other.close()
    page.locator("#ask-case").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#ask-case")).to_have_value("lower")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Learn", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").focus()
    expect(page.get_by_role("heading", name="story is learned")).to_be_visible(timeout=120_000)
    expect(page.get_by_role("button", name="Explore story").first).to_be_focused()
    explore = page.get_by_role("button", name="Explore story").first
    explore.wait_for(timeout=120_000)
    expect(page.get_by_role("heading", name="story is learned")).to_be_visible()
    explore.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#views a", timeout=120_000)
    assert page.title().endswith("story · Firth")
    context.close()
    assert troubles == []


@in_browser
def test_the_page_says_what_went_wrong(
    server: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In sentences: the first word of a line, such as *error:*, is for terminals."""
    bad = tmp_path_factory.mktemp("given") / "bad.txt"
    bad.write_bytes(b"a \xfa b\n")
    page = browser.new_page()
    page.goto(server)
    page.locator("input[type=file]").set_input_files(bad)
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(page.get_by_role("heading", name="bad: something went wrong")).to_be_visible(
        timeout=60_000
    )
    wrong = page.locator(".wrong")
    expect(wrong).to_contain_text("not valid UTF-8")
    for word in ("error:", "hint:", "note:"):
        expect(page.locator("main")).not_to_contain_text(word)
    page.context.close()
