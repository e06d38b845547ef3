"""Where the order of two algorithms turns: at another evaluation cost, or with faster own code."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",), checklist="tables", findings="tables")
