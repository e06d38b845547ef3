"""The stopping rule `classifier`: a classifier, trained from recorded campaigns, judges estimates.

`statistics` has its features and its model, `rule` the stopping rule and the file of a classifier,
`training` and `commands` make such a file, and `tables` shows whether the reliability of an
estimate can be predicted at all.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    commands="commands",
    policies={"stopping": "rule"},
    exhibits=("tables",),
)
