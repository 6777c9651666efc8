"""A language model."""

from __future__ import annotations

from typing import Any

from firth.lm import CompactModel, InterpolatedModel, bucket_names

__all__ = ["lm_facts"]


def lm_facts(lm: InterpolatedModel | CompactModel) -> dict[str, Any]:
    """A language model as data: order, components, sizes, reading; interpolation weights, if it is no compact file."""
    if isinstance(lm, CompactModel):
        return {
            "order": lm.order, "components": lm.component_names, "cache": False, "n_words": len(lm.words_),
            "n_grams": lm.n_grams, "reading": lm.words_.reading.parameters(),
        }  # fmt: skip
    weights = [
        {"before": name, "held_out_words": n, "weights": row}
        for name, n, row in zip(
            bucket_names(), lm.facts_["buckets"], lm.weights_.tolist(), strict=True
        )
    ]
    rest = {name: value for name, value in lm.facts_.items() if name != "buckets"}
    return {
        "order": lm.order,
        "components": lm.component_names,
        "cache": lm.mixture_.cache_weights is not None,
        **rest,
        "weights": weights,
        "reading": lm.words_.reading.parameters(),
    }
