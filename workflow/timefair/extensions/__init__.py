"""The extensions: a folder each, found by `timefair.basics.extension` and imported by no core."""
