"""Sentences that the tables of this room share."""

from __future__ import annotations

from collections.abc import Collection

COMPUTED = (
    "Nothing is measured again: each policy is computed from the launches that were traced, which "
    "count as draws of one law per function, instances pooled as far as they are alike."
)


def untraced(algorithms: Collection[str]) -> str:
    """Which algorithms have no launch traces, as a sentence for captions; empty for none."""
    if not algorithms:
        return ""
    return (
        f"No launch traces: {', '.join(sorted(algorithms))}; nothing is known of other policies "
        "there."
    )
