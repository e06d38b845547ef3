"""What results can and cannot claim, as a reviewer asks: `timefair referee`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"referee": "watch"})
