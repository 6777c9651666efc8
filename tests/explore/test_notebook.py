"""``model.explore()``: the explorer in a frame of a notebook."""

from __future__ import annotations

import io
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import firth
from firth.exploring import Exploring


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> firth.Model:
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "text.txt").write_text("the sea and the ship\na ship at sea\nlaw and land\n" * 20)
    return firth.learn(folder / "text.txt", folder / "model", min_count=1, classes=4)


@pytest.fixture(scope="module")
def shown(model: firth.Model) -> Iterator[Exploring]:
    exploring = model.explore(height=500)
    yield exploring
    exploring.stop()


def test_the_address_answers_and_may_be_framed_by_this_machine_alone(shown: Exploring) -> None:
    assert shown.address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(shown.address, timeout=30) as answer:
        page, headers = answer.read().decode(), answer.headers
    assert "<html" in page
    policy = headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors http://localhost:* http://127.0.0.1:*")
    assert "script-src 'self';" in policy
    assert headers["x-frame-options"] is None
    assert headers["x-content-type-options"] == "nosniff"


def test_the_notebook_gets_a_frame_and_a_link(shown: Exploring) -> None:
    html = shown._repr_html_()
    assert f'<iframe src="{shown.address}"' in html
    assert 'height="500"' in html
    assert f'<a href="{shown.address}" target="_blank"' in html
    assert shown.address in repr(shown)


def test_nothing_answers_when_it_is_stopped(model: firth.Model) -> None:
    said = io.StringIO()
    with firth.show_progress(said):
        exploring = model.explore()
    assert "starting the explorer: done in" in said.getvalue()
    exploring.stop()
    exploring.stop()  # does no harm
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(exploring.address, timeout=5)


def test_a_note_says_that_the_first_time_takes_longer(
    model: firth.Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("firth.exploring.Exploring", lambda path, height: path)
    model.copy_to(tmp_path / "copy", ["corpus"]).explore()
    assert "maps and an index first" in caplog.text
    caplog.clear()
    model.copy_to(tmp_path / "grammar", ["classes"]).explore()
    assert caplog.text == ""


def test_what_went_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(firth.FirthError, match="The explorer has ended") as caught:
        Exploring(tmp_path / "nothing", 100)
    assert "nothing" in (caught.value.hint or "")


@contextmanager
def a_notebook(html: str, host: str) -> Iterator[str]:
    """A page on another port of this machine; the address at which it is."""

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>Notebook</title>{html}".encode())

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{host}:{server.server_port}/"
        server.shutdown()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("host", "framed"), [("localhost", True), ("127.0.0.1", True), ("[::ffff:7f00:1]", False)]
)
def test_a_frame_shows_the_explorer_in_pages_of_this_machine(
    shown: Exploring, browser: Browser, host: str, framed: bool
) -> None:
    with a_notebook(shown._repr_html_(), host) as address:
        page = browser.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(address)
        inside = page.frame_locator("iframe").locator("h1:has-text('You shall know a word')")
        if framed:
            expect(inside).to_be_visible()
            assert not any("frame-ancestors" in text for text in said)
        else:
            while not any("frame-ancestors" in text for text in said):
                page.wait_for_event("console")
            assert inside.count() == 0
        page.close()
