"""The page as one file: nothing is fetched, nothing breaks out, and it says what the server says."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.errors import InputError
from firth.explore import ModelWatcher, export_page
from firth.explore._export import bundle
from firth.explore._page import page_files
from tests.explore.models import HOSTILE, Client

pytestmark = pytest.mark.slow

# Bundling ---------------------------------------------------------------------------------------


def test_modules_become_one_script_in_the_order_of_imports() -> None:
    script = bundle(
        {
            "unused.js": "export const nobody = 1;",
            "app.js": 'import { one, two as zwei } from "./b.js";\nimport { deep } from "./c.js";\nzwei(one, deep);\n',
            "b.js": 'import { deep } from "./c.js";\nexport const one = deep;\nexport async function two() {}\n',
            "c.js": "export class deep {}\nexport function other() {}\nconst inner = 1;\n",
        }
    )
    assert script.startswith('"use strict";')
    places = [script.index(f'modules["{name}"] = ') for name in ("c.js", "b.js", "app.js")]
    assert places == sorted(places), "each after those it needs"
    assert "nobody" not in script
    assert script.count('modules["c.js"] = ') == 1, "each once"
    assert 'const { one, two: zwei } = modules["b.js"];' in script
    assert "return { one, two };" in script
    assert "return { deep, other };" in script
    assert "async function two() {}" in script
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)


@pytest.mark.parametrize(
    "modules",
    [
        {"app.js": 'import { a } from "./a.js";', "a.js": 'import { b } from "./app.js";\nexport const a = 1;'},
        {"app.js": 'import { a } from "./app.js";'},
        {
            "app.js": 'import { a } from "./a.js";', "a.js": 'import { b } from "./b.js";\nexport const a = 1;',
            "b.js": 'import { a } from "./a.js";\nexport const b = 1;',
        },
    ],
)  # fmt: skip
def test_modules_that_import_each_other_are_refused(modules: dict[str, str]) -> None:
    with pytest.raises(AssertionError, match="modules import each other: app.js"):
        bundle(modules)


@pytest.mark.parametrize(
    "line",
    [
        'import a from "./a.js";', 'import * as a from "./a.js";', 'import "./a.js";', "import { a } from './a.js';",
        'import { a } from "./a.js"', 'import { a } from "../a.js";', 'import { a } from "https://x.example/a.js";',
        '  import { a } from "./a.js";', "export default 1;", "export { a };", "export let a = 1;", "export var a = 1;",
        'export * from "./a.js";', "export function* a() {}", 'const a = await import("./a.js");',
        'const a = "</script>";', 'const a = "</SCRIPT ";', 'const a = "<!-- <script>";',
    ],
)  # fmt: skip
def test_what_cannot_be_put_into_one_script_is_refused(line: str) -> None:
    with pytest.raises(AssertionError, match="app.js has an import or an export"):
        bundle({"app.js": f"const first = 1;\n{line}\n", "a.js": "export const a = 1;"})


def test_a_module_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError, match="missing.js"):
        bundle({"app.js": 'import { a } from "./missing.js";'})


def test_the_modules_of_the_page_all_have_a_part_in_it() -> None:
    modules = {
        n: c.decode() for n, (c, _) in page_files().items() if n.endswith(".js") and n != "start.js"
    }
    script = bundle(modules)
    for name in modules:
        assert f'modules["{name}"] = ' in script, f"nobody imports {name}"


# The file ---------------------------------------------------------------------------------------


class Elements(HTMLParser):
    """The elements of a page, with the text of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._within = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._within = tag
            self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within:
            tag, text = self.texts[-1]
            self.texts[-1] = (tag, text + data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def exported(path: Path, file: Path, n_words: int = 5_000) -> tuple[str, dict[str, Any]]:
    size = export_page(ModelWatcher(path).snapshot(), file, n_words)
    assert size == file.stat().st_size
    page = file.read_text(encoding="utf-8")
    packed = next(text for tag, text in Elements(page).texts if tag == "script")
    return page, json.loads(gzip.decompress(base64.b64decode(packed, validate=True)))


def test_one_file_that_fetches_nothing(model_path: Path, tmp_path: Path) -> None:
    page, _ = exported(model_path, tmp_path / "page.html", 30)
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    elements = Elements(page)
    for tag, attributes in elements.tags:
        assert "src" not in attributes, tag
        assert tag not in ("img", "iframe", "object", "embed", "base", "form", "video", "audio")
        assert not [name for name in attributes if name.startswith("on")]
        target = attributes.get("href") or ""
        assert target.startswith(("#", "data:")) or not target
    assert [a.get("type") for a in elements.of("script")] == ["application/gzip", None]
    (style,) = (text for tag, text in elements.texts if tag == "style")
    assert "url(" not in style
    assert "@import" not in style
    addresses = set(re.findall(r"https?://[^\s\"'`)>]*", page))
    assert {a.rstrip("/;") for a in addresses} <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xhtml",
    }, "names, not addresses"
    assert 'src="' not in page[page.index("<body") :].partition("<script")[0]


def test_the_policy_lets_only_this_script_and_this_style_run(
    model_path: Path, tmp_path: Path
) -> None:
    page, _ = exported(model_path, tmp_path / "page.html", 30)
    elements = Elements(page)
    metas = [a for a in elements.of("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert len(metas) == 1
    policy = dict(
        rule.strip().partition(" ")[::2] for rule in (metas[0]["content"] or "").split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["base-uri"] == policy["form-action"] == "'none'"
    assert "connect-src" not in policy, "there is nothing to ask"
    assert policy["img-src"] == "data: blob:", "pictures that are made here"
    assert not set(policy) - {
        "default-src", "script-src", "style-src", "img-src", "base-uri", "form-action",
    }  # fmt: skip
    assert page.index("Content-Security-Policy") < page.index("<style") < page.index("<script")
    script, style = (
        [text for tag, text in elements.texts if tag == wanted][-1]
        for wanted in ("script", "style")
    )
    for kind, text in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert policy[kind] == f"'sha256-{digest}'"
        assert "\r" not in text, "a browser would make it another text"
    assert "<!-- policy -->" not in page


LIVE = {
    "word": {"n": 12}, "neighbours": {"n": 12}, "replacements": {"n": 12},
    "concordance": {"n": 6, "width": 60}, "class": {"n": 60}, "tag": {"n": 60}, "parts": {"n": 8},
    "morph": {"n": 60}, "paradigm": {"n": 60},
}  # fmt: skip


def compare(client: Client, answers: dict[str, Any], every: int = 1) -> None:
    """What is inside is what the server would say."""
    for i, (key, answer) in enumerate(answers.items()):
        name, _, asked = key.partition("?")
        parameter, _, value = asked.partition("=")
        if name == "words" or (i % every and asked):
            continue
        live = client.ask(name, **({parameter: value} if parameter else {}), **LIVE.get(name, {}))
        if name == "about":
            live["memory"] = None
        assert answer == live, key


def test_the_answers_inside_are_those_of_the_server(
    client: Client, model: firth.Model, model_path: Path, tmp_path: Path
) -> None:
    _, answers = exported(model_path, tmp_path / "page.html")
    compare(client, answers, every=7)
    words = list(model.corpus.vocabulary)
    assert answers["words"] == {"words": words, "counts": model.corpus.vocabulary.counts.tolist()}
    for name in ("word", "neighbours", "concordance"):
        assert [k.partition("=")[2] for k in answers if k.startswith(f"{name}?")] == words
    assert {k for k in answers if k.startswith("class?")} == {
        f"class?path={path}" for path in model.classes.tree.node_paths
    }
    assert answers["model"]["edit"] is False
    assert answers["about"]["memory"] is None


def test_as_many_words_as_wanted(model: firth.Model, model_path: Path, tmp_path: Path) -> None:
    page, answers = exported(model_path, tmp_path / "few.HTML", 7)
    words = list(model.corpus.vocabulary)[:7]
    assert answers["words"]["words"] == words
    assert [k for k in answers if k.startswith("word?")] == [f"word?word={word}" for word in words]
    assert set(answers["map?kind=meaning"]["words"]) <= set(words)
    assert len(answers["map?kind=meaning"]["x"]) == len(answers["map?kind=meaning"]["words"]) > 3
    whole, _ = exported(model_path, tmp_path / "all.htm")
    assert len(page) < len(whole)
    assert exported(model_path, tmp_path / "again.html", 7)[0] == page, "the same again"


def test_hostile_words_cannot_break_out(
    hostile_client: Client, hostile_path: Path, model_path: Path, tmp_path: Path
) -> None:
    page, answers = exported(hostile_path, tmp_path / "hostile.html")
    plain, _ = exported(model_path, tmp_path / "plain.html")
    assert Elements(page).tags == Elements(plain).tags, "the same elements, whatever the words"
    before, _, rest = page.partition('<script type="application/gzip" id="answers">')
    data, _, after = rest.partition("</script>")
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", data)
    assert plain.startswith(before)
    assert plain.endswith(after)
    compare(hostile_client, answers)
    known = set(answers["words"]["words"])
    assert {"__proto__", "constructor", HOSTILE[0], HOSTILE[1]} <= known


@pytest.mark.parametrize("name", ["page.txt", "page", "page.html.gz", ".html"])
def test_the_name_must_be_that_of_a_page(model_path: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="The explorer is exported as HTML") as error:
        export_page(ModelWatcher(model_path).snapshot(), tmp_path / name)
    assert ".html" in str(error.value.hint)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reason", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("method", ["os.fsync", "os.replace"])
def test_interrupted_writing_leaves_no_half_file(
    model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, reason: Any
) -> None:
    file = tmp_path / "page.html"
    file.write_text("what was there")
    snapshot = ModelWatcher(model_path).snapshot()
    snapshot.wait()

    def cut(*_: Any) -> None:
        raise reason(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(method, cut)
        with pytest.raises((KeyboardInterrupt, InputError)):
            export_page(snapshot, file, 5)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [
        ("page.html", "what was there")
    ]


def test_a_model_with_little_in_it_is_exported_too(tmp_path: Path, text_file: Any) -> None:
    from firth import pipeline

    pipeline.import_vectors(text_file("2 2\ncat 1 0\ndog 0 1\n", "v.vec"), tmp_path / "m")
    _, answers = exported(tmp_path / "m", tmp_path / "page.html")
    assert set(answers) == {
        "model", "words", "home", "about", "word?word=cat", "word?word=dog",
        "neighbours?word=cat", "neighbours?word=dog",
    }  # fmt: skip
