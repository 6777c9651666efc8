"""Models on the Hugging Face Hub, against a stand-in on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.errors import FirthError, InputError, ParameterError
from firth.hub import split_address
from firth.integrations import TEXT_PARTS, model_card
from tests.integrations.hub_server import TOKEN, Hub, serving

pytest.importorskip("huggingface_hub")


@pytest.fixture
def hub() -> Iterator[tuple[Hub, str]]:
    with serving() as served:
        yield served


@pytest.fixture
def run(hub: tuple[Hub, str], tmp_path: Path) -> Callable[..., Any]:
    """Runs Firth in a process of its own: the library reads its settings when it is imported."""

    def call(*args: Any, token: str = TOKEN, **env: str) -> Any:
        settings = {
            "HF_ENDPOINT": hub[1], "HF_HOME": str(tmp_path / "hf"), "HF_HUB_DISABLE_XET": "1", "HF_TOKEN": token,
            "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DOWNLOAD_TIMEOUT": "5", "HF_HUB_ETAG_TIMEOUT": "5", **env,
        }  # fmt: skip
        command = [sys.executable, "-m", "firth", *map(str, args)]
        if args[0] == "-c":
            command = [sys.executable, "-W", "ignore", *map(str, args)]
        return subprocess.run(
            command, env={**os.environ, **settings}, capture_output=True, text=True, check=False,
            timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    return call


SHOW = "import firth; m = firth.load({!r}); print(sorted(m.parts), m.classes.path('cat'), m.path)"


def test_there_and_back(model: Path, hub: tuple[Hub, str], run: Any) -> None:
    done = run("push", model, "anna/news", "--licence", "cc-by-4.0")
    assert done.returncode == 0, done.stderr
    assert done.stdout == 'Uploaded. Open it with firth.load("hf://anna/news").\n'
    files = hub[0].files["anna/news"]
    assert {"README.md", "firth.json"} < files.keys()
    assert not {path.split("/")[0] for path in files} & set(TEXT_PARTS), "the text stays here"
    assert not [path for path in files if "log" in path or "lock" in path]
    assert str(model.parent).encode() not in b"".join(files.values()), "and so do its paths"
    found = run("-c", SHOW.format("hf://anna/news"))
    assert found.returncode == 0, found.stderr
    opened = firth.load(model)
    expected = sorted(set(opened.parts) - set(TEXT_PARTS))
    assert found.stdout.startswith(f"{expected} {opened.classes.path('cat')} ")
    folder = Path(found.stdout.split()[-1])
    assert firth.load(folder).vectors["cat"].tolist() == opened.vectors["cat"].tolist()
    # commands take the address, too
    done = run("show", "hf://anna/news", "cat"), run("tags", "show", "hf://anna/news")
    assert [one.returncode for one in done] == [0, 0], done
    # a second time, nothing but the version is asked for
    hub[0].requests.clear()
    assert run("-c", SHOW.format("hf://anna/news")).stdout == found.stdout
    assert not [line for line in hub[0].requests if line.startswith("GET") and "resolve" in line]
    # and without a connection, the copy is used
    for settings in ({"HF_ENDPOINT": "http://127.0.0.1:1"}, {"HF_HUB_OFFLINE": "1"}):
        offline = run("-c", SHOW.format("hf://anna/news"), **settings)
        assert offline.stdout == found.stdout, offline.stderr


def test_another_version_replaces_the_old_one(
    model: Path, hub: tuple[Hub, str], run: Any, tmp_path: Path
) -> None:
    for parts in (["classes", "vectors"], ["classes"]):
        firth.load(model).copy_to(tmp_path / parts[-1], parts)
        done = run("push", tmp_path / parts[-1], "anna/news", "--licence", "mit", "--private", "-q")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert {path.split("/")[0] for path in hub[0].files["anna/news"]} == {
        "README.md",
        "firth.json",
        "classes",
    }
    assert hub[0].private["anna/news"]
    assert "['classes']" in run("-c", SHOW.format("hf://anna/news")).stdout


def test_the_text_goes_along_if_it_is_asked_for(
    model: Path, hub: tuple[Hub, str], run: Any
) -> None:
    assert run("push", model, "anna/news", "--licence", "mit", "--with-corpus").returncode == 0
    assert any(path.startswith("corpus/") for path in hub[0].files["anna/news"])
    assert b"The model contains the text" in hub[0].files["anna/news"]["README.md"]


def test_damaged_models_are_refused(model: Path, hub: tuple[Hub, str], run: Any) -> None:
    assert run("push", model, "anna/news", "--licence", "mit").returncode == 0
    hub[0].broken = next(
        path for path in hub[0].files["anna/news"] if path.endswith("class_of.i32")
    )
    found = run("-c", SHOW.format("hf://anna/news"))
    assert found.returncode == 1
    assert "Error" in found.stderr
    assert not found.stdout
    hub[0].files["anna/evil"] = {
        "firth.json": b'{"kind": "firth model", "format": 1, "parts": {"../x": {}}}'
    }
    found = run("-c", SHOW.format("hf://anna/evil"))
    assert "not a valid name of a part" in found.stderr
    hub[0].files["anna/other"] = {"README.md": b"#"}
    assert "is not a Firth model" in run("-c", SHOW.format("hf://anna/other")).stderr


def test_nothing_is_downloaded_that_cannot_be_right(
    model: Path, hub: tuple[Hub, str], run: Any, tmp_path: Path
) -> None:
    """Sizes are compared before anything large is asked for."""
    assert run("push", model, "anna/news", "--licence", "mit").returncode == 0
    files = hub[0].files["anna/news"]
    array = next(path for path in files if path.endswith("class_of.i32"))
    home = tmp_path / "hf"

    def refused() -> str:
        hub[0].requests.clear()
        done = run("show", "hf://anna/news")
        assert (done.returncode, done.stdout) == (1, ""), done
        assert "Traceback" not in done.stderr
        loaded = [line for line in hub[0].requests if line.startswith("GET") and "resolve" in line]
        assert not [line for line in loaded if not line.endswith("firth.json")]
        assert not list(home.rglob("*.i32"))
        return str(done.stderr)

    hub[0].sizes = {"firth.json": 1 << 40}
    assert "its firth.json is too large" in refused()
    assert not list(home.rglob("firth.json"))
    hub[0].sizes = {array: 1 << 40}
    assert f"{array} has 1,099,511,627,776 bytes instead of" in refused()
    hub[0].sizes = {}
    manifest, data = files["firth.json"], files.pop(array)
    assert f"{array} is missing" in refused()
    files[array] = data
    entry = json.loads(manifest)
    entry["parts"]["classes"]["files"]["class_of.i32"]["size"] = 1 << 60
    files["firth.json"] = json.dumps(entry).encode()
    hub[0].sizes = {array: 1 << 60}
    assert "1153 PB" in refused() or "TB to download" in refused()


def test_a_copy_that_was_cut_is_completed(
    model: Path, hub: tuple[Hub, str], run: Any, tmp_path: Path
) -> None:
    assert run("push", model, "anna/news", "--licence", "mit").returncode == 0
    shown = run("-c", SHOW.format("hf://anna/news"))
    (array,) = (tmp_path / "hf" / "firth").rglob("class_of.i32")
    array.write_bytes(array.read_bytes()[:-4])
    assert run("-c", SHOW.format("hf://anna/news")).stdout == shown.stdout


def test_a_folder_that_cannot_be_written(model: Path, run: Any, tmp_path: Path) -> None:
    assert run("push", model, "anna/news", "--licence", "mit").returncode == 0
    (tmp_path / "file").touch()
    done = run("show", "hf://anna/news", HF_HOME=str(tmp_path / "file"))
    assert done.returncode == 1
    assert "Set HF_HOME to a folder" in done.stderr
    assert "cannot be reached" not in done.stderr


def test_what_goes_wrong_is_said(
    model: Path, hub: tuple[Hub, str], run: Any, tmp_path: Path
) -> None:
    def fails(*args: Any, **env: str) -> str:
        done = run(*args, **env)
        assert done.returncode in (1, 2), done
        assert "Traceback" not in done.stderr
        assert TOKEN not in done.stderr
        assert "127.0.0.1" not in done.stderr
        assert done.stdout == ""
        return str(done.stderr)

    assert "A licence is needed" in fails("push", model, "anna/news")
    assert "There is no model folder" in fails("push", tmp_path / "none", "anna/news")
    assert "not the identifier of a licence" in fails(
        "push", model, "anna/news", "--licence", "x\ny"
    )
    assert "looks like hf://USER/NAME" in fails("push", model, "news", "--licence", "mit")
    assert "names a revision" in fails("push", model, "anna/news@main", "--licence", "mit")
    assert "There is no model folder" in fails(
        "push", tmp_path / "none", "anna/news", "--licence", "mit"
    )
    assert "does not allow it" in fails(
        "push", model, "anna/news", "--licence", "mit", token="wrong"
    )
    refused = fails("push", model, "a/b", "--licence", "mit", HF_ENDPOINT="http://127.0.0.1:1")
    assert "cannot be reached" in refused
    firth.load(model).copy_to(tmp_path / "text", ["corpus"])
    assert "--with-corpus" in fails("push", tmp_path / "text", "anna/news", "--licence", "mit")
    missing = run("-c", SHOW.format("hf://anna/missing"))
    assert "There is no model anna/missing on the Hub" in missing.stderr
    hub[0].status = 500
    assert "answered with an error (500)" in fails("push", model, "anna/news", "--licence", "mit")


@pytest.mark.parametrize(
    "wrong",
    ["hf://", "hf://a", "hf://a/b/c", "hf://../x", "hf://a/b@", "hf://a/b@../c", "hf://a/ü"],
)
def test_addresses(wrong: str) -> None:
    with pytest.raises(ParameterError, match="not the address of a model"):
        split_address(wrong)
    with pytest.raises(FirthError):
        firth.load(wrong)


@pytest.mark.parametrize("name", ["a--b/c", "a/b..c", "a/b.", "a/b.git"])
def test_names_that_the_hub_does_not_have(name: str) -> None:
    with pytest.raises(ParameterError, match="cannot be a name on the Hub"):
        firth.load(f"hf://{name}")


def test_a_version_is_the_name_of_a_folder(model: Path, hub: tuple[Hub, str], run: Any) -> None:
    assert run("push", model, "anna/news", "--licence", "mit").returncode == 0
    hub[0].sha = lambda name: "../../outside"  # type: ignore[method-assign]
    found = run("-c", SHOW.format("hf://anna/news"))
    assert "does not say which version" in found.stderr
    assert not found.stdout


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match=r'pip install "firth\[hub\]"'):
        firth.load("hf://anna/news")


def test_the_card(model: Path) -> None:
    card = model_card(firth.load(model), "anna/news", "cc-by-4.0")
    assert card.startswith("---\nlicense: cc-by-4.0\nlibrary_name: firth\n")
    assert 'model = firth.load("hf://anna/news")' in card
    assert "| named-entity recogniser | LOC, PER; " in card
    assert '"min_count": 1' in card
    assert str(model.parent) not in card
    copy = firth.load(model)
    copy.tags.tags_[:] = ["<script>", "|", "`", "#"]
    assert "<script>" not in model_card(copy, "anna/news", "mit")
