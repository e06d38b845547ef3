"""The classifier of the stopping rule `classifier`, trained from recorded campaigns."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands")
