"""Compiled kernels are kept where that is possible."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import caching

from firth.compute import _cache
from firth.compute._cache import kept


def double(x: int) -> int:
    return 2 * x


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a container: neither the installation nor the home folder can be written to."""
    chosen = [
        kind for kind in caching.CacheImpl._locator_classes if "UserProvided" in kind.__name__
    ]
    assert chosen
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", chosen)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    _cache._temporary_folder.cache_clear()
    _cache._say_that_nothing_is_kept.cache_clear()
    yield
    _cache._temporary_folder.cache_clear()
    _cache._say_that_nothing_is_kept.cache_clear()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_numba_would_fail(read_only: None) -> None:
    with pytest.raises(RuntimeError, match="cannot cache function"):
        numba.njit(cache=True)(double)


def test_a_temporary_folder_takes_them(
    read_only: None, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "firth"):
        for _ in range(2):
            assert kept(numba.njit(double))(4) == 8
    (folder,) = place.iterdir()
    assert list(folder.rglob("*.nbi")), "the code is there"
    assert folder.stat().st_mode & 0o077 == 0, "and nobody else can write it"
    assert [record.message.startswith("Compiled code is kept in") for record in caplog.records] == [
        True
    ]
    assert numba.config.CACHE_DIR == "", "other code of the user is not concerned"


@pytest.mark.skipif(os.name == "nt", reason="permissions as on Unix")
@pytest.mark.parametrize("unsafe", ["open to others", "a link", "a file"])
def test_a_folder_that_others_can_write_is_not_used(
    unsafe: str, read_only: None, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = place / f"firth-kernels-{os.getuid()}"
    if unsafe == "a link":
        (place / "other").mkdir(0o700)
        folder.symlink_to(place / "other")
    elif unsafe == "a file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with caplog.at_level(logging.WARNING, "firth"):
        for _ in range(2):
            assert kept(numba.njit(double))(4) == 8
    assert not list(place.rglob("*.nbi"))
    assert [
        record.message.startswith("Compiled code cannot be kept") for record in caplog.records
    ] == [True]


def test_a_full_disk_or_a_damaged_file_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    _cache._say_that_nothing_is_kept.cache_clear()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING, "firth"):
        patch.setattr(caching.IndexDataCacheFile, "_save_index", full)
        assert kept(numba.njit(double))(4) == 8
    assert "cannot be kept" in caplog.text
    assert kept(numba.njit(double))(4) == 8
    (index,) = tmp_path.rglob("*.nbi")
    for damage in (b"", index.read_bytes()[:-5]):
        index.write_bytes(damage)
        assert kept(numba.njit(double))(4) == 8


def test_a_kernel_is_compiled_again_if_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    head = "from firth.compute.kernels import kernel\n"
    caller = head + "from below import number\n\n@kernel\ndef above(x):\n    return x + number()\n"
    (tmp_path / "above.py").write_text(caller)
    found = []
    for number in (1, 2, 2):
        text = f"{head}\n@kernel\ndef number():\n    return {number}\n"
        (tmp_path / "below.py").write_text(text)
        script = "import above; print(above.above(40), sum(above.above.stats.cache_hits.values()))"
        done = subprocess.run(
            [sys.executable, "-B", "-c", script], cwd=tmp_path, capture_output=True, text=True
        )
        found.append(done.stdout.split())
    assert found == [["41", "0"], ["42", "0"], ["42", "1"]]
