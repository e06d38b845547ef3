"""A campaign as a self-contained archive, a Workflow Run RO-Crate, and the check of one."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands")
