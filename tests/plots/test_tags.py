"""The heat map of tags: what is drawn, and that nothing in a word or a name is markup."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firth.plots import save_figure, tags_figure
from firth.tags import SupervisedTagger, Tagger
from tests.tags.samples import mixed_text, tagged_text


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return SupervisedTagger().fit(tagged_text(mixed_text(60)))


def test_rows_are_the_tags_before_and_columns_the_tags_after(tagger: Tagger) -> None:
    figure = tags_figure(tagger)
    (trace,) = figure.data
    assert np.array_equal(trace.z, tagger.hmm_.transition)
    assert list(trace.x) == ["0 D", "1 N", "2 V"]
    words = " ".join(found.word for found in tagger.typical(1, 4))
    assert trace.y[1] == f"1 N  <i>{words}</i>"
    assert trace.hovertext[0][1] == f"0 D then 1 N: {tagger.hmm_.transition[0, 1]:.1%}"
    assert trace.text[0][1] == f"{tagger.hmm_.transition[0, 1]:.0%}"
    assert figure.layout.yaxis.autorange == "reversed"


def test_names_and_words_are_no_markup(tagger: Tagger) -> None:
    text = [[("<b>x</b>", "<i>"), ("\x1b&amp;", "B"), ("w" * 100, "C")]]
    hostile = SupervisedTagger().fit(text)
    trace = tags_figure(hostile).data[0]
    assert list(trace.x) == ["0 &lt;i&gt;", "1 B", "2 C"]
    assert trace.y[0] == "0 &lt;i&gt;  <i>&lt;b&gt;x&lt;/b&gt;</i>"
    assert trace.y[1] == "1 B  <i>\ufffd&amp;amp;</i>"
    assert trace.y[2] == f"2 C  <i>{'w' * 11}…</i>"
    assert "<b>" not in str(trace.hovertext)
    assert tags_figure(tagger.renamed({"1": "<b>"})).data[0].x[1] == "1 &lt;b&gt;"


def test_many_tags_have_room() -> None:
    text = [[(f"w{k}", f"T{k:02}") for k in range(45)]]
    figure = tags_figure(SupervisedTagger().fit(text))
    assert figure.layout.width > 45 * 20
    assert figure.layout.height > 45 * 20
    assert figure.layout.xaxis.dtick == figure.layout.yaxis.dtick == 1
    assert figure.data[0].texttemplate is None
    assert figure.data[0].text[3][4].startswith("3 T03 then 4 T04: ")


def test_a_picture_is_as_wide_as_the_figure(
    tagger: Tagger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    figure = tags_figure(tagger)

    def drawn(_: object, **how: int) -> bytes:
        sizes.append(how["width"])
        return b"picture"

    monkeypatch.setattr(type(figure), "to_image", drawn)
    save_figure(figure, tmp_path / "tags.png")
    figure.update_layout(width=1234)
    save_figure(figure, tmp_path / "tags.png")
    assert sizes == [900, 1234]
