"""Measures recorded runs again, and compares both runs and their circumstances."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"reproduce": "trust"})
