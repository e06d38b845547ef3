"""Sentences that the tables of this folder share."""

from __future__ import annotations

from collections.abc import Collection

COMPUTED = (
    "Nothing is measured again. The result of each policy is computed from the traced launches, "
    "which are treated as a sample from one distribution per function; similar instances are "
    "pooled."
)


def untraced(algorithms: Collection[str]) -> str:
    """The algorithms without launch traces, as a sentence for captions; empty if there are none."""
    if not algorithms:
        return ""
    return (
        f"No launch traces: {', '.join(sorted(algorithms))}; other policies cannot be "
        "judged for them."
    )
