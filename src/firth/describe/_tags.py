"""The tags of a tagger."""

from __future__ import annotations

from typing import Any

from firth.tags import Tagger

__all__ = ["tag_facts"]


def tag_facts(tagger: Tagger, n: int) -> list[dict[str, Any]]:
    """The tags of a tagger as data: name, share, anchor, ``n`` typical words, and what follows."""
    hmm = tagger.hmm_
    return [
        {
            "tag": k,
            "name": name,
            "share": float(tagger.prior_[k]),
            "anchor": tagger.anchors_[k] if tagger.anchors_ else None,
            "first": float(hmm.initial[k]),
            "words": [
                {"word": found.word, "count": found.count, "share": found.share}
                for found in tagger.typical(k, n)
            ],
            "followed_by": {
                other: float(p) for other, p in zip(tagger.tags_, hmm.transition[k], strict=True)
            },
        }
        for k, name in enumerate(tagger.tags_)
    ]
