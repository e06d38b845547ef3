"""Whether launches of another length would have been faster, from the measured launches."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",), findings="tables")
