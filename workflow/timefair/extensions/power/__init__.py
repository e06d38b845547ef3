"""What a campaign can detect, before its first run: lines of `timefair check`.

`power` has the power of the tests that verdicts are made of, `check` the smallest differences.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, check="check")
