"""Ratios of expected running times within blocks of runs that share a node and a time. The key
``block`` and the order of the runs are in the core.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, exhibits=("tables",), reported=("ert_ratios",), reported_for=("block",)
)
