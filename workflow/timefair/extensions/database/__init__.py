"""A database of measured optimizers: `timefair rank` and `timefair recommend`.

- `store`: its archives, digests and list of optimizers; `standings`: ranks, from arrays of costs;
- `ranking`: measures one more algorithm and places it; `advice`: the shortlist for a budget.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, commands="commands", groups={"rank": "results", "recommend": "plan"}
)
