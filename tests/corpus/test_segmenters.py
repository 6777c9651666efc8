"""Tokens by ICU, by segmenters of other packages, and what is done with such corpora."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import firth
from firth import progress
from firth.corpus import Corpus, Reading, _segmenters
from firth.corpus._blocks import PIECE
from firth.corpus._tokeniser import cut, tokenise
from firth.errors import FirthError, InputError, ModelError, ParameterError
from firth.pipeline import learn_corpus, merge
from tests.corpus.test_tokenise import spans
from tests.oracles import tokens as oracle

needs_icu = pytest.mark.skipif(find_spec("icu4py") is None, reason="icu4py is not installed")
LINES = [
    "私は昨日、図書館で本を読みました。",
    "2024年10月に東京でTシャツを買った。",
    "我们明天去北京大学学习中文。",
    "คนไทยชอบกินข้าวเหนียวกับส้มตำ",
    "ខ្ញុំចង់ទៅផ្សារ",
    "ຂ້ອຍຢາກກິນເຂົ້າ",
    "ကျွန်တော် စာအုပ် ဖတ်သည်",
    "I didn't see 東京タワー at http://a.com/塔 today.",
]
SIGNS = "私は図書館でคนไทยชอบ我们北京ខ្ញុំັ𠮷😀ーｶﾞ々〇aZ1.,'-・@#/: \n\r\t\u200b\u200d\u0301"
texts = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=4).map("\n".join),
    st.text(st.sampled_from(SIGNS), max_size=40),
    st.lists(st.sampled_from([*LINES, *SIGNS]), max_size=8).map("".join),
)


@needs_icu
@settings(max_examples=150, deadline=None)
@given(text=texts)
@example("".join(LINES) * 3)
@example("")
def test_icu_is_as_the_oracle(text: str) -> None:
    block = cut(text.encode(), "icu")
    assert spans(block, text) == oracle.icu(text)
    lines = text.split("\n")
    assert block.lines.tolist() == [
        sum(len(oracle.icu(line + "\n")) for line in lines[: k + 1]) for k in range(len(lines) - 1)
    ]
    # nothing but separators is left out, so tokens and what is between them are the text
    words = np.zeros(len(text.encode()), bool)
    for a, b in zip(block.starts, block.ends, strict=True):
        assert not words[a:b].any()
        words[a:b] = True
    left = bytes(byte for byte, inside in zip(text.encode(), words, strict=True) if not inside)
    assert all(oracle.kind(c, 0) == "separator" for c in left.decode())


@needs_icu
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024年10月", "2024 年 10 月"),
        ("ภาษาไทย", "ภาษา ไทย"),
        ("我们去北京", "我们 去 北京"),
        ("I don't know.", "I do n't know ."),
        ("見て:http://a.com/x、次", "見 て : http://a.com/x 、 次"),
    ],
)
def test_icu_by_example(text: str, expected: str) -> None:
    assert [" ".join(words) for words in tokenise(text, "icu")] == [expected]


@needs_icu
def test_the_same_bytes_for_any_threads_and_the_original_text(tmp_path: Path) -> None:
    path = tmp_path / "ja.txt"
    path.write_text("\n".join(LINES * 6000), "utf-8")  # several blocks
    one, three = (Corpus.from_files(path, tokens="icu", threads=n) for n in (1, 3))
    assert np.array_equal(one.ids, three.ids)
    assert np.array_equal(one.places, three.places)
    assert list(one.vocabulary) == list(three.vocabulary)
    assert one.segmenter == f"ICU {__import__('icu4py').icu_version}"
    hit = one.find("図書館", 1)[0]
    assert (hit.left, hit.word, hit.right) == ("私は昨日、", "図書館", "で本を読みました。")
    assert hit.original


@needs_icu
def test_long_lines_without_spaces_are_cut_between_characters(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("本を読む" * (PIECE // 12 + 10), "utf-8")
    corpus = Corpus.from_files(path, tokens="icu")
    assert corpus.n_sentences == 1
    lengths = np.array([len(word) for word in corpus.vocabulary])
    assert lengths @ corpus.vocabulary.counts == 4 * (PIECE // 12 + 10)
    with pytest.raises(InputError, match="without a space") as error:
        Corpus.from_files(path)
    assert "--tokens icu" in (error.value.hint or "")


@needs_icu
def test_versions_are_stored_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("\n".join(LINES) + f"\n{name}\n", "utf-8")
    first = learn_corpus(tmp_path / "a", tmp_path / "a.txt", tokens="icu")
    assert first.parts["corpus"].facts["segmenter"].startswith("ICU ")
    learn_corpus(tmp_path / "b", tmp_path / "b.txt", tokens="icu")
    whole = learn_corpus(tmp_path / "ab", [tmp_path / "a.txt", tmp_path / "b.txt"], tokens="icu")
    merged = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")
    assert np.array_equal(merged.corpus.ids, whole.corpus.ids)
    assert merged.corpus.describe() == whole.corpus.describe()
    monkeypatch.setattr(_segmenters, "_icu", lambda: type("", (), {
        "icu_version": "1.0", "breakers": sys.modules["icu4py.breakers"],
    }))  # fmt: skip
    learn_corpus(tmp_path / "c", tmp_path / "a.txt", tokens="icu")
    assert firth.load(tmp_path / "a").corpus.segmenter != "ICU 1.0"  # still readable
    with pytest.raises(ModelError, match=r"were segmented by ICU .* and ICU 1\.0"):
        merge([tmp_path / "a", tmp_path / "c"], tmp_path / "other")


def test_icu_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "icu4py", None)
    _segmenters._icu.cache_clear()
    try:
        with pytest.raises(ParameterError, match="icu4py") as error:
            Reading(tokens="icu")
        assert error.value.hint == 'Install it: pip install "firth[icu]"'
        assert Reading.restored({"tokens": "icu"}).tokens == "icu"  # a model can still be read
    finally:
        _segmenters._icu.cache_clear()


def test_scripts_without_spaces_get_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(progress, "notice", lambda *lines: said.extend(lines))
    Corpus.from_texts(["The library is open until nine.", "私は本を読む"])
    assert said == []
    Corpus.from_texts(LINES[:4])
    assert "no spaces" in said[0]
    assert "--tokens icu" in said[1]


PLUGIN = """
def pairs(line):
    return [(i, min(i + 2, len(line))) for i in range(0, len(line), 2)]

def tokens(line):
    return line.split()

def backwards(line):
    return [(1, 2), (0, 1)]

def beyond(line):
    return [(0, len(line) + 1)]

def others(line):
    return ["other"]

def empty(line):
    return [(0, 0)]

def nonsense(line):
    return [3]

def broken(line):
    raise ValueError("no dictionary")

number = 3
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution with segmenters, as pip installs it."""
    folder = tmp_path / "site"
    about = folder / "pairs_of_signs-0.3.dist-info"
    about.mkdir(parents=True)
    (folder / "pairs_of_signs.py").write_text(PLUGIN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pairs-of-signs\nVersion: 0.3\n")
    names = "pairs tokens backwards beyond others empty nonsense broken number missing".split()
    lines = "\n".join(f"{name} = pairs_of_signs:{name}" for name in names)
    (about / "entry_points.txt").write_text(f"[firth.segmenters]\n{lines}\n")
    monkeypatch.syspath_prepend(folder)
    _segmenters.segmenter_of.cache_clear()
    yield
    _segmenters.segmenter_of.cache_clear()
    sys.modules.pop("pairs_of_signs", None)


@pytest.mark.usefixtures("installed")
def test_a_segmenter_of_another_package(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("図書館で本\r\n\n  ab c\n", "utf-8")
    model = learn_corpus(tmp_path / "model", path, tokens="pairs")
    assert list(model.corpus.sentences()) == [["図書", "館で", "本"], ["ab", " c"]]
    assert model.parts["corpus"].facts["segmenter"] == "pairs-of-signs 0.3"
    assert model.corpus.find("館で", 1)[0].left == "図書"
    assert tokenise("a  bc\td", "tokens") == [["a", "bc", "d"]]
    with pytest.raises(ParameterError, match="'icu', 'backwards', .*'tokens'. Got 'foo'"):
        Reading(tokens="foo")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("backwards", "returned 0 and 1 after 2"),
        ("beyond", "returned 0 and 5 after 0"),
        ("others", "'other', which does not come next"),
        ("empty", "returned 0 and 0"),
        ("nonsense", "returned 3 instead"),
        ("broken", "raised ValueError: no dictionary"),
        ("number", "is not a function"),
        ("missing", "cannot be loaded"),
    ],
)
def test_what_segmenters_return_is_checked(name: str, what: str) -> None:
    with pytest.raises(FirthError, match=what) as error:
        tokenise("abcd", name)
    assert "pairs-of-signs 0.3" in error.value.message


def test_a_model_of_a_segmenter_that_is_gone_can_be_opened(tmp_path: Path, installed: None) -> None:
    (tmp_path / "t.txt").write_text("abcd\n")
    learn_corpus(tmp_path / "model", tmp_path / "t.txt", tokens="pairs")
    for line in list(sys.path):
        if line == str(tmp_path / "site"):
            sys.path.remove(line)
    _segmenters.segmenter_of.cache_clear()
    corpus = firth.load(tmp_path / "model").corpus
    assert corpus.sentence(0) == ["ab", "cd"]
    with pytest.raises(ParameterError, match="must be one of") as caught:
        tokenise("abcd", corpus.reading.tokens)
    assert "'pairs' is a segmenter of another package" in str(caught.value.hint)


def test_pythainlp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of docs/tokenising.md, with the real package."""
    pytest.importorskip("pythainlp")
    folder = tmp_path / "site"
    about = folder / "firth_thai-0.1.dist-info"
    about.mkdir(parents=True)
    (folder / "firth_thai.py").write_text(
        "from pythainlp.tokenize import word_tokenize\n\n"
        "def segment(line):\n    return word_tokenize(line, engine='newmm', join_broken_num=False)\n"
    )
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: firth-thai\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text("[firth.segmenters]\nthai = firth_thai:segment\n")
    monkeypatch.syspath_prepend(folder)
    _segmenters.segmenter_of.cache_clear()
    corpus = Corpus.from_texts(["คนไทยชอบกินข้าว", "ภาษาไทย สวยงาม"], tokens="thai")
    assert "".join(corpus.sentence(0)) == "คนไทยชอบกินข้าว"
    assert "ชอบ" in corpus.sentence(0)
    assert " " not in corpus.vocabulary
    assert corpus.segmenter == "firth-thai 0.1"
