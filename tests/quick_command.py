"""The ``firth`` command without its start: a process that has everything loaded forks for every call.

``serving(folder, warm)`` puts a small ``firth`` into a folder for the front of PATH. It hands its arguments, folder
and open files to the process, and leaves with the status it is told.
"""

from __future__ import annotations

import array
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import typer.main

_CLIENT = """#!{python} -ISE
import array, json, os, socket, sys
with socket.socket(socket.AF_UNIX) as s:
    s.connect({place!r})
    files = array.array("i", [0, 1, 2])
    what = json.dumps([sys.argv[1:], os.getcwd()]).encode()
    s.sendmsg([what], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
    status = s.recv(16)
sys.exit(int(status or b"99"))
"""


def _main(arguments: list[str], folder: str) -> None:
    from firth.__main__ import main

    os.chdir(folder)
    sys.argv = ["firth", *arguments]
    main()


def _call(arguments: list[str], folder: str, files: list[int]) -> int:
    """The command in a process of its own; its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(k, mode, closefd=False) for k, mode in enumerate(("r", "w", "w"))
        )
        _main(arguments, folder)
        status = 0
    except SystemExit as done:
        status = done.code if isinstance(done.code, int) else int(done.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _serve(place: str, warm: list[list[str]], folder: str, ready: object) -> None:
    typer.main.get_command = cache(typer.main.get_command)  # built by the first of these
    for arguments in warm:
        with suppress(SystemExit):  # what went wrong shows in the commands that need it
            _main(arguments, folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen(8)
        ready.set()  # type: ignore[attr-defined]
        while True:
            client, _ = server.accept()
            if not os.fork():
                _answer(client)
            client.close()


def _answer(client: socket.socket) -> None:
    try:
        files = array.array("i")
        what, extra, *_ = client.recvmsg(1 << 16, socket.CMSG_LEN(3 * files.itemsize))
        files.frombytes(extra[0][2])
        arguments, folder = json.loads(what)
        status = _call(arguments, folder, list(files))
        client.sendall(str(status).encode())
    finally:
        os._exit(0)


@contextmanager
def serving(folder: Path, warm: list[list[str]]) -> Iterator[Path]:
    """The folder of a quick ``firth``; ``warm`` are commands to run first, so that what they need is loaded."""
    place, bin_folder = str(folder / "firth.socket"), folder / "quick"
    bin_folder.mkdir()
    client = bin_folder / "firth"
    client.write_text(_CLIENT.format(python=sys.executable, place=place), encoding="utf-8")
    client.chmod(0o755)
    context = get_context("spawn")
    ready = context.Event()
    process = context.Process(target=_serve, args=(place, warm, str(folder), ready), daemon=True)
    process.start()
    try:
        while not ready.wait(1):
            assert process.is_alive(), "the process of quick commands has ended"
        yield bin_folder
    finally:
        process.terminate()
        process.join()
