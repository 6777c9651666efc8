"""What kind of file is this? Told by its first bytes, and by its name where those do not tell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

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
    ".parquet": "table", ".arrow": "table", ".feather": "table", ".csv": "table", ".tsv": "table",
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
    name = without_compression(name)
    return next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), "text")


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
