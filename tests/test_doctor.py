"""firth doctor: what it finds here, and that it finds what is wrong."""

from __future__ import annotations

import json
from importlib import metadata

import pytest
from typer.testing import CliRunner

from firth.cli import app
from firth.doctor import _examination, _known_answer, examine


def test_all_is_well_here() -> None:
    found = {finding.name: finding for finding in examine()}
    assert not [finding for finding in found.values() if finding.problem]
    assert "numpy " in found["packages"].value
    assert found["firth[remote]"].value == "installed"
    assert "firth[dev]" not in found
    assert "as expected" in found["known answer"].value


def test_a_wrong_answer_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_known_answer.KNOWN, "classes", "0123456789abcdef")
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert done.exit_code == 1
    answer = json.loads(done.stdout)[-1]
    assert answer["problem"]
    assert answer["value"] == "other than expected: classes"


def test_a_missing_package_comes_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def without(name: str) -> str:
        if name in ("numba", "fsspec"):
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without)
    found = {finding.name: finding for finding in _examination._packages()}
    assert found["missing packages"].problem
    assert found["missing packages"].value == "numba"
    assert found["firth[remote]"].value == "without fsspec"
    assert found["firth[remote]"].advice == 'To install: pip install "firth[remote]"'


def test_programs_that_are_not_there_print_nothing() -> None:
    assert _examination._output("no-such-program-of-firth") == []
    assert _examination._output("python3", "-c", "raise SystemExit(3)") == []
