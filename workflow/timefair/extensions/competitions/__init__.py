"""Suites of the CEC competitions: those of 2010 to 2022, and engineering designs."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, suites=".")
