"""Servers on this machine for tests of remote text."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import pytest


class Web:
    """A web server for the files of a folder, which can be told to fail.

    Attributes
    ----------
    url : str
    asked : list of str
        The requests: method, path and range.
    ranges : bool
        Whether parts of files can be read; the server of Python sends whole files.
    sent : list of tuple of str and int
        Path and number of bytes of every answer.
    cuts : list of int
        After how many bytes to drop the connection, for each request with content that comes next.
    marks : bool
        Whether to tell when files were changed.
    status : int
        The answer to every request, if it is not 0.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.url = folder, ""
        self.asked: list[str] = []
        self.cuts: list[int] = []
        self.sent: list[tuple[str, int]] = []
        self.ranges, self.marks, self.status = False, True, 0


def _handler(web: Web) -> type[SimpleHTTPRequestHandler]:
    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(web.folder))

        def log_message(self, *_: Any) -> None:
            pass

        def send_header(self, name: str, value: str) -> None:
            if name != "Last-Modified" or web.marks:
                super().send_header(name, value)

        def send_head(self) -> Any:
            asked = self.headers.get("Range", "")
            web.asked.append(f"{self.command} {self.path} {asked}".strip())
            if web.status:
                self.send_error(web.status)
                return None
            path = Path(self.translate_path(self.path))
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", asked)
            if wanted is None or not web.ranges or not path.is_file():
                return super().send_head()
            first, last = map(int, wanted.groups())
            file = path.open("rb")
            file.seek(first)
            self.send_response(206)
            self.send_header("Content-Length", str(min(last + 1, path.stat().st_size) - first))
            self.send_header("Content-Range", f"bytes {first}-{last}/{path.stat().st_size}")
            self.end_headers()
            self.left = last + 1 - first
            return file

        def copyfile(self, source: Any, outputfile: Any) -> None:
            data = source.read(getattr(self, "left", -1))
            if web.cuts:
                data = data[: web.cuts.pop(0)]
                self.close_connection = True
            web.sent.append((self.path, len(data)))
            outputfile.write(data)

    return Handler


@contextmanager
def web_server(folder: Path) -> Iterator[Web]:
    """Serve a folder on this machine."""
    folder.mkdir(exist_ok=True)
    web = Web(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(web))
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients may leave
    web.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        fsspec.filesystem("http").clear_instance_cache()


@contextmanager
def bucket(monkeypatch: pytest.MonkeyPatch, endpoint: str | None = None) -> Iterator[Any]:
    """A file system of S3 with an empty bucket ``box``; without moto's server if there is an endpoint."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "anna")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    import s3fs

    server = None
    if endpoint is None:
        from moto.server import ThreadedMotoServer

        server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        server.start()
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        system = s3fs.S3FileSystem()
        if server is not None:
            system.mkdir("box")
        yield system
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        if server is not None:
            server.stop()
