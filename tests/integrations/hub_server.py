"""A stand-in for the Hugging Face Hub on this machine: as much of it as ``huggingface_hub`` asks for."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

TOKEN = "hf_secret"
MOST_REQUESTS = 1000


class Hub:
    """Repositories, each with the files of its last commit."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, bytes]] = {}
        self.private: dict[str, bool] = {}
        self.requests: list[str] = []
        self.broken = ""
        """The path of a file that is cut in half."""
        self.sizes: dict[str, int | None] = {}
        """Sizes that are listed instead of the true ones."""
        self.status = 0
        """If set, the status of every answer."""

    def sha(self, name: str) -> str:
        digest = hashlib.sha1(usedforsecurity=False)
        for path, data in sorted(self.files[name].items()):
            digest.update(path.encode() + b"\0" + data)
        return digest.hexdigest()

    def commit(self, name: str, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                self.files[name][value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "deletedFile":
                self.files[name].pop(value["path"])


class Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None: ...

    def answer(self, status: int, data: Any = b"", **headers: str) -> None:
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self) -> None:
        hub, path = self.hub, unquote(urlsplit(self.path).path)
        hub.requests.append(f"{self.command} {path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if len(hub.requests) > MOST_REQUESTS:
            return self.answer(429)
        if hub.status:
            return self.answer(hub.status)
        may_write = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        if self.command == "POST" and not may_write:
            return self.answer(401, {"error": "no"})
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked.get('organization') or 'anna'}/{asked['name']}"
            url = f"http://{self.headers['Host']}/{name}"
            if name in hub.files:
                return self.answer(409, {"url": url, "error": "exists"})
            hub.files[name], hub.private[name] = (
                {},
                (asked.get("private") is True or asked.get("visibility") == "private"),
            )
            return self.answer(200, {"url": url, "name": name})
        if path == "/api/validate-yaml":
            return self.answer(200, {"errors": [], "warnings": []})
        found = re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/(\w+)(?:/([^/]+))?(?:/(.*))?)?", path)
        if found:
            return self.api(found[1], found[2] or "revision", body)
        found = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        if found and found[1] in hub.files:
            return self.file(found[1], found[3])
        return self.answer(404, {"error": "no"}, X_Error_Code="RepoNotFound")

    do_GET = do_POST = do_HEAD = do_PUT = handle_any  # noqa: N815

    def api(self, name: str, what: str, body: bytes) -> None:
        hub = self.hub
        if name not in hub.files:
            return self.answer(404, {"error": "no"}, X_Error_Code="RepoNotFound")
        if what == "revision":
            files: list[Any] = [
                {"rfilename": path, "size": hub.sizes.get(path, len(data))}
                for path, data in hub.files[name].items()
            ]
            return self.answer(
                200, {"id": name, "sha": hub.sha(name), "siblings": files, "private": False}
            )
        if what == "tree":
            files = [
                {"type": "file", "path": path, "size": len(data), "oid": "0" * 40}
                for path, data in hub.files[name].items()
            ]
            return self.answer(200, files)
        if what == "preupload":
            files = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                for file in json.loads(body)["files"]
            ]
            return self.answer(200, {"files": files})
        if what == "commit":
            hub.commit(name, [json.loads(line) for line in body.splitlines()])
            sha = hub.sha(name)
            url = f"http://{self.headers['Host']}/{name}/commit/{sha}"
            return self.answer(
                200, {"success": True, "commitOid": sha, "commitUrl": url, "hookOutput": ""}
            )
        return self.answer(404, {"error": what})

    def file(self, name: str, path: str) -> None:
        hub = self.hub
        if path not in hub.files[name]:
            return self.answer(404, {"error": "no"}, X_Error_Code="EntryNotFound")
        data = hub.files[name][path]
        if path == hub.broken:
            data = data[: len(data) // 2]
        etag = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        return self.answer(200, data, ETag=f'"{etag}"', X_Repo_Commit=hub.sha(name))


@contextmanager
def serving() -> Iterator[tuple[Hub, str]]:
    """A hub, and its address."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"hub": hub}))
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield hub, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
