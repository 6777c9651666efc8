"""The documents are true: commands in them run, links in them lead somewhere, pages are up to date."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fuzz.annotated import EAF, FLEXTEXT, TEI, TOOLBOX, VRT

from tests.conftest import zipf_text
from tests.quick_command import serving

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NEWS = (
    """Markets rose on monday. Shares fell on tuesday, and monday was forgotten.
paris is in france. rome is in italy.
"""
    * 30
)

NAMES = "".join(
    f"{first} B-PER\n{last} I-PER\n{verb} O\nin O\n{town} B-LOC\n. O\n\n"
    for first, last in (("Anna", "Berg"), ("Otto", "Dahl"), ("Maria", "Lund"))
    for verb in ("lives", "is", "was")
    for town in ("Oslo", "Rome", "Lima")
)


def script(name: str) -> Any:
    """A script beside the pages, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_commands_is_up_to_date() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == script("make_commands").page(), "run: python docs/make_commands.py"


def shell_lines() -> list[str]:
    """Every line of every ``sh`` block, and every example in the help of a command."""
    lines: list[str] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
            lines += [line.split("   #")[0].strip() for line in block.splitlines() if line.strip()]
        lines += re.findall(r"^Example: `(.*)`$", text, re.MULTILINE)
    return list(dict.fromkeys(lines))  # each of them once


@pytest.mark.slow
def test_all_commands_in_the_documents_run(tmp_path: Path) -> None:
    (tmp_path / "news.txt").write_text(NEWS + zipf_text(200))
    (tmp_path / "other.txt").write_text(NEWS[:120])
    (tmp_path / "unknown.txt").write_text(script("make_language").text(2000), encoding="utf-8")
    (tmp_path / "pairs.txt").write_text("monday tuesday 9\nMarkets Shares 7\nmonday rose 1\n")
    (tmp_path / "known.tsv").write_text("lumarakm\tlumara k m\n")
    (tmp_path / "parts.tsv").write_text("fell\tfell\nshares\tshare s\n")
    (tmp_path / "tagged.txt").write_text("monday\tNOUN\nrose\tVERB\nmonday\tNOUN\n")
    (tmp_path / "trees").mkdir()
    train, dev = (text.splitlines(True)[:300] for text in script("make_treebank").treebank())
    for name, trees in (("trees.mrg", train), ("trees/a.mrg", train), ("dev.mrg", dev)):
        (tmp_path / name).write_text("".join(trees), encoding="utf-8")
    for name in ("names.txt", "names-dev.txt"):
        (tmp_path / name).write_text(NAMES)
    files = {
        "story.eaf": EAF,
        "story.sfm": TOOLBOX,
        "story.flextext": FLEXTEXT,
        "novel.tei": TEI,
        "corpus.vrt": VRT,
    }
    for name, text in {**files, "wrapped.txt": "A rose is\na rose.\n\nA ship\nis not.\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "vectors.txt").write_text("monday 1 0.5\ntuesday 0.9 0.6\n")
    lines = [
        line
        for line in shell_lines()
        if not line.startswith(("firth demo", "firth push")) and "firth data get" not in line
    ]  # which have tests of their own
    assert len(lines) > 20
    # what changes the model comes last, and before it what is soon out of date
    lines.sort(
        key=lambda line: [
            " joined" in line and "merge" not in line,
            "firth merge" in line,
            "vectors learn" in line,
            "classes learn" in line,
            "tags learn" in line,
            "counts learn" in line,
            "corpus learn" in line,
            "firth lm" in line,  # which is made from classes
        ]
    )
    rows = [f'{1900 + i % 4},"{line}"' for i, line in enumerate(NEWS.splitlines())]
    (tmp_path / "speeches.csv").write_text("\n".join(["year,text", *rows]))
    first = [
        "firth corpus learn speeches.csv -o speeches --quiet",
        "firth corpus learn story.eaf -o story --quiet",
        "firth corpus learn story.sfm -o toolbox --quiet",
        "firth corpus learn story.flextext -o flex --quiet",
        "firth corpus learn corpus.vrt -o vrt --column 1 --quiet",
        "firth learn news.txt -o news --tags 8 --quiet",
        "firth learn unknown.txt -o unknown --classes 12 --tags 14 --quiet",
        "firth grammar learn trees.mrg -o parser --states 4 --quiet",
    ]
    commands = "set -e -o pipefail\n"
    for line in lines:
        commands += f"echo {shlex.quote(line)} >> ran.txt\n{line} > /dev/null\n"
    with serving(tmp_path, [shlex.split(line)[1:] for line in first]) as quick:
        done = subprocess.run(
            ["bash", "-c", commands],
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{quick}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, (tmp_path / "ran.txt").read_text()[-300:] + done.stderr[-2000:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_addresses_of_other_sites_are_well_formed() -> None:
    """They are not asked for: other people's servers must not decide about our tests."""
    for page in PAGES:
        for target in re.findall(r"\]\((\w+:[^)]*)\)", page.read_text(encoding="utf-8")):
            assert re.fullmatch(
                r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/[\w./%~-]*)?(#[\w-]+)?", target
            ), (
                page.name,
                target,
            )


def test_the_example_of_the_tokenising_page_is_true() -> None:
    from firth.corpus import tokenise

    text = (ROOT / "docs" / "tokenising.md").read_text(encoding="utf-8")
    found = re.search(r'\$ echo "(.*?)" \\\n.*\n(.*)\n', text)
    assert found is not None
    assert " ".join(tokenise(found[1].replace("\\$", "$"))[0]) == found[2]


def test_every_example_in_the_help_is_of_its_own_command() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(sections) > 60
    for section in sections:
        name = section.split("\n")[0]
        example = re.search(r"^Example: `(.*)`$", section, re.MULTILINE)
        assert example is not None, name
        assert name in example[1], name


def test_the_tables_and_the_picture_of_the_benchmarks_are_up_to_date() -> None:
    made = script("make_benchmarks_picture")
    rows = made.read()
    assert {"gensim, FastText", "wcluster", "hmmlearn, scaling"} < {row["other"] for row in rows}
    for row in rows:
        assert row["command"].startswith("python -m benchmarks")
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", row["date"])
    for path in (ROOT / "docs" / "index.md", ROOT / "docs" / "benchmarks.md", ROOT / "README.md"):
        page = path.read_text(encoding="utf-8")
        assert rows[0]["quality"][0] in page
        assert made.with_tables(page, rows) == page
    assert all(
        row["command"] in (ROOT / "docs" / "benchmarks.md").read_text("utf-8") for row in rows
    )
    picture = (ROOT / "docs" / "images" / "benchmarks.svg").read_text(encoding="utf-8")
    assert picture == made.picture(rows)


def test_notebooks_are_kept_without_what_they_printed() -> None:
    """``make docs`` runs them; a changed figure is then no change of the repository."""
    found = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
    assert len(found) == 5
    listed = (ROOT / "docs" / "notebooks" / "index.md").read_text(encoding="utf-8")
    for path in found:
        assert f"({path.name})" in listed
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
        for cell in notebook["cells"]:
            assert cell["cell_type"] == "markdown" or (
                cell["outputs"],
                cell["execution_count"],
            ) == ([], None)
            assert cell["metadata"] == {}
