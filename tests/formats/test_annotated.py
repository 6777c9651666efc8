"""TEI, VRT, Toolbox, FLExText and ELAN: lines, and what is known about them."""

from __future__ import annotations

import io
from typing import Any

import pytest
from fuzz.annotated import EAF, FLEXTEXT, TEI, TOOLBOX, VRT

from firth.errors import InputError
from firth.formats import Stream, annotated_lines, kind_of, kind_of_content, limits, markup_in


def lines(kind: str, text: str | bytes, column: str = "text", errors: str = "strict") -> list[Any]:
    data = text.encode() if isinstance(text, str) else text
    return list(annotated_lines(kind, Stream(io.BytesIO(data), f"a.{kind}"), column, errors))


def texts(kind: str, text: str | bytes, column: str = "text") -> list[Any]:
    return [line for _, line in lines(kind, text, column)]


def tei(body: str, header: str = "", before: str = "") -> str:
    return f"{before}<TEI><teiHeader>{header}</teiHeader><text><body>{body}</body></text></TEI>"


def eaf(tiers: str, slots: str = "") -> str:
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER>{tiers}</ANNOTATION_DOCUMENT>"


def tier(name: str, kind: str, *values: str, more: str = "") -> str:
    inside = "".join(
        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{name}{i}"><ANNOTATION_VALUE>{value}'
        "</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        for i, value in enumerate(values)
    )
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}" {more}>{inside}</TIER>'


# TEI -----------------------------------------------------------------------------------------------


def test_tei_has_lines_header_and_speakers() -> None:
    about = {"title": "The Rose", "author": "Anna Berg; Otto Dahl", "date": "1913-05", "year": 1913}
    about |= {"language": "en", "keywords": "play"}
    assert lines("tei", TEI) == [
        (about, "One"),
        (about, "A rose is a rose — café."),
        ({**about, "speaker": "A"}, "Call me."),
        ({**about, "speaker": "A"}, "Now."),
        ({**about, "speaker": "B C", "start": "T1"}, "I do not."),
        (about, "the example ends"),
    ]


def test_lines_of_a_tei_document_share_what_is_known() -> None:
    found = lines("tei", tei("<p>a</p><p>b</p><u who='#A'><s>c</s><s>d</s></u><p>e</p>"))
    known = [known for known, _ in found]
    assert known[0] is known[1] is known[4]
    assert known[2] is known[3] is not known[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>a <hi>b</hi>c\n  d</p>", ["a bc d"]),
        ("<p>ex-<lb/>ample</p>", ["ex- ample"]),
        ("<p>ex <lb break='no'/>\n ample</p>", ["example"]),
        ("<p>ex<hi> </hi><pb break='no'/><hi> </hi>ample</p>", ["example"]),
        ("<lg><l>a</l><l>b</l></lg>", ["a", "b"]),
        ("<table><row><cell>a</cell><cell>b c</cell></row></table>", ["a", "b c"]),
        ("<p>a<note>no <p>no</p></note> b</p>", ["a b"]),
        ("<p><choice><orig>ye</orig><reg>the</reg></choice> <orig>olde</orig></p>", ["the olde"]),
        ("<p><app><lem>a</lem><rdg>b</rdg></app><del>c</del></p>", ["a"]),
        ("<p><w>a</w><w>b</w><pc>,</pc><w>c</w><pc join='right'>(</pc><w>d</w></p>", ["a b, c(d"]),
        ("<p><w>a</w> <w join='left'>b</w><w>c</w></p>", ["a b c"]),
        ("<sp who='#h'><speaker>Hamlet</speaker><l>Ay</l></sp>", ["Ay"]),
        ("<stage>Exit.</stage><sp><l>a <stage>aside</stage> b</l></sp>", ["a b"]),
        ("<u>a <vocal><desc>laughs</desc></vocal> b <gap><desc>noise</desc></gap></u>", ["a b"]),
        ("<annotationBlock><u>a</u><spanGrp><span>N</span></spanGrp></annotationBlock>", ["a"]),
        ("<p><s>a.</s> <s>b.</s></p>", ["a.", "b."]),
        ("<p>a<list><item>b</item></list>c</p>", ["a", "b", "c"]),
        ("<p><![CDATA[a < b]]> &amp; &#233;</p>", ["a < b & é"]),
        ("<tei:p>a</tei:p>", ["a"]),
    ],
)
def test_running_text_of_tei(body: str, expected: list[str]) -> None:
    assert texts("tei", tei(body)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<sp><speaker>Old <hi>MAN</hi>.</speaker><l>a</l><l>b</l></sp>", ["Old MAN", "Old MAN"]),
        ("<sp who='#m'><speaker>Man</speaker><l>a</l></sp><p>b</p>", ["m", None]),
        ("<note><speaker>X</speaker></note><sp><speaker>Y</speaker><l>a</l></sp>", ["Y"]),
        ("<sp><speaker/><l>a</l></sp><speaker>X</speaker><p>b</p>", [None, None]),
        ("<annotationBlock who='#A'><u>a</u></annotationBlock><u>b</u>", ["A", None]),
    ],
)
def test_speakers_of_tei(body: str, expected: list[str | None]) -> None:
    assert [known.get("speaker") for known, _ in lines("tei", tei(body))] == expected


def test_what_the_header_of_tei_says_about_speakers() -> None:
    people = (
        "<profileDesc><particDesc><listPerson><person xml:id='A' sex='F' age='34'><persName>Anna "
        "</persName><p>a singer</p></person><person xml:id='B'><sex value='2'/><age>9</age></person>"
        "<person><persName>nobody</persName></person></listPerson></particDesc></profileDesc>"
    )
    found = lines("tei", tei("<u who='#A'>a</u><u who='#B'>b</u><u who='#A #B'>c</u>", people))
    assert [known for known, _ in found] == [
        {"speaker": "A", "speaker_sex": "F", "speaker_age": "34", "speaker_name": "Anna"},
        {"speaker": "B", "speaker_sex": "2", "speaker_age": "9"},
        {"speaker": "A B"},
    ]


def test_a_tei_corpus_has_many_texts_which_inherit() -> None:
    title = "<fileDesc><titleStmt><title>{}</title></titleStmt></fileDesc>"
    inner = [tei("<p>x</p>", title.format(name)) for name in "ab"]
    language = "<profileDesc><langUsage><language ident='fi'/></langUsage></profileDesc>"
    whole = f"<teiCorpus><teiHeader>{title.format('all')}{language}</teiHeader>{''.join(inner)}</teiCorpus>"
    known = [known for known, _ in lines("tei", whole)]
    assert known == [{"title": "a", "language": "fi"}, {"title": "b", "language": "fi"}]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("<sourceDesc><bibl><date>about 1720</date></bibl></sourceDesc>", ("about 1720", 1720)),
        ("<publicationStmt><date when='2020'/></publicationStmt>", ("2020", 2020)),
        ("<profileDesc><creation><date from='12345'/></creation></profileDesc>", ("12345", None)),
        (
            "<publicationStmt><date>2020</date></publicationStmt>"
            "<sourceDesc><date notBefore='1850-01'/></sourceDesc>",
            ("1850-01", 1850),
        ),
    ],
)
def test_the_date_of_the_source_is_better_than_that_of_the_file(where: str, expected: Any) -> None:
    known = lines("tei", tei("<p>a</p>", where))[0][0]
    assert (known.get("date"), known.get("year")) == expected


def test_a_file_without_a_body_is_no_tei() -> None:
    with pytest.raises(InputError, match="has no body") as caught:
        lines("tei", "<html><p>a</p></html>")
    assert "html, p" in str(caught.value.hint)


# XML that must not be read -------------------------------------------------------------------------

BOMB = (
    '<!DOCTYPE TEI [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (tei("<p>&c;</p>", before=BOMB), "line 1: the entity 'b' stands for other entities"),
        (
            tei("<p>&a;</p>", before=f'<!DOCTYPE TEI [<!ENTITY a "{"x" * 101}">]>'),
            "the entity 'a' stands for other entities, or for long text",
        ),
        (
            tei("<p>&a;</p>", before='<!DOCTYPE TEI [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
            "stands for another file \\(file:///etc/passwd\\), which is not opened",
        ),
        (
            tei("<p>&a;</p>", before='<!DOCTYPE TEI [<!ENTITY a "&#38;b;"><!ENTITY b "">]>'),
            "'a' stands",
        ),
        (tei("<p>&nosuch;</p>", before='<!DOCTYPE TEI SYSTEM "a.dtd">'), "&nosuch; is not known"),
        (tei("<p>&nosuch;</p>"), "not well-formed XML \\(undefined entity\\)"),
        (tei("<div>" * 300 + "</div>" * 300), "nested more than 256 deep"),
        (tei("<p>a</p>")[:-3], "line 1, column 63: the file ends too early"),
        (tei("<p>a</p>")[:-6], "the file ends too early"),
        ("", "the file ends too early"),
        ("plain text", "line 1, column 1: not well-formed XML"),
        (tei("\n\n<p>a</q>"), "line 3, column 7: not well-formed XML \\(mismatched tag\\)"),
        (tei("<p>a</p>").encode().replace(b"a</p>", b"\xff</p>"), "not well-formed XML"),
        (tei("<p>a</p>", before='<?xml version="1.0" encoding="nonsense"?>'), "encoding"),
    ],
)
def test_dangerous_and_broken_xml_is_refused(text: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lines("tei", text)


def test_default_attributes_do_not_multiply() -> None:
    declared = f'<!DOCTYPE TEI [<!ATTLIST u who CDATA "{"x" * 5000}">]>'
    assert lines("tei", tei("<u>a</u>", before=declared)) == [({}, "a")]


def test_known_entities_are_read() -> None:
    declared = '<!DOCTYPE TEI [<!ENTITY dash "&#8212;"><!ENTITY amp "&#38;#38;"><!ENTITY % x "y">]>'
    assert texts("tei", tei("<p>a&dash;b&amp;c</p>", before=declared)) == ["a—b&c"]
    external = '<!DOCTYPE TEI SYSTEM "a.dtd">'
    assert texts("tei", tei("<p>caf&eacute;</p>", before=external)) == ["café"]


def test_xml_in_other_encodings_is_read() -> None:
    text = tei("<p>café</p>")
    for name in ("UTF-16", "ISO-8859-1", "windows-1252"):
        data = f'<?xml version="1.0" encoding="{name}"?>{text}'.encode(name)
        assert texts("tei", data) == ["café"], name


def test_long_texts_and_tags_of_xml_keep_the_limit() -> None:
    for body in (
        f"<p>{'a b ' * 9000}</p>",
        f"<p n='{'a' * 200_000}'>a</p>",
        f"<!--{'a' * 200_000}-->",
    ):
        with limits(max_line=32_000), pytest.raises(InputError, match="--max-line"):
            lines("tei", tei(body))
    with limits(max_line=32_000):
        assert len(texts("tei", tei(f"<p>{'a b ' * 7000}</p>" * 3))) == 3
        for text in (
            eaf(tier("a", "b", "x" * 40_000)),
            FLEXTEXT.replace("na</item>", "x" * 40_000 + "</item>"),
        ):
            with pytest.raises(InputError, match="--max-line"):
                lines("elan" if "TIER" in text else "flextext", text)


# VRT -----------------------------------------------------------------------------------------------


def test_vrt_has_sentences_and_attributes() -> None:
    first = {"id": "t1", "year": "1900"}
    spoken = {"id": "u1", "year": "1900", "text_id": "t1", "who": "A & B"}
    assert lines("vrt", VRT) == [
        (first, ["The", "cat", "<"]),
        (first, ["Now"]),
        (spoken, ["Hi"]),
        (first, ["End"]),
        ({"id": "t2"}, ["a"]),
        ({"id": "t2"}, ["d"]),
    ]
    assert texts("vrt", VRT, "lemma")[0] == texts("vrt", VRT, "3")[0] == ["the", "cat", "x"]


@pytest.mark.parametrize(
    ("attributes", "title"),
    [
        ('title="a > b" n="1"', "a > b"),
        ("title='<a>' n='1'", "<a>"),
        ("n='1' title=\"it's\"", "it's"),
        ("n='1' x=O'Neil title='a'", "a"),
    ],
)
def test_attributes_of_vrt_have_any_characters(attributes: str, title: str) -> None:
    text = f"<text {attributes}>\nx\ty\nx\ty\nx\ty\n</text>\n"
    [(known, words)] = lines("vrt", text)
    assert (known["n"], known.get("title"), words) == ("1", title, ["x"] * 3)
    assert kind_of_content(text.encode()) == "vrt"


def test_paragraphs_of_vrt_are_no_documents() -> None:
    found = lines("vrt", '<text id="1">\n<p n="1">\na\n</p>\n<p n="2">\nb\n</p>\n</text>\n')
    assert found[0][0] is found[1][0]


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        (VRT, "5", "line 5: there is no column '5'", "columns 1 to 3, called word, pos, lemma"),
        (VRT, "nosuch", "no column 'nosuch'", "word, pos, lemma"),
        ("a\nb\n", "2", "line 1: there is no column '2'", "one column"),
        ("a\t\n", "2", "line 1: the column of the word is empty", "--column"),
        ("<a>\n" * 300, "text", "more than 256 tags are open", "end of <a> missing"),
        ("<s>\n" + "a\n" * 100_001, "text", "more than 100,000 words", "<s> and </s>"),
        (b"a\n\xff\n", "text", "Line 2 of a.vrt is not in UTF-8", "iconv"),
        (
            "caf\u00e9 ni\u00f1o".encode("cp1252"),
            "text",
            "not in UTF-8",
            "iconv -f windows-1252 -t UTF-8 a.vrt",
        ),
        (
            "a\n".encode("utf-16"),
            "text",
            "a.vrt is text in UTF-16",
            "iconv -f UTF-16 -t UTF-8 a.vrt",
        ),
    ],
)
def test_wrong_vrt_is_refused(text: Any, column: str, message: str, hint: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        lines("vrt", text, column)
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize(
    "text", ["</s>\na\n", "<s>\na\n<text x='1'>\nb\n", "</text>\na\n</s></s>\nb\n"]
)
def test_tags_of_vrt_that_do_not_match_lose_no_words(text: str) -> None:
    words = [word for words in texts("vrt", text) for word in words]
    assert [word for word in words if len(word) == 1] == [
        w for w in text.split("\n") if len(w) == 1
    ]


# Toolbox -------------------------------------------------------------------------------------------


def test_toolbox_has_records_with_markers() -> None:
    assert lines("toolbox", TOOLBOX) == [
        (
            {
                "id": "story1",
                "au": "Anna",
                "ref": "s.001",
                "mb": "wó ba",
                "ge": "I go home",
                "ft": "I go home.",
            },
            "wó ba le",
        ),
        ({"id": "story1", "au": "Anna", "ref": "s.002"}, "na"),
        ({"id": "story2", "ref": "t.001"}, "ko"),
    ]
    assert texts("toolbox", TOOLBOX, "\\ge") == texts("toolbox", TOOLBOX, "ge") == ["I go home"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\tx a\n\\ft x\n\\tx b\n\\ft y\n", [({"ft": "x"}, "a"), ({"ft": "y"}, "b")]),
        ("\\id 1\n\\tx a\n\\id 2\n\\tx b\n\\tx c\n", [({"id": "1"}, "a"), ({"id": "2"}, "b c")]),
        ("\\ref 1\n\\t a\n\\ref 2\n\\tx b\n", [({"ref": "1"}, "a")]),
        ("\\tx\n\\ft x\n\\tx a\n", [({}, "a")]),
        ("\ufeff\\_sh v3.0  400  Text\n\\ref 1\n\\tx a\n", [({"ref": "1"}, "a")]),
    ],
)
def test_records_of_toolbox(text: str, expected: Any) -> None:
    assert lines("toolbox", text) == expected


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        (TOOLBOX, "lx", "has no marker \\\\lx", "\\tx (4), \\ref (3)"),
        ("\\lx dog\n\\ge Hund\n", "text", "has no marker \\\\tx", "\\lx (1), \\ge (1)"),
        ("", "text", "has no marker \\\\tx", "no markers at all"),
        ("\n\nplain\n\\tx a\n", "text", "line 3: there is no marker", "--read-as text"),
        (
            "".join(f"\\m{i} x\n" for i in range(10_001)),
            "text",
            "more than 10,000 different markers",
            "text",
        ),
    ],
)
def test_wrong_toolbox_files_are_refused(text: str, column: str, message: str, hint: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        lines("toolbox", text, column)
    assert hint in str(caught.value.hint)


def test_long_records_of_toolbox_keep_the_limit() -> None:
    for text in ("\\tx a\n" + "b\n" * 500, "\\ref 1\n" + "\\tx abcd\n" * 200):
        with limits(max_line=100), pytest.raises(InputError, match="--max-line"):
            lines("toolbox", text)


# FLExText ------------------------------------------------------------------------------------------


def test_flextext_has_words_translation_and_times() -> None:
    title = {"title": "Story", "source": "Anna"}
    first = {
        "segnum": "1.1",
        "gls_en": "I go.",
        "gls_fr": "Je vais.",
        "speaker": "A",
        "start": 0.5,
        "end": 2.0,
    }
    assert lines("flextext", FLEXTEXT) == [
        ({**title, **first}, ["wó", "ba", "."]),
        ({**title, "segnum": "1.2"}, ["na"]),
        ({"title": "Other"}, ["ko", "mi"]),
    ]
    assert texts("flextext", FLEXTEXT, "etu-fonipa") == [["wo˥", "."]]


def test_words_of_another_writing_system_are_kept_among_others() -> None:
    loan = '<word><item type="txt" lang="fr">bonjour</item></word><word><item type="punct"'
    mixed = FLEXTEXT.replace('<word><item type="punct"', loan)
    assert texts("flextext", mixed)[0] == ["wó", "ba", "bonjour", "."]
    assert texts("flextext", mixed, "etu")[0] == ["wó", "ba", "."]
    other = FLEXTEXT.replace('<item type="txt" lang="etu">na', '<item type="txt" lang="fr">oui')
    assert texts("flextext", other) == [["wó", "ba", "."], ["ko", "mi"]]


def test_old_flextext_calls_phrases_words() -> None:
    old = (
        FLEXTEXT.replace("<phrase ", "<word ")
        .replace("<phrase>", "<word>")
        .replace("</phrase>", "</word>")
    )
    assert lines("flextext", old) == lines("flextext", FLEXTEXT)


def test_wrong_writing_systems_are_refused() -> None:
    with pytest.raises(InputError, match="no words in the writing system 'en'") as caught:
        lines("flextext", FLEXTEXT, "en")
    assert "'etu' (3), 'etu-fonipa' (1)" in str(caught.value.hint)
    with pytest.raises(InputError, match="a.flextext has no words"):
        lines("flextext", "<document/>")


# ELAN ----------------------------------------------------------------------------------------------


def test_elan_has_annotations_in_order_of_time() -> None:
    assert lines("elan", EAF) == [
        ({"tier": "tx@A", "speaker": "Anna", "start": 0.0, "end": 1.5}, "wó ba le"),
        ({"tier": "tx@B", "speaker": "B", "start": 1.6, "end": 3.0}, "ba kó !"),
        ({"tier": "tx@A", "speaker": "Anna", "start": 4.0, "end": None}, "na"),
    ]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("tx@B", ["ba kó !"]),
        ("tx", ["wó ba le", "ba kó !", "na"]),
        ("ft", ["I go home, and I go home again."]),
        ("tx@B, ft", ["I go home, and I go home again.", "ba kó !"]),
    ],
)
def test_tiers_are_chosen_by_name_or_type(column: str, expected: list[str]) -> None:
    assert texts("elan", EAF, column) == expected


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        (tier("x", "k", "a b") + tier("y", "l", "a b c d"), ["a b c d"]),
        (tier("x", "k", "a b") + tier("z", "k", "c d") + tier("y", "l", "a b c"), ["a b", "c d"]),
        (tier("x", "Transcription", "a") + tier("y", "l", "a b c"), ["a"]),
        (tier("text", "k", "a") + tier("y", "k", "a b c"), ["a"]),
    ],
)
def test_without_a_choice_the_transcription_or_the_most_text_is_read(
    tiers: str, expected: Any
) -> None:
    assert texts("elan", eaf(tiers)) == expected


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        (EAF, "nosuch", "no tier 'nosuch'", "'tx@A' (type 'tx', 2)"),
        (EAF, "tx@A,nosuch", "no tier 'tx@A,nosuch'", "'tx@B'"),
        (EAF, "empty", "tier 'empty' of a.elan has no text", "'tx@A'"),
        (eaf(""), "text", "has no tier with text", "none"),
        (eaf(tier("a", "b", " ")), "text", "has no tier with text", "'a' (type 'b', 1)"),
        (
            "<ANNOTATION_DOCUMENT><REF_ANNOTATION/>",
            "text",
            "line 1: an annotation that is in no tier",
            "",
        ),
    ],
)
def test_wrong_elan_files_are_refused(text: str, column: str, message: str, hint: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        lines("elan", text, column)
    assert hint in str(caught.value.hint)


def test_annotations_that_depend_on_each_other_have_no_time() -> None:
    """Nor have those that depend on one that is not there; of annotations with one name, the first counts."""
    slots = (
        '<TIME_SLOT TIME_SLOT_ID="s" TIME_VALUE="500"/><TIME_SLOT TIME_SLOT_ID="s" TIME_VALUE="1"/>'
    )
    inside = "".join(
        f'<ANNOTATION><{kind} ANNOTATION_ID="{name}" {rest}><ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>'
        f"</{kind}></ANNOTATION>"
        for kind, name, rest, value in (
            ("REF_ANNOTATION", "a", 'ANNOTATION_REF="b"', "one"),
            ("REF_ANNOTATION", "b", 'ANNOTATION_REF="a"', "two"),
            ("REF_ANNOTATION", "c", 'ANNOTATION_REF="nosuch"', "three"),
            ("ALIGNABLE_ANNOTATION", "d", 'TIME_SLOT_REF1="s" TIME_SLOT_REF2="t"', "four"),
            ("ALIGNABLE_ANNOTATION", "d", "", "five"),
            ("REF_ANNOTATION", "e", 'ANNOTATION_REF="d"', "six"),
        )
    )
    found = lines("elan", eaf(f'<TIER TIER_ID="t" PARENT_REF="t">{inside}</TIER>', slots))
    assert [(line, known["start"], known["end"], known["speaker"]) for known, line in found] == [
        ("four", 0.5, None, None),
        ("six", 0.5, None, None),
        *((line, None, None, None) for line in ("one", "two", "three", "five")),
    ]


def test_long_chains_of_annotations_are_followed_once() -> None:
    """In either order; if each were followed alone, this would take minutes."""
    slot = '<TIME_SLOT TIME_SLOT_ID="s" TIME_VALUE="500"/>'
    n = 20_000
    chain = [
        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a{i}" ANNOTATION_REF="a{i + 1}"><ANNOTATION_VALUE>x'
        "</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        for i in range(n)
    ]
    root = (
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{n}" TIME_SLOT_REF1="s"/></ANNOTATION>'
    )
    for inside in (chain, chain[::-1]):
        text = eaf(f'<TIER TIER_ID="t">{"".join(inside)}{root}</TIER>', slot)
        assert {known["start"] for known, _ in lines("elan", text)} == {0.5}


# What kind of file it is ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [("tei", TEI), ("vrt", VRT), ("toolbox", TOOLBOX), ("flextext", FLEXTEXT), ("elan", EAF)],
)
def test_formats_are_known_by_their_content(name: str, text: str) -> None:
    assert kind_of_content(text.encode()) == name
    assert kind_of_content(b"\xef\xbb\xbf\n" + text.encode()) == name


def test_formats_are_known_by_their_names() -> None:
    names = ["a.eaf", "a.TEI.gz", "a.vrt.xz", "a.vert", "a.flextext", "a.sfm", "a.xml", "a.txt"]
    expected = ["elan", "tei", "vrt", "vrt", "flextext", "toolbox", "text", "text"]
    assert [kind_of(name) for name in names] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!DOCTYPE html><p>a", "HTML"),
        ("<html lang='en'>", "HTML"),
        ('<?xml version="1.0"?><a>', "XML"),
        ("<a>b</a>", "XML"),
        ("A <b>bold</b> word. " * 20, "HTML"),
        ("A <x>bold</x> word. " * 20, "XML"),
        ("A <b>bold</b> word. " + "More words. " * 200, None),
        ("a < b and c > d", None),
        ("<3 is a heart", None),
        ("", None),
    ],
)
def test_markup_is_noticed(text: str, expected: str | None) -> None:
    assert markup_in(text.encode()) == expected
    assert kind_of_content(text.encode()) == "text"
