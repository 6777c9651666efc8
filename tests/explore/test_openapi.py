"""Schemathesis asks whatever the description allows, and what it does not: every answer is as described."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.explore.models import NAMES, Client, serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("schemathesis") is None, reason="needs schemathesis"),
]

REFUSALS = [400, 403, 404, 405, 409, 413, 422]


def run(address: str, folder: Path, *options: str, word: str | None = None) -> str:
    """One bounded run, the same every time; with a word, all questions about words ask for it."""
    config = f"[checks]\nnegative_data_rejection.expected-statuses = {REFUSALS}\n"
    # what is not a query is refused with the place of the mistake
    config += """
[[operations]]
include-path-regex = "^/api/(find.*|frequencies|keyness)$"
checks.positive_data_acceptance.expected-statuses = [200, 404, 422]
"""
    if word is not None:
        known = json.dumps(word)
        config += f"""
[parameters]
word = {known}

[[operations]]
include-path-regex = "^/api/(analogy|compare/words)$"
parameters = {{ a = {known}, b = {known}, c = {known} }}
"""
    (folder / "schemathesis.toml").write_text(config, encoding="utf-8")
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run",
        f"{address.partition('?')[0]}api/openapi.json",
        "--phases", "coverage,fuzzing", "--max-examples", "6", "--generation-deterministic", "--no-color",
        "--no-shrink", "--warnings", "off", "--request-timeout", "20", *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)
    told = "\n".join(line[:300] for line in done.stdout.splitlines())
    assert done.returncode == 0, told[-6000:] + done.stderr[-2000:]
    return told


def n_asked(told: str) -> int:
    found = re.search(r"(\d[\d,]*) generated", told)
    assert found is not None, told[-2000:]
    return int(found[1].replace(",", ""))


def n_tested(told: str) -> int:
    found = re.search(r"Tested: (\d+)", told)
    assert found is not None, told[-2000:]
    return int(found[1])


def test_every_question_about_a_word_is_answered_as_described(address: str, tmp_path: Path) -> None:
    told = run(address, tmp_path, "--mode", "positive", word=NAMES[3])
    assert n_tested(told) == len(Client(address).ask("openapi.json")["paths"])
    assert n_asked(told) > 100


def test_whatever_is_asked_is_answered_as_described(hostile_path: Path, tmp_path: Path) -> None:
    model = shutil.copytree(hostile_path, tmp_path / "model")
    with serving(model, edit=True) as address:
        client = Client(address)
        # GET of the one address that is only for writing is answered as a page that is not there
        options = ["-H", f"X-Firth-Token: {client.token}", "--exclude-checks", "unsupported_method"]
        told = run(address, tmp_path, *options)
        assert n_tested(told) == len(client.ask("openapi.json")["paths"])
        assert n_asked(told) > 200
        assert client.ask("tree")["paths"], "it still answers"
