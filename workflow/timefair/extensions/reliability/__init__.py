"""Whether the reliability of an estimate can be predicted: the table `run_count_reliability`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",))
