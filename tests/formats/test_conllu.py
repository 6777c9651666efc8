"""CoNLL-U that goes in and comes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError
from firth.evaluate import TWELVE_TAGS
from firth.formats import UPOS, conllu_text, conllu_with, read_conllu, read_tagged

TextFile = Callable[..., Path]
CONLLU = """# sent_id = 1
# text = I don't
1\tI\tI\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\tVBP\t_\t_\t_\t_\t_
3\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_

# a comment alone

1\t10 000\t_\tNUM\t_\t_\t_\t_\t_\t_

"""


def test_all_is_kept(text_file: TextFile) -> None:
    sentences = list(read_conllu(text_file(CONLLU, "a.conllu")))
    assert [sentence.words for sentence in sentences] == [["I", "do", "n't"], [], ["10 000"]]
    assert "".join(conllu_with(sentence, {}) for sentence in sentences) == CONLLU


def test_only_tags_of_words_are_changed(text_file: TextFile) -> None:
    first, _, last = read_conllu(text_file(CONLLU, "a.conllu"))
    out = conllu_with(first, {"xpos": ["A", "B", "C"]}) + conllu_with(last, {"upos": ["X"]})
    changed = [
        (old, new)
        for old, new in zip(
            CONLLU.replace("# a comment alone\n\n", "").split("\n"), out.split("\n"), strict=True
        )
        if old != new
    ]
    assert [new.split("\t")[4] for _, new in changed[:3]] == ["A", "B", "C"]
    assert [old.split("\t")[4] for old, _ in changed[:3]] == ["PRP", "VBP", "RB"]
    assert changed[3][1] == "1\t10 000\t_\tX\t_\t_\t_\t_\t_\t_"
    assert len(changed) == 4
    assert first.rows[0][1][4] == "PRP", "what was read is as it was"


@pytest.mark.parametrize("change", ["crlf", "end", "mark", "blank"])
def test_ends_of_lines_do_not_matter(change: str, text_file: TextFile) -> None:
    text = {
        "crlf": CONLLU.replace("\n", "\r\n"), "end": CONLLU.rstrip("\n"), "mark": "\ufeff" + CONLLU,
        "blank": "\n\n" + CONLLU.replace("\n\n", "\n \n\n"),
    }[change]  # fmt: skip
    out = "".join(conllu_with(s, {}) for s in read_conllu(text_file(text, "a.conllu")))
    assert out == CONLLU


@pytest.mark.parametrize(
    "line", ["1\tI", "1\t\t_\t_\t_\t_\t_\t_\t_\t_", "x\tI\t_\t_\t_\t_\t_\t_\t_\t_"]
)
def test_what_is_no_conllu_is_named(line: str, text_file: TextFile) -> None:
    with pytest.raises(InputError, match="line 2"):
        list(read_conllu(text_file(f"# text\n{line}\n", "a.conllu")))
    assert list(read_conllu(text_file("", "b.conllu"))) == []


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_words_of_any_kind_stay_on_their_lines(words: list[str]) -> None:
    out = conllu_text(words, {"xpos": ["T"] * len(words)})
    rows = [line.split("\t") for line in out.removesuffix("\n\n").split("\n")]
    assert [(row[0], row[4]) for row in rows] == [(str(k + 1), "T") for k in range(len(words))]
    assert {len(row) for row in rows} == {10}


def test_every_part_of_speech_has_a_universal_tag() -> None:
    assert len(UPOS) == 17
    assert set(UPOS) <= set(TWELVE_TAGS)
    twelve = {"NOUN", "VERB", "ADJ", "ADV", "PRON", "DET", "ADP", "NUM", "CONJ", "PRT", ".", "X"}
    assert {TWELVE_TAGS[tag] for tag in UPOS} == twelve
    for tag in twelve:
        assert TWELVE_TAGS.get(tag, tag) == tag, "turning twice is turning once"


def test_a_column_of_other_things_is_not_taken_for_tags(text_file: TextFile) -> None:
    lines = "".join(f"w{k}s\tw{k}\tN\n" for k in range(300))
    with pytest.raises(InputError, match="column 2 has 300 different entries beside 300"):
        read_tagged(text_file(lines))
    assert len(read_tagged(text_file(lines), "3")[0]) == 300
