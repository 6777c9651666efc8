"""Small models for the page, a server that shows one, and a client that asks it."""

from __future__ import annotations

import http.client
import json
import random
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import parse_qsl, urlencode, urlsplit

import uvicorn

import firth
from firth import explore
from firth.explore._middleware import HEADERS
from firth.morphs import known_text
from firth.pipeline import learn_morphs, learn_tags
from firth.trees import Tree
from tests.conftest import zipf_text

NAMES = ["cat", "dog", "cow", "Über", "über", "naïve", "Čeština", "ὁδός"]
VERBS = ["running", "singing", "walking", "sleeping", "eating", "reading"]
SELDOM = ["humming", "drumming", "swimming", "trimming", "dimming"]
SPLITS = {verb: [verb[:-3], "ing"] for verb in (*VERBS, *SELDOM)}
SPLITS |= {
    stem + end: [stem, end] if end else [stem]
    for stem in ("sing", "read", "walk")
    for end in ("", "s")
}
"""Splits that the morphology is given: the text has no stems without an ending."""
SENTENCES = [f"the {name} was {verb} by the river" for name in NAMES for verb in VERBS] * 3
SENTENCES += [f"the cat was {verb} by the river" for verb in SELDOM] * 3
RARE = "the zebra was whistling by the other river"
"""Words that are too rare to have a vector; the ending of one tells its class."""

_LONG = "long" * 1_250
HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</script><script>alert(2)//",
    "<!--<script>", "{{7*7}}", "javascript:alert(1)", "&lt;b&gt;&amp;", "' OR 1=1 --", "%s%n%x", "a&b=c",
    "../../etc/passwd", "%2e%2e", "%", "#/word/x", "?q=x", "a/b\\c", "__proto__", "constructor", "toString",
    "0101", "01", "null", "NaN", "-0", "\u202egnirts", "abc\u200f", "\u2066x\u2069", "العربية", "עברית",
    "👩\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "e\u0301\u0302\u0303\u0304x", "\u0301", "z" + "\u0335" * 60, _LONG,
    "a\x00b", "\x07bell", "\x1b[31mred\x1b[0m", "a\x7fb", "\u2028line", "\ufeffbom", "\ud7ff", "\U0010fffd",
    "with  two spaces", "\u00a0", "ﬁ", "İstanbul", "ΟΔΟΣ", "ß",
]  # fmt: skip
"""Words that a careless page would take for something else."""


def write_text(path: Path, seed: int = 1) -> Path:
    """A text of made-up words, and of sentences with known ones."""
    made_up = zipf_text(500, seed, 300).splitlines()
    lines = [*made_up, *SENTENCES, RARE]
    random.Random(seed).shuffle(lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def learn_model(folder: Path, seed: int = 1, name: str = "model") -> Path:
    """A model of a few hundred words with all its parts, in a folder below ``folder``."""
    text, model = write_text(folder / f"{name}.txt", seed), folder / name
    known = folder / f"{name}.tsv"
    known.write_text(known_text(SPLITS), encoding="utf-8")
    firth.learn(text, model, dim=16, classes=12, min_count=3, threads=1)
    learn_morphs(model, known=known)
    learn_tags(model, method="anchors", n_tags=6, threads=1)
    explore.prepare(model, map_words=150, threads=1)
    return model


def learn_documents_model(folder: Path) -> Path:
    """A model of documents with metadata: sentences about animals, and made-up words."""
    kinds = {"animals": SENTENCES, "made up": zipf_text(500, 1, 300).splitlines()}
    with (folder / "known.jsonl").open("w", encoding="utf-8") as file:
        for genre, lines in kinds.items():
            for i in range(0, len(lines), 20):
                text = "\n".join(lines[i : i + 20])
                year = None if i == 20 else 1900 + i // 40
                record = {"text": text, "genre": genre, "year": year, "title": f"{genre} {i}"}
                file.write(json.dumps(record) + "\n")
    model = folder / "model"
    how = {"dim": 8, "classes": 8, "tags": 4, "min_count": 3, "threads": 1}
    firth.learn(folder / "known.jsonl", model, **how)
    explore.prepare(model, map_words=150, threads=1)
    return model


def learn_hostile_model(folder: Path) -> Path:
    """A model of words that look like markup, paths, numbers, or nothing at all."""
    chance = random.Random(5)
    kinds = [HOSTILE[0::2], HOSTILE[1::2], ["plain", "words", "too"]]
    sentences = []
    for i in range(4 * len(HOSTILE)):
        ours = [kinds[i % 2][i // 2 % len(kinds[i % 2])], *chance.choices(HOSTILE, k=2)]
        sentences.append(["the", ours[0], chance.choice(kinds[2]), *ours[1:], "."])
    text, model = folder / "hostile.conllu", folder / "hostile"
    lines = [
        "".join(f"{i}\t{word}" + "\t_" * 8 + "\n" for i, word in enumerate(sentence, 1)) + "\n"
        for sentence in sentences
    ]
    text.write_bytes("".join(lines).encode())
    firth.learn(text, model, dim=8, classes=8, tags=4, min_count=3, morphs=True, threads=1)
    explore.prepare(model, map_words=100, threads=1)
    return model


def noun_phrase(chance: random.Random, depth: int = 0) -> Tree:
    """A noun phrase, perhaps with another one inside."""
    article, noun = chance.choice(["the", "a"]), chance.choice(["cat", "dog", "cow", "river"])
    plain = Tree("NP", [Tree("D", article), Tree("N", noun)])
    return (
        Tree("NP", [plain, by(chance, depth + 1)]) if depth < 2 and chance.random() < 0.3 else plain
    )


def by(chance: random.Random, depth: int) -> Tree:
    return Tree("PP", [Tree("P", chance.choice(["by", "near"])), noun_phrase(chance, depth)])


def write_grammar(model: Path, n: int = 200, seed: int = 1) -> Path:
    """A grammar in which it is never clear what is near what; in a model that may have other parts."""
    chance = random.Random(seed)
    trees = []
    for _ in range(n):
        verb, more = Tree("V", chance.choice(["sees", "likes"])), chance.random() < 0.4
        said = Tree("VP", [verb, noun_phrase(chance), *([by(chance, 1)] if more else [])])
        trees.append(Tree("S", [noun_phrase(chance), said, Tree(".", ".")]))
    firth.LPCFG(2).fit(trees).write(model)
    return model


def write_hostile_grammar(model: Path) -> Path:
    """A grammar whose words and labels a careless page would take for something else."""
    words = [word for word in HOSTILE if not any(c.isspace() for c in word)]
    trees = [
        Tree(words[k % 7], [Tree(f"N{words[k % 11]}", word), Tree("<b>VP</b>", [Tree("V", "is")])])
        for k, word in enumerate(words * 3)
    ]
    firth.LPCFG(1).fit(trees).write(model)
    return model


@contextmanager
def serving(
    path: Path,
    edit: bool = False,
    names: Sequence[str] = (),
    host: str = "127.0.0.1",
    token: str | None = None,
) -> Iterator[str]:
    """The address of a server that shows a model, as ``firth explore`` runs it; stopped at the end.

    With ``edit``, the address has the token of the server. It does not collect garbage when it has
    opened a model: that would look at all objects of all tests.
    """
    made: list[uvicorn.Server] = []
    addresses: list[str] = []
    failures: list[BaseException] = []
    ready = threading.Event()

    class Kept(uvicorn.Server):
        def __init__(self, config: uvicorn.Config) -> None:
            super().__init__(config)
            made.append(self)

    def started(address: str) -> None:
        addresses.append(address)
        ready.set()

    def run() -> None:
        try:
            explore.serve(explore.ModelWatcher(path), host, 0, edit, names, started, token)
        except BaseException as error:  # noqa: BLE001  told to the test
            failures.append(error)
        finally:
            ready.set()

    with mock.patch("firth.explore._server.gc"):
        with mock.patch("uvicorn.Server", Kept):
            thread = threading.Thread(target=run)
            thread.start()
            ready.wait(60)
        try:
            if not addresses:
                raise AssertionError(f"the server did not start: {failures}")
            yield addresses[0]
        finally:
            for server in made:
                server.should_exit = True
            thread.join(20)
    assert not thread.is_alive(), "the server did not stop"
    assert not failures, failures


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Asks a server, over a connection of its own each time, with the token of its address if there is one."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port, self.netloc = parts.hostname, parts.port, parts.netloc
        self.token = dict(parse_qsl(parts.query)).get("token")

    def ask_at_once(self, view: str, texts: Sequence[str]) -> None:
        """Ask about several texts from many threads: each answer is the one that it is alone."""
        alone = [self.ask(view, text=text) for text in texts]

        def asked(k: int) -> bool:
            return bool(self.ask(view, text=texts[k % len(texts)]) == alone[k % len(texts)])

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(asked, range(48)))

    def request(
        self,
        method: str,
        target: str,
        body: bytes | Iterator[bytes] | None = None,
        headers: dict[str, str] | None = None,
        seconds: float = 20,
    ) -> Answer:
        """Any request, its target sent as it is."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            chunked = body is not None and not isinstance(body, bytes)
            sent = {"Host": self.netloc}
            if self.token is not None:
                sent["X-Firth-Token"] = self.token
            sent |= headers or {}
            if isinstance(body, bytes):
                sent.setdefault("Content-Length", str(len(body)))
            elif chunked:
                sent["Transfer-Encoding"] = "chunked"
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(body, encode_chunked=chunked)
            with connection.getresponse() as response:
                return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, name: str, **asked: Any) -> Answer:
        """A question below ``api/``."""
        return self.request("GET", f"/api/{name}" + (f"?{urlencode(asked)}" if asked else ""))

    def ask(self, name: str, **asked: Any) -> Any:
        """The answer to a question that has one, asked again as long as it is not ready."""
        answer = self.get(name, **asked)
        end = time.monotonic() + 20
        while answer.status == 202 and time.monotonic() < end:
            time.sleep(0.02)
            answer = self.get(name, **asked)
        assert answer.status == 200, (name, asked, answer)
        assert answer.headers["content-type"] == "application/json"
        return answer.json

    def problem(self, status: int, name: str, **asked: Any) -> Any:
        """The answer to a question that has none: an error, and perhaps a hint."""
        answer = self.get(name, **asked)
        assert answer.status == status, (name, asked, answer)
        assert answer.json["error"]
        assert {"error", "hint"} <= set(answer.json) <= {"error", "hint", "place", "of"}
        return answer.json

    def put(self, path: str | int, name: str, version: str | None = None) -> Answer:
        """Give a node of the tree or a tag a name, as a page that shows a version (the current one) would."""
        what = {"path": path} if isinstance(path, str) else {"tag": path}
        return self._put("name" if "path" in what else "tag/name", {**what, "name": name}, version)

    def correct(self, word: str, parts: str, version: str | None = None) -> Answer:
        """Correct the parts of a word, in the same way."""
        return self._put("parts/correction", {"word": word, "parts": parts}, version)

    def _put(self, name: str, content: dict[str, Any], version: str | None) -> Answer:
        shown = self.ask("model")["version"] if version is None else version
        body = json.dumps({**content, "version": shown}).encode()
        return self.request("PUT", f"/api/{name}", body, {"Content-Type": "application/json"})

    def raw(self, sent: bytes, seconds: float = 10) -> bytes:
        """What comes back when these very bytes are sent, until the server hangs up."""
        found = b""
        with socket.create_connection((self.host, self.port), timeout=seconds) as connection:
            with suppress(BrokenPipeError, ConnectionResetError):  # it need not hear us out
                connection.sendall(sent)
            with suppress(ConnectionResetError):
                while some := connection.recv(1 << 16):
                    found += some
        return found


WANTED = {name.decode(): value.decode() for name, value in HEADERS}


def check_headers(answer: Answer) -> None:
    for name, value in WANTED.items():
        assert answer.headers.get_all(name) == [value], name
    assert "default-src 'none'" in WANTED["content-security-policy"]
    assert "unsafe" not in WANTED["content-security-policy"]
    assert "*" not in WANTED["content-security-policy"]
    assert "http" not in WANTED["content-security-policy"]
    assert "server" not in answer.headers
    for name in answer.headers:
        assert not name.lower().startswith("access-control-"), "no other site may read this"
        assert name.lower() not in ("set-cookie", "location")


def check_problem(answer: Answer, status: int) -> None:
    """An answer that is none: in words, as JSON, with all headers."""
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["error"]
    assert {"error", "hint"} <= set(answer.json) <= {"error", "hint", "place", "of"}
    check_headers(answer)


def cut(told: dict[str, Any], k: int) -> list[str]:
    """The nodes at which the page ends the tree for ``k`` classes."""
    ranks, parents = told["ranks"], told["parents"]
    is_split = [0 < rank < k for rank in ranks]
    return [
        path
        for i, path in enumerate(told["paths"])
        if not is_split[i] and (parents[i] < 0 or is_split[parents[i]])
    ]
