"""The content of the model, and how it was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from firth import __version__
from firth.describe import model_facts
from firth.errors import shown
from firth.explore._requests import Opened
from firth.explore._snapshot import SHOWN, Snapshot
from firth.parts import PARTS

__all__ = ["exported", "router"]

router = APIRouter(tags=["about"])
_MOST_SOURCES = 50


@dataclass(frozen=True)
class PartFacts:
    """A part of the model."""

    name: str
    title: str
    bytes: int
    date: str | None
    seconds: float | None
    stale: bool
    parameters: dict[str, Any]
    facts: dict[str, Any]


@dataclass(frozen=True)
class AboutFacts:
    """The model as a whole."""

    model: str
    firth: str
    bytes: int
    memory: dict[str, int] | None
    """Memory of the server: its own, and memory-mapped files that other processes can share."""
    parts: list[PartFacts]
    n_tokens: int | None
    n_types: int | None
    n_sentences: int | None
    sources: list[str]
    n_sources: int
    coverage: list[tuple[int, float]]
    """Numbers of most frequent words, and the share of the tokens that they cover."""
    singular_values: list[float]


@router.get("/about")
def about(snapshot: Opened) -> AboutFacts:
    """Sizes, parameters and timings of the parts, coverage of the vocabulary, singular values."""
    model = snapshot.model
    facts = model_facts(model)
    corpus = snapshot.corpus if "corpus" in snapshot.parts else None
    sources = [Path(source["name"]).name for source in corpus.sources] if corpus else []
    values = snapshot.vectors.singular_values if "vectors" in snapshot.parts else None
    return AboutFacts(
        model=shown(model.path.resolve().name),
        firth=__version__,
        bytes=facts["bytes"],
        memory=_memory(),
        parts=[_part(snapshot, name, part) for name, part in facts["parts"].items()],
        n_tokens=corpus.n_tokens if corpus else None,
        n_types=corpus.n_types if corpus else None,
        n_sentences=corpus.n_sentences if corpus else None,
        sources=sources[:_MOST_SOURCES],
        n_sources=len(sources),
        coverage=_coverage(snapshot),
        singular_values=[] if values is None else [float(f"{v:.6g}") for v in values],
    )


def _part(snapshot: Snapshot, name: str, described: dict[str, Any]) -> PartFacts:
    part = snapshot.model.parts[name]
    return PartFacts(
        name=name,
        title=PARTS[name].title if name in PARTS else name,
        bytes=part.n_bytes,
        date=described.get("date"),
        seconds=described.get("seconds"),
        stale=described["stale"] or name in set(SHOWN) - snapshot.parts,
        parameters=dict(part.parameters),
        facts=dict(part.facts),
    )


def _coverage(snapshot: Snapshot) -> list[tuple[int, float]]:
    if "corpus" not in snapshot.parts:
        return []
    n_types = snapshot.corpus.n_types
    sizes = [k * 10**e for e in range(1, 9) for k in (1, 2, 5) if k * 10**e < n_types]
    return [(n, round(snapshot.corpus.coverage(n), 5)) for n in [*sizes, n_types]]


def _memory() -> dict[str, int]:
    """Bytes of memory by kind; what is mapped from files counts as shared where the system tells."""
    import psutil

    memory = psutil.Process().memory_info()
    shared = getattr(memory, "shared", None)
    return {"own": memory.rss} if shared is None else {"own": memory.rss - shared, "shared": shared}


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers for an exported page."""
    yield "about", replace(about(snapshot), memory=None)
