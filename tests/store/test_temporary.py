"""Temporary folders: nothing stays, not even after a kill."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.errors import InputError
from firth.store import Room, TemporaryFolder, _system, open_file, replacing
from tests.loading import is_mapped

SENTENCES = [["a", "b"], ["b", "a"]] * 5


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


class Thing:
    pass


def test_a_folder_ends_with_the_block_or_with_what_it_is_kept_for(place: Path) -> None:
    with TemporaryFolder() as folder:
        (folder.path / "file").write_text("x")
        assert len(list(place.iterdir())) == 1
    assert not list(place.iterdir())
    thing = Thing()
    with TemporaryFolder() as folder:
        folder.keep_for(thing)
    assert folder.path.is_dir()
    del thing
    assert not list(place.iterdir())
    with pytest.raises(KeyError), TemporaryFolder():
        raise KeyError
    assert not list(place.iterdir())


LEAVE = """
import os, sys, tempfile
tempfile.tempdir = sys.argv[1]
import firth
corpus = firth.Corpus.from_sentences([["a", "b"]])
print("made", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")
@pytest.mark.slow
def test_what_a_killed_process_left_is_removed_by_the_next(place: Path) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", LEAVE, str(place)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "made\n"
        corpus = firth.Corpus.from_sentences(SENTENCES)
        assert len(list(place.iterdir())) == 2, "a process that lives keeps its own"
        process.send_signal(signal.SIGKILL)
    assert len(list(place.iterdir())) == 2
    counts = firth.count(corpus, min_count=1)
    assert len(list(place.iterdir())) == 2, "that of the corpus, and that of the counts"
    assert counts.n_words == 2
    del corpus, counts
    assert not list(place.iterdir())


def test_what_is_not_ours_stays(place: Path) -> None:
    mine = place / "firth-scratch-mine"
    mine.mkdir()
    (mine / "file").write_text("precious")
    (place / "firth-scratch-link").symlink_to(mine)
    (place / "firth-scratch-file").write_text("precious")
    (place / "firth-demo").mkdir()
    with TemporaryFolder():
        pass
    assert (mine / "file").read_text() == "precious"
    assert len(list(place.iterdir())) == 4


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give away")
def test_what_belongs_to_others_stays(place: Path) -> None:
    left = place / "firth-scratch-0"
    left.mkdir()
    (left / "lock").touch()
    os.chown(left, 12345, 12345)
    with TemporaryFolder():
        pass
    assert left.exists()
    os.chown(left, 0, 0)
    with TemporaryFolder():
        pass
    assert not left.exists()


def test_a_folder_that_is_swept_while_it_is_made_is_made_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept: list[object] = []

    def lock(what: str, path: object, function: object, *args: object) -> object:
        if what == "lock" and len(swept) < 2:
            swept.append(path)
            return False  # another process has it
        return real(what, path, function, *args)  # type: ignore[arg-type]

    real = _system.call
    monkeypatch.setattr(_system, "call", lock)
    with TemporaryFolder() as folder:
        assert folder.path.is_dir()
    assert len(swept) == 2


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (errno.ENOSPC, "No space left in the temporary folder"),
        (errno.EROFS, "Cannot write to the temporary folder .*: Read-only"),
    ],
)
def test_a_full_folder_is_named(
    code: int, message: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(what: str, path: object, function: object, *args: object) -> object:
        if what == "write":
            raise OSError(code, os.strerror(code), os.fspath(path))  # type: ignore[call-overload]
        return real(what, path, function, *args)  # type: ignore[arg-type]

    real = _system.call
    monkeypatch.setattr(_system, "call", fail)
    with pytest.raises(InputError, match=message) as error:
        firth.Corpus.from_sentences(SENTENCES)
    assert "set TMPDIR" in str(error.value.hint)
    assert not list(place.iterdir())
    with pytest.raises(OSError, match=os.strerror(code)), TemporaryFolder():  # noqa: SIM117
        with open_file(place / "elsewhere", "wb") as file:
            file.write(b"x")


def test_a_draft_that_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    script = (
        "import os, sys\nfrom firth.store import replacing\n"
        "with replacing(sys.argv[1]) as file:\n    file.write(b'half')\n    os.kill(os.getpid(), 9)\n"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", script, str(target)])
        (left,) = tmp_path.iterdir()
        assert left.name.endswith(".firth-draft")
    with replacing(target) as file, replacing(target) as other:  # that of a living one stays
        file.write(b"one")
        other.write(b"other")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert target.read_bytes() == b"one"


def test_arrays_are_in_memory_up_to_a_limit_and_then_in_files(tmp_path: Path) -> None:
    room = Room(3 << 20, tmp_path)
    one = room.empty((1 << 9, 1 << 9))
    two = room.empty(1 << 18, np.float64)
    assert not is_mapped(one)
    assert not is_mapped(two)
    three = room.empty((1 << 9, 1 << 9))
    assert is_mapped(three)
    assert three.shape == (512, 512)
    three[:] = 7
    assert three.sum() == 7 * 512 * 512
    assert list(tmp_path.iterdir()) == [], "nobody can find the file, or has to remove it"
    del two
    assert not is_mapped(room.empty(1 << 18))
    assert not is_mapped(Room(0).empty(10)), "small ones are always in memory"
    assert is_mapped(Room(0).empty(1 << 20)), "in a temporary folder"


def test_a_full_disk_is_an_error_when_an_array_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_system, "_allocate", full)
    with pytest.raises(OSError, match="No space"):
        Room(0, tmp_path).empty(1 << 20)
    assert list(tmp_path.iterdir()) == []
