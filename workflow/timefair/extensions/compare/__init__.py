"""Compares two versions of an algorithm: `timefair compare`.

- `comparison`: the runs of both versions on each function, in pairs where the seeds are equal, and
  the answers, per function and over all;
- `sources`: where the runs are read from: one campaign, or two with the drift between them;
- `rounds`: runs that are measured for a comparison, until the answer is decided, and what a planned
  comparison can find;
- `words`: the same facts as lines, for a pull request, and as a page.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"compare": "results"})
