"""A browser for the tests of the page, and visits that note whatever should not happen."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, Download, Locator, Page, Request, expect, sync_playwright

from firth.explore._page import page_files

CHROMIUM = os.environ.get("FIRTH_CHROMIUM") or shutil.which("chromium")
PATIENCE = 20_000
"""Milliseconds after which what is waited for will not come; no test waits that long when all is well."""
TELL_POLICY = """
const tell = (what) => console.error(what);
document.addEventListener("securitypolicyviolation", (e) => tell(`policy: ${e.violatedDirective} ${e.blockedURI}`));
window.addEventListener("error", (e) => tell(`failed: ${e.message ?? e.target.tagName}`), true);
"""
NEW_VIEW = "main > .view:not([data-old]):not([aria-busy]), main > .problem"
WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2,
}  # fmt: skip

VIEWS: dict[str, tuple[tuple[str, ...], str, str]] = {
    # its address, what it holds, and what its title begins with
    "home": ((), "h1:has-text('You shall know a word')", "model · Firth"),
    "words": (("word",), "h1:has-text('You shall know a word')", "model · Firth"),
    "word": (("word", "cat"), "h1:has-text('cat')", "cat · model"),
    "find": (("find",), "h2:has-text('What can be found')", "Find · model"),
    "find a query": (("find", "the *ing"), "h2:has-text('Matches')", "Find the *ing · model"),
    "list": (("list",), "h2:has-text('words')", "Frequency list · model"),
    "class": (("class", "1"), "h2:has-text('Its words')", "the, by, was · model"),
    "tree": (("tree",), ".icicle .box", "Tree · model"),
    "map": (("map",), "canvas[data-drawn]", "Map · model"),
    "morphs": (("morphs",), "h2:has-text('Paradigms')", "Morphs · model"),
    "morph": (("morph", "suffix", "ing"), "h2:has-text('Its words')", "-ing · model"),
    "paradigm": (("morphs", "0"), "h2:has-text('Its stems')", "Paradigm "),
    "tags": (("tags",), "h2:has-text('Transition probabilities')", "Tags · model"),
    "tag": (("tag", "0"), "h2:has-text('Its words, by')", "Tag 0 · model"),
    "compare": (("compare",), "input[aria-label='Second']", "Compare · model"),
    "compare words": (
        ("compare", "words", "cat", "dog"),
        "h2:has-text('Similar to both')",
        "Compare",
    ),
    "compare classes": (("compare", "classes", "0", "1"), "h2:has-text('Before them')", "Compare"),
    "analogy": (("analogy", "cat", "dog", "running"), "h2:has-text('is to')", "Analogy · model"),
    "about": (("about",), "h2:text-is('Word vectors')", "About · model"),
}

expect.set_options(timeout=PATIENCE)


@contextmanager
def a_browser() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def hashed(*parts: str, **query: Any) -> str:
    """What stands after the address of the page for a view: ``hashed("word", "a b") == "#/word/a%20b"``."""
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    return (
        "#/"
        + "/".join(quote(part, safe="!*'()") for part in parts)
        + (f"?{asked}" if asked else "")
    )


class Visit:
    """A page in a browser of its own, as somebody would open it.

    Whatever no page may do is kept in ``troubles``: errors in the console or in a script, what the policy of
    the page forbids, dialogs, and requests for anything but the page and its questions.
    """

    def __init__(self, browser: Browser, base: str, **options: Any) -> None:
        self.base, self.entry, self.ended = base.partition("?")[0], base, False
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(**{**WIDE, "reduced_motion": "reduce", **options})
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(TELL_POLICY)
        self.context.on("request", self._asked)
        self.context.on("weberror", lambda error: self.troubles.append(f"page: {error.error}"))
        self.context.on(
            "console",
            lambda said: (
                self.troubles.append(f"console: {said.text} {said.location.get('url', '')}")
                if said.type in ("error", "warning", "assert")
                else None
            ),
        )
        self.page = self._open()

    def _open(self) -> Page:
        page = self.context.new_page()
        page.on("dialog", self._dialog)
        page.on("crash", lambda _: self.troubles.append("the page crashed"))
        return page

    def _dialog(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if request.url.startswith(("data:", "blob:")):
            return
        self.requests.append(request.url)
        ours, asked = urlsplit(self.base), urlsplit(request.url)
        name = asked.path.removeprefix(ours.path)
        of_page = name == "" or name in page_files() or name.startswith("api/")
        if (asked.scheme, asked.netloc) != (ours.scheme, ours.netloc) or not of_page:
            self.troubles.append(f"request: {request.url}")

    def forgive(self, *patterns: str) -> None:
        """Let go of the troubles that a test brought about on purpose; each kind must have come."""
        for pattern in patterns:
            found = [t for t in self.troubles if re.search(pattern, t)]
            assert found, f"no {pattern!r} among {self.troubles}"
            self.troubles = [t for t in self.troubles if t not in found]

    def end(self) -> None:
        """Close the browser; nothing may have gone wrong."""
        if self.ended:
            return
        self.ended = True
        self.page.evaluate("0")  # whatever the page has said until now is heard
        self.context.close()
        assert not self.troubles, self.troubles

    # Going somewhere

    def go(self, *parts: str, **query: Any) -> Visit:
        """Open a view by its address, in the page that is open if there is one, and wait until it is there."""
        goal = self.base + (hashed(*parts, **query) if parts or query else "")
        if self.page.url != goal:
            self.page.evaluate("document.querySelector('main > *')?.setAttribute('data-old', '')")
        # the token of the address is given once
        first = self.page.url == "about:blank"
        self.page.goto(self.entry + goal.removeprefix(self.base) if first else goal)
        self.page.wait_for_selector(NEW_VIEW)
        return self

    def load(self, *parts: str, **query: Any) -> Visit:
        """The same with everything loaded anew."""
        self.page.goto("about:blank")
        return self.go(*parts, **query)

    def reload(self) -> None:
        self.page.reload()
        self.page.wait_for_selector(NEW_VIEW)

    @contextmanager
    def another_view(self) -> Iterator[None]:
        """Wait until something done inside leads to another view."""
        self.page.evaluate("document.querySelector('main > *').setAttribute('data-old', '')")
        yield
        self.page.wait_for_selector(NEW_VIEW)

    # What is there

    @property
    def main(self) -> Locator:
        return self.page.locator("main")

    @property
    def search(self) -> Locator:
        return self.page.locator("#search input")

    @property
    def choices(self) -> Locator:
        return self.page.locator("#search [role=option]")

    @property
    def hash(self) -> str:
        return str(self.page.evaluate("location.hash"))

    def panel(self, heading: str) -> Locator:
        """The part of a view with a heading."""
        title = self.page.get_by_role("heading", name=heading, exact=True)
        return self.page.locator("main .panel").filter(has=title)

    def expect_hash(self, pattern: str) -> None:
        expect(self.page).to_have_url(re.compile(re.escape(self.base) + pattern))

    def expect_problem(self, error: str, hint: str) -> None:
        """A box that says what is wrong and what to do, and nothing else but a form, guesses or a button."""
        box = self.page.locator("main [role=alert]")
        expect(box.locator("p").first).to_contain_text(error)
        expect(box.locator("p").nth(1)).to_contain_text(hint)
        assert (
            self.page.locator(
                "main .view > :not(.form, .guesses, .again, .offscreen), main > .problem"
            ).count()
            == 1
        )

    def fits(self) -> None:
        """Nothing reaches beyond the right edge of the window."""
        size = self.page.viewport_size
        assert size is not None
        wide, room = self.page.evaluate("document.documentElement.scrollWidth"), size["width"]
        assert wide <= room, f"{self.hash}: {wide} pixels wide, with room for {room}"

    def is_clean(self) -> None:
        """No element that could load or run something was made."""
        made = "script, img, iframe, object, embed, link, style, base, meta, form[action], [onerror], [onload]"
        found = self.page.evaluate(
            "(made) => [document.body.querySelectorAll(made), document.querySelectorAll('a:not([href^=\"#/\"])')]"
            ".flatMap((list) => Array.from(list, (e) => e.outerHTML.slice(0, 200)))",
            made,
        )
        scripts = [e for e in found if e.startswith("<script") and self.base.startswith("file:")]
        assert len(found) == len(scripts) == (2 if self.base.startswith("file:") else 0), found

    def download(self, button: Locator) -> tuple[str, str]:
        """The name and the content of the file that a button saves."""
        with self.page.expect_download() as saving:
            button.click()
        saved: Download = saving.value
        return saved.suggested_filename, Path(saved.path()).read_text(encoding="utf-8")
