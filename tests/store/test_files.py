"""Files outside a model: written completely, or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from firth.errors import InputError
from firth.store import replacing


def test_a_file_is_replaced_in_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(error), replacing(path) as file:
        file.write(b"new")
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_are_those_of_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with replacing(tmp_path / "made") as file:
        file.write(b"x")
    usual, made = ((tmp_path / name).stat().st_mode for name in ("usual", "made"))
    assert stat.S_IMODE(made) == stat.S_IMODE(usual)


def test_a_relative_name_is_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with replacing("file.txt") as file:
        file.write(b"x")
    assert (tmp_path / "file.txt").read_text() == "x"


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with replacing("-") as file:
        file.write(b"x")
    assert capfdbinary.readouterr().out == b"x"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as file:
        file.write(b"x")
    reader.join()
    assert read == [b"x"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no/file.txt: No such file") as error:  # noqa: SIM117
        with replacing(tmp_path / "no" / "file.txt"):
            raise AssertionError
    assert "the folder exists" in str(error.value.hint)
