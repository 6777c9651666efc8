"""The positions of words in text."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from firth.corpus import Reading, Source, stream_tokens, tokenise
from firth.ner._places import PlacedSource, text_of


@given(
    text=st.text("aZé1 .'-\n\t\u0301\u200b\u00a0\u4e2d(@", max_size=60),
    tokens=st.sampled_from(["words", "whitespace", "characters"]),
)
def test_every_word_is_where_it_stands(text: str, tokens: Any) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text(text, newline="")
        source = PlacedSource(Source("text.txt", "text", path), placing=True)
        places = [
            place
            for words, _ in stream_tokens([source], Reading(tokens))
            for place in source.places(len(words))
        ]
    assert [place.text for place in places] == [w for s in tokenise(text, tokens) for w in s]
    for place in places:
        line = text.split("\n")[place.line - 1]
        assert line[place.start :].startswith(place.text)
        assert not tokenise(place.before, tokens)
    if places:
        assert text.startswith(places[0].before + text_of(places))
