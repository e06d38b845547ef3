"""Suites of competitions: CEC 2010 to 2022, engineering designs, and moving peaks."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, suites=".")
