"""Compares two versions of an algorithm: `timefair compare`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"compare": "results"})
