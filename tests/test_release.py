"""What a release needs beside the wheel: workflows, the recipe for conda-forge, the container, versions of the site."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import firth

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SYSTEMS = {"ubuntu-latest", "macos-latest", "windows-latest"}


def read(path: Path) -> Any:
    return import_module("yaml").safe_load(path.read_text(encoding="utf-8"))


def normal(requirement: str) -> str:
    return requirement.replace(" ", "").lower()


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    recipe = read(ROOT / "recipe" / "recipe.yaml")
    project = PROJECT["project"]
    context = recipe["context"]
    assert context["version"] == firth.__version__
    assert project["requires-python"] == f">={context['python_min']}"
    python, *run = recipe["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    assert sorted(map(normal, run)) == sorted(map(normal, project["dependencies"]))
    host = {normal(line) for line in recipe["requirements"]["host"]}
    assert {normal(line) for line in PROJECT["build-system"]["requires"]} < host
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {where}" for name, where in project["scripts"].items()
    ]
    about = recipe["about"]
    assert about["license"] == project["license"]
    assert about["license_file"] == project["license-files"]
    assert all((ROOT / name).is_file() for name in about["license_file"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_what_is_there(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert {"name", "jobs"} < set(workflow)
    assert set(workflow) & {True, "on"}, "YAML 1.1 reads the key `on` as true"
    targets = re.findall(
        r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    for name, job in workflow["jobs"].items():
        assert {"runs-on", "steps"} <= set(job), name
        needed = job.get("needs", [])
        needed = [needed] if isinstance(needed, str) else needed
        assert set(needed) <= set(workflow["jobs"])
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            assert re.fullmatch(r"[\w-]+/[\w-]+@[\w./]+", step.get("uses", "a/b@c"))
            run = step.get("run", "")
            for line in re.findall(r"^make (.*)$", run, re.MULTILINE):
                assert set(line.split()) <= set(targets)
            for file in re.findall(r"(?:^|python )((?:tools|\.ci)/\S+)", run, re.MULTILINE):
                assert (ROOT / file).is_file()
        matrix = job.get("strategy", {}).get("matrix", {})
        if matrix:
            assert set(matrix["system"]) >= SYSTEMS
            minor = re.compile(r":: (3\.\d+)$")
            supported = [m[1] for c in PROJECT["project"]["classifiers"] if (m := minor.search(c))]
            also = [row["python"] for row in matrix.get("include", [])]
            assert sorted(matrix["python"] + also) == supported


def test_publishing_stores_no_password() -> None:
    """Only the job that publishes may ask for a token of the moment, after everything was tried."""
    jobs = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    asking = [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})]
    assert asking == ["publish"]
    publish = jobs["publish"]
    assert (publish["needs"], jobs["build"]["needs"]) == ("build", "try")
    assert publish["environment"] == "release"
    assert "with" not in publish["steps"][-1]
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    assert "secrets." not in text


def test_the_container_installs_the_wheel_and_runs_as_a_user() -> None:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    words = [line.split(maxsplit=1) for line in lines if line and not line.startswith(("#", " "))]
    known = {"FROM", "COPY", "RUN", "ENV", "USER", "WORKDIR", "ENTRYPOINT"}
    assert {word for word, _ in words} <= known
    order = [word for word, _ in words]
    assert (
        order.index("COPY") < order.index("RUN") < order.index("USER") < order.index("ENTRYPOINT")
    )
    assert json.loads(dict(words)["ENTRYPOINT"]) == ["firth"]


@pytest.mark.skipif(sys.platform == "win32", reason="uses shell scripts as interpreters")
def test_pythons_of_pyenv_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    interpreter = import_module("release").interpreter
    scripts = {
        "shims/python3.99": 127,  # as pyenv answers for a version that is not chosen
        "versions/3.99.0/bin/python": 0,
        "versions/3.98.1/bin/python": 1,
    }
    for name, status in scripts.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "shims"), prepend=os.pathsep)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreter("3.99") == str(tmp_path / "versions" / "3.99.0" / "bin" / "python")
    assert interpreter("3.98") is None
    assert interpreter("3.97") is None
    assert interpreter("{}.{}".format(*sys.version_info)) == sys.executable


def test_the_newest_version_of_the_site_comes_first(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from make_site import versions, write_list
    finally:
        sys.path.pop(0)
    for name in ("0.9.0", "0.10.0", "draft", "0.2.1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").touch()
    (tmp_path / "0.11.0").mkdir()  # not built
    write_list(tmp_path, "/firth/")
    found = json.loads((tmp_path / "versions.json").read_text())
    assert found == versions(tmp_path, "/firth/")
    assert [one["version"] for one in found] == ["0.10.0", "0.9.0", "0.2.1"]
    assert [one.get("preferred", False) for one in found] == [True, False, False]
    assert found[0]["url"] == "/firth/0.10.0/"
    assert "url=./0.10.0/" in (tmp_path / "index.html").read_text()
