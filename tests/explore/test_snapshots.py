"""The model may change, go and come back while it is shown; what is shown is always of one piece."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import firth
from firth import explore, pipeline
from firth.explore import ModelWatcher, Snapshot
from firth.explore._server import _listen
from firth.store import Part, writing
from tests.explore.models import Client, serving, write_text

pytestmark = pytest.mark.slow


def learn_again(model: Path, text: Path) -> firth.Model:
    return firth.learn(text, model, dim=16, classes=12, min_count=3, threads=1, replace=True)


def other_text(folder: Path) -> Path:
    """A text with other words, of which only the known sentences are the same."""
    return write_text(folder / "other.txt", seed=99)


def read_corpus(model: Path, text: Path) -> None:
    pipeline.learn_corpus(model, text, threads=1, replace=True)


# Replaced while it is shown -----------------------------------------------------------------------


def test_a_model_that_is_learned_again_is_shown_as_it_is_now(
    own_model: Path, tmp_path: Path
) -> None:
    old = set(firth.load(own_model).corpus.vocabulary)
    with serving(own_model) as address:
        client = Client(address)
        before = client.get("model")
        assert client.ask("word", word="cat")["count"] == 33
        new = learn_again(own_model, other_text(tmp_path))
        gone = min(old - set(new.corpus.vocabulary))
        come = min(set(new.corpus.vocabulary) - old)
        after = client.get("model")
        assert after.headers["x-firth-model"] != before.headers["x-firth-model"]
        assert after.headers["x-firth-model"] == after.json["version"]
        assert after.json["n_words"] == new.corpus.n_types
        client.problem(404, "word", word=gone)
        assert client.ask("word", word=come)["rank"] == new.corpus.vocabulary.id(come) + 1
        assert [row["word"] for row in client.ask("neighbours", word="cat", n=9)] == [
            word for word, _ in new.vectors.neighbours(["cat"], 9)[0]
        ]
        assert client.ask("tree")["tokens"][0] == new.corpus.n_tokens
        assert "map" not in after.json["parts"], "it was made of other vectors"
        problem = client.problem(404, "map")
        assert problem["error"] == "The word map of this model is out of date."
        assert "index" not in after.json["parts"]
        assert client.ask("concordance", word="cat")["count"] == 33, "without an index too"
        assert explore.prepare(own_model, 150, 1) == ["index", "map", "grammar_map", "report"]
        assert client.ask("map")["words"] == list(new.vectors.vocabulary)[:150]


def test_answers_never_mix_two_models(own_model: Path, tmp_path: Path) -> None:
    """Asked all the while: every answer agrees with the one version that its header names."""
    texts = [write_text(tmp_path / f"{seed}.txt", seed) for seed in (5, 6)]
    vocabularies: dict[str, set[str]] = {}
    done = threading.Event()
    seen: list[tuple[str, str, list[str]]] = []
    failures: list[Any] = []

    def note() -> None:
        snapshot = Snapshot(firth.Model(own_model))
        vocabularies[snapshot.version] = set(snapshot.vocabulary)

    def keep_asking(client: Client) -> None:
        while not done.is_set():
            for name, asked in (
                ("complete", {"q": "a", "n": 100}), ("neighbours", {"word": "cat", "n": 200}), ("tree", {}),
            ):  # fmt: skip
                answer = client.get(name, **asked)
                if answer.status == 503 or (answer.status == 404 and name != "complete"):
                    assert answer.json["error"]
                    continue  # it is being replaced, or that part is not there yet
                if answer.status != 200:
                    failures.append(answer)
                    return
                told = answer.json
                if name == "tree":
                    words = [word for typical in told["typical"] for word in typical]
                else:
                    words = [row.get("text", row.get("word")) for row in told]
                seen.append((answer.headers["x-firth-model"], name, words))

    note()
    with serving(own_model) as address:
        asking = [threading.Thread(target=keep_asking, args=(Client(address),)) for _ in range(2)]
        for thread in asking:
            thread.start()
        try:
            for text in texts:
                for stage in stages(own_model, text):  # stage by stage, to know every version
                    stage()
                    note()
        finally:
            time.sleep(0.2)
            done.set()
            for thread in asking:
                thread.join()
    assert not failures
    assert {name for _, name, _ in seen} == {"complete", "neighbours", "tree"}
    assert len({version for version, _, _ in seen}) >= 2
    for version, name, words in seen:
        assert version in vocabularies, "a version that never was"
        assert set(words) <= vocabularies[version], (version, name)


def stages(model: Path, text: Path) -> Iterator[Callable[[], object]]:
    how: dict[str, Any] = {"min_count": 3, "threads": 1}
    yield lambda: pipeline.learn_corpus(model, text, threads=1, replace=True)
    yield lambda: pipeline.learn_vectors(model, dim=16, **how)
    yield lambda: pipeline.learn_classes(model, n_classes=12, **how)


def test_a_folder_that_goes_and_comes_back(own_model: Path, tmp_path: Path) -> None:
    with serving(own_model) as address:
        client = Client(address)
        before = client.ask("word", word="cat")
        own_model.rename(tmp_path / "away")
        for name, asked in (("model", {}), ("word", {"word": "cat"}), ("tree", {}), ("map", {})):
            problem = client.problem(503, name, **asked)
            assert "is gone" in problem["error"]
            assert "Put it back" in problem["hint"]
        assert client.request("GET", "/").status == 200, "the page itself is there"
        (tmp_path / "away").rename(own_model)
        assert client.ask("word", word="cat") == before
        shutil.rmtree(own_model)
        client.problem(503, "word", word="cat")
        learn_again(own_model, other_text(tmp_path))
        assert client.ask("model")["parts"] == [
            "classes",
            "corpus",
            "counts",
            "grammar_vectors",
            "vectors",
        ]


def test_a_damaged_manifest_or_part_is_not_shown(own_model: Path) -> None:
    manifest = own_model / "firth.json"
    text = manifest.read_text()
    with serving(own_model) as address:
        client = Client(address)
        for broken in ("", "{", "[]", text[: len(text) // 2]):
            manifest.with_suffix(".new").write_text(broken)
            manifest.with_suffix(".new").replace(manifest)
            client.problem(503, "word", word="cat")
        manifest.with_suffix(".new").write_text(text)
        manifest.with_suffix(".new").replace(manifest)
        assert client.ask("word", word="cat")["count"] == 33
        changed = json.loads(text)
        changed["parts"]["vectors"]["files"]["words.arrow"]["sha256"] = "0" * 64
        manifest.with_suffix(".new").write_text(json.dumps(changed))
        manifest.with_suffix(".new").replace(manifest)
        problem = client.problem(503, "neighbours", word="cat")
        assert "is damaged" in problem["error"]


def test_stale_parts_are_listed_but_not_shown(own_model: Path, tmp_path: Path) -> None:
    read_corpus(own_model, other_text(tmp_path))
    with serving(own_model) as address:
        client = Client(address)
        facts = client.ask("model")
        assert facts["parts"] == ["corpus"]
        stale = {row["name"]: row["stale"] for row in client.ask("about")["parts"]}
        assert stale["corpus"] is False
        for part in ("counts", "vectors", "classes", "tags", "index", "map"):
            assert stale[part] is True, part
        for name, asked in (
            ("tree", {}),
            ("neighbours", {"word": "cat"}),
            ("map", {}),
            ("tags", {}),
        ):
            assert "out of date" in client.problem(404, name, **asked)["error"]
        told = client.ask("word", word="cat")
        assert (told["count"], told["word_class"], told["sides"]) == (33, None, {})
        assert told["tags"] == []
        assert len(client.ask("concordance", word="cat", n=1000)["lines"]) == 33


# What is kept from one snapshot to the next --------------------------------------------------------


def test_parts_that_did_not_change_are_not_read_again(own_model: Path, tmp_path: Path) -> None:
    watcher = ModelWatcher(own_model)
    first = watcher.snapshot()
    first.wait()
    assert watcher.snapshot() is first, "as long as nothing changes"
    assert watcher.is_current()
    pipeline.name_classes(own_model, {"0": "a name"})
    assert not watcher.is_current()
    second = watcher.snapshot()
    assert second is not first
    assert second.version != first.version
    for part in ("corpus", "counts", "vectors", "map", "index"):
        assert getattr(second, part) is getattr(first, part), part
    assert second.classes is not first.classes
    assert second.classes.tree is first.classes.tree
    assert second.classes.label("0") == "a name"
    assert first.classes.label("0") != "a name", "a snapshot stays as it was"
    assert first.classes.names == {}
    learn_again(own_model, other_text(tmp_path))
    third = watcher.snapshot()
    for part in ("corpus", "counts", "vectors", "classes"):
        assert getattr(third, part) is not getattr(second, part), part
    assert third.vocabulary is third.corpus.vocabulary


def test_a_refreshed_model_is_the_same_where_nothing_changed(own_model: Path) -> None:
    model = firth.load(own_model)
    assert model.refreshed() is model
    vectors = model.vectors
    explore.prepare(own_model, 20, 1)
    other = model.refreshed()
    assert other is not model
    assert other.vectors is vectors
    assert len(other.map.vocabulary) == 20
    assert "corpus" not in vars(other), "what was never opened is not opened now"


def test_a_refreshed_model_does_not_mix(own_model: Path, tmp_path: Path) -> None:
    watcher = ModelWatcher(own_model)
    before = watcher.snapshot()
    before.wait()  # parts are opened in the background
    read_corpus(own_model, other_text(tmp_path))
    model = before.model.refreshed()
    assert model.corpus is not before.corpus
    assert all(model.is_stale(part) for part in ("vectors", "counts", "classes", "tags", "index"))
    after = watcher.snapshot()
    assert after.parts == {"corpus"}
    assert after.index_if_any is None, "it is of the corpus that was there before"
    assert len(after.corpus.find("cat", 1000, index=after.index_if_any)) == 33
    assert after.vocabulary is after.corpus.vocabulary
    assert before.vocabulary is before.corpus.vocabulary, "a snapshot stays as it was"


def learn_again_while_opening(
    model: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> threading.Event:
    """Let the model be replaced just when its classes are opened, but not before the event is set."""
    load, begin = firth.Hierarchy.load, threading.Event()

    def meanwhile(*_: Any) -> firth.Hierarchy:
        assert begin.wait(60)
        monkeypatch.setattr(firth.Hierarchy, "load", load)
        learn_again(model, text)
        raise FileNotFoundError("classes")

    monkeypatch.setattr(firth.Hierarchy, "load", meanwhile)
    return begin


def test_a_model_replaced_while_it_is_opened_is_opened_again_as_a_whole(
    own_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = learn_again_while_opening(own_model, other_text(tmp_path), monkeypatch)
    watcher = ModelWatcher(own_model)
    first = watcher.snapshot()
    begin.set()
    with pytest.raises(firth.ModelError, match="replaced while it was being opened"):
        first.classes  # noqa: B018
    second = watcher.snapshot()
    assert second is not first
    assert second.version != first.version
    assert second.corpus.n_tokens == int(second.classes.tokens.sum())
    assert second.vocabulary[0] in second.vectors.vocabulary
    assert second.corpus is not first.model.corpus
    assert watcher.snapshot() is second


def test_a_model_that_is_replaced_while_it_is_opened_is_no_reason_to_end(
    own_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = learn_again_while_opening(own_model, other_text(tmp_path), monkeypatch)
    watcher = ModelWatcher(own_model)
    first = watcher.snapshot()
    begin.set()
    watcher.wait()
    assert watcher.snapshot() is not first


@pytest.mark.parametrize("damage", ["{", None])
def test_a_model_that_is_damaged_while_it_is_opened_is_no_reason_to_end(
    own_model: Path, monkeypatch: pytest.MonkeyPatch, damage: str | None
) -> None:
    damaged = threading.Event()
    opened = Snapshot._open

    def open_later(snapshot: Snapshot, name: str) -> Any:
        assert damaged.wait(60)
        return opened(snapshot, name)

    monkeypatch.setattr(Snapshot, "_open", open_later)
    watcher = ModelWatcher(own_model)
    if damage is None:
        shutil.rmtree(own_model)
    else:
        (own_model / "firth.json").write_text(damage)
    damaged.set()
    watcher.wait()
    with pytest.raises(firth.ModelError):
        watcher.snapshot()


def test_who_ends_the_program_is_not_kept_waiting(
    own_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.explore._snapshot.is_leaving", lambda: True)
    snapshot = ModelWatcher(own_model).snapshot()
    with pytest.raises(firth.ModelError, match="is ending"):
        snapshot.wait()
    with pytest.raises(firth.ModelError, match="is ending"):
        snapshot.vectors  # noqa: B018


def test_a_damaged_model_is_not_waited_for(own_model: Path) -> None:
    file = firth.load(own_model).parts["classes"].path("class_of.i32")
    file.write_bytes(file.read_bytes()[::-1])
    with pytest.raises(firth.ModelError, match="checksum"):
        ModelWatcher(own_model).wait()


@pytest.mark.parametrize("content", [b"\xff", b"[" * 100_000, b"[]", b'{"0": null}', b"{"])
def test_names_that_cannot_be_read_are_an_error_of_the_model(
    own_model: Path, content: bytes
) -> None:
    pipeline.name_classes(own_model, {"0": "things"})
    with writing(own_model) as writer, writer.part("names", 1, Part.verify) as draft:
        (draft.folder / "names.json").write_bytes(content)
        draft.parameters = {"names": "odd"}
        draft.made_from = {"classes": writer.parts["classes"].content}
    with pytest.raises(firth.ModelError, match="class names in .* cannot be used"):
        firth.load(own_model).names  # noqa: B018


def test_an_odd_log_is_passed_over(own_model: Path) -> None:
    log = own_model / "firth.log"
    log.write_text(log.read_text() + '{"date": "now", "seconds": 1, "identity": []}\n')
    with serving(own_model) as address:
        assert Client(address).ask("about")["parts"]


def test_large_answers_are_made_once_for_a_snapshot(
    own_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.explore.views import classes as classes_view

    made = []
    make = classes_view._tree

    def counted(*args: Any) -> Any:
        made.append(args)
        return make(*args)

    monkeypatch.setattr(classes_view, "_tree", counted)
    with serving(own_model) as address:
        client = Client(address)
        assert client.get("tree").body == client.get("tree").body
        assert len(made) == 1
        pipeline.name_classes(own_model, {"0": "a name"})
        assert "a name" in client.ask("tree")["labels"]
        assert len(made) == 2


# The process ------------------------------------------------------------------------------------


@contextmanager
def running(
    model: Path, *options: str
) -> Iterator[tuple[subprocess.Popen[str], Client, list[str]]]:
    """``firth explore`` in a process of its own, its client, and the lines it has printed so far."""
    command = [sys.executable, "-m", "firth", "explore", str(model), "--no-browser", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        found = re.search(r"http://\S+", "".join(lines))
        assert found is not None, process.communicate()
        yield process, Client(found[0]), lines
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str], wanted: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(wanted)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def test_two_that_start_at_the_same_time_take_different_ports() -> None:
    """Both may bind to a port before either listens on it; then the second must find another."""
    with _listen("127.0.0.1", None) as first, _listen("127.0.0.1", None) as second:
        assert first.getsockname()[1] != second.getsockname()[1]
        with pytest.raises(firth.InputError, match="Cannot listen on 127.0.0.1, port"):
            _listen("127.0.0.1", second.getsockname()[1])
        with socket.create_connection(second.getsockname(), timeout=5):
            pass  # it listens already


def test_sigterm_ends_it(own_model: Path) -> None:
    with running(own_model) as (process, client, _):
        assert client.ask("model")["title"] == "own"
        status, _, err = ended(process, signal.SIGTERM)
    assert (status, err) == (128 + signal.SIGTERM, "")


def test_a_kill_loses_nothing_and_two_can_run_at_once(own_model: Path) -> None:
    with (
        running(own_model, "--edit", "-q") as (process, client, _),
        running(own_model) as (other, second, lines),
    ):
        assert "is shown at http://127.0.0.1:" in lines[0]
        assert client.port != second.port, "the second takes another port"
        assert client.put("0", "kept").status == 200
        assert second.ask("class", path="0")["name"] == "kept", "seen by the other at once"
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        assert second.ask("class", path="0")["name"] == "kept"
        assert ended(other, signal.SIGINT) == (0, "Stopped.\n", ""), "Ctrl-C"
    assert firth.load(own_model).names == {"0": "kept"}
    with serving(own_model, edit=True) as address:
        client = Client(address)
        assert client.ask("class", path="0")["name"] == "kept"
        assert client.put("0", "again").status == 200, "no lock is left"
