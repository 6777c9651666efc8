"""What stands between the network and a model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.explore._middleware import LARGEST_BODY, LONGEST_QUERY, Guard, is_allowed
from firth.explore._page import page_files
from tests.explore.models import Client, check_headers, check_problem, serving

# Hosts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.1:80", "127.0.0.1:65535", "localhost", "LocalHost:8765", "[::1]", "[::1]:8765",
        "10.1.2.3:1", "allowed.example", "ALLOWED.example:99", "127.0.0.1:",
    ],
)  # fmt: skip
def test_addresses_and_allowed_names_are_ours(host: str) -> None:
    assert is_allowed(host, frozenset({"allowed.example"}))


FOREIGN = [
    "", "evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:80:80",
    "localhost:x", "127.0.0.1:8765x", "127.0.0.1@evil.example", "evil.example#127.0.0.1", "[::1", "[::1]x", "[::1]:x",
    "[evil.example]", "::1", "notallowed.example", "allowed.example.evil", "127.0.0.1 evil.example", "127.1",
    "localhost,evil.example", "2130706433", "0x7f.0.0.1", "localhost/", "[::1]:²",
]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN)
def test_all_other_names_are_not(host: str) -> None:
    assert not is_allowed(host, frozenset({"allowed.example"}))


@given(st.text(max_size=30))
def test_whatever_a_host_is_it_is_ours_only_if_it_is_an_address_or_a_known_name(host: str) -> None:
    if is_allowed(host, frozenset()):
        shape = r"localhost(:\d*)?|\[.*\](:\d*)?|[\d.]+(:\d*)?"
        assert re.fullmatch(shape, host.lower(), re.DOTALL)


@pytest.mark.parametrize("host", [h for h in FOREIGN if h])
def test_a_foreign_name_is_refused(client: Client, host: str) -> None:
    for target in ("/", "/app.js", "/api/model", "/nothing"):
        answer = client.request("GET", target, headers={"Host": host.encode().decode("latin-1")})
        check_problem(answer, 400)
        assert "does not accept that host name" in answer.json["error"]
        assert "x-firth-model" not in answer.headers


@pytest.mark.parametrize(
    "head",
    [
        b"GET /api/model HTTP/1.0\r\n\r\n", b"GET /api/model HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET /api/model HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET /api/model HTTP/1.0\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET /api/model HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n",
        b"GET http://localhost/api/model HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    ],
)  # fmt: skip
def test_no_host_or_two_are_refused(client: Client, head: bytes) -> None:
    found = client.raw(head)
    assert found.startswith(b"HTTP/1.1 400 ")
    assert b"version" not in found


def test_a_name_can_be_allowed(model_path: Path) -> None:
    with serving(model_path, names=["Firth.Example"]) as address:
        client = Client(address)
        for host in ("firth.example", "FIRTH.example:443", client.netloc):
            assert client.request("GET", "/api/model", headers={"Host": host}).status == 200
        for host in ("other.example", "x.firth.example", "firth.example.other"):
            check_problem(client.request("GET", "/api/model", headers={"Host": host}), 400)


@pytest.mark.slow
def test_the_name_it_listens_on_is_its_own(model_path: Path) -> None:
    with serving(model_path, host="localhost") as address:
        assert address.startswith("http://localhost:")
        assert "/?token=" in address
        assert Client(address).ask("model")["title"] == "model"


# Headers, methods, paths ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/", 200), ("/index.html", 200), ("/app.js", 200), ("/style.css", 200), ("/api/model", 200),
        ("/api/tree", 200),
        ("/api/map", 200), ("/api/openapi.json", 200), ("/api/word?word=unheard-of", 404), ("/nothing", 404),
        ("/api/nothing", 404), ("/api/word", 422), ("/api/class?path=2", 422),
    ],
)  # fmt: skip
def test_every_answer_has_all_headers(client: Client, target: str, status: int) -> None:
    origin = {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}
    for headers in ({}, origin):
        answer = client.request("GET", target, headers=headers)
        assert answer.status == status
        check_headers(answer)
        if status != 200:
            check_problem(answer, status)
    asked = target.startswith("/api") and "openapi" not in target and target != "/api/nothing"
    assert ("x-firth-model" in answer.headers) == asked


def test_files_of_the_page_come_as_what_they_are(client: Client) -> None:
    kinds = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg"}
    for name, (content, _) in page_files().items():
        answer = client.request("GET", f"/{name}")
        assert answer.body == content
        assert answer.headers["content-type"].startswith(kinds[name.rpartition(".")[2]])
    assert client.request("GET", "/").body == page_files()["index.html"][0]


@pytest.mark.parametrize(
    "target", ["/", "/app.js", "/api/model", "/api/tree", "/api/word?word=cat"]
)
def test_head_is_get_without_content(client: Client, target: str) -> None:
    whole, head = (client.request(method, target) for method in ("GET", "HEAD"))
    assert (whole.status, head.status, head.body) == (200, 200, b"")
    kept = [{k: v for k, v in a.headers.items() if k != "date"} for a in (whole, head)]
    assert kept[0] == kept[1]
    assert client.request("HEAD", "/nothing").status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize(
    "target", ["/", "/app.js", "/api/model", "/api/name", "/api/word?word=cat"]
)
def test_nothing_but_reading(client: Client, method: str, target: str) -> None:
    answer = client.request(method, target, b"{}", {"Content-Type": "application/json"})
    check_problem(answer, 405)
    assert set(answer.headers["allow"].split(", ")) <= {"GET", "HEAD"}


OUTSIDE = [
    "/../pyproject.toml", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/%2fetc%2fpasswd",
    "/page/../_guard.py", "/../_guard.py", "/%2e%2e/_guard.py", "/./app.js", "/app.js/", "/app.js%00",
    "/app.js%00.html",
    "/..\\_guard.py", "/%5c..%5c_guard.py", "/C:/Windows/win.ini", "/views", "/page", "/page/", "/.", "/..",
    "/__pycache__",
    "/file:///etc/passwd", "/etc/passwd", "/App.js", "/%zz", "/%ff%c0%ae", "/favicon.ico", "/robots.txt", "/docs",
    "/redoc", "/openapi.json", "/api", "/api/", "/api/../app.js", "/api/model/",
]  # fmt: skip


@pytest.mark.parametrize("target", OUTSIDE)
def test_nothing_outside_the_page_can_be_asked_for(client: Client, target: str) -> None:
    for method in ("GET", "HEAD"):
        answer = client.request(method, target)
        assert answer.status == 404, answer
        check_headers(answer)
    check_problem(client.request("GET", target), 404)


# The token --------------------------------------------------------------------------------------

ASKED = [
    "/api/model", "/api/word?word=cat", "/api/complete?q=c", "/api/tree", "/api/map", "/api/about",
    "/api/senses?word=cat",
    "/api/openapi.json", "/api/nothing", "/api", "/api/", "/api/model?token={token}",
]  # fmt: skip


@pytest.mark.parametrize("how", ["edit", "host", "token"])
@pytest.mark.slow
def test_without_the_token_nothing_is_answered_but_the_page(model_path: Path, how: str) -> None:
    options: dict[str, dict[str, Any]] = {
        "edit": {"edit": True}, "host": {"host": "127.0.0.2"}, "token": {"token": "0123456789abcdef"},
    }  # fmt: skip
    with serving(model_path, **options[how]) as address:
        client = Client(address)
        assert client.ask("model")["title"] == "model"
        assert "token" not in client.ask("model")
        token = str(client.token)
        assert how != "token" or token == "0123456789abcdef"
        for wrong in (None, "", "x", token[:-1], token.upper()):
            client.token = wrong
            for target in ASKED:
                for method in ("GET", "HEAD", "PUT", "OPTIONS"):
                    answer = client.request(method, target.replace("{token}", token))
                    assert answer.status == 403, (method, target)
                    assert "x-firth-model" not in answer.headers
                    assert token.encode() not in answer.body
            check_problem(client.get("model"), 403)
        for target in ("/", "/app.js", f"/?token={token}"):
            assert client.request("GET", target).status == 200


@pytest.mark.parametrize("token", ["", "short", "a b" * 10, "é" * 20, "x" * 201])
def test_a_token_that_is_not_safe_is_refused(model_path: Path, token: str) -> None:
    from firth.explore import ModelWatcher, serve

    with pytest.raises(firth.ParameterError, match="16 to 200"):
        serve(ModelWatcher(model_path), token=token)


# Sizes ------------------------------------------------------------------------------------------


def test_what_is_too_long_is_refused(client: Client) -> None:
    check_problem(client.request("GET", "/api/word?word=" + "x" * LONGEST_QUERY), 413)
    check_problem(client.request("GET", "/" + "x" * (LONGEST_QUERY + 1)), 413)
    for target in (
        "/api/model?" + "x" * 60_000,
        "/api/model?" + "&".join("x=1" for _ in range(9_000)),
    ):
        assert client.request("GET", target).status == 200
    body = b"x" * (LARGEST_BODY + 1)
    check_problem(client.request("GET", "/api/model", body), 413)
    check_problem(client.request("PUT", "/api/name", headers={"Content-Length": "9" * 15}), 413)


def test_headers_without_end_are_refused(client: Client) -> None:
    start = f"GET /api/model HTTP/1.1\r\nHost: {client.netloc}\r\n".encode()
    found = client.raw(start + b"X: " + b"a" * 300_000)
    assert found == b"" or found.startswith(b"HTTP/1.1 400 ")
    found = client.raw(start + b"".join(b"X%d: a\r\n" % i for i in range(30_000)))
    assert found == b"" or found.startswith(b"HTTP/1.1 400 ")
    assert client.ask("model"), "the server is still there"


def pieces(total: int, version: str) -> Iterator[bytes]:
    yield b'{"path": "", "version": "' + version.encode() + b'", "name": "'
    for _ in range(total // 1000):
        yield b"x" * 1000
    yield b'"}'


@pytest.mark.slow
def test_a_body_in_pieces_is_bounded_too(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        facts = client.ask("model")
        headers = {"Content-Type": "application/json"}
        for total, status in ((1_000_000, 413), (5_000, 422), (0, 200)):
            body = pieces(total, facts["version"])
            sent = client.request("PUT", "/api/name", body, headers)
            assert sent.status == status
            if status != 200:
                check_problem(sent, status)
        assert firth.load(own_model).names == {}


def test_the_bound_on_a_body_holds_whatever_its_pieces() -> None:
    """The application gets a whole body or none, even where the sender does not stop."""
    sent = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it must not get here")

    async def endless() -> dict[str, Any]:
        nonlocal sent
        sent += 999
        return {"type": "http.request", "body": b"x" * 999, "more_body": True}

    assert asyncio.run(call(Guard(app), receive=endless))[0]["status"] == 413
    assert LARGEST_BODY < sent <= LARGEST_BODY + 999


MALFORMED = [
    b"\x00\x01\xff nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n Folded: x\r\n: y\r\n\r\n",
    b"GET / HTTP/1.1\r\nHo st: localhost\r\n\r\n", b"GET / HTTP/1.1\nHost: local\x00host\n\n",
    "GET /é HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
    b"PUT /api/name HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
]  # fmt: skip


@pytest.mark.parametrize("sent", MALFORMED)
def test_malformed_requests_do_no_harm(client: Client, sent: bytes) -> None:
    found = client.raw(sent)
    assert re.match(rb"HTTP/1\.1 (400|405|501) ", found), found[:80]
    assert b"Traceback" not in found
    assert client.ask("model")["title"] == "model"


def test_many_requests_on_one_connection(client: Client) -> None:
    head = f"GET /api/complete?q=c HTTP/1.1\r\nHost: {client.netloc}\r\n".encode()
    found = client.raw((head + b"\r\n") * 20 + head + b"Connection: close\r\n\r\n")
    assert found.count(b"HTTP/1.1 200 OK") == 21


# Time, and what goes wrong inside -----------------------------------------------------------------


async def call(
    app: Any, receive: Any = None, method: str = "GET", path: str = "/"
) -> list[dict[str, Any]]:
    """What an application sends when it is asked once."""
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": b"", "more_body": False}]

    async def nothing() -> dict[str, Any]:
        return waiting.pop() if waiting else await asyncio.get_running_loop().create_future()

    async def send(message: dict[str, Any]) -> None:
        sent.append(dict(message))

    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", b"localhost")], "http_version": "1.1", "scheme": "http", "root_path": "",
    }  # fmt: skip
    await app(scope, receive or nothing, send)
    return sent


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    ended = False

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        nonlocal ended
        await asyncio.sleep(0.3)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"late"})
        ended = True

    async def both() -> list[dict[str, Any]]:
        sent = await call(Guard(slow, seconds=0.05))
        n_sent = len(sent)
        while not ended:
            await asyncio.sleep(0.01)
        assert len(sent) == n_sent, "what comes later is not sent"
        return sent

    start, body = asyncio.run(both())
    assert start["status"] == 503
    assert dict(start["headers"])[b"x-frame-options"] == b"DENY"
    assert "more than 0.05 seconds" in json.loads(body["body"])["error"]


def test_an_answer_that_has_begun_in_time_is_finished() -> None:
    async def steady(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(0.15)
        await send({"type": "http.response.body", "body": b"all of it"})

    start, body = asyncio.run(call(Guard(steady, seconds=0.05)))
    assert (start["status"], body["body"]) == (200, b"all of it")


def test_failing_late_is_no_unhandled_error() -> None:
    async def failing(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.1)
        raise ValueError("late")

    async def both() -> list[dict[str, Any]]:
        sent = await call(Guard(failing, seconds=0.02))
        await asyncio.sleep(0.15)
        return sent

    assert asyncio.run(both())[0]["status"] == 503


def test_a_reader_who_goes_away_ends_the_work() -> None:
    cancelled = False

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        nonlocal cancelled
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            cancelled = True
            raise

    async def leave() -> None:
        asked = asyncio.ensure_future(call(Guard(slow)))
        await asyncio.sleep(0.02)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await asyncio.sleep(0.02)

    asyncio.run(leave())
    assert cancelled


def test_only_http_is_answered() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it must not get here")

    async def ask() -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await Guard(app)({"type": "websocket", "headers": []}, send, send)  # type: ignore[arg-type]
        return sent

    assert asyncio.run(ask()) == []


def test_a_slow_question_does_not_stop_the_others(
    own_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    go_on = threading.Event()
    with monkeypatch.context() as patch:
        patch.setattr("firth.explore._middleware.SECONDS", 0.3)
        neighbours = firth.WordVectors.neighbours

        def wait(self: Any, words: Any, n: int = 10) -> Any:
            go_on.wait(10)
            return neighbours(self, words, n)

        patch.setattr(firth.WordVectors, "neighbours", wait)
        with serving(own_model) as address:
            client = Client(address)
            check_problem(client.get("neighbours", word="cat"), 503)
            assert client.ask("word", word="cat")["count"] > 0
            go_on.set()
            assert client.ask("neighbours", word="cat")


def test_an_error_of_ours_is_told_without_its_insides(
    own_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("secret insides")

    monkeypatch.setattr("firth.explore.views.words._path_of", broken)
    with serving(own_model) as address:
        answer = Client(address).get("word", word="cat")
    check_problem(answer, 500)
    assert b"secret" not in answer.body
