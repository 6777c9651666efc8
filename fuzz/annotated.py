"""Small files of annotated text, for tests and as samples."""

from __future__ import annotations

TEI = """<?xml version="1.0"?>
<!DOCTYPE TEI SYSTEM "tei.dtd" [<!ENTITY mdash "&#x2014;">]>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>
<fileDesc><titleStmt><title>The  Rose</title><title>or so</title><author>Anna Berg</author>
<author>Otto <hi>Dahl</hi></author></titleStmt>
<sourceDesc><bibl><author>X</author><date when="1913-05">May</date></bibl></sourceDesc></fileDesc>
<profileDesc><langUsage><language ident="en"/></langUsage><textClass><keywords><term>play</term></keywords>
</textClass></profileDesc></teiHeader>
<text><front><p>not this</p></front><body><div><head>One</head>
<p>A rose is<lb/>a rose &mdash;<note>not me</note> caf&eacute;.</p>
<sp who="#A"><speaker>A.</speaker><p>Call me.</p><p>Now.</p></sp>
<u who="#B #C" start="T1"><w>I</w><w>do</w><w>not</w><pc>.</pc></u>
<p><choice><sic>teh</sic><corr>the</corr></choice> ex<lb break="no"/>ample
   ends</p></div></body></text></TEI>
"""
VRT = """<!-- #vrt positional-attributes: word pos lemma -->
<text id="t1" year="1900">
<p n="1">
<s>
The\tDT\tthe
<ne type="PER">
cat\tNN\tcat
</ne>
&lt;\tP\tx
</s>
</p>
<s>
Now\tX\tnow
</s>
<u id="u1" who="A &amp; B">
<s>
Hi\tX\thi
</s>
</u>
End\tX\tend
</text>
<text id="t2">
a\tb\tc

d\te\tf
</text>
"""
TOOLBOX = """\\_sh v3.0  400  Text
\\_DateStampHasFourDigitYear

\\id story1
\\au Anna

\\ref s.001
\\tx wó   ba
\\mb wó   ba
\\ge I    go
\\tx le
\\ge home
\\ft I go
 home.

\\ref s.002
\\tx na

\\id story2
\\ref t.001
\\tx ko
"""
FLEXTEXT = """<?xml version="1.0" encoding="utf-8"?>
<document version="2"><interlinear-text>
<item type="title" lang="en">Story</item><item type="source" lang="en">Anna</item>
<paragraphs><paragraph><phrases>
<phrase speaker="A" begin-time-offset="500" end-time-offset="2000"><item type="segnum" lang="en">1.1</item><words>
<word><item type="txt" lang="etu">wó</item><item type="txt" lang="etu-fonipa">wo˥</item>
<morphemes><morph><item type="txt" lang="etu">wó</item><item type="gls" lang="en">1SG</item></morph></morphemes>
<item type="gls" lang="en">I</item></word>
<word><item type="txt" lang="etu">ba</item></word><word><item type="punct" lang="etu">.</item></word></words>
<item type="gls" lang="en">I go.</item><item type="gls" lang="fr">Je vais.</item></phrase>
<phrase><item type="segnum" lang="en">1.2</item><words><word><item type="txt" lang="etu">na</item></word></words>
</phrase></phrases></paragraph></paragraphs></interlinear-text>
<interlinear-text><item type="title" lang="en">Other</item><paragraphs><paragraph><phrases>
<phrase><item type="txt" lang="etu">ko  mi</item></phrase></phrases></paragraph></paragraphs></interlinear-text>
</document>
"""


def _annotation(kind: str, name: str, rest: str, value: str) -> str:
    return (
        f'<ANNOTATION><{kind} ANNOTATION_ID="{name}" {rest}><ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>'
        f"</{kind}></ANNOTATION>\n"
    )


def _aligned(name: str, begin: str, end: str, value: str) -> str:
    times = f'TIME_SLOT_REF1="{begin}" TIME_SLOT_REF2="{end}"'
    return _annotation("ALIGNABLE_ANNOTATION", name, times, value)


def _dependent(name: str, of: str, value: str) -> str:
    return _annotation("REF_ANNOTATION", name, f'ANNOTATION_REF="{of}"', value)


EAF = (
    """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0"><HEADER TIME_UNITS="milliseconds"/>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="1500"/>
<TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="1600"/><TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="3000"/>
<TIME_SLOT TIME_SLOT_ID="ts5" TIME_VALUE="4000"/><TIME_SLOT TIME_SLOT_ID="ts6"/></TIME_ORDER>
<TIER TIER_ID="ref@A" LINGUISTIC_TYPE_REF="ref" PARTICIPANT="Anna">
"""
    + _aligned("a1", "ts1", "ts2", "001")
    + _aligned("a2", "ts5", "ts6", "002")
    + '</TIER>\n<TIER TIER_ID="tx@A" LINGUISTIC_TYPE_REF="tx" PARENT_REF="ref@A">\n'
    + _dependent("a3", "a1", "wó  ba\n le")
    + _dependent("a4", "a2", "na")
    + '</TIER>\n<TIER TIER_ID="ft@A" LINGUISTIC_TYPE_REF="ft" PARENT_REF="ref@A">\n'
    + _dependent("a5", "a1", "I go home, and I go home again.")
    + '</TIER>\n<TIER TIER_ID="tx@B" LINGUISTIC_TYPE_REF="tx">\n'
    + _aligned("a6", "ts3", "ts4", "ba kó !")
    + '</TIER>\n<TIER TIER_ID="empty" LINGUISTIC_TYPE_REF="note"/>\n</ANNOTATION_DOCUMENT>\n'
)
