"""A slow, obvious reading of docs/tokenising.md; spans are (start, end) in code points."""

import re

from firth import unicode

Span = tuple[int, int]
ALPHANUMERIC = ("letter", "digit")
WORD = ("letter", "digit", "mark")
APOSTROPHES = "'’"
HYPHENS = "-\u2010\u2011"
MIDDLE_DOTS = "\u00b7\u0387\u05f3\u05f4\u2027"
DROPPED = "\u200b\ufeff\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ZERO_WIDTH_JOINER = "\u200d"
RUNS = ".-!?*=~#+'`\u2014\u2026"
FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
HANGUL_MARK = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")
ADDRESS = re.compile(r"[A-Za-z]{2,10}://|[Ww][Ww][Ww]\.")
ADDRESS_STOPS = re.compile('[<>"“”«»\u3000-\u303f\uff00-\uff65]')
ADDRESS_GIVES_BACK = ".,;:!?'’]}*"
ELISIONS = set(
    """c d j l m n s t qu jusqu lorsqu puisqu quoiqu all dall dell nell sull coll un
    quest quell sant bell""".split()
)
CLITICS = set("s m d re ve ll".split())
ABBREVIATIONS = set(
    """Mr Mrs Ms Dr Prof St Jr Sr Gen Sen Rep Gov Capt Lt Col Sgt Maj Rev Hon
    Messrs Mme Mlle Mt Ft Inc Ltd Co Corp Bros vs etc al cf approx No Nos Vol vol pp ed eds
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec bzw usw ca Nr""".split()
)
TERMINATORS = ".!?…‼⁇⁈⁉؟۔।॥։።。！？｡．"
CLOSERS = "\"'’”»)]}」』）›"


def kind(text: str, i: int, word_start: int = -1) -> str:
    """The class of the character at i. A mark that begins its word counts as a letter."""
    if not 0 <= i < len(text):
        return "nothing"
    c = text[i]
    category = unicode.category(c)
    if category in ("Zs", "Zl", "Zp", "Cc") or c in DROPPED:
        return "separator"
    if category in ("Mn", "Mc", "Me", "Cf") or "\U0001f3fb" <= c <= "\U0001f3ff":
        return "letter" if i == word_start else "mark"
    if category[0] == "L" or category in ("Pc", "Co", "Cn"):
        return "letter"
    return "digit" if category[0] == "N" else "symbol"


def upper(text: str, i: int) -> bool:
    return i < len(text) and unicode.category(text[i]) in ("Lu", "Lt")


def lower(text: str, i: int) -> bool:
    return i < len(text) and unicode.category(text[i]) == "Ll"


def after_marks(text: str, i: int, hangul: bool = False) -> int:
    """The first place from i on that is no mark; with hangul, nor a vowel or final of Hangul."""
    while kind(text, i) == "mark" or (hangul and HANGUL_MARK.match(text, i)):
        i += 1
    return i


def before_marks(text: str, start: int, i: int) -> int:
    """Where "the character before" i stands, marks passed over, in the word that begins at start."""
    i -= 1
    while i > start and kind(text, i) == "mark":
        i -= 1
    return i


def words(text: str) -> list[Span]:
    """At each place that is not a separator, the first rule that fits gives the token."""
    spans: list[Span] = []
    for i in range(len(text)):
        if kind(text, i) != "separator" and (not spans or i >= spans[-1][1]):
            spans += address(text, i) or name_or_tag(text, i) or word(text, i) or symbol(text, i)
    return spans


def address(text: str, start: int) -> list[Span]:
    """Rule 1."""
    opening = ADDRESS.match(text, start)
    if not opening:
        return []
    end = opening.end()
    if kind(text, end) not in ALPHANUMERIC:
        return []
    while kind(text, end) not in ("nothing", "separator") and not ADDRESS_STOPS.match(text, end):
        end += 1
    while text[end - 1] in ADDRESS_GIVES_BACK or (
        text[end - 1] == ")" and "(" not in text[start:end]
    ):
        end -= 1
    return [(start, end)]


def name_or_tag(text: str, start: int) -> list[Span]:
    """Rule 2."""
    loose = re.compile("['’](s|m|d|re|ve|ll)", re.IGNORECASE | re.ASCII).match(text, start)
    after_word = start > 0 and (kind(text, start - 1) in WORD or text[start - 1] == ".")
    if loose and after_word and kind(text, loose.end()) not in WORD:
        return [loose.span()]
    if text[start] not in "@#" or kind(text, start + 1) != "letter":
        return []
    end = start + 1
    while kind(text, end) in WORD:
        end += 1
    return [(start, end)]


def word(text: str, start: int) -> list[Span]:
    """Rule 3: a word, which an elision may cut short and from which clitics may be split off."""
    if kind(text, start) not in WORD:
        return []
    end = start + 1
    while kind(text, end) in WORD or joins(text, start, end):
        end += 1
    apostrophes = [i for i in range(start, end) if text[i] in APOSTROPHES]
    if apostrophes and is_elision(text, start, apostrophes[0]):
        return [(start, apostrophes[0] + 1)]  # what follows is cut afresh
    clitics: list[Span] = []
    left = end  # where what remains to the left ends
    for apostrophe in reversed(apostrophes):
        cut = clitic_start(text, start, apostrophe, left)
        if cut is None:
            break
        clitics.insert(0, (cut, left))
        left = cut
    if not clitics and takes_period(text, start, end):
        return [(start, after_marks(text, end + 1))]  # a mark belongs to the period before it
    return [(start, left), *clitics]


def joins(text: str, start: int, i: int) -> bool:
    """Does the character at i join both its sides into one word? (Before it is an alphanumeric.)"""
    if i >= len(text):
        return False
    c = text[i]
    before = before_marks(text, start, i)
    sides = (kind(text, before, start), kind(text, i + 1))
    if c in APOSTROPHES or c in HYPHENS or c == "@":
        return kind(text, i + 1) in ALPHANUMERIC
    if c == "." and sides == ("letter", "letter"):
        return not (lower(text, before) and upper(text, i + 1) and lower(text, i + 2))  # end.Next
    if c in ".,:/":
        return sides == ("digit", "digit")
    if c == "&":
        return upper(text, before) and upper(text, i + 1)
    if c == '"':
        return "א" <= text[i - 1] <= "ת" and "א" <= text[i + 1 : i + 2] <= "ת"
    return c in MIDDLE_DOTS and sides == ("letter", "letter")


def is_elision(text: str, start: int, apostrophe: int) -> bool:
    """Is the word that begins at start, with this first apostrophe, like l'homme?"""
    part = text[start:apostrophe]
    base = unicode.base(text[apostrophe + 1])  # é -> e
    return part.isascii() and part.lower() in ELISIONS and base in "aeiouyhæœAEIOUYHÆŒ"


def clitic_start(text: str, start: int, apostrophe: int, end: int) -> int | None:
    """Where the clitic begins that ends text[start:end], whose last apostrophe this is; or None."""
    part = text[apostrophe + 1 : end]
    n = apostrophe - 1
    if not part.isascii():
        return None
    if part.lower() in CLITICS:
        return apostrophe
    is_nt = n > start and text[n] in "nN" and part in ("t", "T")
    return n if is_nt and kind(text, before_marks(text, start, n), start) in ALPHANUMERIC else None


def takes_period(text: str, start: int, end: int) -> bool:
    """Is text[start:end] an abbreviation that takes in the single period after it?"""
    if text[end : end + 1] != "." or text[end + 1 : end + 2] == ".":
        return False
    gap = end + 1  # the end of the separators after the period
    while kind(text, gap) == "separator" and text[gap] != "\n":
        gap += 1
    if (
        upper(text, start)
        and text[start] != "I"
        and end == start + 1
        and gap > end + 1
        and upper(text, gap)
    ):  # J. Smith
        return True
    parts = text[start:end].split(".")
    if len(parts) > 1 and all(len(part) <= 2 for part in parts):  # U.S.
        return all(text[i] == "." or kind(text, i) == "letter" for i in range(start, end))
    return text[start:end] in ABBREVIATIONS


def symbol(text: str, start: int, runs: bool = True) -> list[Span]:
    """Rule 4. In `characters` there are no runs."""
    end = start + (2 if FLAG.match(text, start) else 1)
    while runs and text[start] in RUNS and text[end : end + 1] == text[start]:
        end += 1
    end = after_marks(text, end)
    while text[end - 1] == ZERO_WIDTH_JOINER and kind(text, end) == "symbol":
        end = after_marks(text, end + 1)
    return [(start, end)]


SCRIPTS = """CJK-RADICALS 2E80-2FDF 3005-3007 3021-3029 3031-3035 3038-303C 3400-4DBF 4E00-9FFF F900-FAFF
    20000-3FFFF KANA 3041-30FF 31F0-31FF FF66-FF9F 1AFF0-1B16F THAI-LAO 0E00-0EFF BURMESE 1000-109F
    A9E0-A9FF AA60-AA7F KHMER 1780-17FF 19E0-19FF TAI 1950-19DF 1A20-1AAF AA80-AADF 11700-1174F"""
RANGES = re.findall(r"\b([0-9A-F]{4,5})-([0-9A-F]{4,5})\b", SCRIPTS)


def unspaced(c: str) -> bool:
    inside = any(int(a, 16) <= ord(c) <= int(b, 16) for a, b in RANGES)
    return inside and kind(c, 0) != "symbol"


def icu(text: str) -> list[Span]:
    """Words, cut where a script without spaces begins or ends; ICU divides each such piece by itself."""
    from icu4py.breakers import WordBreaker

    spans = []
    for start, end in words(text):
        edges = [start]
        of_script = unspaced(text[start])
        for i in range(start + 1, end):
            if unspaced(text[i]) != of_script and kind(text, i) != "mark":
                edges.append(i)
                of_script = unspaced(text[i])
        for a, b in zip(edges, [*edges[1:], end], strict=True):
            pieces = list(WordBreaker(text[a:b], "und")) if unspaced(text[a]) else [text[a:b]]
            for piece in pieces:
                spans.append((a, a + len(piece)))
                a += len(piece)
    return spans


def characters(text: str) -> list[Span]:
    spans: list[Span] = []
    for i in range(len(text)):
        if kind(text, i) != "separator" and (not spans or i >= spans[-1][1]):
            is_symbol = kind(text, i) == "symbol"
            spans += symbol(text, i, False) if is_symbol else [(i, after_marks(text, i + 1, True))]
    return spans


def whitespace(text: str) -> list[Span]:
    return [found.span() for found in re.finditer("[^ \t\n\v\f\r]+", text)]


def consists_of(piece: str, some: str) -> bool:
    return piece[0] in some and all(
        c in some or kind(piece, i) == "mark" for i, c in enumerate(piece)
    )


def sentences(text: str, spans: list[Span], tokens: str) -> list[int]:
    """The indices of the tokens, other than 0, that begin a sentence of this line."""
    pieces = [text[start:end] for start, end in spans]
    cuts: list[int] = []
    for i, piece in enumerate(pieces):
        is_terminator = consists_of(piece, TERMINATORS)
        while len(piece) > 1 and (
            kind(piece, -1 + len(piece)) == "mark"
            or (tokens == "whitespace" and piece[-1] in CLOSERS)
        ):
            piece = piece[:-1]
        if tokens == "whitespace":
            is_terminator = piece[-1] in TERMINATORS
        k = i + 1
        while k < len(pieces) and consists_of(pieces[k], CLOSERS):
            if tokens != "whitespace" and spans[k][0] > spans[k - 1][1]:
                break  # a quote after a space opens
            k += 1
        if not is_terminator or k == len(pieces):
            continue
        between = [kind(text, place) for place in range(spans[i][1], spans[k][0])]
        far_enough = piece[-1] not in ".!?…" or "separator" in between
        if far_enough and not lower(pieces[k], 0) and pieces[k][0] not in TERMINATORS:
            cuts.append(k)
    return cuts
