"""firth explore."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import firth as library
from firth import explore
from firth.errors import ModelError
from firth.store import writing
from tests.cli.test_commands import Run
from tests.explore.models import Client, serving
from tests.explore.test_limits import until

TEXT = "the cat sat on the mat\nthe dog sat on the rug\na cat saw a dog\na dog saw a cat\n" * 6


@pytest.fixture
def model(text_file: Callable[..., Path], tmp_path: Path) -> Path:
    library.learn(text_file(TEXT), tmp_path / "model", dim=4, classes=4, threads=1)
    return tmp_path / "model"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the command would have served; nothing listens."""
    asked: list[tuple[Any, ...]] = []

    def serve(
        watcher: Any,
        host: str,
        port: Any,
        edit: bool,
        names: Any,
        started: Any,
        token: Any,
        grace: float,
        framed: bool,
    ) -> None:
        assert grace > 0, "SIGTERM ends the command, whatever happens"
        assert not framed
        asked.append((watcher, host, port, edit, names))
        secret = f"?token={token or 'T' * 43}" if edit or token else ""
        started(f"http://{host}:{port or 8765}/{secret}")

    monkeypatch.setattr(explore, "serve", serve)
    monkeypatch.setattr(explore, "open_browser", lambda address: asked.append(("browser", address)))
    return asked


def test_what_is_missing_is_made_the_first_time(
    firth: Run, model: Path, served: list[tuple[Any, ...]]
) -> None:
    result = firth("explore", model)
    assert result.status == 0
    assert f"{model} is shown at http://127.0.0.1:8765/" in result.out
    assert "Press Ctrl-C to stop." in result.out
    assert result.out.endswith("Stopped.\n")
    assert served[1] == ("browser", "http://127.0.0.1:8765/")
    (watcher, host, port, edit, names) = served[0]
    assert (host, port, edit, names) == ("127.0.0.1", None, False, [])
    assert watcher.snapshot().parts == {
        "corpus",
        "counts",
        "vectors",
        "grammar_vectors",
        "classes",
        "map",
        "grammar_map",
        "index",
        "report",
    }
    made = {name: part.identity for name, part in library.load(model).parts.items()}
    again = firth("explore", model, "--no-browser")
    assert again.err == ""
    assert {name: part.identity for name, part in library.load(model).parts.items()} == made
    assert len(served) == 3, "no browser the second time"


def test_options_reach_the_server(firth: Run, model: Path, served: list[tuple[Any, ...]]) -> None:
    options = "--port 9999 --edit --allow-host a.example --allow-host b.example --no-browser -q"
    firth("explore", model, *options.split())
    assert served[0][1:] == ("127.0.0.1", 9999, True, ["a.example", "b.example"])


def test_the_address_has_the_token_of_the_server(
    firth: Run, model: Path, served: list[tuple[Any, ...]]
) -> None:
    address = f"http://127.0.0.1:8765/?token={'T' * 43}"
    result = firth("explore", model, "--edit", "-q")
    assert f"{model} is shown at {address}\n" in result.out
    assert served[1] == ("browser", address)
    assert "?token" not in firth("explore", model, "-q").out, "no token, no change"


@pytest.mark.slow
def test_a_given_token_is_not_printed(
    firth: Run,
    fails: Run,
    model: Path,
    served: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FIRTH_TOKEN", "a-token_of.my~own-0123")
    result = firth("explore", model, "-q")
    assert "is shown at http://127.0.0.1:8765/\n" in result.out
    assert "It asks for the token in FIRTH_TOKEN." in result.out
    assert "a-token" not in result.out + result.err
    assert served[1] == ("browser", "http://127.0.0.1:8765/?token=a-token_of.my~own-0123")
    for wrong in ("short", "with a blank in it 0123", "<script>alert(1)</script>", "é" * 20):
        monkeypatch.setenv("FIRTH_TOKEN", wrong)
        result = fails("explore", model, status=2)
        assert "FIRTH_TOKEN" in result.err
        assert wrong not in result.err
    assert len(served) == 2


class Browser:
    """Notes what it is told to open, and what that was at the time."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, str, int]] = []

    def open(self, address: str) -> None:
        file = Path(address.removeprefix("file://"))
        is_file = address.startswith("file:")
        mode = file.parent.stat().st_mode & 0o777 if is_file else 0
        self.opened.append((address, file.read_text() if is_file else "", mode))


def test_a_token_is_not_in_the_arguments_of_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """All users of a machine can see the arguments of its programs."""
    from firth.explore import _server

    browser = Browser()
    monkeypatch.setattr("webbrowser.get", lambda: browser)
    monkeypatch.setattr(_server, "_SECONDS_TO_OPEN", 0.0)
    explore.open_browser("http://127.0.0.1:1/")
    explore.open_browser("http://127.0.0.1:1/?token=abc&d")
    assert until(lambda: len(browser.opened) == 2)
    by_file = sorted(browser.opened)
    assert by_file[1] == ("http://127.0.0.1:1/", "", 0)
    address, page, mode = by_file[0]
    assert "token" not in address
    assert mode == 0o700, "only this user can read it"
    assert 'content="0;url=http://127.0.0.1:1/?token=abc&amp;d"' in page
    folder = Path(address.removeprefix("file://")).parent
    assert until(lambda: not folder.exists()), "nothing is left"


def test_the_size_of_the_map_can_be_chosen(
    firth: Run, model: Path, served: list[tuple[Any, ...]]
) -> None:
    firth("explore", model, "--map-words", 0, "-q", "--no-browser")
    assert "map" not in library.load(model)
    assert "index" in library.load(model)
    firth("explore", model, "--map-words", 5, "-q", "--no-browser")
    assert len(library.load(model).map.vocabulary) == 5
    firth("explore", model, "-q", "--no-browser")
    assert len(library.load(model).map.vocabulary) == 5, "what is there is kept"
    firth("explore", model, "--map-words", 7, "-q", "--no-browser")
    assert len(library.load(model).map.vocabulary) == 7


def test_export(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = firth("explore", model, "--export", page, "--words", 3)
    assert result.status == 0
    assert result.out.startswith(f"written: {page}")
    assert "kB" in result.out
    assert "<!doctype html>" in page.read_text().lower()
    few = page.stat().st_size
    firth("explore", model, "--export", page, "-q")
    assert page.stat().st_size > few, "more words"
    assert "ends with .html" in fails("explore", model, "--export", tmp_path / "page.pdf").err
    assert not (tmp_path / "page.pdf").exists()
    missing = fails("explore", model, "--export", tmp_path / "nowhere" / "page.html")
    assert "There is no folder" in missing.err
    assert ".part" not in missing.err


def test_wrong_models(fails: Run, tmp_path: Path) -> None:
    assert "There is no model folder" in fails("explore", tmp_path / "nothing").err
    (tmp_path / "empty").mkdir()
    assert "is not a Firth model" in fails("explore", tmp_path / "empty").err
    assert list((tmp_path / "empty").iterdir()) == [], "nothing is written there"
    (tmp_path / "file").write_text("text")
    assert "is not a Firth model" in fails("explore", tmp_path / "file").err


def test_a_model_with_nothing_in_it(fails: Run, tmp_path: Path) -> None:
    with writing(tmp_path / "m"):
        result = fails("explore", tmp_path / "m", "--no-browser")
    assert "There is nothing to show" in result.err
    assert "firth learn" in result.err


def test_a_damaged_model(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    part = library.load(model).parts["vectors"]
    file = part.path("vectors.f32")
    file.write_bytes(bytes(file.stat().st_size))
    result = fails("explore", model, "--export", tmp_path / "p.html", "-q", "--map-words", 0)
    assert "is damaged" in result.err
    assert not (tmp_path / "p.html").exists()
    result = firth("explore", model, "--no-browser", "-q", "--map-words", 0)
    assert result.status == 1, "the server ends by itself"
    assert [line.split(":")[0] for line in result.err.splitlines()] == ["error", "hint"]
    assert "is damaged" in result.err
    assert "Stopped." not in result.out


@pytest.mark.parametrize(
    "options", ["--port 0", "--port 65536", "--port many", "--words 0", "--map-words -1", "--colour blue", "--export"]
)  # fmt: skip
@pytest.mark.slow
def test_wrong_options(
    firth: Run, model: Path, options: str, served: list[tuple[Any, ...]]
) -> None:
    result = firth("explore", model, *options.split())
    assert result.status == 2
    assert options.split()[0] in result.err
    assert "Traceback" not in result.err
    assert not served


def test_a_port_that_is_taken(fails: Run, model: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = fails("explore", model, "--port", port, "--no-browser", "-q")
    assert f"Cannot listen on 127.0.0.1, port {port}: Address already in use." in result.err
    assert "--port" in result.err


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "a" * 70])
@pytest.mark.slow
def test_an_address_that_is_not_of_this_machine(model: Path, host: str) -> None:
    with pytest.raises(library.InputError) as error:
        explore.serve(explore.ModelWatcher(model), host, 8999)
    assert host in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(("host", "edit"), [("0.0.0.0", False), ("::", True), ("10.0.0.1", True)])
@pytest.mark.slow
def test_other_addresses_than_this_machine_are_warned_of(
    firth: Run, model: Path, served: list[tuple[Any, ...]], host: str, edit: bool
) -> None:
    options = ["--edit"] if edit else []
    result = firth("explore", model, "--host", host, "--no-browser", "-q", *options)
    assert result.status == 0
    assert result.err.startswith(
        f"warning: with --host {host}, anyone who has the address with its token"
    )
    assert "The connection is not encrypted." in result.err
    assert ("rename classes and tags" in result.err) == edit
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
@pytest.mark.slow
def test_addresses_of_this_machine_alone_are_not(
    firth: Run, model: Path, served: list[tuple[Any, ...]], host: str
) -> None:
    assert firth("explore", model, "--host", host, "--no-browser", "-q").err == ""
    assert served[0][1] == host


def shown_without_map_and_index(model: Path) -> None:
    with serving(model) as address:
        client = Client(address)
        assert client.ask("model")["parts"] == [
            "classes",
            "corpus",
            "counts",
            "grammar_vectors",
            "vectors",
        ]
        assert len(client.ask("concordance", word="cat")["lines"]) == 18
        assert client.ask("neighbours", word="cat")
        client.problem(404, "map")


@pytest.mark.parametrize("how", ["busy", "refused"])
@pytest.mark.slow
def test_a_model_that_cannot_be_written_is_shown_without_map_and_index(
    firth: Run,
    model: Path,
    served: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    if how == "refused":

        def refuse(path: Any) -> None:
            raise ModelError(f"Cannot write to {path}: Permission denied.", "Check it.")

        monkeypatch.setattr("firth.explore._prepare.writing", refuse)
    with writing(model) if how == "busy" else nullcontext():
        result = firth("explore", model, "--no-browser")
        assert result.status == 0
        assert "Not made: word index, report on the text, word map, map by grammar." in result.err
        assert ("is writing to" if how == "busy" else "Permission denied") in result.err
        assert len(served) == 1
        monkeypatch.undo()
        shown_without_map_and_index(model)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_is_read_only(firth: Run, model: Path, served: list[tuple[Any, ...]]) -> None:
    (model / ".lock").unlink(missing_ok=True)
    model.chmod(0o555)
    try:
        result = firth("explore", model, "--no-browser")
        assert result.status == 0
        assert "Not made: word index, report on the text, word map, map by grammar." in result.err
        shown_without_map_and_index(model)
    finally:
        model.chmod(0o755)


def test_a_text_without_vectors_or_classes_is_shown(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path, served: list[tuple[Any, ...]]
) -> None:
    firth("corpus", "learn", text_file(TEXT), "-o", tmp_path / "m", "-q")
    assert firth("explore", tmp_path / "m", "--no-browser", "-q").status == 0
    assert served[0][0].snapshot().parts == {"corpus", "index", "report"}


def test_too_few_vectors_for_a_map_are_no_error(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path, served: list[tuple[Any, ...]]
) -> None:
    firth("import", text_file("1 2\ncat 1 0\n", "v.vec"), "-o", tmp_path / "m", "-q")
    result = firth("explore", tmp_path / "m", "--no-browser")
    assert result.status == 0
    assert "vectors" in served[0][0].snapshot().parts


def test_help_names_an_example(firth: Run) -> None:
    out = firth("explore", "--help").out
    assert "firth explore news --export news.html" in out
    for option in ("--edit", "--port", "--host", "--allow-host", "--map-words", "--words"):
        assert option in out
