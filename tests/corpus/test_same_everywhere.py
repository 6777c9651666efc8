"""One text, the same corpus: on every Python, CPU and system."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.corpus import tokenise
from firth.corpus._reading import ENDS, IDS, PLACES

# letters with case and accents (composed and not), scripts with and without spaces, digits, marks, emoji;
# the last lines have characters of Unicode 15 to 18, which are newer than Python 3.11
TEXT = (
    "Mr. O'Hara didn't pay £3.50, did he? L'été, c'est l'Été: 2,000 €.\n"
    "Cafe\u0301 au lait. CAFÉ! Ü/U\u0308, Å/\u212b/A\u030a; straße STRASSE; ﬁn.\n"
    "ΟΔΥΣΣΕΥΣ ΑΣ. Ὀδυσσεύς, ΣΊΣΥΦΟΣ; İstanbul ISPARTA ıI.\n"
    "Съешь ЁЩЁ этих й/и\u0306 булок. Ђорђе. Ǆ ǅ ǆ. ԱՐԵՎ Ა.\n"
    'שלום עולם. צה״ל ארה"ב. مرحبا ١٢٣؛ كِتَابٌ؟ نہیں۔\n'
    "हिन्दी में पढ़ना, क़लम/क\u093cलम। ภาษาไทย กำ. ພາສາ. မြန်မာ။ ខ្មែរ។\n"
    "日本語のテキスト、がぎ/か\u3099き\u3099。中文！한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8.\n"
    "👩\u200d🚀 👍🏽 🇫🇷🇩🇪 ☕\ufe0f x² ½ ⅳ Ⅳ ① a_b #tag @name a.b@c.org http://x.org/(y).\n"
    "wow\U0001fae8 \U0001fae9\U0001faea ok.\n"
    "\U00010d50\U00010d51\U00010d72 \ua7dc\ua7cb \u1c89\u1c8a \U00010d42\U00010d43.\n"
    "\U00011382\U000113c9\U00011383 \U00016ea0\U00016ebb \U0001df40\U0001df41.\n"
)
EXPECTED = {
    (
        "words",
        "lines",
        False,
        "keep",
    ): "75331319e57a443641288bd353094c41fb638583c7e52e7fc3767e2e500a213c",
    (
        "words",
        "sentences",
        True,
        "zero",
    ): "5738cbff2cb4f1eded93cebfdf01a6e9fb81481d4fc7e70c500b7177fd1f3505",
    (
        "characters",
        "none",
        True,
        "keep",
    ): "3bc41a48869f1b4bf75b00dafc72a450a2ca7eb5a3b9bbf7a1cbb010ef06bbce",
    (
        "whitespace",
        "lines",
        True,
        "zero",
    ): "55e1fd04e34df678c3913cbc5337ab580c1a387e90b181d2b1489adc3c0a52f6",
}


def digest(corpus: firth.Corpus) -> str:
    """The checksum of the files of ids, sentence ends and positions, and of all words and counts."""
    found = hashlib.sha256()
    for name in (IDS, ENDS, PLACES):
        found.update(corpus._part.path(name).read_bytes())
    for word, count in zip(corpus.vocabulary, corpus.vocabulary.counts.tolist(), strict=True):
        found.update(f"{word}\t{count}\n".encode())
    return found.hexdigest()


@pytest.mark.parametrize(("options", "expected"), EXPECTED.items())
def test_a_text_gives_the_same_corpus_everywhere(
    options: tuple[Any, ...], expected: str, text_file: Callable[..., Path]
) -> None:
    names = ("tokens", "split", "lowercase", "digits")
    corpus = firth.Corpus.from_files(
        text_file(TEXT), **dict(zip(names, options, strict=True)), threads=1
    )
    assert digest(corpus) == expected


def test_a_new_emoji_is_a_token_of_its_own() -> None:
    """Whatever the interpreter knows: Python 3.11 takes the shaking face for a letter."""
    assert tokenise("wow\U0001fae8 ok") == [["wow", "\U0001fae8", "ok"]]


def test_a_corpus_says_which_rules_it_follows(firth: Any, text_file: Callable[..., Path]) -> None:
    model = text_file("").parent / "m"
    assert firth("corpus", "learn", text_file("a b a\n"), "-o", model).status == 0
    assert "Unicode 18.0" in firth("show", model).out
    manifest = model / "firth.json"
    assert '"unicode": "18.0"' in manifest.read_text(encoding="utf-8")
    # a model of before has no such fact: it is read, says so, and is not learned again
    old = manifest.read_text(encoding="utf-8").replace('"unicode": "18.0"', '"n_types": 2')
    manifest.write_text(old, encoding="utf-8")
    assert "Unicode as in Python" in firth("show", model).out
    assert "Nothing to do" in firth("corpus", "learn", text_file("a b a\n"), "-o", model).out
    assert manifest.read_text(encoding="utf-8") == old
