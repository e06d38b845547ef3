"""What a campaign can detect: lines of `timefair check`, and `timefair plan` from a pilot.

- `power`: power of the tests that verdicts are made of;
- `design`: the numbers of a campaign that determine it, and parts of variance;
- `check`: the smallest differences that a campaign can find;
- `pilot`, `needs`: estimates from the runs of a small campaign, and what a difference takes then.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"plan": "plan"}, check="check")
