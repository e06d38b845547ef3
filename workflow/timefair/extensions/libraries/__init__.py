"""Libraries of algorithms that timefair does not depend on, one adapter each."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, libraries=".")
