"""Which algorithms should share a budget, and what each of them contributes."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",), findings="finding")
