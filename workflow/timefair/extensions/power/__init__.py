"""What a campaign can detect, before its first run: lines of `timefair check`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, check="check")
