"""Ratios of ERTs within blocks of runs that share a node and a time; the key is in the core."""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, exhibits=("tables",), reported=("ert_ratios",), reported_for=("block",)
)
