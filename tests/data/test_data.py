"""Data sets: the table, and downloading from a server on this machine that fails, truncates and stalls."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from firth.cli import app
from firth.data import DataSet, _download, cache_folder, data_sets, get
from firth.errors import BusyError, FirthError, InputError, ParameterError
from firth.store import lock, open_file, rename

CONTENT = bytes(range(256)) * 1000
SUM = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """Answers with some content; ``faults`` are what goes wrong, one for each request."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.faults: list[str] = []
        self.asked: list[tuple[str, str]] = []
        self.ranges = True
        self.url = ""
        self.released = threading.Event()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range") or ""
        self.asked.append((request.path, wanted))
        fault = self.faults.pop(0) if self.faults else ""
        if fault.isdigit():
            request.send_error(int(fault))
            return
        if fault == "moved" or "://" in fault:
            request.send_response(302)
            request.send_header(
                "Location", f"{self.url}/elsewhere.txt" if fault == "moved" else fault
            )
            request.end_headers()
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted and self.ranges else 0  # type: ignore[index]
        if wanted and start >= len(self.content):
            request.send_error(416)
            return
        body = self.content[start:]
        request.send_response(206 if wanted and self.ranges else 200)
        request.send_header("Content-Length", str(len(body)))
        if wanted and self.ranges:
            request.send_header("Content-Range", f"bytes {start}-{len(self.content) - 1}/*")
        request.end_headers()
        if fault in ("cut", "stall"):
            request.wfile.write(body[: len(body) // 2])
            request.wfile.flush()
            if fault == "stall":
                self.released.wait(20)
            request.close_connection = True
            return
        request.wfile.write(body)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    made = Server()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_GET(self) -> None:
            made.answer(self)

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients may leave
    made.url = f"http://127.0.0.1:{listening.server_port}"
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "no_proxy", "FIRTH_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_download, "TIMEOUT", 0.3)
    monkeypatch.setattr(_download, "PAUSES", (0.0, 0.0))
    yield made
    made.released.set()
    listening.shutdown()
    listening.server_close()
    thread.join()


@pytest.fixture
def table(server: Server, tmp_path: Path) -> Path:
    return write_table(tmp_path / "sets.toml", f"{server.url}/bytes.txt.gz?token=secret")


def write_table(path: Path, url: str, size: int = len(CONTENT), sha256: str = SUM) -> Path:
    path.write_text(
        f'[bytes]\ntitle = "All bytes"\nlicence = "CC0-1.0"\nurl = "{url}"\n'
        f'size = {size}\nsha256 = "{sha256}"\n'
    )
    return path


def parts() -> list[Path]:
    return list(cache_folder().glob("*.part"))


def test_a_file_is_downloaded_once(server: Server, table: Path) -> None:
    path = get("bytes", table)
    assert path.read_bytes() == CONTENT
    assert path.parent == cache_folder()
    assert get("bytes", table) == path
    assert len(server.asked) == 1
    path.write_bytes(CONTENT[:-1] + b"x")  # damaged later
    assert get("bytes", table).read_bytes() == CONTENT
    assert len(server.asked) == 2


@pytest.mark.parametrize("fault", ["cut", "stall"])
def test_what_has_arrived_is_kept_and_continued(server: Server, table: Path, fault: str) -> None:
    server.faults = [fault] * 4
    assert get("bytes", table).read_bytes() == CONTENT
    starts = [int(asked[6:-1]) for _, asked in server.asked[1:]]
    assert starts[0] == len(CONTENT) // 2
    assert starts == sorted(set(starts)), "each request asks for what is still missing"
    assert not parts()


def test_a_later_run_continues(server: Server, table: Path) -> None:
    server.faults = ["cut", "503", "503", "503"]
    with pytest.raises(InputError, match="answers 503") as caught:
        get("bytes", table)
    assert "secret" not in str(caught.value)
    assert parts()[0].stat().st_size == len(CONTENT) // 2
    server.asked.clear()
    assert get("bytes", table).read_bytes() == CONTENT
    assert server.asked[0][1] == f"bytes={len(CONTENT) // 2}-"


def test_a_server_without_ranges_begins_again(server: Server, table: Path) -> None:
    server.ranges, server.faults = False, ["cut"]
    assert get("bytes", table).read_bytes() == CONTENT
    server.faults = ["cut"] * 9  # always as far as before: that is no progress
    get("bytes", table).unlink()
    with pytest.raises(InputError, match="breaks off"):
        get("bytes", table)
    assert len(server.asked) == 2 + 3


def test_a_server_that_never_answers_is_given_up(server: Server, table: Path) -> None:
    server.content, server.faults = b"", []
    with pytest.raises(InputError, match="breaks off"):
        get("bytes", table)
    server.content, server.faults = CONTENT[:2], ["stall"] * 9
    with pytest.raises(InputError, match="stalls"):
        get("bytes", table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content[:-1] + b"x", "its checksum is wrong"),
        (lambda content: content + b"x", "larger than the table says"),
        (lambda content: content[:-1], "breaks off|416"),
    ],
)
def test_other_content_is_refused(
    server: Server, table: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    server.content = change(CONTENT)
    with pytest.raises(InputError, match=message):
        get("bytes", table)
    assert [path.suffix for path in cache_folder().iterdir()] == [".part"]
    server.content = CONTENT
    assert get("bytes", table).read_bytes() == CONTENT


def test_a_part_of_something_else_is_thrown_away(server: Server, table: Path) -> None:
    server.faults = ["cut", "503", "503", "503"]
    with pytest.raises(InputError):
        get("bytes", table)
    (part,) = parts()
    part.write_bytes(b"x" * part.stat().st_size)
    assert get("bytes", table).read_bytes() == CONTENT


def test_answers_that_will_not_change_are_not_asked_for_again(server: Server, table: Path) -> None:
    server.faults = ["404"]
    with pytest.raises(InputError, match="answers 404"):
        get("bytes", table)
    assert len(server.asked) == 1


def test_redirections_are_followed_with_the_range(server: Server, table: Path) -> None:
    server.faults = ["cut", "moved"]
    assert get("bytes", table).read_bytes() == CONTENT
    assert server.asked[-1] == ("/elsewhere.txt", f"bytes={len(CONTENT) // 2}-")


@pytest.mark.parametrize("wrong", ["http://[x/", "http://a..b/x", "http://127.0.0.1:port/"])
def test_addresses_that_are_not_valid(server: Server, tmp_path: Path, wrong: str) -> None:
    for url, faults in ((wrong, []), (f"{server.url}/a.txt", [wrong])):
        server.faults = list(faults)
        with pytest.raises(InputError, match="not valid"):
            get("bytes", write_table(tmp_path / "sets.toml", url))
    assert len(server.asked) == 1, "no second attempt"


@pytest.mark.parametrize("url", ["file:///etc/hosts", "ftp://127.0.0.1/a", "data:,a://b"])
def test_redirections_lead_to_web_servers_only(server: Server, table: Path, url: str) -> None:
    server.faults = [url] * 9
    with pytest.raises(InputError, match="cannot be downloaded"):
        get("bytes", table)
    assert parts()[0].stat().st_size == 0


def test_a_proxy_is_used(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    table = write_table(tmp_path / "sets.toml", "http://nowhere.invalid/a.txt")
    assert get("bytes", table).read_bytes() == CONTENT
    assert server.asked == [("http://nowhere.invalid/a.txt", "")]


def test_offline(server: Server, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="--offline"):
        get("bytes", table, offline=True)
    monkeypatch.setenv("FIRTH_OFFLINE", "1")
    with pytest.raises(InputError, match="FIRTH_OFFLINE is set"):
        get("bytes", table)
    monkeypatch.delenv("FIRTH_OFFLINE")
    assert not server.asked
    path = get("bytes", table)
    assert get("bytes", table, offline=True) == path


def test_two_processes_do_not_write_one_file(server: Server, table: Path) -> None:
    server.faults = ["404"]
    with pytest.raises(InputError):
        get("bytes", table)
    with open_file(parts()[0], "a+b") as other:
        assert lock(other)
        with pytest.raises(BusyError, match="Another process"):
            get("bytes", table)


def test_another_process_that_is_faster_by_a_moment_does_no_harm(
    server: Server, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def renamed_by_two(old: Path, new: Path) -> None:
        rename(old, new)
        rename(old, new)

    monkeypatch.setattr(_download, "rename", renamed_by_two)
    assert get("bytes", table).read_bytes() == CONTENT
    monkeypatch.setattr(_download, "is_here", lambda _: False)
    with pytest.raises(InputError, match="Cannot write"):
        get("bytes", table)


def test_a_folder_that_cannot_be_written_to(
    server: Server, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(InputError, match="Cannot write") as caught:
        get("bytes", table)
    assert "FIRTH_CACHE" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("size = ", "size = -"), "size must be a number of bytes"),
        ((f"size = {len(CONTENT)}", "size = true"), "size must be"),
        ((SUM, SUM[1:]), "sha256 must be 64"),
        (("http://", "file://"), "url must be an address"),
        (("[bytes]", '["../bytes"]'), "is not a data set"),
        (("licence", "license"), "licence, license"),
        (("CC0-1.0", "\\u001b[2J"), "licence must be a line of text"),
        (("All bytes", "All\\nbytes"), "title must be a line of text"),
        (("[bytes]", "[bytes"), "not a TOML file"),
        (("title", "a = 1\n[other]\ntitle"), "must have"),
    ],
)
def test_tables_are_checked(table: Path, change: tuple[str, str], message: str) -> None:
    table.write_text(table.read_text().replace(*change))
    with pytest.raises(InputError, match=message):
        data_sets(table)


def test_no_table_and_no_set(table: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"no data set 'byte'.*There are bytes"):
        get("byte", table)
    with pytest.raises(FirthError, match="Cannot read"):
        data_sets(tmp_path / "none.toml")


def test_the_own_table_is_complete() -> None:
    """Each address names a commit, so that what the checksum is for cannot change."""
    found = data_sets()
    assert found
    for one in found:
        assert isinstance(one, DataSet)
        assert re.search("/[0-9a-f]{40}/", one.url), one.name
        assert one.licence
    assert len({one.sha256 for one in found}) == len(found)


def test_commands(server: Server, table: Path) -> None:
    run = CliRunner().invoke
    before = json.loads(run(app, ["data", "list", "--table", str(table), "--json"]).stdout)
    assert [(row["name"], row["size"], row["downloaded"]) for row in before] == [
        ("bytes", len(CONTENT), False)
    ]
    done = run(app, ["data", "get", "bytes", "--table", str(table)])
    assert Path(done.stdout.strip()).read_bytes() == CONTENT
    assert "CC0-1.0" in done.stderr
    listed = run(app, ["data", "list", "--table", str(table)]).stdout
    assert re.search(r"bytes +256 kB +CC0-1.0 +yes +All bytes", listed)
    assert "moby-dick" in run(app, ["data", "list"]).stdout
    assert run(app, ["data", "get", "moby-dick", "--offline"]).exit_code == 1
