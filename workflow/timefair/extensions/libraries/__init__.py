"""Libraries of algorithms, one adapter each."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, libraries=".")
