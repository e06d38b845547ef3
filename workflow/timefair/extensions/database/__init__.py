"""A database of measured optimizers: `timefair rank` and `timefair recommend`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, commands="commands", groups={"rank": "results", "recommend": "plan"}
)
