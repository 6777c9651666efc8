"""ELAN files (``.eaf``): the annotations of some tiers, with speaker, tier and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from firth.errors import InputError
from firth.formats._compression import Stream
from firth.formats._limits import current_limits
from firth.formats._xml import parse_xml

__all__ = ["elan_lines", "elan_tiers"]

_TRANSCRIPTIONS = frozenset(
    "text tx txt transcription transcript transcripción transcrição orthography orth orthographic utterance "
    "utterances baseline speech".split()
)
"""What tiers with the transcription are often called."""
_DEEPEST = 100
"""How many tiers are followed to one that has a participant."""
_ANY = "text"
"""The default column: no tier was chosen."""


@dataclass
class _Annotation:
    id: str
    begin: str
    end: str
    """The names of time slots."""
    parent: str
    """The annotation that it belongs to, if it has no time of its own."""
    text: str = ""


@dataclass
class _Tier:
    name: str
    kind: str
    speaker: str
    parent: str
    annotations: list[_Annotation] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many characters its annotations have."""
        return sum(len(one.text) for one in self.annotations)


def elan_lines(stream: Stream, column: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The annotations of some tiers in the order of time, each with what is known about it.

    Parameters
    ----------
    stream : Stream
    column : str
        A tier, a type of tiers, or several of them with commas between them. ``text`` stands for the tiers
        that are called a transcription, or else for those of the type with the most text.
    """
    handler = _read(stream)
    chosen = _chosen(handler.tiers, column, stream.name)
    times = _Times(handler)
    found = [(times.of(one), tier, one) for tier in chosen for one in tier.annotations if one.text]
    found.sort(key=lambda item: item[0][0] if item[0][0] is not None else float("inf"))
    by_name = {tier.name: tier for tier in handler.tiers}
    speakers = {tier.name: _speaker(tier, by_name) for tier in chosen}
    for (start, end), tier, annotation in found:
        known = {
            "tier": tier.name,
            "speaker": speakers[tier.name],
            "start": None if start is None else start / 1000,
            "end": None if end is None else end / 1000,
        }
        yield known, annotation.text


def elan_tiers(stream: Stream) -> tuple[list[str], list[str]]:
    """The names of the tiers that are read if none is chosen, and of the others with text."""
    tiers = [tier for tier in _read(stream).tiers if tier.size]
    chosen = [tier.name for tier in _chosen(tiers, _ANY, stream.name)]
    return chosen, [tier.name for tier in tiers if tier.name not in chosen]


def _read(stream: Stream) -> _Handler:
    handler = _Handler(stream.name)
    for _ in parse_xml(stream, handler):
        pass
    return handler


def _chosen(tiers: list[_Tier], column: str, name: str) -> list[_Tier]:
    """The tiers that are read; an error lists those there are."""
    with_text = [tier for tier in tiers if tier.size]
    if not with_text:
        raise InputError(
            f"{name} has no tier with text.",
            f"Its tiers are: {_listed(tiers) or 'none'}.",
        )
    for wanted in ({column}, {one.strip() for one in column.split(",")}):
        found = [tier for tier in tiers if wanted & {tier.name, tier.kind}]
        if found and wanted <= {n for tier in tiers for n in (tier.name, tier.kind)}:
            if not any(tier.size for tier in found):
                raise InputError(
                    f"The tier {column!r} of {name} has no text.",
                    f"Choose with --column. With text: {_listed(with_text)}.",
                )
            return found
    if column != _ANY:
        raise InputError(
            f"{name} has no tier {column!r}, and no type of tiers with this name.",
            f"Choose with --column. It has: {_listed(with_text)}.",
        )
    called = [tier for tier in with_text if _TRANSCRIPTIONS & _words_of(tier)]
    sizes: Counter[str] = Counter()
    for tier in called or with_text:
        sizes[tier.kind] += tier.size
    kind = sizes.most_common(1)[0][0]
    return [tier for tier in called or with_text if tier.kind == kind]


def _words_of(tier: _Tier) -> set[str]:
    """What a tier is called, without the speaker: ``tx@Anna`` is ``tx``."""
    return {tier.name.partition("@")[0].lower(), tier.kind.lower()}


def _listed(tiers: list[_Tier]) -> str:
    """Tiers with their types and numbers of annotations."""
    shown = ", ".join(
        f"{tier.name!r} (type {tier.kind!r}, {len(tier.annotations):,})" for tier in tiers[:20]
    )
    return f"{shown}, ..." if len(tiers) > 20 else shown


def _speaker(tier: _Tier, tiers: Mapping[str, _Tier]) -> str | None:
    """The participant of a tier or of one that it depends on, or what follows ``@`` in its name."""
    here: _Tier | None = tier
    for _ in range(_DEEPEST):
        if here is None or here.speaker:
            break
        here = tiers.get(here.parent)
    return (here.speaker if here else "") or tier.name.partition("@")[2] or None


class _Times:
    """When annotations begin and end, in milliseconds; those that depend on others have their times."""

    def __init__(self, handler: _Handler) -> None:
        self._slots = handler.slots
        self._by_id: dict[str, _Annotation] = {}
        self._known: dict[str, tuple[int | None, int | None]] = {}
        for tier in handler.tiers:
            for one in tier.annotations:
                self._by_id.setdefault(one.id, one)

    def of(self, annotation: _Annotation) -> tuple[int | None, int | None]:
        """Of an annotation; None where it is not known."""
        path = [annotation]
        seen = {annotation.id}
        while path[-1].parent and path[-1].parent not in self._known:
            parent = self._by_id.get(path[-1].parent)
            if parent is None or parent.id in seen:
                break
            seen.add(parent.id)
            path.append(parent)
        last = path[-1]
        found = self._slots.get(last.begin), self._slots.get(last.end)
        found = self._known.get(last.parent, found)
        for one in path[1:]:  # so that no chain is followed twice
            self._known[one.id] = found
        return found


class _Handler:
    """Gathers tiers and times."""

    def __init__(self, name: str) -> None:
        self.found: list[Any] = []
        self.line = 0
        self.slots: dict[str, int] = {}
        self.tiers: list[_Tier] = []
        self._name, self._limits = name, current_limits()
        self._annotation: _Annotation | None = None
        self._pieces: list[str] | None = None
        self._size = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        get = attributes.get
        if name == "TIME_SLOT":
            value = get("TIME_VALUE", "")
            if value.isdecimal() and len(value) < 16:
                self.slots.setdefault(get("TIME_SLOT_ID", ""), int(value))
        elif name == "TIER":
            kind, speaker = get("LINGUISTIC_TYPE_REF", ""), get("PARTICIPANT", "").strip()
            self.tiers.append(_Tier(get("TIER_ID", ""), kind, speaker, get("PARENT_REF", "")))
        elif name in ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION"):
            if not self.tiers:
                raise InputError(
                    f"{self._name}, line {self.line:,}: an annotation that is in no tier."
                )
            self._annotation = _Annotation(
                get("ANNOTATION_ID", ""),
                get("TIME_SLOT_REF1", ""),
                get("TIME_SLOT_REF2", ""),
                get("ANNOTATION_REF", ""),
            )
            self.tiers[-1].annotations.append(self._annotation)
        elif name == "ANNOTATION_VALUE":
            self._pieces, self._size = [], 0

    def end(self, name: str) -> None:
        if name == "ANNOTATION_VALUE":
            if self._annotation is not None:
                self._annotation.text = " ".join("".join(self._pieces or []).split())
            self._pieces = None

    def text(self, data: str) -> None:
        if self._pieces is not None:
            self._pieces.append(data)
            self._size += len(data)
            self._limits.check_line(
                self._size, f"The annotation in line {self.line:,} of {self._name}"
            )
