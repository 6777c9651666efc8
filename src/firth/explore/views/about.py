"""How the model was made, and what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from firth import __version__
from firth.explore._asking import Opened
from firth.explore._edition import SHOWN, Edition

__all__ = ["exported", "router"]

router = APIRouter(tags=["about"])
_MOST_SOURCES = 50


@dataclass(frozen=True)
class PartFacts:
    """A part of the model."""

    name: str
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
    """What this server holds in memory: of its own, and shared with others through mapped files."""
    parts: list[PartFacts]
    n_tokens: int | None
    n_types: int | None
    n_sentences: int | None
    sources: list[str]
    n_sources: int
    coverage: list[tuple[int, float]]
    """What share of the text the so many most frequent words cover."""
    singular_values: list[float]


@router.get("/about")
def about(edition: Opened) -> AboutFacts:
    """How the model was made: sizes, parameters, timings, measures, singular values."""
    model = edition.model
    made: dict[Any, dict[str, Any]] = {entry.get("identity"): entry for entry in model.history()}
    parts = [
        PartFacts(
            name, part.n_bytes, made.get(part.identity, {}).get("date"), made.get(part.identity, {}).get("seconds"),
            model.is_stale(name) or name in set(SHOWN) - edition.parts, dict(part.parameters), dict(part.facts),
        )
        for name, part in sorted(model.parts.items())
    ]  # fmt: skip
    corpus = edition.corpus if "corpus" in edition.parts else None
    sources = [Path(source["name"]).name for source in corpus.sources] if corpus else []
    values = edition.vectors.singular_values if "vectors" in edition.parts else None
    return AboutFacts(
        model=model.path.resolve().name,
        firth=__version__,
        bytes=sum(part.bytes for part in parts),
        memory=_memory(),
        parts=parts,
        n_tokens=corpus.n_tokens if corpus else None,
        n_types=corpus.n_types if corpus else None,
        n_sentences=corpus.n_sentences if corpus else None,
        sources=sources[:_MOST_SOURCES],
        n_sources=len(sources),
        coverage=_coverage(edition),
        singular_values=[] if values is None else [float(f"{v:.6g}") for v in values],
    )


def _coverage(edition: Edition) -> list[tuple[int, float]]:
    if "corpus" not in edition.parts:
        return []
    n_types = edition.corpus.n_types
    sizes = [k * 10**e for e in range(1, 9) for k in (1, 2, 5) if k * 10**e < n_types]
    return [(n, round(edition.corpus.coverage(n), 5)) for n in [*sizes, n_types]]


def _memory() -> dict[str, int] | None:
    """Bytes of memory by kind, where the system tells."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    kinds = {"own": "RssAnon", "shared": "RssFile"}
    return {
        kind: int(told[key].split()[0]) * 1024 for kind, key in kinds.items() if key in told
    } or None


def exported(edition: Edition, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers that go into a page without a server."""
    from dataclasses import replace

    yield "about", replace(about(edition), memory=None)
