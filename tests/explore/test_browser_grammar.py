"""Grammars in a browser: a sentence with its trees, how probable its phrases are, and models of a grammar alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Route, expect

import firth
from firth.explore import ModelWatcher, export_page
from firth.formats import read_tagged
from firth.grammar import Grammar
from tests.explore.browsing import PHONE, Visit
from tests.explore.models import HOSTILE, Client, serving, write_grammar
from tests.explore.test_browser_access import CONTRAST, SEEN, press_until
from tests.explore.test_grammar_view import NO_TREE, SENTENCE

Opens = Callable[..., Visit]
ASKED = SENTENCE.replace(" ", "+")
LONG = (
    "the cat by the river near a cow sees " + "the dog near a river by " * 5 + "a cow ."
).split()


@pytest.fixture
def page(visit: Opens, grammar_address: str) -> Visit:
    """The page of a grammar that no test changes."""
    return visit(grammar_address)


def box(page: Visit) -> Locator:
    return page.page.get_by_label("A text to parse")


def nodes(page: Visit) -> Locator:
    return page.page.get_by_role("treeitem")


def words(page: Visit, kind: str = "") -> list[str]:
    """The words of the tree: all, or those that are marked."""
    return page.page.locator(f".parse-word{kind} > text:not(.parse-parts)").all_text_contents()


def told(page: Visit) -> Locator:
    """What is said of the node that one looks at, and of the cell."""
    return page.page.locator(".heat-told")


def cells(page: Visit) -> Locator:
    return page.page.get_by_role("gridcell")


def choices(page: Visit) -> Locator:
    return page.page.get_by_role("radio")


def drawn(page: Visit, *trees: firth.Tree) -> None:
    """The trees that are shown are these."""
    labels = [node.label for tree in trees for node in tree.nodes()]
    expect(nodes(page).locator("text")).to_have_text(labels)
    assert words(page) == [word for tree in trees for word in tree.words]


def fulfil(page: Visit, answer: dict[str, Any]) -> None:
    """Let the server give another answer than it would."""
    page.page.route("**/api/parse?*", lambda route: route.fulfill(json=answer))


# A sentence and its tree --------------------------------------------------------------------------


def test_a_sentence_of_known_words_is_there_to_begin_with(
    page: Visit, grammar_client: Client, grammar: Grammar
) -> None:
    page.go("parse")
    expected = grammar_client.ask("parse")["text"]
    expect(box(page)).to_have_value(expected)
    drawn(page, grammar.parse(expected.split()))
    hint = page.page.get_by_text("Type or paste your own text.")
    expect(hint).to_be_visible()
    assert page.page.title().startswith("Parse · model")
    box(page).fill(SENTENCE)
    expect(hint).to_be_hidden()


def test_what_is_typed_is_parsed(page: Visit, grammar: Grammar) -> None:
    page.go("parse")
    box(page).fill(SENTENCE)
    drawn(page, grammar.parse(SENTENCE.split()))
    page.expect_hash(r"#/parse\?text=the\+cat\+sees.*")
    page.reload()
    expect(box(page)).to_have_value(SENTENCE)
    drawn(page, grammar.parse(SENTENCE.split()))
    box(page).fill("the blorp sees a cat.")
    drawn(page, grammar.parse("the blorp sees a cat .".split()))
    assert words(page, ".unseen") == ["blorp"]
    notes = page.page.locator(".parse-notes")
    expect(notes).to_contain_text("Unknown words: blorp.")
    box(page).fill("")
    expect(nodes(page)).to_have_count(0)
    expect(page.page.get_by_text("No words yet.")).to_be_visible()
    expect(cells(page)).to_have_count(0)
    expect(page.page.get_by_role("button", name="SVG")).to_be_hidden()


def test_a_sentence_without_a_tree_says_so(page: Visit, grammar: Grammar) -> None:
    page.go("parse", text=NO_TREE.replace(" ", "+"))
    drawn(page, grammar.parse(NO_TREE.split()))
    expect(page.page.locator(".parse-none")).to_contain_text("The grammar cannot parse")
    expect(page.page.get_by_role("heading", name="Phrase probabilities")).to_have_count(0)
    nodes(page).nth(1).click()
    expect(told(page).first).to_have_text("V: sees")
    box(page).fill(SENTENCE)
    expect(page.page.locator(".parse-none")).to_have_count(0)
    expect(cells(page).first).to_be_visible()


def test_a_sentence_that_is_too_long_can_be_made_shorter(page: Visit) -> None:
    page.go("parse", text="the+" * 61)
    problem = "This sentence has 61 words; the maximum is 60. Enter a shorter one."
    expect(page.page.get_by_text(problem)).to_be_visible()
    expect(nodes(page)).to_have_count(0)
    box(page).fill("the cat sees a dog .")
    expect(nodes(page).first).to_be_visible()
    box(page).fill(f"the cat sees a dog .\n{'a ' * 71}\nthe cow sees a cat .")
    expect(page.page.locator(".parse-none")).to_have_text(problem.replace("61", "71"))
    assert words(page) == "the cat sees a dog . the cow sees a cat .".split(), (
        "the others are parsed"
    )
    page.forgive("status of 422")
    page.load("parse", text="x" * 3_000)
    assert len(box(page).input_value()) == 2_000
    page.fits()


def test_a_late_answer_does_not_replace_a_newer_one(page: Visit) -> None:
    page.go("parse")
    held: list[Route] = []
    page.page.route("**/api/parse?text=the+cat&*", lambda route: held.append(route))
    box(page).fill("the cat")
    while not held:
        page.page.wait_for_timeout(5)
    box(page).fill("the cat sees a cow .")
    expect(page.page.locator(".parse-word")).to_have_count(6)
    page.page.unroute("**/api/parse?text=the+cat&*")
    page.page.wait_for_timeout(50)
    expect(page.page.locator(".parse-word")).to_have_count(6)


def test_a_server_that_is_gone_is_told_and_the_tree_stays(page: Visit) -> None:
    page.go("parse", text=ASKED)
    page.page.route("**/api/parse?*", lambda route: route.abort())
    box(page).fill("the dog")
    expect(page.panel("A text and its trees")).to_contain_text("The server does not respond.")
    assert words(page) == SENTENCE.split()
    page.forgive("ERR_FAILED")


def test_a_grammar_learned_again_while_one_types_is_noticed(visit: Opens, tmp_path: Path) -> None:
    model = write_grammar(tmp_path / "m", 30)
    with serving(model) as address:
        page = visit(address).go("parse")
        write_grammar(model, 60, seed=9)
        box(page).fill(SENTENCE)
        expect(page.page.locator("#note")).to_have_text("The model has changed. This is the new version.")  # fmt: skip
        expect(box(page)).to_have_value(SENTENCE)
        drawn(page, firth.load(model).grammar.parse(SENTENCE.split()))
        page.end()


# Nodes --------------------------------------------------------------------------------------------


def test_a_node_shows_its_words_and_how_probable_it_is(page: Visit, grammar: Grammar) -> None:
    page.go("parse", text=ASKED)
    tree = grammar.parse(SENTENCE.split())
    shares = {(one.label, one.start, one.end): one.p for one in grammar.marginals(tree.words)}
    inner = [k for k, node in enumerate(tree.nodes()) if not node.is_tag]
    for (label, start, end), k in list(zip(tree.spans(), inner, strict=True))[:6]:
        nodes(page).nth(k).hover()
        some = " ".join(tree.words[start:end])
        share = f"{100 * min(shares[label, start, end], 1):.1f} %"
        expect(told(page).first).to_have_text(f"{label} {share}: {some}")
        assert words(page, ".within") == tree.words[start:end]
        expect(nodes(page).nth(k)).to_have_accessible_name(f"{label}: {some}, {share}")
    page.page.mouse.move(0, 0)
    expect(told(page).first).to_have_text("Point at a node, or use the arrow keys.")
    assert words(page, ".within") == []
    nodes(page).nth(1).click()
    page.page.mouse.move(0, 0)
    assert words(page, ".within") == ["the", "cat"], "what was chosen stays"
    expect(nodes(page).nth(1)).to_have_attribute("aria-selected", "true")
    expect(page.page.locator(".span-cell.marked")).to_have_accessible_name(re.compile("^the cat: NP"))  # fmt: skip


def test_one_walks_through_the_tree_with_keys(page: Visit) -> None:
    page.go("parse", text="the+cat+sees+a+dog+.")
    press_until(page, "Tab", ".parse-node")
    keys = "Down Right Right Left Down Right Down Up Left Left Up".split()
    labels = "NP VP . VP V NP D NP V N NP".split()
    for key, label in zip(keys, labels, strict=True):
        page.page.keyboard.press(f"Arrow{key}")
        assert page.page.evaluate(SEEN)
        expect(told(page).first).to_have_text(re.compile(rf"^{re.escape(label)} "))
    assert nodes(page).and_(page.page.locator("[tabindex='0']")).count() == 1, "Tab comes here once"
    page.page.keyboard.press("Escape")
    expect(page.page.locator(".parse-node.at, .parse-word.within")).to_have_count(0)
    page.page.keyboard.press("Enter")
    expect(nodes(page).and_(page.page.locator("[aria-selected=true]"))).to_have_text("NP")


OVERLAP = """(selector) => {
  const boxes = [...document.querySelectorAll(selector)].map((e) => [e.textContent, e.getBoundingClientRect()]);
  return boxes.map(([text, { left, right, top, bottom }]) => [text, left, right, top, bottom]);
}"""


def check_apart(page: Visit) -> None:
    """No label and no word lies over another."""
    found = page.page.evaluate(OVERLAP, ".parse-tree text")
    for (a, l1, r1, t1, b1), (b, l2, r2, t2, b2) in combinations(found, 2):
        assert r1 <= l2 or r2 <= l1 or b1 <= t2 or b2 <= t1, (a, b)


def test_nothing_overlaps_in_a_long_sentence(page: Visit, grammar: Grammar) -> None:
    assert len(LONG) == 42
    page.go("parse", text="+".join(LONG))
    drawn(page, grammar.parse(LONG))
    check_apart(page)
    page.fits()
    frame = page.page.locator(".parse-scroll").first
    wide, room = frame.evaluate("(e) => [e.scrollWidth, e.clientWidth]")
    assert wide > 1.5 * room, "it scrolls in a box of its own"
    nodes(page).last.focus()
    assert frame.evaluate("(e) => e.scrollLeft") > 0, "and to where one is"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_long_labels_and_words_have_room_and_can_be_read(
    visit: Opens, grammar_address: str, grammar_client: Client, scheme: str
) -> None:
    answer = grammar_client.ask("parse", text=SENTENCE)
    for k, node in enumerate(answer["trees"][0]["nodes"]):
        node["label"] = "W" * 20 if k % 2 else "X"
    answer["words"][3]["word"] = "w" * 500
    # and all shades are there
    answer["phrases"] = [
        {"label": "NP", "start": i, "end": j, "p": max(0.01, (12 * i + j) / 144)}
        for i in range(12) for j in range(i + 1, 13)
    ]  # fmt: skip
    page = visit(grammar_address, color_scheme=scheme)
    fulfil(page, answer)
    page.go("parse")
    expect(cells(page)).to_have_count(78)
    check_apart(page)
    page.fits()
    page.page.wait_for_function("() => document.getAnimations().length === 0")
    found = page.page.evaluate(CONTRAST)
    assert found["n"] > 100
    assert found["contrast"] >= 4.5, found


# The best trees -----------------------------------------------------------------------------------


def test_one_chooses_among_the_best_trees(page: Visit, grammar: Grammar) -> None:
    page.go("parse", text=ASKED)
    best = grammar.n_best(SENTENCE.split(), 10)
    expect(page.page.get_by_role("group", name=f"The {len(best)} best trees")).to_be_visible()
    expect(choices(page)).to_have_count(len(best))
    rows = page.page.locator(".parse-choice")
    for k, one in enumerate(best):
        expect(rows.nth(k)).to_contain_text(f"{one.log_prob:.2f}".replace("-", "−"))
    ratio = float(rows.nth(1).locator(".figure").nth(1).inner_text().removesuffix(" ×"))
    assert ratio == pytest.approx(2.718281828 ** (best[1].log_prob - best[0].log_prob), rel=0.06)
    press_until(page, "Tab", "input[type=radio]")
    for k in range(1, len(best)):
        page.page.keyboard.press("ArrowDown")
        drawn(page, best[k].tree)
        page.expect_hash(rf".*[?&]tree={k + 1}$")
        other = {(label, i, j) for label, i, j in best[k].tree.spans()} - set(best[0].tree.spans())
        assert page.page.locator(".parse-node.new").count() == len(other)
        framed = {(i, j) for _, i, j in best[k].tree.spans()} | {(i, i + 1) for i in range(12)}
        expect(page.page.locator(".span-cell.in-tree")).to_have_count(len(framed))
    page.reload()
    drawn(page, best[-1].tree)
    expect(choices(page).last).to_be_checked()
    box(page).fill("the cat sees a dog .")
    expect(choices(page)).to_have_count(0)
    page.expect_hash(r"#/parse\?text=the\+cat\+sees\+a\+dog\+\.$")


def test_a_tree_is_told_apart_by_what_it_has_or_lacks(page: Visit, grammar_client: Client) -> None:
    answer = grammar_client.ask("parse", text=SENTENCE)
    first, *_ = answer["trees"]
    fewer = [node for node in first["nodes"] if node["label"] != "."]
    doubled = [first["nodes"][0], {**first["nodes"][0], "parent": 0}]
    doubled += [{**n, "parent": n["parent"] + 1} for n in first["nodes"][1:]]
    answer["trees"] = [
        first,
        {**first, "nodes": fewer, "log_prob": None},
        {**first, "nodes": doubled, "log_prob": -60},
    ]
    fulfil(page, answer)
    page.go("parse")
    rows = page.page.locator(".parse-choice")
    expect(rows.nth(1)).to_contain_text("no . .")
    expect(rows.nth(2)).to_contain_text("S the … .")
    expect(rows.nth(1).locator(".figure")).to_have_text(["–", "–"])
    expect(rows.nth(2).locator(".figure").nth(1)).to_have_text(re.compile(r"^1/[\d,]+$|^nearly 0$"))
    page.go("parse", tree="99")
    expect(choices(page).first).to_be_checked()


# Phrases ------------------------------------------------------------------------------------------


def test_phrases_are_read_with_mouse_and_keys(page: Visit, grammar: Grammar) -> None:
    page.go("parse", text=ASKED)
    likely = grammar.marginals(SENTENCE.split())
    spans = {(one.start, one.end) for one in likely}
    expect(cells(page)).to_have_count(len(spans))
    cell = page.page.get_by_role("gridcell", name=re.compile("^the river near the cow: "))
    cell.hover()
    share = next(one.p for one in likely if (one.start, one.end) == (6, 11))
    expect(told(page).last).to_have_text(f"NP {100 * share:.1f} %: the river near the cow")
    assert words(page, ".within") == SENTENCE.split()[6:11]
    # from the whole sentence one comes to every cell
    press_until(page, "Tab", ".span-cell")
    place = "[...document.querySelectorAll('.span-cell')].indexOf(document.activeElement)"
    seen = {0, page.page.evaluate(place)}
    for _ in {end - start for start, end in spans}:
        for key in ("ArrowRight", "ArrowLeft"):
            before = None
            while before != (now := page.page.evaluate(place)):
                before = now
                page.page.keyboard.press(key)
                seen.add(page.page.evaluate(place))
        page.page.keyboard.press("ArrowDown")
    assert page.page.evaluate(SEEN)
    assert seen == set(range(len(spans)))
    page.page.keyboard.press("Home")
    page.page.keyboard.press("ArrowUp")
    expect(told(page).last).to_contain_text("S 100.0 %: the cat sees")
    assert page.page.locator(".span-cell[tabindex='0']").count() == 1, "Tab comes here once"
    _, text = page.download(page.panel("Phrase probabilities").get_by_text("JSON"))
    rows = json.loads(text)
    assert [(row["label"], row["start"], row["end"]) for row in rows] == [
        (one.label, one.start, one.end) for one in likely
    ]
    assert rows[0]["words"] == SENTENCE


# Taken along --------------------------------------------------------------------------------------


def test_a_tree_is_taken_along(visit: Opens, grammar_address: str, grammar: Grammar) -> None:
    page = visit(grammar_address, permissions=["clipboard-read", "clipboard-write"])
    page.go("parse", text=ASKED, tree="2")
    tree = grammar.n_best(SENTENCE.split(), 2)[1].tree
    taking = page.page.get_by_role("group", name="Copy or save: the trees")
    taking.get_by_text("copy").click()
    expect(taking.get_by_text("copied")).to_be_visible()
    assert page.page.evaluate("navigator.clipboard.readText()") == f"{tree.brackets()}\n"
    name, text = page.download(taking.get_by_text("SVG"))
    assert name == "tree-the-cat-sees-a-dog-by-the-river-near-the-cow.svg"
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    shown = [entry.text for entry in root.iter(f"{space}text")]
    assert shown == [node.label for node in tree.nodes()] + tree.words
    assert not {"class", "style", "tabindex", "role"} & {key for e in root.iter() for key in e.attrib}  # fmt: skip


def test_a_paragraph_is_parsed_sentence_by_sentence(
    page: Visit, grammar: Grammar, tmp_path: Path
) -> None:
    page.go("parse")
    box(page).fill(
        "the cat sees a dog.  The dog sees a cat near the river by a cow! Why\nthe dog likes a river ."
    )
    sentences = [
        "the cat sees a dog .",
        "The dog sees a cat near the river by a cow !",
        "Why",
        "the dog likes a river .",
    ]
    trees = [grammar.n_best(one.split(), 10) for one in sentences]
    expect(page.page.get_by_role("heading", name="Sentence")).to_have_count(4)
    drawn(page, *(best[0].tree for best in trees))
    page.page.locator(".parse-sentence").nth(1).get_by_role("radio").nth(1).check()
    page.expect_hash(r".*tree=1\.2\.1\.1")
    chosen = [best[1 if k == 1 else 0].tree for k, best in enumerate(trees)]
    page.reload()
    drawn(page, *chosen)
    taking = page.page.get_by_role("group", name="Copy or save: the trees")
    name, text = page.download(taking.get_by_text("brackets"))
    assert (name[-4:], text.splitlines()) == (".mrg", [tree.brackets() for tree in chosen])
    _, text = page.download(taking.get_by_text("CoNLL-U"))
    (tmp_path / "some.conllu").write_text(text, "utf-8")
    tags = [[(node.word, node.label) for node in tree.nodes() if node.word] for tree in chosen]
    assert read_tagged(tmp_path / "some.conllu", "xpos") == tags
    _, text = page.download(taking.get_by_text("SVG"))
    space = "{http://www.w3.org/2000/svg}"
    shown = [entry.text for entry in ElementTree.fromstring(text).iter(f"{space}text")]
    assert shown == [
        one for tree in chosen for one in [*(n.label for n in tree.nodes()), *tree.words]
    ]
    page.page.locator(".phrases > summary").nth(1).click()
    expect(cells(page).first).to_be_visible()


# Models, scripts, phones --------------------------------------------------------------------------


def test_a_model_of_a_grammar_alone_begins_with_it(page: Visit) -> None:
    page.go()
    assert page.page.locator("#views a").all_inner_texts() == ["Parse", "About"]
    expect(nodes(page).first).to_be_visible()
    expect(page.page.locator("#views a[aria-current]")).to_have_text("Parse")
    expect(page.search).to_be_hidden()
    page.page.keyboard.press("/")
    for name in ("word", "tree", "map", "tags", "compare", "analogy"):
        page.go(name)
        page.expect_problem("This model has no ", "firth ")
    page.go("about")
    expect(page.main.locator("h2:text-is('Grammar')")).to_be_visible()
    page.fits()


def test_a_model_without_a_grammar_says_how_to_learn_one(visit: Opens, address: str) -> None:
    page = visit(address).go("parse")
    page.expect_problem("This model has no grammar.", "Learn it: firth grammar learn")
    assert "Parse" not in page.page.locator("#views a").all_inner_texts()


def test_a_grammar_beside_all_other_parts_on_a_phone(visit: Opens, own_model: Path) -> None:
    write_grammar(own_model)
    with serving(own_model) as address:
        page = visit(address, **PHONE).go("parse", text=ASKED)
        links = page.page.locator("#views a")
        assert links.all_inner_texts() == [
            "Words", "Find", "Tree", "Map", "Morphs", "Tags", "Parse", "Compare", "Analogy", "About",
        ]  # fmt: skip
        for width in (1000, 800, 360):
            page.page.set_viewport_size({"width": width, "height": 740})
            last = links.last.bounding_box()
            assert last is not None
            assert last["x"] + last["width"] <= width, "all views are in sight"
            page.fits()
        nodes(page).nth(1).tap()
        expect(told(page).first).to_contain_text("NP 100.0 %: the cat")
        cells(page).nth(2).tap()
        expect(told(page).last).to_contain_text("%: ")
        choices(page).nth(1).tap()
        expect(choices(page).nth(1)).to_be_checked()
        page.fits()
        page.end()


def test_hostile_words_and_labels(visit: Opens, hostile_grammar_address: str) -> None:
    page = visit(hostile_grammar_address).go("parse")
    for word in [*HOSTILE[:6], *HOSTILE[24:34:2], HOSTILE[34][:1_000], "a\x07b", "\ufffe"]:
        box(page).fill(f"{word} is")
        expect(page.page.locator(".parse-word > text").last).to_have_text("is")
        nodes(page).first.hover()
        page.is_clean()
        page.fits()
    page.go("parse", text="%3Cscript%3Ealert(1)%3C%2Fscript%3E+%00%07+is")
    name, text = page.download(page.page.get_by_role("button", name="SVG"))
    assert not re.search(r"[<>/\\]", name)
    assert not list(ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}script"))


def test_words_run_from_right_to_left_where_they_do(page: Visit) -> None:
    page.go("parse", text="שלום+עולם+טוב")
    for selector in (".parse-word > text", ".spans-word"):
        places = [one.bounding_box() for one in page.page.locator(selector).all()]
        lefts = [place["x"] for place in places if place is not None]
        assert lefts == sorted(lefts, reverse=True)
    assert words(page) == ["שלום", "עולם", "טוב"]


def test_a_grammar_in_one_file(
    visit: Opens, grammar_path: Path, grammar: Grammar, grammar_client: Client, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    export_page(ModelWatcher(grammar_path).snapshot(), file)
    page = visit(file.as_uri()).go()
    text = grammar_client.ask("parse")["text"]
    drawn(page, grammar.parse(text.split()))
    expect(box(page)).to_have_count(0)
    expect(page.panel("A text and its trees")).to_contain_text("Other text needs the server")
    nodes(page).nth(1).click()
    assert words(page, ".within")
    page.go("about")
    page.go("parse", text="the+dog")
    drawn(page, grammar.parse(text.split()))
    assert set(page.requests) == {file.as_uri()}
