"""What kind of file is this? Told by its first bytes, and by its name where those do not tell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

__all__ = [
    "ANNOTATED",
    "KEPT",
    "compression_of",
    "describe_binary",
    "guess_encoding",
    "kind_of",
    "kind_of_content",
    "markup_in",
]

ANNOTATED = ("tei", "vrt", "toolbox", "flextext", "elan")
"""The kinds of files that say what is known about their text; see ``annotated_lines``."""
KEPT = ("flextext", "elan")
"""Those that are kept in memory as a whole while they are read."""

_COMPRESSIONS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
}
_BINARIES = {
    b"%PDF": ("a PDF", "Take its text out first, for example: pdftotext FILE.pdf FILE.txt"),
    b"PK\x03\x04": (
        "a zip archive (or a docx, odt or epub)",
        "Take its text out first, for example with pandoc.",
    ),
    b"\xd0\xcf\x11\xe0": ("an old Office document", "Save it as plain text first."),
    b"{\\rtf": ("an RTF document", "Save it as plain text first."),
    b"7z\xbc\xaf": ("a 7z archive", "Unpack it first."),
}
_SUFFIXES = {
    ".jsonl": "json", ".ndjson": "json", ".conllu": "conllu",
    ".tei": "tei", ".vrt": "vrt", ".vert": "vrt", ".eaf": "elan", ".flextext": "flextext", ".sfm": "toolbox",
    ".parquet": "table", ".arrow": "table", ".feather": "table", ".csv": "table", ".tsv": "table",
}  # fmt: skip
_ROOTS = {"TEI": "tei", "TEI.2": "tei", "teiCorpus": "tei", "ANNOTATION_DOCUMENT": "elan"}
"""The outermost elements of formats in XML."""
_BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}  # fmt: skip


def compression_of(head: bytes) -> str | None:
    """The compression that a file starting with these bytes is in, if any."""
    return next((name for magic, name in _COMPRESSIONS.items() if head.startswith(magic)), None)


def kind_of(name: str) -> str:
    """How a file with this name is read: ``text``, ``json``, ``table``, ``conllu``, or as ``ANNOTATED``.

    >>> kind_of("a.jsonl.gz"), kind_of("b.parquet"), kind_of("notes")
    ('json', 'table', 'text')
    """
    name = without_compression(name)
    return next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), "text")


def kind_of_content(head: bytes) -> str:
    """How a file with another name is read, by its first bytes: ``text`` or one of ``ANNOTATED``.

    >>> kind_of_content(b"<TEI><teiHeader>"), kind_of_content(b"\\\\_sh v3.0  400  Text"), kind_of_content(b"<p>")
    ('tei', 'toolbox', 'text')
    """
    text = _decoded(head)
    if text.startswith("\\_sh "):
        return "toolbox"
    root = _root_of(text)
    if root == "document" and "<interlinear-text" in text:
        return "flextext"
    if root and _ROOTS.get(root):
        return _ROOTS[root]
    return "vrt" if _is_vertical(text) else "text"


def markup_in(head: bytes) -> str | None:
    """What tags there are in the first bytes of a text: HTML or XML; None for plain text.

    >>> markup_in(b"<html><body>"), markup_in(b"if a < b, then b > a")
    ('HTML', None)
    """
    text = _decoded(head)
    root = _root_of(text)
    if re.search(r"<!doctype html|<html\b|<body\b", text, re.IGNORECASE):
        return "HTML"
    tags = len(re.findall(r"</[A-Za-z][\w.:-]*\s*>", text))
    if root and (tags or text.startswith("<?xml")):
        return "XML"
    if tags >= 5 and 200 * tags >= len(text):
        html = len(re.findall(r"</(p|b|i|em|a|div|span|li|h[1-6])\s*>", text, re.IGNORECASE))
        return "HTML" if 2 * html >= tags else "XML"
    return None


def _decoded(head: bytes) -> str:
    """The first bytes of a file as text, without what stands before it."""
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    return head.decode(encoding, "replace").lstrip("\ufeff \t\r\n")


def _root_of(text: str) -> str | None:
    """The name of the first element, if a text begins with XML."""
    begin = re.match(
        r"(\s*<\?.*?\?>|\s*<!--.*?-->|\s*<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>)*", text, re.DOTALL
    )
    found = re.match(r"\s*<([A-Za-z_][\w.:-]*)", text[begin.end() if begin else 0 :])
    return found[1].rpartition(":")[2] if found else None


def _is_vertical(text: str) -> bool:
    """Whether lines are tags, or words with columns between tabs."""
    lines = [line for line in text.splitlines()[:-1] if not line.startswith(("<!--", "<?"))]
    tags = sum(1 for line in lines if re.fullmatch(r"</?[A-Za-z_][^\t]*>\s*", line))
    words = sum(1 for line in lines if "\t" in line and not line.startswith("<"))
    return tags > 0 and words >= 3 and tags + words == sum(1 for line in lines if line.strip())


def without_compression(name: str) -> str:
    """The name of a file in lower case, without the suffix of a compression.

    >>> without_compression("News.CSV.gz")
    'news.csv'
    """
    name = name.lower()
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    return name


def describe_binary(head: bytes) -> tuple[str, str] | None:
    """What a file that starts with these bytes is, and what to do with it, if it is no text."""
    for magic, answer in _BINARIES.items():
        if head.startswith(magic):
            return answer
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return f"text in {encoding}", _convert(encoding)
    if b"\0" in head:
        zeros = head.count(b"\0")
        if 0.3 * len(head) < zeros <= 0.5 * len(head):
            return "text in UTF-16, it seems", _convert(
                "UTF-16LE" if head[1::2].count(0) == zeros else "UTF-16BE"
            )
        return "a binary file (it contains zero bytes)", "Give Firth plain text in UTF-8."
    return None


def _convert(encoding: str) -> str:
    return f"Convert it first: iconv -f {encoding} -t UTF-8 FILE > utf8.txt"


def for_file(advice: str, path: Path | None) -> str:
    """Advice with the name of the file in it, as the shell needs it."""
    return advice.replace("FILE", shlex.quote(str(path))) if path else advice


def guess_encoding(sample: bytes) -> str | None:
    """A hint on the encoding of text that is not UTF-8, or None where nothing fits well.

    Every candidate decodes the sample; the one under which it looks most like writing wins.
    """
    sample = sample[: 1 << 16]
    best, answer = 0.5, None
    for encoding, plausibility in _CANDIDATES.items():
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError as error:
            if error.start < len(sample) - 4:  # not just a character cut at the end
                continue
            text = sample[: error.start].decode(encoding)
        score = plausibility(text)
        if score > best:
            best, answer = score, encoding
    return _convert(answer) if answer else None


def _share(text: str, pattern: str) -> float:
    """The share of the characters outside ASCII that fit a pattern."""
    other = re.findall(r"[^\x00-\x7f]", text)
    return len(re.findall(pattern, text)) / len(other) if other else 0.0


def _latin(text: str) -> float:
    """Accented letters stand here and there among plain ones, capitals at the start of words."""
    letters = re.findall(r"[^\W\d_]", text)
    accented = [letter for letter in letters if letter > "\x7f"]
    if len(accented) > 0.4 * len(letters):
        return 0.0
    odd = len(re.findall(r"[a-z\u00df-\u00ff][\u00c0-\u00de]", text))
    return _share(text, "[À-ÖØ-öø-ſ«»“”‘’–—…°§€£]") - odd / max(1, len(accented))


def _cyrillic(text: str) -> float:
    """Letters of one script side by side, capitals at the start of words."""
    odd = len(re.findall("[а-яё][А-ЯЁ]|[A-Za-z][А-яёЁ]|[А-яёЁ][A-Za-z]", text))
    return _share(text, "[А-яёЁ«»–—№]") - 2 * odd / max(1, len(text))


def _common_chinese(text: str, encoding: str, leads: range) -> float:
    """The share of the characters that the encoding counts among the common ones."""
    other = [c for c in text if c > "\x7f"]
    common = sum(
        c.encode(encoding, "ignore")[:1] in {bytes([lead]) for lead in leads}
        or c in "，。、「」！？：；"
        for c in other
    )
    return common / len(other) if other else 0.0


_CANDIDATES: dict[str, Callable[[str], float]] = {
    "windows-1252": _latin,
    "windows-1251": _cyrillic,
    "koi8-r": _cyrillic,
    "shift_jis": lambda text: (
        min(1.0, 3 * _share(text, "[ぁ-んァ-ヶー]")) * _share(text, "[ぁ-んァ-ヶー一-鿿、。「」]")
    ),
    "euc_jp": lambda text: (
        min(1.0, 3 * _share(text, "[ぁ-んァ-ヶー]")) * _share(text, "[ぁ-んァ-ヶー一-鿿、。「」]")
    ),
    "euc-kr": lambda text: _share(text, "[가-힣]"),
    "gb18030": lambda text: _common_chinese(text, "gb2312", range(0xB0, 0xD8)),
    "big5": lambda text: _common_chinese(text, "big5", range(0xA4, 0xC7)),
}
