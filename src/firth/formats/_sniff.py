"""What kind of file is this? Told by its first bytes, and by its name where those do not tell."""

from __future__ import annotations

import unicodedata

__all__ = ["compression_of", "describe_binary", "guess_encoding", "kind_of"]

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
    ".parquet": "table", ".arrow": "table", ".feather": "table",
}  # fmt: skip
_BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}  # fmt: skip


def compression_of(head: bytes) -> str | None:
    """The compression that a file starting with these bytes is in, if any."""
    return next((name for magic, name in _COMPRESSIONS.items() if head.startswith(magic)), None)


def kind_of(name: str) -> str:
    """How a file with this name is read: ``text``, ``json``, ``table`` or ``conllu``.

    >>> kind_of("a.jsonl.gz"), kind_of("b.parquet"), kind_of("notes")
    ('json', 'table', 'text')
    """
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.lower().removesuffix(suffix)
    return next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), "text")


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
        return "a binary file (it holds zero bytes)", "Give Firth plain text in UTF-8."
    return None


def _convert(encoding: str) -> str:
    return f"Convert it first: iconv -f {encoding} -t UTF-8 FILE > FILE.utf8"


def guess_encoding(sample: bytes) -> str | None:
    """A hint on the encoding of text that is not UTF-8, or None where nothing fits well.

    Every candidate decodes the sample; the one whose non-ASCII characters look most like
    letters of one script among words wins.
    """
    best, answer = 0.0, None
    for encoding in (
        "windows-1252",
        "windows-1251",
        "koi8-r",
        "iso-8859-2",
        "shift_jis",
        "gb18030",
        "euc-kr",
        "big5",
    ):
        try:
            text = sample[: 1 << 16].decode(encoding)
        except UnicodeDecodeError as error:
            if error.start < min(len(sample), 1 << 16) - 4:  # not just a character cut at the end
                continue
            text = sample[: error.start].decode(encoding)
        score = _plausible(text)
        if score > best:
            best, answer = score, encoding
    return _convert(answer) if answer and best > 0.5 else None


def _plausible(text: str) -> float:
    """How much the non-ASCII characters of a text look like real writing, up to 1."""
    good = total = 0.0
    scripts: dict[str, int] = {}
    for before, character in zip(" " + text, text, strict=False):
        if character < "\x80":
            continue
        total += 1
        category = unicodedata.category(character)
        script = unicodedata.name(character, "?").split()[0]
        scripts[script] = scripts.get(script, 0) + 1
        if category in ("Ll", "Lo"):
            good += 1 if not before.isupper() or before < "\x80" else 0.5
        elif category == "Lu":
            good += 0.9 if not before.isalpha() else 0.3
        elif character in "«»“”‘’–—…°§€£。、":
            good += 0.8
    if not total:
        return 0.0
    one_script = max(scripts.values()) / total
    rare = sum(0xFF61 <= ord(c) <= 0xFF9F or 0xE000 <= ord(c) <= 0xF8FF for c in text) / total
    return good / total * (0.5 + 0.5 * one_script) - rare
