"""Nobody can hold the server: slow clients, work that hangs, clients that leave, and its end."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import firth
from firth import progress
from firth.explore import _background, _connection
from firth.explore._middleware import Guard
from tests.explore.models import Client, check_problem, serving
from tests.explore.test_middleware import call


def connected(client: Client, stack: ExitStack, sent: bytes = b"") -> socket.socket:
    found = stack.enter_context(socket.create_connection((client.host, client.port), timeout=10))
    found.sendall(sent)
    return found


def hung_up(connection: socket.socket) -> bool:
    """Whether the server has closed a connection; waits as long as the timeout of the socket."""
    try:
        while connection.recv(1 << 20):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def until(holds: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


# Slow clients -------------------------------------------------------------------------------------


def test_half_sent_requests_do_not_keep_others_out(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_connection, "_SECONDS_TO_STAY", 0.0)
    head = f"GET /api/model HTTP/1.1\r\nHost: {client.netloc}\r\nX-Slow: ".encode()
    with ExitStack() as stack:
        slow = [connected(client, stack, head) for _ in range(450)]
        for _ in range(3):
            for one in slow:
                with suppress(OSError):
                    one.send(b"x")
            assert client.ask("model")["title"] == "model"
        slow[-1].sendall(b"\r\n\r\n")
        assert slow[-1].recv(100).startswith(b"HTTP/1.1 200 "), "the last to come is still there"


@pytest.mark.parametrize(
    "sent",
    [
        b"", b"GET /api", b"GET /api/model HTTP/1.1\r\nHost: {host}\r\nX: ",
        b"PUT /api/name HTTP/1.1\r\nHost: {host}\r\nContent-Length: 900\r\n\r\n",
        b"PUT /api/name HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n",
        b"GET /api/model HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999\r\n\r\n",
        b"GET /api/model HTTP/1.1\r\nHost: {host}\r\n\r\nGET /api/mod",
    ],
)  # fmt: skip
@pytest.mark.slow
def test_a_request_that_trickles_is_given_up(
    client: Client, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(_connection, "_SECONDS_TO_ARRIVE", 0.5)
    with ExitStack() as stack:
        slow = connected(client, stack, sent.replace(b"{host}", client.netloc.encode()))
        slow.settimeout(0.05)
        begun = time.monotonic()
        while not hung_up(slow) and time.monotonic() - begun < 8:
            with suppress(OSError):
                slow.send(b"x")
        assert time.monotonic() - begun < 5


@pytest.mark.slow
def test_answers_that_nobody_reads_are_given_up(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_connection, "_SECONDS_TO_ANSWER", 0.5)
    n = 300
    head = f"GET /style.css HTTP/1.1\r\nHost: {client.netloc}\r\n\r\n".encode()
    size = len(client.request("GET", "/style.css").body)
    assert size * n > 6_000_000, "more than the system keeps for a client"
    with socket.socket() as greedy:
        greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        greedy.connect((client.host, client.port))
        greedy.settimeout(10)
        greedy.sendall(head * n)
        time.sleep(1.2)
        found = b""
        with suppress(ConnectionResetError):
            while some := greedy.recv(1 << 20):
                found += some
    assert found.count(b"HTTP/1.1 200 OK") < n


@pytest.mark.slow
def test_a_connection_may_be_idle_and_used_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_connection, "_SECONDS_TO_ARRIVE", 0.3)
    monkeypatch.setattr(_connection, "_SECONDS_TO_ANSWER", 0.3)
    steady = http.client.HTTPConnection(client.host, client.port, timeout=10)
    ports = set()
    for _ in range(3):
        steady.request("GET", "/api/model")
        with steady.getresponse() as response:
            assert response.status == 200
            response.read()
        ports.add(steady.sock.getsockname()[1])
        time.sleep(0.5)
    steady.close()
    assert len(ports) == 1


# Work that hangs, and work that nobody waits for -----------------------------------------------------


class Endless:
    """Work that goes on until it is told to stop; it looks whether it is wanted, or does not."""

    def __init__(self, looks: bool) -> None:
        self.looks, self.go_on = looks, threading.Event()
        self.begun = self.cancelled = 0

    def __call__(self, *_: Any, **__: Any) -> list[Any]:
        self.begun += 1
        while not self.go_on.wait(0.01):
            if self.looks:
                try:
                    progress.check_interrupted()
                except progress.CancelledError:
                    self.cancelled += 1
                    raise
        return [[]]


@contextmanager
def hanging(monkeypatch: pytest.MonkeyPatch, looks: bool) -> Iterator[Endless]:
    """Neighbours take for ever."""
    with monkeypatch.context() as patch:
        work = Endless(looks)
        patch.setattr(firth.WordVectors, "neighbours", work)
        try:
            yield work
        finally:
            work.go_on.set()


@pytest.mark.slow
def test_a_view_that_hangs_does_not_stop_the_others(
    own_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hanging(monkeypatch, looks=False) as work, serving(own_model) as address:
        client = Client(address)
        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(client.get, "neighbours", word="cat") for _ in range(8)]
            assert until(lambda: work.begun == 4), "so many at a time"
            for name in ("class", "tree", "map", "tags", "tagged", "about", "model"):
                assert client.get(name).status == 200, name
            assert work.begun == 4
            work.go_on.set()
            assert [one.result().status for one in asked] == [200] * 8
        assert client.ask("word", word="cat")["count"] > 0


@pytest.mark.slow
def test_who_goes_is_not_waited_for(own_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work stops when its client disconnects; what has not begun does not begin."""
    with (
        hanging(monkeypatch, looks=True) as work,
        serving(own_model) as address,
        ExitStack() as stack,
    ):
        client = Client(address)
        head = f"GET /api/neighbours?word=cat HTTP/1.1\r\nHost: {client.netloc}\r\n\r\n".encode()
        first = [connected(client, stack, head) for _ in range(4)]
        assert until(lambda: work.begun == 4)
        early, late = (connected(client, stack, head) for _ in range(2))
        early.close()
        time.sleep(0.3)
        for one in first:
            one.close()
        assert until(lambda: work.cancelled == 4)
        assert until(lambda: work.begun == 5), "it is the turn of the last one"
        late.close()
        assert until(lambda: work.cancelled == 5)
        assert work.begun == 5
        work.go_on.set()
        assert client.get("neighbours", word="cat").status == 200


def test_work_that_takes_too_long_is_stopped(
    own_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.explore._middleware.SECONDS", 0.2)
    with hanging(monkeypatch, looks=True) as work, serving(own_model) as address:
        check_problem(Client(address).get("neighbours", word="cat"), 503)
        assert until(lambda: work.cancelled == 1)


def test_work_is_stopped_when_the_server_ends(
    own_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hanging(monkeypatch, looks=True) as work, ThreadPoolExecutor(1) as pool:
        with serving(own_model) as address:
            asked = pool.submit(Client(address).get, "neighbours", word="cat")
            assert until(lambda: work.begun == 1)
        assert work.cancelled == 1
        assert asked.result().status == 503


def test_what_many_need_is_finished_although_the_first_is_gone(own_model: Path) -> None:
    from firth.explore import ModelWatcher

    snapshot = ModelWatcher(own_model).snapshot()

    def make() -> str:
        progress.check_interrupted()
        return "made"

    with progress.while_wanted(lambda: False):
        with pytest.raises(progress.CancelledError):
            make()
        snapshot._answers["waited for"] = Future()
        with pytest.raises(progress.CancelledError):
            snapshot.once("waited for", make)
    snapshot._answers.clear()
    with progress.while_wanted(lambda: False), suppress(progress.CancelledError):
        snapshot.once("name", make)
    assert snapshot._answers["name"].result() == "made"


def test_a_client_that_goes_while_it_sends_is_no_error() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it must not get here")

    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    assert asyncio.run(call(Guard(app), receive=gone)) == []


def test_an_error_that_is_raised_many_times_does_not_grow() -> None:
    failed: Future[None] = Future()
    failed.set_exception(ValueError("again"))

    def length() -> int:
        try:
            _background.result_of(failed)
        except ValueError as error:
            found, n = error.__traceback__, 0
            while found is not None:
                found, n = found.tb_next, n + 1
            return n
        return 0

    assert len({length() for _ in range(5)}) == 1


# The end of the program -----------------------------------------------------------------------------

HANGING = """
import os, sys, time
import firth.vectors
from firth.cli import main

def hang(*args, **kwargs):
    os.write(1, b"hangs\\n")  # at once: what several threads print may get mixed up
    while True:
        time.sleep(100)

firth.WordVectors.neighbours = hang
sys.argv = ["firth", "explore", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)])
def test_a_signal_ends_the_server_even_if_all_work_hangs(
    own_model: Path, sent: signal.Signals, status: int
) -> None:
    command = [sys.executable, "-c", HANGING, str(own_model), "--no-browser", "--port", "0"]
    command[-1] = str(free_port())
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        client = Client(found[0])
        head = f"GET /api/neighbours?word=cat HTTP/1.1\r\nHost: {client.netloc}\r\n\r\n".encode()
        with ExitStack() as stack:
            for _ in range(6):
                connected(client, stack, head)
            for line in process.stdout:
                if line == "hangs\n":
                    break
            begun = time.monotonic()
            process.send_signal(sent)
            _, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (status, "")
        assert time.monotonic() - begun < 8
    finally:
        process.kill()
        process.communicate()


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


def test_the_program_is_ended_after_a_while() -> None:
    script = (
        "import threading, time; from firth.explore._background import end_within;"
        "threading.Thread(target=time.sleep, args=(60,)).start(); end_within(0.1, 143)"
    )
    done = subprocess.run([sys.executable, "-c", script], timeout=30, env=dict(os.environ))
    assert done.returncode == 143
