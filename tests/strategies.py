"""Strategies: text that is likely to meet the rules of tokenising."""

from __future__ import annotations

from hypothesis import strategies as st

_PIECES = (
    "a b n s t Re VE ll d M e\u0301 é œ E H don't n't 's ’re l' qu’ dell' aujourd'hui "
    "www. http:// x://y ftp a.b U.S Ph.D J. I. Mr Mr. etc "
    "end.Next 1 2,3 3.4 10:30 ٣ ² _ @ # & - ‐ — -- ... . , : / ' ’ \" ” « » ( ) [ ] ! ? … 。 ！ 」 ‼ ‼\ufe0f ؟ । "
    "👩 \u200d 🚀 🏽 🇫 🇷 \ufe0f \u200c \u0301 \u200b \ufeff \u200f · "
    "\u05f4 א ב ת הִ 漢 字 กำ हि न्दी ᄒ ᅡ ᆫ 한 \U000e0061 \ue000 \U000f0000 ~ * = ` + 'd've AT&T"
).split(" ")

pieces = st.sampled_from([*_PIECES, " ", " ", " ", "\t", "\u00a0", "\r"])
lines = st.lists(
    st.one_of(pieces, st.characters(codec="utf-8", exclude_characters="\n\0")), max_size=25
).map("".join)
texts = st.lists(lines, max_size=5).map("\n".join)
