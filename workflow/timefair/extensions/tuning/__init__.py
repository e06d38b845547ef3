"""Searches for the parameters of an algorithm, measured and charged, before the runs."""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    commands="commands",
    sections={"algorithms.tune": "keys:Tune"},
    exhibits=("tables",),
    reported=("tuning_pays",),
    findings="tables",
    check="commands",
)
