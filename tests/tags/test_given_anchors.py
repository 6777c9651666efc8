"""Anchors that a person chose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import InputError, ParameterError
from firth.tags import AnchorTagger
from tests.tags.samples import NOUNS, mixed_text


@pytest.fixture(scope="module")
def corpus() -> firth.Corpus:
    return firth.Corpus.from_sentences(mixed_text(200))


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "anchors.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("refine", [True, False])
def test_anchors_are_those_given(corpus: firth.Corpus, tmp_path: Path, refine: bool) -> None:
    words = ["dog", "a", "hears"]
    tagger = AnchorTagger(3, anchors=words, refine=refine).fit(corpus)
    assert sorted(tagger.anchors_) == sorted(words)
    for k, anchor in enumerate(tagger.anchors_):
        assert tagger.tag([[anchor]]) == [[str(k)]], "each anchor has its own tag"
    file = written(tmp_path, "\ufeffdog\r\n\n  a \nhears")
    other = AnchorTagger(3, anchors=file, refine=refine).fit(corpus)
    assert np.array_equal(other.hmm_.emission, tagger.hmm_.emission)
    for made in (tagger, other):
        assert made.parameters()["anchors"] == words, "the manifest has the words"


def test_words_are_read_as_the_text_was() -> None:
    text = [[word.upper() for word in sentence] for sentence in mixed_text(50)]
    corpus = firth.Corpus.from_sentences(text, lowercase=True)
    tagger = AnchorTagger(3, anchors=["DOG", "a", "Hears"]).fit(corpus)
    assert sorted(tagger.anchors_) == ["a", "dog", "hears"]
    with pytest.raises(InputError, match="'dog' is given twice: number 1 of the list, number 3"):
        AnchorTagger(3, anchors=["DOG", "a", "dog"]).fit(corpus)


@pytest.mark.parametrize(
    ("text", "said", "next_step"),
    [
        (
            "dog\na\nelk\n",
            r"The anchor 'elk' \(line 3 of .*anchors.txt\) is not in the text",
            "Write anchors as",
        ),
        (
            "dog\n\na\ndog\n",
            "The anchor 'dog' is given twice: line 1 of .*, line 4 of .*anchors.txt",
            "of its own",
        ),
        ("dog\na\n", "3 tags need as many anchors, but .*anchors.txt has 2 words", "2 tags"),
        ("dog\na\nhears\nthe\n", "3 tags need as many anchors, but .* has 4 words", "Give 3 words"),
        ("", "anchors.txt is empty", "one per line"),
        ("\n \n", "anchors.txt is empty", "one per line"),
        (b"dog\n\xe9t\xe9\na\n", "Line 2 of .*anchors.txt is not in UTF-8", "Convert"),
        (b"\x1f\x8b\x08\x00dog", "anchors.txt", ""),
        (b"PK\x03\x04" + bytes(30), "anchors.txt", ""),
    ],
)
def test_wrong_files(
    corpus: firth.Corpus, tmp_path: Path, text: str | bytes, said: str, next_step: str
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(InputError, match=said) as caught:
        AnchorTagger(3, anchors=str(file)).fit(corpus)
    assert next_step in str(caught.value)


@pytest.mark.parametrize("wrong", [3, {"dog"}, ["dog", ""], ["dog", 1], [None], b"dog"])
def test_wrong_lists(corpus: firth.Corpus, wrong: Any) -> None:
    with pytest.raises(ParameterError, match="anchors"):
        AnchorTagger(2, anchors=wrong).fit(corpus)


def test_a_file_that_is_not_there(corpus: firth.Corpus, tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(InputError):
            AnchorTagger(3, anchors=path).fit(corpus)
    with pytest.raises(InputError, match="12 tags need as many anchors, but .* has 0 words"):
        AnchorTagger(anchors=[]).fit(corpus)


def test_settings_are_chosen_for_given_anchors(
    corpus: firth.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.tags import _choosing

    monkeypatch.setattr(_choosing, "SHARING", (0.5, 1.0))
    tagger = AnchorTagger(3, anchors=["dog", "a", "hears"], choose=True).fit(corpus)
    assert sorted(tagger.anchors_) == ["a", "dog", "hears"]
    assert tagger.facts_["chosen"]["candidates"] == 300
    assert len({tag for (tag,) in tagger.tag([[noun] for noun in NOUNS])}) == 1
