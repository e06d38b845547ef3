"""Sentences that the tables of this room share."""

from __future__ import annotations

from collections.abc import Collection

COMPUTED = (
    "Nothing is measured again. The result of each policy is computed from the traced launches, "
    "which are treated as a sample from one distribution per function; similar instances are "
    "pooled."
)


def untraced(algorithms: Collection[str]) -> str:
    """Which algorithms have no launch traces, as a sentence for captions; empty for none."""
    if not algorithms:
        return ""
    return (
        f"No launch traces: {', '.join(sorted(algorithms))}; other policies cannot be "
        "judged for them."
    )
