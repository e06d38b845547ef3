"""Compares two versions of an algorithm: `timefair compare`.

- `comparison`: the runs of both versions on each function, in pairs where the seeds are equal, and
  the answers, per function and over all;
- `rounds`: the runs of a campaign, also those that are measured until the answer is decided.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"compare": "results"})
