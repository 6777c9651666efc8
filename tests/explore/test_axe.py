"""Every view as axe-core checks it: contrast, names for screen readers, order of headings, keys.

``make .axe`` fetches axe-core from npm; it is not part of this repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.explore.browsing import PHONE, WIDE, Visit
from tests.explore.models import serving
from tests.explore.scripts import ARABIC, write_model
from tests.explore.test_workshop import server

__all__ = ["server"]

AXE = Path(
    os.environ.get("FIRTH_AXE", Path(__file__).parents[2] / ".axe" / "package" / "axe.min.js")
)
pytestmark = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not here: make .axe")

VERB, NOUN, OTHER = "يقرأ", "البيت", "الكتاب"
SENTENCES = f"يفتح المعلم {NOUN} الكبير .\n{VERB} الطالب {OTHER} في المدرسة ."
ROUTES = {
    "home": "#/", "word": f"#/word/{NOUN}", "unknown word": "#/word/سسس", "find": "#/find",
    "lines": f"#/find/{NOUN}?where=year == 2001&by=topic&sort=R1", "broken query": f"#/find/{NOUN} (",
    "frequency list": "#/list?where=year == 2001", "typical words": "#/keyness?where=topic == 'home'",
    "senses": f"#/senses/{NOUN}", "tree": "#/tree", "class": "#/class/0", "map": "#/map",
    "map by grammar": "#/map?kind=grammar", "morphs": "#/morphs", "paradigm": "#/morphs/0",
    "tags": f"#/tags?text={SENTENCES}", "tag": "#/tag/0", "parse": f"#/parse?text={SENTENCES}",
    "surprise": f"#/surprise?text={SENTENCES}", "compare": f"#/compare/words/{NOUN}/{OTHER}",
    "compare classes": "#/compare/classes/0/1", "analogy": f"#/analogy/{NOUN}/{OTHER}/{VERB}",
    "about": "#/about", "no such view": "#/nothing",
}  # fmt: skip
CHECK = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}`))"""


def violations(page: Visit) -> list[str]:
    """What axe-core finds wrong in what is shown."""
    page.page.wait_for_function("() => document.getAnimations().length === 0")
    if not page.page.evaluate("() => 'axe' in window"):
        page.page.evaluate(AXE.read_text("utf-8"))
    found: list[str] = page.page.evaluate(CHECK)
    return found


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a model with all parts, of words that run from right to left."""
    assert NOUN in ARABIC.nouns[0]
    with serving(write_model(tmp_path_factory.mktemp("scripts"), "arabic", 60), edit=True) as found:
        yield found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("options", [WIDE, PHONE], ids=["wide", "phone"])
def test_no_view_violates_a_rule(
    visit: Callable[..., Visit], everything: str, options: dict[str, object], scheme: str
) -> None:
    page = visit(everything, color_scheme=scheme, **options).go()
    found = {}
    for name, route in ROUTES.items():
        page.page.evaluate("(route) => { location.hash = route; }", route)
        page.page.wait_for_timeout(50)
        page.page.wait_for_selector("main > .view:not([aria-busy])")
        page.page.wait_for_selector("main [aria-busy]", state="detached")
        if wrong := violations(page):
            found[name] = wrong
    page.forgive("status of 4")
    assert found == {}


def test_the_page_to_begin_with_violates_no_rule(visit: Callable[..., Visit], server: str) -> None:
    for options in (WIDE, PHONE):
        for scheme in ("light", "dark"):
            page = visit(server, color_scheme=scheme, **options)
            page.page.goto(server)
            page.page.wait_for_selector("main h1")
            assert violations(page) == []
            page.end()  # before the server ends
