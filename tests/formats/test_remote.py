"""Remote files: read ahead, in parts, again after a failure, and errors that help."""

from __future__ import annotations

import gzip
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firth import formats
from firth.errors import InputError
from firth.formats import RemoteFile, _read_ahead, _remote
from tests.remote import Web, bucket, web_server

DATA = bytes(range(256)) * 40
MUCH = 1 << 20


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    for module in (_read_ahead, _remote):
        monkeypatch.setattr(module, "AT_ONCE", 1000)
    monkeypatch.setattr(_read_ahead, "_BEYOND", 100)
    monkeypatch.setattr(_read_ahead, "_PAUSES", (0.0, 0.0))
    with web_server(tmp_path / "web") as server:
        (server.folder / "data.txt").write_bytes(DATA)
        yield server


def find(url: str) -> RemoteFile:
    return formats.find_remote(url, list)[0]


def whole(file: RemoteFile, begin: int = 0) -> bytes:
    with file.stream(begin) as opened:
        return opened.read()


def wait_for(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def gets(web: Web) -> list[str]:
    return [asked for asked in web.asked if asked.startswith("GET")]


@pytest.mark.parametrize("ranges", [False, True])
def test_a_file_is_read_from_any_byte_on(web: Web, ranges: bool) -> None:
    web.ranges = ranges
    file = find(f"{web.url}/data.txt")
    assert (file.size, file.filename, file.has_ranges()) == (len(DATA), "data.txt", ranges)
    assert str(file) == f"{web.url}/data.txt"
    for begin in (0, 1, 999, 5000, len(DATA)):
        assert whole(file, begin) == DATA[begin:]
    assert file.head(10) == DATA[:10]
    assert whole(pickle.loads(pickle.dumps(file))) == DATA


def test_it_is_read_ahead_but_not_far(web: Web) -> None:
    web.ranges = True
    file = find(f"{web.url}/data.txt")
    web.asked.clear()
    with file.stream() as opened:
        wait_for(lambda: len(gets(web)) == 3)  # two wait, and one is being handed over
        assert opened.read(10) == DATA[:10]
        wait_for(lambda: len(gets(web)) == 4)
    assert len(gets(web)) < 6
    wait_for(lambda: "firth-remote" not in {thread.name for thread in threading.enumerate()})


def test_little_is_read_beyond_the_end_of_a_piece(web: Web) -> None:
    web.ranges = True
    file = find(f"{web.url}/data.txt")
    web.asked.clear()
    with file.stream(500, until=1700) as opened:
        found = b""
        while len(found) < 1300:
            found += opened.read(1300 - len(found))
    assert found == DATA[500:1800]
    ranges = [asked.rpartition("=")[2] for asked in gets(web)]
    assert ranges[:3] == ["500-1499", "1500-1699", "1700-1799"]


@pytest.mark.parametrize("ranges", [False, True])
def test_a_lost_connection_is_made_again(web: Web, ranges: bool) -> None:
    web.ranges = ranges
    file = find(f"{web.url}/data.txt")
    web.asked.clear()
    web.cuts = [MUCH, 500, MUCH, 0, 700] if ranges else [MUCH, 3000, 0]
    assert whole(file) == DATA
    assert web.cuts == []


def test_if_it_stays_lost_the_error_names_the_byte(web: Web) -> None:
    web.ranges = True
    file = find(f"{web.url}/data.txt")
    web.cuts = [MUCH] * 2 + [0] * 20
    with pytest.raises(
        InputError, match=r"The connection to .*data.txt was lost at byte 2,000"
    ) as e:
        whole(file)
    assert "run the same command again" in str(e.value.hint)
    assert len(web.cuts) == 17  # three attempts


def test_an_error_stays(web: Web) -> None:
    file = find(f"{web.url}/data.txt")
    (web.folder / "data.txt").unlink()
    with file.stream() as opened:
        for _ in range(2):
            with pytest.raises(FileNotFoundError):
                opened.read(1)


def test_a_file_that_changes_meanwhile_is_refused(web: Web) -> None:
    web.ranges = True
    path = web.folder / "data.txt"
    file = find(f"{web.url}/data.txt")
    os.utime(path, (1, 1))
    with pytest.raises(InputError, match=r"data.txt has changed while it was being read"):
        whole(file)
    file = find(f"{web.url}/data.txt")
    web.cuts = [MUCH, 0]
    with file.stream() as opened:
        wait_for(lambda: len(web.cuts) < 2)
        os.utime(path, (2, 2))
        with pytest.raises(InputError, match=r"has changed while it was being read"):
            opened.read()


def test_tokens_follow_the_content(web: Web) -> None:
    token = find(f"{web.url}/data.txt").token
    assert token
    assert find(f"{web.url}/data.txt").token == token
    os.utime(web.folder / "data.txt", (1, 1))
    assert find(f"{web.url}/data.txt").token not in (token, None)
    web.marks = False
    assert find(f"{web.url}/data.txt").token is None
    assert _remote._token({"ETag": 'W/"1"', "size": 3}) is None
    assert _remote._token({"ETag": '"1"', "size": 3}) != _remote._token({"ETag": '"1"', "size": 4})


ERRORS = {
    404: ("There is no file URL/data.txt", "Check the name"),
    403: ("No permission to read URL/data.txt: 403, .*Forbidden", "USER:PASSWORD@HOST"),
    401: ("No permission to read URL/data.txt: 401", "USER:PASSWORD@HOST"),
    500: ("URL/data.txt cannot be read: 500", "Check the address"),
}


@pytest.mark.parametrize("status", ERRORS)
def test_what_a_web_server_refuses(web: Web, status: int) -> None:
    web.status = status
    message, hint = ERRORS[status]
    with pytest.raises(InputError, match=message.replace("URL", web.url)) as error:
        find(f"{web.url}/data.txt".replace("//", "//anna:hunter2@") + "?key=hunter2")
    assert hint in str(error.value.hint)
    assert "hunter2" not in str(error.value)
    assert "\n" not in error.value.message


def test_a_server_that_is_not_there(web: Web) -> None:
    with pytest.raises(InputError, match=r"127.0.0.1:1/data.txt cannot be read: .*") as error:
        find("http://127.0.0.1:1/data.txt")
    assert "Check the address and the network" in str(error.value.hint)


def test_unknown_schemes_and_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    with pytest.raises(InputError, match="nothing:// is not known"):
        find("nothing://a/b")

    def missing(name: str) -> Callable[..., Any]:
        def fail(*_: Any, **__: Any) -> Any:
            raise ImportError(f"Install {name} to access it", name=name)

        return fail

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing("s3fs"))
    for scheme, package in (
        ("s3", "s3fs"),
        ("gs", "gcsfs"),
        ("az", "adlfs"),
        ("hf", "huggingface_hub"),
    ):
        with pytest.raises(InputError, match=f"{scheme}:// needs the package {package}") as error:
            find(f"{scheme}://a/b")
        assert error.value.hint == f"Install it: pip install {package}"
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(InputError, match="s3:// needs the package fsspec") as error:
        find("s3://a/b")
    assert error.value.hint == 'Install it: pip install "firth[remote]"'


def test_s3_without_permission_and_without_credentials(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.status = 403
    with bucket(monkeypatch, web.url):
        with pytest.raises(
            InputError, match=r"No permission to read s3://box/a.txt: Forbidden"
        ) as error:
            find("s3://box/a.txt")
        assert "AWS_ACCESS_KEY_ID" in str(error.value.hint)
    with bucket(monkeypatch, web.url):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        with pytest.raises(
            InputError, match=r"No permission .*: Unable to locate credentials"
        ) as error:
            find("s3://box/a.txt")
        assert "AWS_PROFILE" in str(error.value.hint)
        assert "FSSPEC_S3_ANON=true" in str(error.value.hint)


def test_truncated_compression_is_told_from_a_lost_connection(web: Web) -> None:
    (web.folder / "half.gz").write_bytes(gzip.compress(os.urandom(3000))[:1500])
    (web.folder / "broken.gz").write_bytes(gzip.compress(DATA)[:40] + b"\xff" * 100)
    for name, message in (
        ("half", "is a damaged gzip file: it ends too early"),
        ("broken", "damaged gzip"),
    ):
        with (
            formats.open_stream(find(f"{web.url}/{name}.gz")) as stream,
            pytest.raises(InputError, match=message),
        ):
            stream.read(1 << 20)
