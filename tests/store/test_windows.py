"""What Windows does differently, simulated: it cannot be run here, and most of it is about files.

A file that is open or mapped can be neither removed nor renamed, a folder cannot be flushed, nor a file
that was opened for reading, a lock keeps others from reading the first byte, nothing keeps ``open`` from
following links, and some names are devices.
"""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firth.errors import BusyError, InputError, ModelError
from firth.store import Store, TemporaryFolder, _system, replacing, writing
from tests.faults import STAGES, Workshop, digests
from tests.store.test_faults import QUICK
from tests.store.test_store import write

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the simulation needs /proc to know which files are open"
)


def in_use(path: Path) -> bool:
    """Whether this process has opened or mapped a file, or one in a folder."""
    whole = str(path.resolve())
    used = [line.split(maxsplit=5)[5:] for line in Path("/proc/self/maps").read_text().splitlines()]
    names = [name[0].removesuffix(" (deleted)") for name in used if name]
    for number in Path("/proc/self/fd").iterdir():
        try:
            names.append(str(number.readlink()))
        except OSError:
            continue  # that of the listing
    return any(name == whole or name.startswith(whole + "/") for name in names)


class Windows:
    """Makes system calls fail as those of Windows do."""

    def __init__(self) -> None:
        self.refused: list[str] = []
        self.locked: set[str] = set()

    def call(self, what: str, path: Any, function: Callable[..., Any], *args: Any) -> Any:
        if what in ("rename", "unlink", "rmdir", "rmtree") and in_use(Path(os.fspath(path))):
            self.refused.append(f"{what} {path}")
            raise PermissionError(errno.EACCES, "Access is denied", os.fspath(path))
        if what == "rename" and in_use(Path(os.fspath(args[1]))):
            self.refused.append(f"{what} to {args[1]}")
            raise PermissionError(errno.EACCES, "Access is denied", os.fspath(path))
        if what == "fsync":
            flags = fcntl.fcntl(args[0], fcntl.F_GETFL)
            if flags & os.O_ACCMODE == os.O_RDONLY:
                raise OSError(errno.EBADF, "Bad file descriptor")
        if what == "open" and os.path.isdir(path):  # noqa: PTH112
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        if what == "read" and str(path) in self.locked and function.__self__.tell() == 0:  # type: ignore[attr-defined]
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        result = function(*args)
        if what == "lock" and result:
            self.locked.add(str(path))
        return result


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Windows:
    simulated = Windows()
    monkeypatch.setattr(_system, "_WINDOWS", True)
    monkeypatch.setattr(_system, "_PAUSE", 0.001)
    monkeypatch.setattr(_system, "call", simulated.call)
    for name in ("O_NOFOLLOW", "O_NONBLOCK"):
        monkeypatch.delattr(os, name)
    return simulated


def test_the_simulation_refuses_what_windows_refuses(windows: Windows, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    with path.open("rb") as file:
        with pytest.raises(PermissionError):
            _system.remove_file(path)
        with pytest.raises(PermissionError):
            _system.rename(path, tmp_path / "other")
        with pytest.raises(OSError, match="Bad file descriptor"):
            _system.sync(file)
        mapped = _system.map_open_file(file)
    with pytest.raises(PermissionError):
        _system.remove_file(path)
    mapped.close()
    _system.remove_file(path)
    assert len(windows.refused) > 3


def test_a_part_is_written_replaced_and_removed(windows: Windows, tmp_path: Path) -> None:
    write(tmp_path / "model")
    write(tmp_path / "model", "two")
    assert Store(tmp_path / "model").part("part").path("a.txt").read_text() == "two"
    assert len(list((tmp_path / "model" / "part").iterdir())) == 1
    assert not windows.refused


def test_an_old_version_that_is_mapped_is_removed_later(windows: Windows, tmp_path: Path) -> None:
    model = tmp_path / "model"
    write(model)
    with next((model / "part").iterdir()).joinpath("b.u32").open("rb") as file:
        mapped = _system.map_open_file(file)
    write(model, "two")
    assert len(list((model / "part").iterdir())) == 2, "the old version cannot be removed"
    assert Store(model).part("part").path("a.txt").read_text() == "two"
    write(model)
    assert Store(model).part("part").path("a.txt").read_text() == "one", "under another name"
    mapped.close()
    with writing(model):
        pass
    assert len(list((model / "part").iterdir())) == 1, "the next writer removes it"


def test_a_reader_of_the_manifest_delays_the_writer(
    windows: Windows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    write(model)
    reader = (model / "firth.json").open("rb")

    def pause(_: float) -> None:
        if len(windows.refused) == 3:
            reader.close()

    monkeypatch.setattr("firth.store._system.time.sleep", pause)
    write(model, "two")
    assert Store(model).part("part").path("a.txt").read_text() == "two"
    assert len(windows.refused) == 3


def test_a_failure_leaves_no_new_folder(windows: Windows, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), writing(tmp_path / "new"):
        raise RuntimeError
    assert not (tmp_path / "new").exists()


def test_the_other_writer_is_named_though_its_lock_cannot_be_read(
    windows: Windows, tmp_path: Path
) -> None:
    with (
        writing(tmp_path / "m"),
        pytest.raises(BusyError, match=rf"Another process \({os.getpid()}\) is writing"),
        writing(tmp_path / "m"),
    ):
        pass


@pytest.mark.parametrize("name", [".lock", "firth.log", "firth.json.new"])
def test_links_are_not_followed(name: str, windows: Windows, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / name).symlink_to(victim)
    try:
        write(tmp_path / "model")
    except ModelError as error:
        assert "not a plain file" in error.message  # noqa: PT017
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["CON", "aux.txt", "com1", "NUL.html"])
def test_names_of_devices_are_refused(name: str, windows: Windows, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="Windows reserves the name"), writing(tmp_path / name):
        pass
    with pytest.raises(InputError, match="Windows reserves the name"), replacing(tmp_path / name):
        pass
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with Workshop.temporary() as workshop:
        yield workshop


@pytest.mark.slow
@pytest.mark.parametrize("stage", [*QUICK, "learn", "grammar"])
def test_every_stage_gives_the_same_bytes_and_leaves_nothing(
    stage: str, workshop: Workshop, request: pytest.FixtureRequest
) -> None:
    after, *_ = workshop.clean(stage)
    workshop.fresh()
    windows = request.getfixturevalue("windows")
    with workshop.own_temporary_folder():
        STAGES[stage](workshop.inputs, workshop.work)
        gc.collect()
        for model in (workshop.work / "model", workshop.work / "deep" / "new"):
            if model.exists():
                with writing(model):  # removes what was in use before
                    pass
        with TemporaryFolder():
            pass
    assert digests(workshop.work) == after
    assert not list(workshop.spare.glob("firth-scratch-*"))
    assert not [refused for refused in windows.refused if refused.startswith("rename")]
