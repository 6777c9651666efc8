"""Characters as people see them, between which a word may be split, and the words that have parts."""

from __future__ import annotations

from firth import unicode

__all__ = ["LONGEST", "graphemes", "has_parts"]

LONGEST = 64
"""Words with more graphemes than this are left whole."""
_JOINERS = "-'’·"
"""What a word may contain beside letters and marks."""
_ZERO_WIDTH = "\u200c\u200d"
_TOGETHER = frozenset(("LL", "LV", "LA", "LB", "VV", "VT", "AV", "AT", "TT", "BT"))
"""Kinds of Hangul letters that belong together; A and B are syllables without and with a trailing one."""
_FLAGS, _TONES, _TAGS = (0x1F1E6, 0x1F200), (0x1F3FB, 0x1F400), (0xE0020, 0xE0080)


def graphemes(word: str) -> list[str]:
    """The graphemes of a word: a character with all that belongs to it.

    Combining marks, joined emoji, flags, conjoining Hangul letters and Indic conjuncts are kept together.

    >>> graphemes("née"), len(graphemes("ne\\u0301e")), len(graphemes("\\U0001f469\\u200d\\U0001f467"))
    (['n', 'é', 'e'], 3, 1)
    """
    if word.isascii():
        return list(word)
    found: list[str] = []
    for character in word:
        if found and _belongs(found[-1], character):
            found[-1] += character
        else:
            found.append(character)
    return found


def has_parts(word: str) -> bool:
    """Whether a word may have parts: it has letters, and beside them only marks, hyphens and apostrophes.

    >>> has_parts("mother-in-law"), has_parts("B2B"), has_parts("-")
    (True, False, False)
    """
    if unicode.is_alpha(word):
        return len(graphemes(word)) <= LONGEST
    letters = False
    for character in word:
        kind = unicode.category(character)[0]
        letters = letters or kind == "L"
        if kind not in "LM" and character not in _JOINERS + _ZERO_WIDTH:
            return False
    return letters and len(graphemes(word)) <= LONGEST


def _belongs(before: str, character: str) -> bool:
    """Whether a character belongs to the grapheme before it."""
    if unicode.category(character)[0] == "M" or character in _ZERO_WIDTH:
        return True
    if before[-1] == "\u200d" and unicode.category(character) == "So":
        return True
    if _is_in(character, _FLAGS):
        return len(before) == 1 and _is_in(before, _FLAGS)
    if _is_in(character, _TONES) or _is_in(character, _TAGS):
        return True
    if unicode.is_consonant(character) and _linked(before):
        return True
    return _conjoining(before[-1]) + _conjoining(character) in _TOGETHER


def _linked(before: str) -> bool:
    """Whether a grapheme ends in a consonant with a virama that joins it to the next (rule GB9c)."""
    linked = False
    for character in reversed(before):
        if unicode.is_linker(character):
            linked = True
        elif unicode.category(character) not in ("Mn", "Me") and character != "\u200d":
            return linked and unicode.is_consonant(character)
    return False


def _conjoining(character: str) -> str:
    """The kind of a Hangul letter or syllable: leading L, vowel V, trailing T, syllables A and B."""
    point = ord(character)
    if 0x1100 <= point < 0x1160 or 0xA960 <= point < 0xA980:
        return "L"
    if 0x1160 <= point < 0x11A8 or 0xD7B0 <= point < 0xD7C7:
        return "V"
    if 0x11A8 <= point < 0x1200 or 0xD7CB <= point < 0xD7FC:
        return "T"
    if 0xAC00 <= point < 0xD7A4:
        return "A" if (point - 0xAC00) % 28 == 0 else "B"
    return ""


def _is_in(character: str, span: tuple[int, int]) -> bool:
    return span[0] <= ord(character) < span[1]
