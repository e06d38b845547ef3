"""The stopping rule `campaign_race`: gives the runs of a round to the pairs that they may decide.

`statistics` has the mean A12 of pairs over functions, its confidence sequence and the choice of the
next runs, `rule` the stopping rule, `rounds` its decision on a round from the records, `tables` and
`findings` what it decided.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, policies={"stopping": "rule"}, exhibits=("tables",), findings="findings"
)
