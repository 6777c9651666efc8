"""The fuzzer itself: its cases, what it notices, and what it has found before."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz import all_targets, sample
from fuzz.changes import apply, read_words, write_words
from fuzz.driver import CRASHES, ROOT, Driver, Plan
from fuzz.models import PartTarget, StateTarget
from fuzz.readers import ReaderTarget
from fuzz.target import Finding, Target, check, smallest

from firth.names import Names

TARGETS = {target.name: target for target in all_targets()}
FOUND = sorted(CRASHES.glob("*.json"))
SEED = 19


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    sample.make(folder)
    return folder


def prepared(name: str, samples: Path, tmp_path: Path) -> Target:
    target = TARGETS[name]
    if missing := target.missing():
        pytest.skip(f"{missing} is not installed")
    target.prepare(samples, tmp_path)
    return target


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.slow
def test_only_our_own_errors_come_out(name: str, samples: Path, tmp_path: Path) -> None:
    target = prepared(name, samples, tmp_path)
    plain = [check(target, case) for case in target.plain()[:6]]
    assert "accepted" in plain
    if isinstance(target, PartTarget):
        assert set(plain) == {"accepted"}, "files without a change"
    outcomes = [check(target, target.case(SEED, number)) for number in range(12)]
    assert not [outcome for outcome in outcomes if isinstance(outcome, Finding)]


@pytest.mark.parametrize("name", TARGETS)
def test_cases_are_plain_data_and_can_be_drawn_again(
    name: str, samples: Path, tmp_path: Path
) -> None:
    target = prepared(name, samples, tmp_path)
    cases = [target.case(SEED, number) for number in range(20)]
    assert json.loads(json.dumps(cases)) == cases
    assert cases == [target.case(SEED, number) for number in range(20)]
    assert cases != [target.case(SEED + 1, number) for number in range(20)]


@pytest.mark.parametrize("file", FOUND, ids=[file.stem for file in FOUND])
def test_what_was_found_once_is_not_found_again(file: Path, samples: Path, tmp_path: Path) -> None:
    found = json.loads(file.read_bytes())
    target = prepared(found["target"], samples, tmp_path)
    if isinstance(target, PartTarget):
        assert target.changed_files(found["case"])[1], "this case has no effect any more"
    outcome = check(target, found["case"])
    assert not isinstance(outcome, Finding), outcome


def test_a_planted_error_is_found_and_its_case_is_made_small(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Names, "describe", lambda names: [0][len(names) - 1])  # one name only
    target = prepared("names", samples, tmp_path)
    more = ["json", "names/names.json", [], "add", "1", '"one"']
    case = [0, ["flip", "names/other", 0, 0], more, ["mend", "names", "all"]]
    found = check(target, case)
    assert isinstance(found, Finding)
    assert found.what.startswith("IndexError")
    assert smallest(target, found).case == [0, more]
    assert check(target, [0]) == "accepted"


PLANTED = """
import os, pathlib, time
from firth.names import Names
described, seen = Names.describe, pathlib.Path(__file__).parent / "seen"
def describe(names):
    if names != {"0": "zero"}:
        with seen.open("a") as file:
            file.write("x")
        if seen.stat().st_size == 1:
            os.abort()
        if seen.stat().st_size == 2:
            time.sleep(1000)
        raise ValueError("planted")
    return described(names)
Names.describe = describe
"""


@pytest.mark.slow
def test_the_driver_notices_errors_crashes_and_hangs(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(PLANTED, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    crashes = tmp_path / "crashes"
    plan = Plan(None, 120, ["names"], SEED, jobs=1, hang=3.0, crashes=crashes, samples=samples)
    summary = Driver(plan).run()
    findings = {found["kind"]: found for found in summary["findings"]}
    assert findings.keys() == {"error", "crash", "hang"}
    assert findings["crash"]["what"] == "SIGABRT"
    assert findings["error"]["what"] == "ValueError: planted"
    assert {found["file"] for found in findings.values()} == {f.name for f in crashes.iterdir()}
    target = prepared("names", samples, tmp_path)
    for file in crashes.iterdir():  # what was planted is not here
        assert check(target, json.loads(file.read_bytes())["case"]) in ("accepted", "refused")


@pytest.mark.slow
def test_atheris_runs_readers_where_it_is_installed(samples: Path, tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    plan = Plan(6.0, None, ["pairs"], SEED, crashes=tmp_path, samples=samples, guided=1)
    summary = Driver(plan).run()
    assert summary["targets"]["pairs"]["guided"] > 10
    assert summary["targets"]["pairs"]["cases"] > 10
    assert not summary["findings"]


def test_bytes_of_atheris_are_cases() -> None:
    target = TARGETS["objects"]
    assert isinstance(target, ReaderTarget)
    assert [target.from_bytes(seed) for seed in target.seeds()] == target.plain()[::12]
    assert target.from_bytes(b"") == target.from_bytes(b"\0\0")


def test_checkpoints_are_used_unless_they_are_changed(samples: Path, tmp_path: Path) -> None:
    """Otherwise the targets would test nothing."""
    target = StateTarget("exchange")
    target.prepare(samples, tmp_path)
    assert check(target, []) == "accepted"
    assert (
        target._encoded(dict(target._arrays), [])
        == (samples / "states" / "exchange.state").read_bytes()
    )


def test_changes_are_applied_as_they_say() -> None:
    files = {"a.u32": bytes([1, 0, 0, 0, 2, 0, 0, 0]), "w.arrow": write_words(["x", "y"], [3, 2])}
    apply(files, ["move", "a.u32", 0, 1, 1])
    assert files["a.u32"] == bytes([2, 0, 0, 0, 1, 0, 0, 0])
    apply(files, ["set", "a.u32", 3, -1])  # modulo the size
    assert files["a.u32"] == bytes([2, 0, 0, 0, 255, 255, 255, 255])
    apply(files, ["moved count", "w.arrow", 0, 1, 1])
    assert read_words(files["w.arrow"]) == (["x", "y"], [4, 1])
    files["j.json"] = b'{"a": [1, 2]}'
    apply(files, ["json", "j.json", ["a", 1], "replace", "1e999"])
    assert files["j.json"] == b'{"a": [1, 1e999]}'
    before = dict(files)
    apply(files, ["json", "j.json", ["b"], "delete"])
    apply(files, ["set", "missing.u32", 0, 0])
    assert files == before


CHECKED = """
import numpy as np, numba
from firth.compute.kernels import add_rows, load8
from firth.compute.product_kernels import add_product

@numba.njit(nogil=True, _nrt=False)
def load(text, i):
    return load8(text, i)

@numba.njit(nogil=True, _nrt=False)
def add(target, row, source, indices, values, start, end):
    add_rows(target, row, source, indices, values, start, end)

def refused(kernel, *args):
    try:
        kernel(*args)
    except IndexError:
        return True
    return False

text = np.arange(16, dtype=np.uint8)
assert load(text, 8) == int.from_bytes(bytes(range(8, 16)), "little")
assert all(refused(load, text, i) for i in (-1, 9, 1 << 62, -(1 << 63)))
source, values = np.arange(96, dtype=np.float32).reshape(3, 32), np.ones(3, np.float32)
target, indices = np.zeros((2, 32), np.float32), np.array([0, 1, 2] + [0] * 8, np.uint32)
add(target, 1, source, indices, values, 0, 3)
assert (target[1] == source.sum(axis=0)).all() and not target[0].any()
good = [target, 1, source, indices, values, 0, 3]
for place, wrong in ((1, 2), (1, -1), (3, indices + np.uint32(1)), (3, indices[:-1]), (4, values[:2]), (5, -1), (6, 4)):
    assert refused(add, *good[:place], wrong, *good[place + 1 :]), place

add_product = numba.njit(nogil=True, _nrt=False)(add_product.py_func)  # compiled here, with checks
factors, target = np.ones((9, 3), np.float32), np.zeros((9, 40), np.float32)
add_product(target, 0, 9, 8, factors, 0, 3, 1, source, 0, 3)
assert (target[:, 8:] == source.sum(axis=0)).all() and not target[:, :8].any()
good = [target, 0, 9, 8, factors, 0, 3, 1, source, 0, 3]
for place, wrong in (
    (0, target[:8]), (1, -1), (2, 10), (3, 9), (3, -1), (4, factors[:8]), (5, 1), (5, -1), (6, 4), (7, 2),
    (8, source[:2]), (9, 1), (9, -1), (10, 4),
):
    assert refused(add_product, *good[:place], wrong, *good[place + 1 :]), place
"""


@pytest.mark.slow
def test_instructions_without_checks_have_checks_when_numba_checks_bounds() -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", CHECKED], check=True, env=environment)


def test_every_kind_of_change_is_drawn(samples: Path, tmp_path: Path) -> None:
    target = prepared("counts", samples, tmp_path)
    drawn = {change[0] for n in range(400) for change in target.draw(random.Random(n))[1:]}
    assert drawn >= {
        "set",
        "move",
        "swap",
        "fill",
        "sort",
        "count",
        "layout",
        "json",
        "kind",
        "mend",
        "flip",
    }
