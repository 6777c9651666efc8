"""Model folders: changes that happen wholly or not at all, and nothing trusted unchecked."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.compute import Engine
from firth.errors import BusyError, ModelError
from firth.store import Part, Room, Store, _contents, array_file, count_ids, read_array, writing
from firth.store._reading import MANIFEST


def write(path: Path, content: str = "one", **made_from: Any) -> None:
    with writing(path) as writer, writer.part("part", 1, Part.verify) as draft:
        (draft.folder / "a.txt").write_text(content)
        (draft.folder / "b.u32").write_bytes(np.arange(5, dtype="<u4").tobytes())
        draft.parameters = {"content": content}
        draft.made_from = made_from
        draft.facts = {"n": len(content)}


def everything(path: Path) -> dict[str, bytes]:
    """All files of a folder but those that tell the time or the process."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.name not in ("firth.log", ".lock")
    }


def test_a_part_is_written_read_and_replaced(tmp_path: Path) -> None:
    model = tmp_path / "deep" / "model"
    write(model)
    part = Store(model).part("part")
    assert part.path("a.txt").read_text() == "one"
    assert read_array(part.path("b.u32")).tolist() == [0, 1, 2, 3, 4]
    assert (part.parameters, part.facts, part.n_bytes) == ({"content": "one"}, {"n": 3}, 23)
    write(model, "two")
    assert Store(model).part("part").path("a.txt").read_text() == "two"
    assert len(list((model / "part").iterdir())) == 1, "the old version is gone"
    assert [entry["part"] for entry in Store(model).history()] == ["part", "part"]
    with pytest.raises(ModelError, match="has no other"):
        Store(model).part("other")
    with pytest.raises(ModelError, match="lists no file 'c'"):
        part.path("c")


def test_the_same_part_is_recognised_and_a_damaged_one_is_not(tmp_path: Path) -> None:
    write(tmp_path, text="abc")
    with writing(tmp_path) as writer:
        assert writer.is_current("part", 1, {"content": "one"}, {"text": "abc"})
        assert not writer.is_current("part", 2, {"content": "one"}, {"text": "abc"})
        assert not writer.is_current("part", 1, {"content": "two"}, {"text": "abc"})
        assert not writer.is_current("part", 1, {"content": "one"}, {"text": "xyz"})
    before = everything(tmp_path)
    write(tmp_path, text="abc")
    assert everything(tmp_path) == before
    Store(tmp_path).part("part").path("a.txt").write_text("bad")
    with writing(tmp_path) as writer:
        assert not writer.is_current("part", 1, {"content": "one"}, {"text": "abc"})
    write(tmp_path, text="abc")
    assert Store(tmp_path).part("part").path("a.txt").read_text() == "one"


def test_a_part_that_cannot_be_read_back_replaces_nothing(tmp_path: Path) -> None:
    write(tmp_path / "m")
    before = everything(tmp_path / "m")

    def refuse(part: Part) -> None:
        part.verify()
        assert part.path("a.txt").read_text() == "two"
        assert part.facts == {"1": [2]}, "as the manifest would have it"
        raise ModelError("cannot be read")

    for path in (tmp_path / "m", tmp_path / "new"):
        with (
            pytest.raises(ModelError, match="cannot be read"),
            writing(path) as writer,
            writer.part("part", 1, refuse) as draft,
        ):
            (draft.folder / "a.txt").write_text("two")
            draft.facts = {1: (2,)}  # type: ignore[dict-item]
    assert everything(tmp_path / "m") == before
    assert not (tmp_path / "new").exists()


def test_a_manifest_that_could_not_be_read_again_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    before = everything(tmp_path)
    monkeypatch.setattr("firth.store._writing.MANIFEST_LIMIT", 2000)
    with pytest.raises(ModelError, match="too large to be read again"):
        write(tmp_path, "x" * 2000)
    assert everything(tmp_path) == before


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError),
        writing(tmp_path / "new") as writer,
        writer.part("part", 1, Part.verify) as draft,
    ):
        (draft.folder / "a").write_text("half")
        raise RuntimeError
    assert not (tmp_path / "new").exists()
    write(tmp_path / "old")
    before = everything(tmp_path / "old")
    for interruption in (RuntimeError, KeyboardInterrupt, SystemExit):
        with (
            pytest.raises(interruption),
            writing(tmp_path / "old") as writer,
            writer.part("part", 1, Part.verify) as draft,
        ):
            (draft.folder / "a.txt").write_text("half")
            raise interruption
        assert everything(tmp_path / "old") == before


@pytest.mark.slow
@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize(
    "interruption", [KeyboardInterrupt, SystemExit, lambda: OSError(5, "Input/output error")]
)
def test_an_exception_before_any_operation_leaves_the_old_or_the_new(
    existing: bool, interruption: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ctrl-C and SIGTERM do: whatever cleans up then must not remove what has become current."""
    clean = tmp_path / "clean"
    if existing:
        write(clean)
    write(clean, "two")
    for k in range(100):
        model = tmp_path / f"model{k}"
        if existing:
            write(model)
        left = k
        with monkeypatch.context() as patch:

            def failing(operation: Callable[..., Any]) -> Callable[..., Any]:
                def run(*args: Any, **kwargs: Any) -> Any:
                    nonlocal left
                    left -= 1
                    if left == -1:
                        raise interruption()
                    return operation(*args, **kwargs)

                return run

            for name in ("fsync", "rename", "replace", "unlink", "rmdir", "mkdir"):
                patch.setattr(os, name, failing(getattr(os, name)))
            with contextlib.suppress(KeyboardInterrupt, SystemExit, OSError, ModelError):
                write(model, "two")
        if (model / MANIFEST).exists() and "part" in Store(model).parts:
            assert Store(model).part("part").path("a.txt").read_text() in ("one", "two")
        else:
            assert not existing
        write(model, "two")
        assert everything(model) == everything(clean)
        if left >= 0:
            break
    assert k > 8, "the test reached what it is about"


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    write(tmp_path / "model")
    mine = tmp_path / "model" / "figures" / "2024" / "plot.svg"
    mine.parent.mkdir(parents=True)
    mine.write_text("precious")
    write(tmp_path / "model", "two")
    assert mine.read_text() == "precious"


@pytest.mark.parametrize("name", [".lock", "firth.log", "firth.json.new"])
def test_links_are_never_written_through(name: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / name).symlink_to(victim)
    with contextlib.suppress(ModelError):
        write(tmp_path / "model")
    assert victim.read_text() == "precious"


def test_a_part_that_is_a_link_is_not_written(tmp_path: Path) -> None:
    write(tmp_path / "model")
    escape_by_folder_link(tmp_path / "model")
    before = everything(tmp_path / "elsewhere")
    with pytest.raises(ModelError, match="is a link"):
        write(tmp_path / "model", "two")
    assert everything(tmp_path / "elsewhere") == before


def test_a_reader_follows_a_writer(tmp_path: Path) -> None:
    write(tmp_path)
    store = Store(tmp_path)
    write(tmp_path, "two")
    assert store.part("part").path("a.txt").read_text() == "two"


def test_a_lock_that_was_removed_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def lock_a_removed_file(*_: Any) -> None:
        (tmp_path / "model" / ".lock").unlink()

    monkeypatch.setattr(fcntl, "flock", lock_a_removed_file)
    with pytest.raises(BusyError, match="just removed"):
        write(tmp_path / "model")


DIE = """
import os, sys
from pathlib import Path
folder, existing, root = sys.argv[1:]
sys.path.insert(0, root)
from tests.store.test_store import write

def die(model, left):
    def deadly(operation):
        def run(*args, **kwargs):
            nonlocal left
            if left == 0:
                os._exit(9)
            left -= 1
            return operation(*args, **kwargs)
        return run
    for name in ("fsync", "rename", "replace", "unlink", "rmdir", "mkdir"):
        setattr(os, name, deadly(getattr(os, name)))
    write(model, "two")
    os._exit(0)

for k in range(100):
    model = Path(folder, f"model{k}")
    if existing:
        write(model)
    child = os.fork()
    if not child:
        try:
            die(model, k)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status)
    if not status:
        break
"""


@pytest.mark.slow
@pytest.mark.parametrize("existing", [False, True])
def test_death_before_any_operation_leaves_the_old_or_the_new(
    existing: bool, tmp_path: Path
) -> None:
    clean = tmp_path / "clean"
    if existing:
        write(clean)
    write(clean, "two")
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", DIE, str(tmp_path), "existing" if existing else "", root]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    *deaths, end = map(int, done.stdout.split())
    assert set(deaths) == {9}
    assert end == 0
    for k in range(len(deaths) + 1):
        model = tmp_path / f"model{k}"
        if (model / MANIFEST).exists() and "part" in Store(model).parts:
            assert Store(model).part("part").path("a.txt").read_text() in ("one", "two")
        else:
            assert not existing
        write(model, "two")
        assert everything(model) == everything(clean)
    assert len(deaths) > 8, "the test reached what it is about"


def test_two_writers_at_once(tmp_path: Path) -> None:
    with (
        writing(tmp_path / "model"),
        pytest.raises(BusyError, match=rf"Another process \({os.getpid()}\) is writing") as error,
        writing(tmp_path / "model"),
    ):
        pass
    assert "Wait" in str(error.value.hint)


def test_other_folders_and_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with (
        pytest.raises(ModelError, match="is not empty and is not a Firth model"),
        writing(tmp_path),
    ):
        pass
    with (
        pytest.raises(ModelError, match="is a file, not a model folder"),
        writing(tmp_path / "precious.txt"),
    ):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["precious.txt"]
    with pytest.raises(ModelError, match="is not a Firth model"):
        Store(tmp_path)
    with pytest.raises(ModelError, match="There is no model folder"):
        Store(tmp_path / "none")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EACCES])
def test_no_space_and_no_permission_are_said_and_change_nothing(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    before = everything(tmp_path)

    def full(*_: Any) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        message = "Cannot write to" if code == errno.EACCES else "No space left while writing to"
        with pytest.raises(ModelError, match=message):
            write(tmp_path, "two")
    assert everything(tmp_path) == before


def tamper(change: Callable[[Path, dict[str, Any]], None]) -> Callable[[Path], None]:
    def run(model: Path) -> None:
        manifest = json.loads((model / MANIFEST).read_text())
        change(model, manifest)
        (model / MANIFEST).write_text(json.dumps(manifest))

    return run


def part_file(model: Path, name: str = "a.txt") -> Path:
    return next((model / "part").iterdir()) / name


def escape_by_link(model: Path) -> None:
    (model.parent / "secret").write_text("one")
    part_file(model).unlink()
    part_file(model).symlink_to(model.parent / "secret")


def escape_by_folder_link(model: Path) -> None:
    (model / "part").rename(model.parent / "elsewhere")
    (model / "part").symlink_to(model.parent / "elsewhere")


def rename_file(model: Path, manifest: dict[str, Any], new: str) -> None:
    files = manifest["parts"]["part"]["files"]
    files[new] = files.pop("a.txt")


TAMPERINGS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "truncated": (lambda m: part_file(m).write_text("on"), "has 2 bytes instead of 3"),
    "other bytes": (lambda m: part_file(m).write_text("two"), "checksum"),
    "missing": (lambda m: part_file(m).unlink(), "is missing|not a plain file"),
    "link": (escape_by_link, "is missing|not a plain file"),
    "folder link": (escape_by_folder_link, "missing or not a plain folder"),
    "not JSON": (lambda m: (m / MANIFEST).write_text("{"), "not valid JSON"),
    "deep JSON": (lambda m: (m / MANIFEST).write_text("[" * 100_000), "not valid JSON"),
    "no object": (lambda m: (m / MANIFEST).write_text("[]"), "does not describe a Firth model"),
    "other kind": (tamper(lambda _, x: x.update(kind="zip")), "does not describe a Firth model"),
    "newer": (
        tamper(lambda _, x: x.update(format=99)),
        "has format 99; this version of Firth reads 1",
    ),
    "no parts": (tamper(lambda _, x: x.update(parts=[])), "no list of parts"),
    "part name": (
        tamper(lambda _, x: x["parts"].update({"../up": x["parts"]["part"]})),
        "not a valid name of a part",
    ),
    "up": (tamper(lambda m, x: rename_file(m, x, "../../secret")), "not a valid file name"),
    "absolute": (tamper(lambda m, x: rename_file(m, x, "/etc/passwd")), "not a valid file name"),
    "version up": (
        tamper(lambda _, x: x["parts"]["part"].update(folder="..")),
        "not a valid folder name",
    ),
    "no size": (
        tamper(lambda _, x: x["parts"]["part"]["files"]["a.txt"].pop("size")),
        "size or checksum",
    ),
    "no facts": (
        tamper(lambda _, x: x["parts"]["part"].pop("facts")),
        "the facts of part is missing",
    ),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_folder_that_was_tampered_with_is_not_trusted(name: str, tmp_path: Path) -> None:
    model = tmp_path / "model"
    write(model)
    change, message = TAMPERINGS[name]
    change(model)
    with pytest.raises(ModelError, match=message):
        Store(model).part("part")


@pytest.mark.parametrize("address", ["hf://anna/news", "s3://bucket/news", Path("hf://anna/news")])
def test_an_address_is_no_folder(
    address: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="is an address"), writing(address):
        pass
    assert list(tmp_path.iterdir()) == []


def test_arrays_tell_their_type_by_name(tmp_path: Path) -> None:
    for dtype in ("uint32", "uint64", "int32", "int64", "float32", "float64"):
        path = tmp_path / array_file("x", dtype)
        np.arange(3, dtype=dtype).tofile(path)
        assert read_array(path).dtype == np.dtype(dtype)
        assert read_array(path).tolist() == [0, 1, 2]
    (tmp_path / "empty.i64").touch()
    assert read_array(tmp_path / "empty.i64").tolist() == []
    (tmp_path / "odd.i64").write_bytes(b"123")
    with pytest.raises(ModelError, match="not a multiple of 8"):
        read_array(tmp_path / "odd.i64")


def test_a_log_that_is_not_json_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path)
    with (tmp_path / "firth.log").open("a") as log:
        log.write("not json\n[1]\n")
    assert len(Store(tmp_path).history()) == 1


def test_unfinished_work_is_never_looked_for_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / ".unfinished-x").mkdir(parents=True)
    with writing(tmp_path / "m") as writer:
        (tmp_path / "m" / "part").symlink_to(outside)
        with pytest.raises(ModelError, match="is a link"):
            writer.unfinished("part", 1, {}, {})
        writer.forget_unfinished("part")
    assert (outside / ".unfinished-x").exists()


def test_unfinished_work_has_no_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine", encoding="utf-8")
    with writing(tmp_path / "m") as writer:
        folder = writer.unfinished("part", 1, {}, {})
        (folder / "run0").mkdir(parents=True)
        (folder / "run0" / "indptr.i64").symlink_to(outside)
        with pytest.raises(ModelError, match="is a link"):
            writer.unfinished("part", 1, {}, {})


def test_a_full_disk_says_how_much_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    before = everything(tmp_path)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    message = r"2.1 MB of unfinished files were removed\. The next file needs 3.15 MB"
    with (
        pytest.raises(ModelError, match=message) as caught,
        writing(tmp_path) as writer,
        writer.scratch("part") as folder,
    ):
        (folder / "some").write_bytes(bytes(2 << 20))
        Room(0, folder).empty(3 << 20, np.uint8)
    assert "the same command continues" in str(caught.value.hint)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("threads", [1, 3])
def test_ids_of_a_long_text_are_counted_by_all_threads(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_contents, "_LARGE", 10)
    monkeypatch.setattr(_contents, "_AT_ONCE", 7)
    monkeypatch.setattr(_contents, "engine_for", lambda *_: Engine(threads))
    ids = np.random.default_rng(0).integers(0, 9, 100).astype(np.uint32)
    assert count_ids(ids, 12).tolist() == [ids.tolist().count(i) for i in range(12)]
