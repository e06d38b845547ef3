"""Whether launches of another length would have been faster, computed from measured launches."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",), findings="findings")
